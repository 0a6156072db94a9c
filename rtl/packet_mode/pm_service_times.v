// Arbitration of flows that share a line by weight: common part of both weighted round robin schedulers (S3 2, III-A).
// Each flow has a service time, which increases by words / weight with what it sends; the requesting flow with the
// lowest time is next. So flows that always request send words in proportion to their weights, whatever the sizes of
// their units, and bandwidth unused by others is shared by weight, too. With equal ones that is round robin.
//
// The crossbar's time is that of the flow chosen last; a flow that goes on without arbitration, in packet mode, does
// not change it. A flow falls behind by SAVED words of its own at most: that much it may send at once when it requests
// again. That must be more than a flow misses while its crosspoint is empty because its input is busy elsewhere. A unit
// is charged when its first word leaves, so its size need not be known before.
//
// Times are in 1/65535 words of a flow of weight 1, modulo 2^32, so two may be 32768 words of such a flow apart. They
// differ at most by what a flow sends in one grant, and SAVED: in PPM 6 units of 1024 words, each with the remainder of
// a packet of 4096.
`default_nettype none
module pm_service_times #(
    parameter FLOWS = 16,                      // 2..128
    parameter SAVED = 1024,                    // words, 0..2047
    // computed, not to be set
    parameter FW    = $clog2(FLOWS)
) (
    input  wire             clk,
    input  wire             rst,                  // all weights 1, all times 0
    input  wire             weight_write,
    input  wire [FW-1:0]    weight_flow,
    input  wire [7:0]       weight,               // 1..255; 0 counts as 1
    input  wire [FLOWS-1:0] request,
    output reg  [FW-1:0]    turn,                 // one of `request`, if there is any
    input  wire             chosen,               // `chosen_flow` has been granted, or goes on in packet mode
    input  wire [FW-1:0]    chosen_flow,
    input  wire             pay,
    input  wire [FW-1:0]    pay_flow,
    input  wire [12:0]      pay_words
);
    localparam [31:0] FULL = SAVED;
    localparam [31:0] LAST = FLOWS - 1;

    reg  [FLOWS*32-1:0] service_time;
    reg  [FLOWS*16-1:0] per_word;                 // 65535 / weight
    reg  [31:0]   now;                            // the crossbar's time
    reg  [FW-1:0] looked_at;                      // the flow that is kept from falling behind, one per clock
    wire [31:0]   behind  = now - service_time[32*looked_at +: 32];
    wire [31:0]   allowed = FULL * {16'd0, per_word[16*looked_at +: 16]};
    wire          lags    = !behind[31] && behind > allowed;
    wire [31:0]   passed  = service_time[32*chosen_flow +: 32] - now;
    wire          ahead   = passed != 32'd0 && !passed[31];
    wire [31:0]   paid    = service_time[32*pay_flow +: 32] + {19'd0, pay_words} * {16'd0, per_word[16*pay_flow +: 16]};
    wire [15:0]   divisor = (weight == 8'd0) ? 16'd1 : {8'd0, weight};

    // the lowest time among the requests, as a distance from the crossbar's
    reg  [31:0]   least;
    reg  [31:0]   distance;
    integer       i;
    always @* begin
        turn     = {FW{1'b0}};
        least    = 32'hffffffff;
        distance = 32'd0;
        for (i = 0; i < FLOWS; i = i + 1) begin
            distance = service_time[32*i +: 32] - now + 32'h80000000;
            if (request[i] && distance < least) begin
                least = distance;
                turn  = i[FW-1:0];
            end
        end
    end

    always @(posedge clk)
        if (rst) begin
            now          <= 32'd0;
            looked_at    <= {FW{1'b0}};
            service_time <= {FLOWS*32{1'b0}};
            per_word     <= {FLOWS*16{1'b1}};
        end else begin
            looked_at <= (looked_at == LAST[FW-1:0]) ? {FW{1'b0}} : looked_at + 1'b1;
            if (lags) service_time[32*looked_at +: 32] <= now - allowed;
            if (pay) service_time[32*pay_flow +: 32] <= paid;
            if (chosen && ahead && chosen_flow == turn) now <= service_time[32*chosen_flow +: 32];
            if (weight_write) per_word[16*weight_flow +: 16] <= 16'hffff / divisor;
        end
endmodule
`default_nettype wire
