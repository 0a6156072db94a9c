// When to send check records, and from when on credits are valid. A lane is a virtual channel.
//
// A check record reports to the other side how much has been transmitted on a lane. It repairs what credits cannot: a
// packet lost on the wire was transmitted but never stored. Records are owed
//     * for every lane at link-up, and when other lanes are enabled, at once;
//     * then for one lane each time that it is `due`, round robin (link_timer).
// They leave as soon as the transmitter is free: all of them lowest lane first, and the next periodic one is that of
// lane 0 again. A periodic record that comes due while records are owed is skipped.
//
// After its own reset a sender cannot interpret the other side's counts until its record has arrived there: `hold` is
// high until HOLD clocks after the latest record of a lane that had none before. When it ends every lane is owed a
// record once more: the credit that answers it is the first valid one, so lanes open after a round trip and not with
// the next periodic record. It also replaces a first record that the other side, not yet synchronised, has missed.
`default_nettype none
module link_check_record #(
    // lanes (virtual channels), 1..64
    parameter LANES = 8,
    // clocks of hold, 1..1023
    parameter HOLD = 512
) (
    input  wire                                     clk,                // gated while `busy` is low (clock_gate)
    input  wire                                     rst,
    output wire                                     busy,               // a record is due or owed, or lanes changed
    input  wire                                     due,                // one clock: a periodic record
    input  wire                                     link_up,
    input  wire [LANES-1:0]                         lanes_used,

    // records for the transmitter: `lane` is valid while `request`
    output wire                                     request,            // a record is owed
    output reg  [$clog2(LANES > 1 ? LANES : 2)-1:0] lane,
    input  wire                                     take,               // it leaves
    input  wire                                     again,              // with it: its lane had one since reset

    output wire                                     hold,               // level: credits are not valid yet
    output wire                                     packets_may_start   // the link is up, records of link-up are ahead
);
    localparam LANE_BITS = $clog2(LANES > 1 ? LANES : 2);
    localparam [9:0]  HOLD_CLOCKS = HOLD;
    localparam [31:0] LAST_LANE   = LANES - 1;
    localparam LEFT_BITS = $clog2(LANES + 1);

    initial
        if (LANES < 1 || LANES > 64 || HOLD < 1 || HOLD > 1023) begin
            $display("%m: LANES must be 1..64, is %0d; HOLD 1..1023, is %0d", LANES, HOLD);
            $finish;
        end

    reg                  link_up_before;
    reg  [LANES-1:0]     used_before;
    reg  [LEFT_BITS-1:0] left;           // lanes that are owed a record, from `lane` on
    reg  [9:0]           hold_left;

    wire                 hold_ends = (hold_left == 10'd1);
    wire                 changed   = (link_up != link_up_before) || (lanes_used != used_before);
    wire                 owed      = (left != {LEFT_BITS{1'b0}});
    wire                 passed    = !lanes_used[lane];                       // this lane gets none
    wire                 goes_on   = take || passed;

    assign request           = owed && !passed && link_up;
    assign busy              = due || owed || hold || changed || passed;
    assign hold              = (hold_left != 10'd0);
    assign packets_may_start = link_up && link_up_before;

    always @(posedge clk)
        if (rst) begin
            link_up_before <= 1'b0;
            used_before    <= {LANES{1'b0}};
        end else begin
            link_up_before <= link_up;
            used_before    <= lanes_used;
        end

    always @(posedge clk)
        if (rst || !link_up)           left <= {LEFT_BITS{1'b0}};
        else if (changed || hold_ends) left <= LANES[LEFT_BITS-1:0];
        else if (!owed)                left <= {{LEFT_BITS-1{1'b0}}, due};
        else if (goes_on)              left <= left - 1'b1;

    always @(posedge clk)
        if (rst || changed || hold_ends) lane <= {LANE_BITS{1'b0}};
        else if (goes_on)                lane <= (lane == LAST_LANE[LANE_BITS-1:0]) ? {LANE_BITS{1'b0}} : lane + 1'b1;

    always @(posedge clk)
        if (rst || (take && !again)) hold_left <= HOLD_CLOCKS;
        else if (hold)               hold_left <= hold_left - 10'd1;

    wire probe_busy       = request;
    wire probe_stall_link = request && !take;
    wire probe_start      = take;
    wire probe_done       = take;
endmodule
`default_nettype wire
