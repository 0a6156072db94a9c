// Two callers, A and B, share the write interface of the bus: incoming packets with their notifications and local
// notifications, and, with SYNC, these two and rtl/sync. An acknowledged sequence is finished before the next; when
// both request, they alternate. A pending request keeps its place until it is acknowledged, or withdrawn by its caller.
//
// With AHEAD = 1 B may request its next sequence while one of its own is not done, as long as A waits for nothing;
// pcix_core acknowledges it when the last data phase of the one before is over, so B's writes follow each other without
// the four clocks to wr_done. At most two are acknowledged and not done.
//
// Combinational towards the bus interface: adds no clock.
`default_nettype none
module dma_write_mux #(
    // see above, 0 or 1
    parameter AHEAD = 0
) (
    input  wire        clk,
    input  wire        rst,

    input  wire        a_req,
    input  wire [63:0] a_addr,
    input  wire [9:0]  a_words,
    output wire        a_ack,
    input  wire [63:0] a_data,
    input  wire        a_data_valid,
    output wire        a_data_pop,
    output wire        a_done,              // one clock: its sequence has ended

    input  wire        b_req,
    input  wire [63:0] b_addr,
    input  wire [9:0]  b_words,
    output wire        b_ack,
    input  wire [63:0] b_data,
    input  wire        b_data_valid,
    output wire        b_data_pop,
    output wire        b_done,              // one clock: its oldest sequence has ended

    output wire        wr_req,
    output wire [63:0] wr_addr,
    output wire [9:0]  wr_words,
    input  wire        wr_ack,
    output wire [63:0] wr_data,
    output wire        wr_data_valid,
    input  wire        wr_data_pop,
    input  wire        wr_done
);
    initial
        if (AHEAD != 0 && AHEAD != 1) begin
            $display("%m: AHEAD must be 0 or 1, is %0d", AHEAD);
            $finish;
        end

    reg  taken;          // a sequence has been acknowledged and is not done
    reg  second;         // ... and another one of the same caller
    reg  standing;       // a request was up in the clock before and was not acknowledged
    reg  current_b;      // caller of the current one
    reg  last_b;
    wire stays  = standing && (current_b ? b_req : a_req);
    wire pick_b = b_req && (!a_req || !last_b);
    wire is_b   = (taken || stays) ? current_b : pick_b;

    wire again  = AHEAD != 0 && current_b && !a_req && !second;

    assign wr_req        = (!taken || again) && (is_b ? b_req : a_req);
    assign wr_addr       = is_b ? b_addr : a_addr;
    assign wr_words      = is_b ? b_words : a_words;
    assign wr_data       = is_b ? b_data : a_data;
    assign wr_data_valid = is_b ? b_data_valid : a_data_valid;
    assign a_ack         = wr_ack && !is_b;
    assign b_ack         = wr_ack && is_b;
    assign a_data_pop    = wr_data_pop && !is_b;
    assign b_data_pop    = wr_data_pop && is_b;
    assign a_done        = wr_done && !is_b;
    assign b_done        = wr_done && is_b;

    always @(posedge clk)
        if (rst) begin
            taken     <= 1'b0;
            second    <= 1'b0;
            standing  <= 1'b0;
            current_b <= 1'b0;
            last_b    <= 1'b0;
        end else begin
            current_b <= is_b;
            standing  <= wr_req && !wr_ack;
            if (wr_ack != wr_done) begin
                taken  <= wr_ack || second;
                second <= AHEAD != 0 && wr_ack && taken;
            end
            if (wr_ack) last_b <= is_b;
        end

    // ---- measuring
    wire probe_busy      = a_req || b_req || taken;
    wire probe_stall_bus = wr_req && !wr_ack;
    wire probe_start     = wr_ack;
    wire probe_done      = wr_done;
endmodule
`default_nettype wire
