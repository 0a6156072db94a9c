// The clock of all QPs' timers, and the scanner that finds those that have expired. One timer per QP: it is the timeout
// of the oldest unacknowledged packet, or the wait after an RNR NAK.
//
// Time is counted in ticks of roce_registers. A timer is set by writing the tick at which it ends (`set_*`, one clock);
// the scanner reads one QP after the other, two clocks each, and offers an expired one as `ring_valid`, `ring_qp` until
// `ring_ready`. A QP that is `called` while the scanner visits it is offered too, whatever its timer: so events that
// need no fast service reach the requester. An offer may be stale; the receiver checks again.
//
// `wait_ticks` is the wait of an RNR NAK: IBA's table of 32 values (9.7.5.2.8) in steps of 10 us, each in ticks of
// 4.096 us, rounded up.
`default_nettype none
module roce_timer #(
    // queue pairs, 8..128
    parameter NUM_QP = 8
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              tick,          // one clock each 4.096 us
    output reg  [32:0]       now,           // ticks since reset
    input  wire              set,           // one clock
    input  wire [6:0]        set_qp,
    input  wire              set_armed,
    input  wire [32:0]       set_end,
    output wire [6:0]        scanned_qp,
    input  wire              scanned_on,    // it is enabled, combinational; one that is off keeps its timer
    input  wire              called,        // ..., combinational
    output reg               ring_valid,
    output reg  [6:0]        ring_qp,
    input  wire              ring_ready,
    input  wire [4:0]        rnr_code,
    output wire [18:0]       wait_ticks     // combinational
);
    localparam LOG2_QP = $clog2(NUM_QP);
    localparam [31:0] QPS = NUM_QP;
    localparam [6:0] LAST = QPS[6:0] - 7'd1;

    reg [33:0]       timers [0:NUM_QP-1];
    reg [33:0]       found;
    reg [6:0]        at;
    reg              look;         // `found` is that of QP `at`
    wire             over  = !(now - found[32:0] >= 33'h1_0000_0000);

    assign scanned_qp = at;

    always @(posedge clk) begin
        if (set) timers[set_qp[LOG2_QP-1:0]] <= {set_armed, set_end};
        found <= timers[at[LOG2_QP-1:0]];
    end

    always @(posedge clk)
        if (rst) begin
            now        <= 33'd0;
            at         <= 7'd0;
            look       <= 1'b0;
            ring_valid <= 1'b0;
            ring_qp    <= 7'd0;
        end else begin
            if (tick) now <= now + 33'd1;
            look <= !look && !ring_valid;
            if (ring_valid) ring_valid <= !ring_ready;
            else if (look) begin
                ring_valid <= (found[33] && over && scanned_on) || called;
                ring_qp    <= at;
                at         <= (at == LAST) ? 7'd0 : at + 7'd1;
            end
        end

    // Code 0 is the longest wait, 655.36 ms; 1 to 4 are 10 to 40 us; from then on each second code doubles it.
    reg [16:0] steps;
    always @*
        case (rnr_code)
            5'd0:    steps = 17'd65536;
            5'd1:    steps = 17'd1;
            default: steps = (rnr_code[0] ? 17'd3 : 17'd2) << ((rnr_code - 5'd2) >> 1);
        endcase
    wire [26:0] ticks = steps * 10'd625 + 27'd255;   // 10 us / 4.096 us = 625 / 256

    assign wait_ticks = ticks[26:8];

    wire unused = &{1'b0, ticks[7:0], set_qp};

    // ---- measuring
    wire probe_busy = ring_valid;
endmodule
`default_nettype wire
