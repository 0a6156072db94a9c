// The sender's half of flow control: per lane, how much has been transmitted, how much of it the other side has forwarded, and so
// whether the next packet may go.
//
// Units are clocks of the link; a packet counts 2 x length + 4. Counters have 12 bits and wrap. Per lane:
//     transmitted   T; a packet is added as a whole when it starts
//     outstanding   T - last credit: what may still be in the other side's buffer. A packet may start if
//                   outstanding + its units <= cfg_capacity. (13 bits: a credit that heals an optimistic one may leave more
//                   outstanding than there is capacity.)
//     recorded      a check record has left since reset; `seen`: a valid credit has come since then
//
// A credit (S1 3.3.1: [15] = 1, [14] = xor of [13:0], [13:7] flow, [6:0] counter bits [11:5]) is accepted if its frame had no code
// error, its parity is right, its flow is one the sender may use, and T - capacity <= value <= T modulo 4096. That window does
// not ask for more than the last credit said: so a wrong one that slipped through heals with the next right one. After reset a
// lane's credits are silently ignored until its record is out and `hold` is over.
//
// The two credits of a word are judged one after the other, 1 and 2 clocks after `credit_valid`. The answer to `ask_*` is
// combinational; `take` in the same clock starts that packet. A record of lane `record_lane` shows T combinationally.
`default_nettype none
module link_credit_rx #(
    // lanes, 1..128
    parameter FLOWS = 8,
    // log2 of FLOWS, rounded up, at least 1
    parameter FLOW_BITS = 3
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 cfg_direct,        // one lane, number 0
    input  wire [FLOWS-1:0]     cfg_flow_enable,   // lanes that the sender may use otherwise
    input  wire [11:0]          cfg_capacity,      // buffer behind each lane [units]

    // may a packet of `ask_length` 64-bit words go to `ask_flow`?
    input  wire [6:0]           ask_flow,
    input  wire [9:0]           ask_length,
    output wire                 ask_lane_known,
    output wire                 ask_granted,
    input  wire                 take,

    // credit words from link_rx_frame: valid not more often than every other clock
    input  wire                 credit_valid,
    input  wire                 credit_bad,
    input  wire [31:0]          credit_word,

    // check records
    input  wire                 record_take,       // the record of `record_lane` leaves
    input  wire [FLOW_BITS-1:0] record_lane,
    output wire [11:0]          record_units,
    input  wire                 hold,

    // view of one lane
    input  wire [6:0]           view_flow,
    output reg                  view_seen,
    output reg  [11:0]          view_transmitted,
    output reg  [11:0]          view_credit,

    output reg                  ev_accepted,
    output reg                  ev_rejected
);
    localparam [7:0] LANES = FLOWS;

    initial
        if (FLOWS < 1 || FLOWS > (1 << FLOW_BITS)) begin
            $display("%m: FLOWS must be 1..2**FLOW_BITS, is %0d", FLOWS);
            $finish;
        end

    reg [12*FLOWS-1:0] transmitted;
    reg [13*FLOWS-1:0] outstanding;
    reg [FLOWS-1:0]    recorded;
    reg [FLOWS-1:0]    seen;

    // the lanes that are looked at: the question's, the credit's, the record's and the viewer's (written as plain multiplexers: an
    // indexed part select of a vector becomes a shifter)
    reg [11:0] ask_transmitted;
    reg [12:0] ask_outstanding;
    reg [11:0] credit_transmitted;
    reg [11:0] record_transmitted;
    reg [11:0] viewed_transmitted;
    reg [11:0] viewed_outstanding;

    // a question from the transmitter
    wire [FLOW_BITS-1:0] ask_lane    = cfg_direct ? {FLOW_BITS{1'b0}} : ask_flow[FLOW_BITS-1:0];
    wire                 ask_in      = ({1'b0, ask_flow} < LANES);
    wire [12:0]          ask_units   = {2'b00, ask_length, 1'b0} + 13'd4;
    wire [12:0]          ask_after   = ask_outstanding + ask_units;

    assign ask_lane_known = cfg_direct || (ask_in && cfg_flow_enable[ask_lane]);
    assign ask_granted    = seen[ask_lane] && (ask_after <= {1'b0, cfg_capacity});
    assign record_units   = record_transmitted;

    // the credit being judged: the first of a word in the clock after credit_valid, the second in the next
    reg                  judge;
    reg                  judge_second;
    reg                  code_error;
    reg  [15:0]          credit;
    reg  [15:0]          second;
    wire [6:0]           credit_flow   = credit[13:7];
    wire [FLOW_BITS-1:0] credit_lane   = credit_flow[FLOW_BITS-1:0];
    wire                 credit_known  = cfg_direct ? (credit_flow == 7'd0)
                                                    : ({1'b0, credit_flow} < LANES) && cfg_flow_enable[credit_lane];
    wire                 credit_formed = credit[15] && (credit[14] == ^credit[13:0]) && !code_error;
    wire [11:0]          credit_value  = {credit[6:0], 5'd0};
    wire [11:0]          credit_behind = credit_transmitted - credit_value;
    wire                 credit_fits   = (credit_behind <= cfg_capacity);
    wire                 credit_early  = credit_formed && credit_known
                                         && (!recorded[credit_lane] || (!seen[credit_lane] && hold));
    wire                 credit_good   = credit_formed && credit_known && credit_fits && !credit_early;
    wire                 credit_use    = judge && credit_good;

    wire [FLOW_BITS-1:0] view_lane = view_flow[FLOW_BITS-1:0];
    wire                 view_in   = ({1'b0, view_flow} < LANES);

    // what the lanes become
    wire                 same_lane        = credit_use && (credit_lane == ask_lane);
    wire [11:0]          take_transmitted = ask_transmitted + ask_units[11:0];
    wire [12:0]          take_outstanding = same_lane ? {1'b0, credit_behind} + ask_units : ask_after;

    integer lane;
    always @* begin
        ask_transmitted    = 12'd0;
        ask_outstanding    = 13'd0;
        credit_transmitted = 12'd0;
        record_transmitted = 12'd0;
        viewed_transmitted = 12'd0;
        viewed_outstanding = 12'd0;
        for (lane = 0; lane < FLOWS; lane = lane + 1) begin
            if (ask_lane == lane[FLOW_BITS-1:0]) begin
                ask_transmitted = transmitted[12*lane +: 12];
                ask_outstanding = outstanding[13*lane +: 13];
            end
            if (credit_lane == lane[FLOW_BITS-1:0])
                credit_transmitted = transmitted[12*lane +: 12];
            if (record_lane == lane[FLOW_BITS-1:0])
                record_transmitted = transmitted[12*lane +: 12];
            if (view_lane == lane[FLOW_BITS-1:0]) begin
                viewed_transmitted = transmitted[12*lane +: 12];
                viewed_outstanding = outstanding[13*lane +: 12];
            end
        end
    end

    always @(posedge clk)
        if (rst) begin
            transmitted <= {12*FLOWS{1'b0}};
            outstanding <= {13*FLOWS{1'b0}};
            recorded    <= {FLOWS{1'b0}};
            seen        <= {FLOWS{1'b0}};
        end else
            for (lane = 0; lane < FLOWS; lane = lane + 1) begin
                if (take && ask_lane == lane[FLOW_BITS-1:0]) begin
                    transmitted[12*lane +: 12] <= take_transmitted;
                    outstanding[13*lane +: 13] <= take_outstanding;
                end else if (credit_use && credit_lane == lane[FLOW_BITS-1:0])
                    outstanding[13*lane +: 13] <= {1'b0, credit_behind};
                if (record_take && record_lane == lane[FLOW_BITS-1:0])
                    recorded[lane] <= 1'b1;
                if (credit_use && credit_lane == lane[FLOW_BITS-1:0])
                    seen[lane] <= 1'b1;
            end

    always @(posedge clk)
        if (rst) begin
            judge        <= 1'b0;
            judge_second <= 1'b0;
            code_error   <= 1'b0;
            credit       <= 16'd0;
            second       <= 16'd0;
            ev_accepted  <= 1'b0;
            ev_rejected  <= 1'b0;
        end else begin
            judge        <= credit_valid || judge_second;
            judge_second <= credit_valid;
            if (credit_valid) begin
                code_error <= credit_bad;
                credit     <= credit_word[31:16];
                second     <= credit_word[15:0];
            end else
                credit     <= second;
            ev_accepted  <= credit_use;
            ev_rejected  <= judge && !credit_good && !credit_early;
        end

    always @(posedge clk)
        if (rst) begin
            view_seen        <= 1'b0;
            view_transmitted <= 12'd0;
            view_credit      <= 12'd0;
        end else begin
            view_seen        <= view_in && seen[view_lane];
            view_transmitted <= viewed_transmitted;
            view_credit      <= viewed_transmitted - viewed_outstanding;
        end

    wire probe_busy  = judge;
    wire probe_stall = 1'b0;
    wire probe_start = credit_valid;
    wire probe_done  = judge && !judge_second;
endmodule
`default_nettype wire
