// The sender's half of flow control: per lane (virtual channel), how much has been transmitted, how much of it the
// other side has forwarded, and so whether the next packet may go.
//
// Units are clocks of the link; a packet counts 2 x length + 4. Counters have 12 bits, the lowest of them always 0, and
// wrap. Per lane:
//     transmitted   T; a packet is added as a whole when it starts
//     last          the last credit; T - last may still be in the other side's buffer, and a packet may start if
//                   T - last + its units <= cfg_capacity
//     recorded, seen              since reset: a check record has left, a valid credit has arrived
// All of it is in small memories, one writer each; in the FLOWS clocks behind `rst` the lanes are cleared one by one.
// Meanwhile no packet is granted, no record may start, and credits are ignored.
//
// A credit (S1 3.3.1: [15] = 1, [14] = xor of [13:0], [13:7] flow, [6:0] counter bits [11:5]) is accepted if its frame
// had no code error, its parity is right, its flow is one the sender may use, and T - capacity <= value <= T modulo
// 4096. The window does not depend on the last credit: so a wrong one that slipped through is corrected by the next
// right one. (Twelve bits suffice as long as capacity and one packet are less than 4096 units together.) After reset a
// lane's credits are silently ignored until its record has left and `hold` is over.
//
// The credits of a word are checked one by one, 1, 2 .. clocks after `credit_valid`; of a bundle's word (more than two)
// those left when the next word arrives are dropped: credits are repeated. The answer to `ask_*` is combinational;
// `take` in the same clock starts that packet. With `record_take` T of lane `record_lane` is shown instead,
// combinationally: one memory port for both. The answer is invalid in that clock, so no packet may start.
`default_nettype none
module link_credit_rx #(
    // lanes (virtual channels), 1..128
    parameter FLOWS = 8,
    // credits in a word, 2, 4 or 8
    parameter CREDITS = 2
) (
    input  wire                                     clk,
    input  wire                                     rst,
    input  wire                                     cfg_direct,        // one lane, number 0
    input  wire [FLOWS-1:0]                         cfg_flow_enable,   // lanes that the sender may use otherwise
    input  wire [11:0]                              cfg_capacity,      // buffer behind each lane [units]; odd: useless

    // may a packet of `ask_length` 64-bit words go to `ask_flow`?
    input  wire [6:0]                               ask_flow,
    input  wire [9:0]                               ask_length,
    output wire                                     ask_lane_known,
    output wire                                     ask_granted,
    input  wire                                     take,              // that packet starts

    // credit words from link_rx_frame: valid at most every other clock; the first credit in the highest bits
    input  wire                                     credit_valid,
    input  wire                                     credit_bad,        // with it: its frame had a code error
    input  wire [16*CREDITS-1:0]                    credit_word,

    // check records
    input  wire                                     record_take,       // the record of `record_lane` leaves
    input  wire [$clog2(FLOWS > 1 ? FLOWS : 2)-1:0] record_lane,
    output wire [11:0]                              record_units,      // with it: transmitted on that lane [units]
    output wire                                     record_again,      // ... and one has left for it since reset
    input  wire                                     hold,              // credits are ignored, see link_check_record

    // status of one lane, in clocks in which no credit is checked
    input  wire [6:0]                               view_flow,
    output reg                                      view_seen,         // a valid credit has arrived
    output reg  [11:0]                              view_transmitted,  // [units]
    output reg  [11:0]                              view_credit,       // last credit [units]

    // credits as they are accepted: one clock each, with their lane and value (counter bits [11:5]), and what has been
    // transmitted on it
    output reg                                      ev_accepted,
    output reg                                      accepted_again,    // the last one of the lane was the same
    output reg  [6:0]                               accepted_lane,
    output reg  [6:0]                               accepted_value,
    output reg  [11:0]                              accepted_units,

    output reg                                      ev_rejected        // one clock: wrong parity, lane or value
);
    localparam FLOW_BITS = $clog2(FLOWS > 1 ? FLOWS : 2);
    localparam [7:0] LANES = FLOWS[7:0];

    initial
        if (FLOWS < 1 || FLOWS > 128 || (CREDITS != 2 && CREDITS != 4 && CREDITS != 8)) begin
            $display("%m: FLOWS must be 1..128, is %0d; CREDITS 2, 4 or 8, is %0d", FLOWS, CREDITS);
            $finish;
        end

    (* ram_style = "distributed" *) reg [10:0] transmitted [0:FLOWS-1];         // pairs of units
    (* ram_style = "distributed" *) reg [7:0]  last [0:FLOWS-1];         // {seen, counter bits [11:5]}
    (* ram_style = "distributed" *) reg        recorded [0:FLOWS-1];
    reg [FLOW_BITS:0] cleared;           // lanes
    wire              clearing = (cleared != LANES[FLOW_BITS:0]);

    // a request of the transmitter
    wire [FLOW_BITS-1:0] ask_lane    = clearing ? cleared[FLOW_BITS-1:0] : record_take ? record_lane
                                       : cfg_direct ? {FLOW_BITS{1'b0}} : ask_flow[FLOW_BITS-1:0];
    wire                 ask_in      = ({1'b0, ask_flow} < LANES);
    wire [7:0]           ask_last    = last[ask_lane];
    wire [10:0]          ask_sent    = transmitted[ask_lane];
    wire [10:0]          ask_out     = ask_sent - {ask_last[6:0], 4'd0};
    wire [10:0]          ask_pairs   = {1'b0, ask_length} + 11'd2;
    wire [11:0]          ask_after   = {1'b0, ask_out} + {1'b0, ask_pairs};

    assign ask_lane_known = cfg_direct || (ask_in && cfg_flow_enable[ask_flow[FLOW_BITS-1:0]]);
    assign ask_granted    = ask_last[7] && !clearing && (ask_after <= {1'b0, cfg_capacity[11:1]});
    assign record_units   = {ask_sent, 1'b0};
    assign record_again   = recorded[ask_lane];

    // the credit being checked: the first of a word in the clock after credit_valid, the second in the next, and so on
    localparam REST = CREDITS - 1;
    reg                  checking;
    reg  [REST-1:0]      check_more;         // of the others: one bit for each that is left, from the lowest on
    reg                  code_error;
    reg  [15:0]          credit;
    reg  [16*REST-1:0]   rest;
    wire [6:0]           credit_flow   = credit[13:7];
    wire [FLOW_BITS-1:0] credit_lane   = clearing ? cleared[FLOW_BITS-1:0]      // checked, else shown
                                         : checking ? credit_flow[FLOW_BITS-1:0] : view_flow[FLOW_BITS-1:0];
    wire                 credit_known  = cfg_direct ? (credit_flow == 7'd0)
                                                    : ({1'b0, credit_flow} < LANES) && cfg_flow_enable[credit_lane];
    wire                 credit_formed = credit[15] && (credit[14] == ^credit[13:0]) && !code_error;
    wire [7:0]           credit_last   = last[credit_lane];
    wire [10:0]          credit_sent   = transmitted[credit_lane];
    wire [10:0]          credit_behind = credit_sent - {credit[6:0], 4'd0};
    wire                 credit_fits   = (credit_behind <= cfg_capacity[11:1]);
    wire                 credit_early  = credit_formed && credit_known
                                         && (!recorded[credit_lane] || clearing || (!credit_last[7] && hold));
    wire                 credit_good   = credit_formed && credit_known && credit_fits && !credit_early;
    wire                 credit_use    = checking && credit_good;

    // next state of the lanes
    always @(posedge clk) begin
        if (take || clearing)
            transmitted[ask_lane] <= (ask_sent + ask_pairs) & {11{!clearing}};
        if (credit_use || clearing)
            last[credit_lane] <= {!clearing, credit[6:0]};
        if (record_take || clearing)
            recorded[ask_lane] <= !clearing;
    end

    always @(posedge clk)
        if (rst)           cleared <= {FLOW_BITS+1{1'b0}};
        else if (clearing) cleared <= cleared + 1'b1;

    always @(posedge clk)
        if (rst) begin
            checking     <= 1'b0;
            check_more   <= {REST{1'b0}};
            code_error   <= 1'b0;
            credit       <= 16'd0;
            rest         <= {16*REST{1'b0}};
            ev_accepted    <= 1'b0;
            accepted_again <= 1'b0;
            accepted_lane  <= 7'd0;
            accepted_value <= 7'd0;
            accepted_units <= 12'd0;
            ev_rejected    <= 1'b0;
        end else begin
            checking     <= credit_valid || check_more[0];
            check_more   <= credit_valid ? {REST{1'b1}} : check_more >> 1;
            if (credit_valid) begin
                code_error     <= credit_bad;
                {credit, rest} <= credit_word;
            end else begin
                credit <= rest[16*REST-1 -: 16];
                if (CREDITS > 2)
                    rest <= rest << 16;
            end
            ev_accepted    <= credit_use;
            accepted_again <= (credit_last == {1'b1, credit[6:0]});
            accepted_lane  <= credit_flow;
            accepted_value <= credit[6:0];
            accepted_units <= {credit_sent, 1'b0};
            ev_rejected    <= checking && !credit_good && !credit_early;
        end

    wire view_in = ({1'b0, view_flow} < LANES);
    always @(posedge clk)
        if (rst || clearing) begin
            view_seen        <= 1'b0;
            view_transmitted <= 12'd0;
            view_credit      <= 12'd0;
        end else if (!checking) begin
            view_seen        <= view_in && credit_last[7];
            view_transmitted <= {credit_sent, 1'b0};
            view_credit      <= {credit_last[6:0] & {7{credit_last[7]}}, 5'd0};
        end

    wire unused = &{1'b0, cfg_capacity[0]};

    wire probe_busy  = checking;
    wire probe_start = credit_valid;
    wire probe_done  = checking && !check_more[0];
endmodule
`default_nettype wire
