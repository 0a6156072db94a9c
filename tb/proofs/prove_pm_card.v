// Proof that an ingress card keeps to its credit: pm_card_in, fed with whatever packets come, and with whatever credit
// comes back for units that have begun to leave, and no more. It closes the loop: a column gives credit for the words
// that it got, once, if cards keep to theirs (prove_pm_column), and a row brings back what columns give
// (prove_pm_credit_row). `bad` is never high, for any output and priority:
//
//   no more     a unit begins to leave only if it fits into the crosspoint, in addition to all words that are not
//               credited
//   conserved   the card's counter and the uncredited words together are the crosspoint: none is lost, none made
//   error       `error_credit` reports nothing
//   stale       who may be chosen has words, and credit for all of the unit
//
// The wires named `card. ...` are those of the block: Yosys connects them when it dissolves the hierarchy (hierconn).
`default_nettype none
module prove_pm_card #(
    parameter SEGMENT_WORDS  = 64,
    parameter MOST_WORDS     = 1024,
    parameter XPOINT_WORDS   = 64,
    parameter UNIT_IS_PACKET = 0,
    parameter PACKET_MODE    = 0,
    parameter PRIORITIES     = 1,
    parameter MULTICAST      = 0,
    parameter SPLIT          = 0
) (
    input  wire        clk,
    input  wire        line_valid,
    input  wire        line_first,
    input  wire        line_priority,
    input  wire        line_multicast,
    input  wire [1:0]  line_set,
    input  wire        line_output,
    input  wire [12:0] line_words,
    input  wire        line_held,
    input  wire        line_release,
    input  wire        release_output,
    input  wire        any_credit,             // credit comes back ...
    input  wire        credit_output,
    input  wire        credit_priority,
    input  wire [12:0] credit_words,           // ... for so many words, if these are not credited
    input  wire        credit_notice,
    input  wire [7:0]  credit_id,
    output wire        bad
);
    localparam UNIT   = (UNIT_IS_PACKET != 0) ? MOST_WORDS : SEGMENT_WORDS;
    localparam SIDE   = 2 + $clog2(UNIT);
    localparam TARGET = (MULTICAST != 0) ? 2 : 1;
    localparam LANES  = 2 * PRIORITIES;        // output; those of high priority behind
    localparam QUEUES = PRIORITIES * (2 + MULTICAST);
    localparam [31:0] ROOM = XPOINT_WORDS;

    reg running;                               // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    wire rst = !running;

    (* mem2reg *) reg [12:0] given [0:LANES-1];  // words of units that have begun, without those credited
    wire [1:0] back_lane = {(PRIORITIES == 2) && credit_priority, credit_output};
    wire       back      = running && any_credit && credit_words != 13'd0 && credit_words <= given[back_lane];

    wire              error_credit;
    wire [QUEUES-1:0] unused_full;
    wire              unused_valid;
    wire [TARGET-1:0] unused_target;
    wire              unused_high;
    wire              unused_multicast;
    wire              unused_first;
    wire              unused_end;
    wire [SIDE-1:0]   unused_side;
    wire              unused_line;
    wire              unused_notice;
    wire [63:0]       unused_word;
    pm_card_in #(
        .PORTS(2), .SEGMENT_WORDS(SEGMENT_WORDS), .UNIT_IS_PACKET(UNIT_IS_PACKET), .PACKET_MODE(PACKET_MODE),
        .MOST_WORDS(MOST_WORDS), .PRIORITIES(PRIORITIES), .MULTICAST(MULTICAST), .SPLIT(SPLIT),
        .XPOINT_WORDS(XPOINT_WORDS), .VOQ_WORDS(1), .VOQ_BLOCKS(2), .VOQ_PACKETS(2)
    ) card (
        .clk (clk), .rst (rst), .weight_write (1'b0), .weight_multicast (1'b0), .weight_output (1'b0), .weight (8'd0),
        .line_valid (line_valid), .line_first (line_first), .line_priority (line_priority),
        .line_multicast (line_multicast), .line_set (line_set), .line_output (line_output), .line_words (line_words),
        .line_word (64'd0), .line_full (unused_full), .line_held (line_held),
        .line_release (line_release), .release_output (release_output), .credit_valid (back),
        .credit_priority (credit_priority), .credit_output (credit_output), .credit_words (credit_words),
        .credit_notice (credit_notice), .credit_id (credit_id), .link_valid (unused_valid),
        .link_target (unused_target), .link_priority (unused_high), .link_multicast (unused_multicast),
        .link_first (unused_first), .link_end (unused_end), .link_side (unused_side), .link_word (unused_word),
        .error_line (unused_line), .error_credit (error_credit), .error_notice (unused_notice)
    );

    // ---- inside the card

    (* hierconn *) wire                  \card.starts ;          // the first word of a unit is fetched
    (* hierconn *) wire [12:0]           \card.unit ;            // ... of so many words
    (* hierconn *) wire                  \card.of_set ;          // ... for several outputs,
    (* hierconn *) wire [1:0]            \card.unit_outputs ;    // ... these
    (* hierconn *) wire                  \card.high ;
    (* hierconn *) wire [PRIORITIES-1:0] \card.flow ;
    (* hierconn *) wire [LANES-1:0]      \card.touched ;         // words or credit changed in the clock before
    (* hierconn *) wire [LANES-1:0]      \card.eligible_before ;
    (* hierconn *) wire [12:0]           \card.credit[0] ;
    (* hierconn *) wire [12:0]           \card.credit[1] ;
    (* hierconn *) wire [12:0]           \card.credit[2] ;
    (* hierconn *) wire [12:0]           \card.credit[3] ;
    (* hierconn *) wire [12:0]           \card.voq[0].needs ;    // credit that the next unit of this output asks for
    (* hierconn *) wire [12:0]           \card.voq[1].needs ;
    (* hierconn *) wire [12:0]           \card.voq[2].needs ;
    (* hierconn *) wire [12:0]           \card.voq[3].needs ;
    wire [51:0] credit = {\card.credit[3] , \card.credit[2] , \card.credit[1] , \card.credit[0] };
    wire [51:0] needs  = {\card.voq[3].needs , \card.voq[2].needs , \card.voq[1].needs , \card.voq[0].needs };

    wire [1:0]       to     = \card.of_set ? \card.unit_outputs : 2'd1 << \card.flow [0];
    wire [3:0]       all_to = ((PRIORITIES == 2) && \card.high ) ? {to, 2'd0} : {2'd0, to};
    reg  [LANES-1:0] more;
    reg  [LANES-1:0] lost;
    reg  [LANES-1:0] stale;
    reg  [12:0]      begins;                   // words of the unit, if it goes to this lane
    integer          i;
    always @* begin
        for (i = 0; i < LANES; i = i + 1) begin
            begins   = (\card.starts && all_to[i]) ? \card.unit : 13'd0;
            more[i]  = {1'b0, given[i]} + {1'b0, begins} > {1'b0, ROOM[12:0]};
            lost[i]  = {1'b0, credit[13*i +: 13]} + {1'b0, given[i]} + {1'b0, begins} != {1'b0, ROOM[12:0]};
            stale[i] = \card.eligible_before [i] && !\card.touched [i] && credit[13*i +: 13] < needs[13*i +: 13];
        end
    end
    always @(posedge clk)
        for (i = 0; i < LANES; i = i + 1)
            if (rst) given[i] <= 13'd0;
            else given[i] <= given[i] + ((\card.starts && all_to[i]) ? \card.unit : 13'd0) -
                             ((back && back_lane == i) ? credit_words : 13'd0);
    assign bad = running && (|more || |lost || |stale || error_credit);
endmodule
`default_nettype wire
