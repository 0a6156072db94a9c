// When to send check records, and from when on credits may be believed.
//
// A check record tells the other side how much has been transmitted on a lane, which repairs what credits cannot: a packet that
// was lost on the wire was transmitted but never stored. Records are owed
//     * for every lane at link-up, and for a lane that is enabled later, at once;
//     * then for one lane each time that it is `due`, round robin (link_timer).
// They leave as soon as the transmitter is free, lowest lane first.
//
// After its own reset a sender does not know what the other side's counts mean until its record has arrived there: `hold` is
// high until HOLD clocks after the latest record of a lane that had none before. When it ends every lane is owed a record once
// more: the credit that answers it is the first one believed, so lanes open a round trip later and not with the next periodic
// record; and it makes good a first record that the other side, not yet in synchronisation, has missed.
`default_nettype none
module link_check_record #(
    // lanes, 1..64
    parameter LANES = 8,
    // clocks of hold, 1..1023
    parameter HOLD = 512
) (
    input  wire                                     clk,                // may rest while `busy` is low (clock_rest)
    input  wire                                     rst,
    output wire                                     busy,               // a record is due or owed, or the lanes have changed
    input  wire                                     due,                // one clock: a periodic record
    input  wire                                     link_up,
    input  wire [LANES-1:0]                         lanes_used,

    // records for the transmitter: `lane` is valid while `request`
    output reg                                      request,            // a record is owed
    output reg  [$clog2(LANES > 1 ? LANES : 2)-1:0] lane,
    input  wire                                     take,               // it leaves
    input  wire                                     again,              // with it: its lane has had one since reset, see link_credit_rx

    output wire                                     hold,               // level: credits are not to be believed yet
    output wire                                     packets_may_start   // the link is up and the records of link-up are ahead of any packet
);
    localparam LANE_BITS = $clog2(LANES > 1 ? LANES : 2);
    localparam [9:0]  HOLD_CLOCKS = HOLD;
    localparam [31:0] LAST_LANE   = LANES - 1;
    localparam [LANE_BITS-1:0] ONE_LANE = 1;

    initial
        if (LANES < 1 || LANES > 64 || HOLD < 1 || HOLD > 1023) begin
            $display("%m: LANES must be 1..64, is %0d; HOLD 1..1023, is %0d", LANES, HOLD);
            $finish;
        end

    reg                  link_up_before;
    reg  [LANES-1:0]     up_before;      // lanes that were up in the last clock
    reg  [LANES-1:0]     owed;
    reg  [LANE_BITS-1:0] periodic;       // lane of the next periodic record; moves on, a lane per clock, from one that is not up
    reg  [9:0]           hold_left;

    wire [LANES-1:0]     lane_zero = {{LANES-1{1'b0}}, 1'b1};
    wire [LANES-1:0]     up        = lanes_used & {LANES{link_up}};
    wire                 hold_ends = (hold_left == 10'd1);
    wire [LANES-1:0]     lane_bit  = lane_zero << lane;
    wire [LANES-1:0]     owed_next = up & ((owed & ~(take ? lane_bit : {LANES{1'b0}})) | ~up_before | {LANES{hold_ends}}
                                           | (due ? lane_zero << periodic : {LANES{1'b0}}));

    // the lowest lane that is owed one
    reg  [LANE_BITS-1:0] lane_next;
    integer i;
    always @* begin
        lane_next = lane;
        for (i = LANES - 1; i >= 0; i = i - 1)
            if (owed_next[i])
                lane_next = i[LANE_BITS-1:0];
    end

    assign busy              = due || request || hold || (link_up != link_up_before) || (up != up_before) || (LANES > 1 && !up[periodic]);
    assign hold              = (hold_left != 10'd0);
    assign packets_may_start = link_up && link_up_before;

    always @(posedge clk)
        if (rst) begin
            link_up_before <= 1'b0;
            up_before      <= {LANES{1'b0}};
            owed           <= {LANES{1'b0}};
            periodic       <= {LANE_BITS{1'b0}};
            request        <= 1'b0;
            lane           <= {LANE_BITS{1'b0}};
        end else begin
            link_up_before <= link_up;
            up_before      <= up;
            owed           <= owed_next;
            request        <= |owed_next;
            lane           <= lane_next;
            if (due || !up[periodic])
                periodic <= (periodic == LAST_LANE[LANE_BITS-1:0]) ? {LANE_BITS{1'b0}} : periodic + ONE_LANE;
        end

    always @(posedge clk)
        if (rst || (take && !again)) hold_left <= HOLD_CLOCKS;
        else if (hold)               hold_left <= hold_left - 10'd1;

    wire probe_busy       = request;
    wire probe_stall_link = request && !take;
    wire probe_start      = take;
    wire probe_done       = take;
endmodule
`default_nettype wire
