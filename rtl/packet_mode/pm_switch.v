// A buffered crossbar with its line cards, from line to line, for packets longer than its crosspoints (S3, appendix).
// Four architectures that differ in their schedulers and in parameters:
//
//                                    PACKET_MODE  XPOINT_WORDS  REASSEMBLY  UNIT_IS_PACKET
//   SM   segments                              0            64           1               0
//   PPM  probabilistic packet mode             1            64           1               0
//   DPM  deterministic packet mode             2           192           0               0
//   VPS  packets of any size                   0          1280           0               1
//
// PACKET_MODE changes only the schedulers: pm_input_modes and pm_output_modes. All architectures allow PRIORITIES = 2,
// two priority classes from line to line, and all but DPM MULTICAST, packets for several outputs; without, their logic
// is not built.
//
// One clock moves a word of 64 bits on every line and link: 8 byte times of S3.
//
// Round trip: credit that leaves a column at t lets a word arrive at that column at t + FORWARD_CLOCKS + RETURN_CLOCKS,
// the decision of the input included.
//
// A decision takes SCHEDULING_CLOCKS, at an input and at an output: its operands have arrived that many clocks before
// the first word leaves. 2 of them are the choice and the fetch of that word. Any more delay the view of the choice; as
// they are part of the round trip, they make the cable back that much shorter.
`default_nettype none
`include "slots.vh"
module pm_switch #(
    parameter PORTS          = 16,     // 2..16
    parameter SEGMENT_WORDS  = 64,     // a segment at most, 3..1024
    parameter MOST_WORDS     = 1024,   // longest packet, 2..4096
    parameter XPOINT_WORDS   = 64,     // buffer of a crosspoint
    parameter UNIT_IS_PACKET = 0,      // 1: inputs send packets, not segments
    parameter PACKET_MODE    = 0,      // 0: none; 1: probabilistic; 2: deterministic
    parameter REASSEMBLY     = 1,      // 1: egress cards put packets together
    parameter FORWARD_CLOCKS = 30,     // card to crosspoint, 2..256
    parameter RETURN_CLOCKS  = 31,     // back, and the decision there, 5 + SCHEDULING_CLOCKS..256
    parameter CREDIT_CLOCKS  = 2,      // between credits of a row
    parameter SCHEDULING_CLOCKS = 2,   // of a decision, 2..16
    parameter PRIORITIES     = 1,      // 1 or 2; XPOINT_WORDS are of one
    parameter MULTICAST      = 0,      // 1: packets may name sets of outputs; not with PACKET_MODE 2
    parameter SPLIT          = 0,      // of pm_multicast
    parameter LOOK_BACK      = 2,      // of pm_output_scheduler
    parameter LOCK_RELEASE   = 0,      // of DPM, see pm_column
    parameter REFUSE_LOCK_UP = 1,      // of DPM, see pm_column
    parameter VOQ_WORDS      = 8192,   // `line_full` from here on
    // memory of an ingress card, blocks of 64 words. (PORTS + MULTICAST) x PRIORITIES x (VOQ_WORDS + MOST_WORDS + 128)
    // / 64 hold all that a source may send that obeys `line_full`; with less, error_line reports refused packets
    parameter VOQ_BLOCKS     = 4096,
    parameter VOQ_PACKETS    = 16384,   // packets in a VOQ
    // computed, not to be set
    parameter PW             = $clog2(PORTS),
    parameter QUEUES         = PRIORITIES * (PORTS + MULTICAST) // of an ingress card
) (
    input  wire                   clk,
    input  wire                   rst,

    // programmable weights of the flows, for schedulers that use them: one is set in a clock, 1..255. Reset makes all 1
    input  wire                   weight_write,
    input  wire                   weight_multicast, // MULTICAST: of all packets of weight_input that name sets (input)
    input  wire [PW-1:0]          weight_input,
    input  wire [PW-1:0]          weight_output,
    input  wire [7:0]             weight,

    // lines in, see pm_card_in
    input  wire [PORTS-1:0]       line_valid,
    input  wire [PORTS-1:0]       line_first,
    input  wire [PORTS-1:0]       line_priority,
    input  wire [PORTS-1:0]       line_multicast,
    input  wire [PORTS*PORTS-1:0] line_set,
    input  wire [PORTS*PW-1:0]    line_output,
    input  wire [PORTS*13-1:0]    line_words,
    input  wire [PORTS*64-1:0]    line_word,
    output wire [PORTS*QUEUES-1:0] line_full,     // per input, and queue in it
    input  wire                   line_held,      // 1: packets count when they are released
    input  wire [PORTS-1:0]       line_release,
    input  wire [PORTS*PW-1:0]    release_output,

    // lines out, see pm_card_out
    output wire [PORTS-1:0]       out_valid,
    output wire [PORTS-1:0]       out_first,
    output wire [PORTS-1:0]       out_last,
    output wire [PORTS*PW-1:0]    out_input,
    output wire [PORTS-1:0]       out_priority,
    output wire [PORTS-1:0]       out_multicast,
    output wire [PORTS*64-1:0]    out_word,

    // the links between cards and crossbar, for observation
    output wire [PORTS-1:0]       link_valid,     // from the cards
    output wire [PORTS*64-1:0]    link_word,
    output wire [PORTS-1:0]       column_valid,   // from the crossbar
    output wire [PORTS*64-1:0]    column_word,

    // errors that must not occur, and counted events; per input: line, credit, notice, lock; per output: words,
    // reassembly, and the events
    output wire [PORTS-1:0]       error_line,
    output wire [PORTS-1:0]       error_credit,
    output wire [PORTS-1:0]       error_notice,
    output wire [PORTS-1:0]       error_lock,     // two outputs hold it
    output wire [PORTS-1:0]       error_words,
    output wire [PORTS-1:0]       error_egress,
    output wire [PORTS-1:0]       event_pair,
    output wire [PORTS-1:0]       event_cancel,
    output wire [PORTS-1:0]       event_refused,
    output wire [PORTS*20-1:0]    egress_most
);
    localparam UNIT_WORDS = (UNIT_IS_PACKET != 0) ? MOST_WORDS : SEGMENT_WORDS;
    localparam SIDE       = 2 + $clog2(UNIT_WORDS);
    localparam RTT        = FORWARD_CLOCKS + RETURN_CLOCKS;
    localparam TARGET     = (MULTICAST != 0) ? PORTS : PW;

    // The other parameters are checked where they are used. In packet mode a card's notice to stay must meet each of
    // its units in time: one that arrived SCHEDULING_CLOCKS before it is read, and whose credit waits behind another
    // one (S3 III-B). A crosspoint holds enough whole units that one flow can fill its line (S3 II, footnote 2, and the
    // decision of the output, which credit waits for).
    localparam ROOM = XPOINT_WORDS / UNIT_WORDS * UNIT_WORDS;
    localparam LEAST_RETURN = 5 + SCHEDULING_CLOCKS;
    localparam LEAST_SEGMENT = RTT + SCHEDULING_CLOCKS + CREDIT_CLOCKS - 1;
    // Most words that a source that obeys line_full brings into a VOQ. It sees line_full SCHEDULING_CLOCKS + 1 behind
    // the packet that fills the VOQ, at most; before, packets of a word may arrive, or one of MOST_WORDS begins. A unit
    // that leaves is no longer counted.
    localparam MOST_PACKETS = VOQ_WORDS + UNIT_WORDS + SCHEDULING_CLOCKS + 1;
    localparam MOST_BLOCKS  = QUEUES * ((MOST_PACKETS + MOST_WORDS + 62) / 64 + 1);
    initial
        if (SCHEDULING_CLOCKS < 2 || SCHEDULING_CLOCKS > 16) begin
            $display("%m: SCHEDULING_CLOCKS must be 2..16 (a choice and the fetch of the word chosen take a clock ",
                     "each), is %0d", SCHEDULING_CLOCKS);
            $finish;
        end else if (FORWARD_CLOCKS < 2 || FORWARD_CLOCKS > 256) begin
            $display("%m: FORWARD_CLOCKS must be 2..256, is %0d", FORWARD_CLOCKS);
            $finish;
        end else if (RETURN_CLOCKS < LEAST_RETURN || RETURN_CLOCKS > 256) begin
            $display("%m: RETURN_CLOCKS must be 5 + SCHEDULING_CLOCKS = %0d to 256, is %0d", LEAST_RETURN,
                     RETURN_CLOCKS);
            $finish;
        end else if (SEGMENT_WORDS <= SCHEDULING_CLOCKS) begin
            $display("%m: SEGMENT_WORDS must be more than SCHEDULING_CLOCKS = %0d, ", SCHEDULING_CLOCKS,
                     "or outputs rest after each segment; it is %0d", SEGMENT_WORDS);
            $finish;
        end else if (XPOINT_WORDS >= UNIT_WORDS && ROOM < RTT + SCHEDULING_CLOCKS) begin
            $display("%m: XPOINT_WORDS must hold RTT + SCHEDULING_CLOCKS = %0d words in whole units of %0d, ",
                     RTT + SCHEDULING_CLOCKS, UNIT_WORDS, "or one flow leaves gaps on its line; %0d hold %0d",
                     XPOINT_WORDS, ROOM);
            $finish;
        end else if (UNIT_IS_PACKET < 0 || UNIT_IS_PACKET > 1 || REASSEMBLY < 0 || REASSEMBLY > 1 || SPLIT < 0
                     || SPLIT > 1) begin
            $display("%m: UNIT_IS_PACKET, REASSEMBLY and SPLIT must be 0 or 1, are %0d, %0d, %0d", UNIT_IS_PACKET,
                     REASSEMBLY, SPLIT);
            $finish;
        end else if (LOCK_RELEASE < 0 || LOCK_RELEASE > 1 || LOOK_BACK < 0 || LOOK_BACK > 2) begin
            $display("%m: LOCK_RELEASE must be 0 or 1 and LOOK_BACK 0..2, they are %0d, %0d", LOCK_RELEASE, LOOK_BACK);
            $finish;
        end else if (UNIT_IS_PACKET != 0 && PACKET_MODE != 0) begin
            $display("%m: PACKET_MODE must be 0 where units are packets, is %0d", PACKET_MODE);
            $finish;
        end else if (REASSEMBLY == 0 && UNIT_IS_PACKET == 0 && PACKET_MODE != 2) begin
            $display("%m: REASSEMBLY must be 1 with PACKET_MODE %0d: packets arrive in parts", PACKET_MODE);
            $finish;
        end else if (PACKET_MODE == 1 && SEGMENT_WORDS < LEAST_SEGMENT) begin
            $display("%m: SEGMENT_WORDS must be at least RTT + SCHEDULING_CLOCKS + CREDIT_CLOCKS - 1 = %0d ",
                     LEAST_SEGMENT, "in PACKET_MODE 1, is %0d", SEGMENT_WORDS);
            $finish;
        end else if (PACKET_MODE == 2 && RTT > 255) begin
            $display("%m: FORWARD_CLOCKS + RETURN_CLOCKS must be 255 at most in PACKET_MODE 2, or the number of a ",
                     "packet, of 8 bits, recurs before a notice arrives; it is %0d", RTT);
            $finish;
        end else if (VOQ_PACKETS <= MOST_PACKETS) begin
            $display("%m: VOQ_PACKETS must be more than VOQ_WORDS + a unit + SCHEDULING_CLOCKS + 1 = %0d, is %0d",
                     MOST_PACKETS, VOQ_PACKETS);
            $finish;
        end else if (VOQ_BLOCKS < MOST_BLOCKS) begin
            $display("%m: VOQ_BLOCKS must be %0d at least, for %0d VOQs of VOQ_WORDS, a unit and a longest packet ",
                     MOST_BLOCKS, QUEUES, "each, is %0d", VOQ_BLOCKS);
            $finish;
        end else if (PACKET_MODE == 2 && CREDIT_CLOCKS > 2) begin
            $display("%m: CREDIT_CLOCKS must be 1 or 2 in PACKET_MODE 2, or notices are late; it is %0d",
                     CREDIT_CLOCKS);
            $finish;
        end

    wire [PORTS*TARGET-1:0] far_target;      // as pm_column has it
    wire [PORTS-1:0]       far_priority;
    wire [PORTS-1:0]       far_multicast;
    wire [PORTS-1:0]       far_valid;
    wire [PORTS-1:0]       far_first;
    wire [PORTS-1:0]       far_end;
    wire [PORTS*SIDE-1:0]  far_side;
    wire [PORTS*64-1:0]    far_word;
    wire [PORTS-1:0]       credit_valid;
    wire [PORTS-1:0]       credit_priority;
    wire [PORTS*PW-1:0]    credit_input;     // as pm_credit_row has it
    wire [PORTS*13-1:0]    credit_words;
    wire [PORTS-1:0]       credit_notice;
    wire [PORTS-1:0]       credit_urgent;
    wire [PORTS*8-1:0]     credit_id;
    wire [PORTS*4-1:0]     credit_late;
    wire [PORTS-1:0]       lock_free;
    wire [PORTS-1:0]       lock_ask;
    wire [PORTS-1:0]       lock_high;
    wire [PORTS*PW-1:0]    lock_input;
    wire [PORTS-1:0]       lock_granted;
    wire [PORTS-1:0]       lock_release;
    wire [PORTS*PW-1:0]    lock_released;

    genvar g;
    genvar b;
    generate
        for (g = 0; g < PORTS; g = g + 1) begin : port
            localparam [31:0] NUMBER = g;
            wire [TARGET-1:0] card_target;
            wire            card_priority;
            wire            card_multicast;
            wire            card_first;
            wire            card_end;
            wire [SIDE-1:0] card_side;
            wire            back_valid;
            wire            back_priority;
            wire [PW-1:0]   back_output;
            wire [12:0]     back_words;
            wire            back_notice;
            wire [7:0]      back_id;
            wire            home_valid;
            wire            home_priority;
            wire [PW-1:0]   home_output;
            wire [12:0]     home_words;
            wire            home_notice;
            wire [7:0]      home_id;
            wire [PW-1:0]   column_input;
            wire            column_priority;
            wire            column_multicast;
            wire            column_end;
            wire            column_sure;

            pm_card_in #(
                .PORTS(PORTS), .SEGMENT_WORDS(SEGMENT_WORDS), .UNIT_IS_PACKET(UNIT_IS_PACKET),
                .PACKET_MODE(PACKET_MODE), .MOST_WORDS(MOST_WORDS), .PRIORITIES(PRIORITIES), .MULTICAST(MULTICAST),
                .SPLIT(SPLIT), .XPOINT_WORDS(XPOINT_WORDS), .SCHEDULING_CLOCKS(SCHEDULING_CLOCKS),
                .VOQ_WORDS(VOQ_WORDS), .VOQ_BLOCKS(VOQ_BLOCKS), .VOQ_PACKETS(VOQ_PACKETS)
            ) card_in (
                .clk (clk), .rst (rst), .weight_write (weight_write && weight_input == NUMBER[PW-1:0]),
                .weight_multicast (weight_multicast), .weight_output (weight_output), .weight (weight),
                .line_valid (line_valid[g]), .line_first (line_first[g]), .line_priority (line_priority[g]),
                .line_multicast (line_multicast[g]), .line_set (line_set[PORTS*g +: PORTS]),
                .line_output (line_output[PW*g +: PW]), .line_words (line_words[13*g +: 13]),
                .line_word (line_word[64*g +: 64]), .line_full (line_full[QUEUES*g +: QUEUES]), .line_held (line_held),
                .line_release (line_release[g]), .release_output (release_output[PW*g +: PW]),
                .credit_valid (home_valid), .credit_priority (home_priority), .credit_output (home_output),
                .credit_words (home_words), .credit_notice (home_notice), .credit_id (home_id),
                .link_valid (link_valid[g]), .link_target (card_target), .link_priority (card_priority),
                .link_multicast (card_multicast), .link_first (card_first), .link_end (card_end),
                .link_side (card_side), .link_word (link_word[64*g +: 64]), .error_line (error_line[g]),
                .error_credit (error_credit[g]), .error_notice (error_notice[g])
            );

            // Priority and kind travel where there is a choice of them; in other switches a word is no wider for it.
            wire [TARGET+SIDE+65:0] near = {card_target, card_first, card_end, card_side, link_word[64*g +: 64]};
            wire [TARGET+SIDE+65:0] far;
            wire [TARGET-1:0] target;
            wire [PW-1:0]     paid;           // the input that gets credit back
            assign {target, far_first[g], far_end[g], far_side[SIDE*g +: SIDE], far_word[64*g +: 64]} = far;
            wire [PW+21:0]          crossbar = {back_output, back_words, back_notice, back_id};
            wire [PW+21:0]          home;
            assign {home_output, home_words, home_notice, home_id} = home;
            if (PRIORITIES == 2 || MULTICAST != 0) begin : lanes
                pm_cable #(.WIDTH(TARGET + SIDE + 68), .CLOCKS(FORWARD_CLOCKS)) forward (
                    .clk (clk), .rst (rst), .in_valid (link_valid[g]), .in_data ({card_priority, card_multicast, near}),
                    .out_valid (far_valid[g]), .out_data ({far_priority[g], far_multicast[g], far})
                );
                // RETURN_CLOCKS includes two clocks of the row, one of the card's credit, and the decision: its last
                // two are not included here.
                pm_cable #(.WIDTH(PW + 23), .CLOCKS(RETURN_CLOCKS - 5)) back (
                    .clk (clk), .rst (rst), .in_valid (back_valid), .in_data ({back_priority, crossbar}),
                    .out_valid (home_valid), .out_data ({home_priority, home})
                );
            end else begin : lane
                pm_cable #(.WIDTH(TARGET + SIDE + 66), .CLOCKS(FORWARD_CLOCKS)) forward (
                    .clk (clk), .rst (rst), .in_valid (link_valid[g]), .in_data (near), .out_valid (far_valid[g]),
                    .out_data (far)
                );
                pm_cable #(.WIDTH(PW + 22), .CLOCKS(RETURN_CLOCKS - 5)) back (
                    .clk (clk), .rst (rst), .in_valid (back_valid), .in_data (crossbar), .out_valid (home_valid),
                    .out_data (home)
                );
                assign far_priority[g]  = 1'b0;
                assign far_multicast[g] = 1'b0;
                assign home_priority    = 1'b0;
                wire unused = &{1'b0, card_priority, card_multicast, back_priority};
            end

            for (b = 0; b < TARGET; b = b + 1) begin : far_bits
                assign far_target[PORTS*b + g] = target[b];
            end
            for (b = 0; b < PW; b = b + 1) begin : credit_bits
                assign credit_input[PORTS*b + g] = paid[b];
            end

            pm_column #(
                .PORTS(PORTS), .SEGMENT_WORDS(SEGMENT_WORDS), .UNIT_WORDS(UNIT_WORDS), .PACKET_MODE(PACKET_MODE),
                .PRIORITIES(PRIORITIES), .MULTICAST(MULTICAST), .XPOINT_WORDS(XPOINT_WORDS), .RTT(RTT),
                .SCHEDULING_CLOCKS(SCHEDULING_CLOCKS), .LOOK_BACK(LOOK_BACK), .LOCK_RELEASE(LOCK_RELEASE),
                .REFUSE_LOCK_UP(REFUSE_LOCK_UP)
            ) column (
                .clk (clk), .rst (rst), .number (NUMBER[PW-1:0]),
                .weight_write (weight_write && !(MULTICAST != 0 && weight_multicast)
                               && weight_output == NUMBER[PW-1:0]),
                .weight_input (weight_input), .weight (weight), .in_valid (far_valid), .in_target (far_target),
                .in_priority (far_priority), .in_multicast (far_multicast), .in_first (far_first), .in_end (far_end),
                .in_side (far_side), .in_word (far_word), .lock_free (lock_free), .lock_ask (lock_ask[g]),
                .lock_high (lock_high[g]), .lock_input (lock_input[PW*g +: PW]), .lock_granted (lock_granted[g]),
                .lock_release (lock_release[g]), .lock_released (lock_released[PW*g +: PW]),
                .credit_valid (credit_valid[g]), .credit_priority (credit_priority[g]), .credit_input (paid),
                .credit_words (credit_words[13*g +: 13]), .credit_notice (credit_notice[g]),
                .credit_urgent (credit_urgent[g]), .credit_id (credit_id[8*g +: 8]), .credit_late (credit_late),
                .out_valid (column_valid[g]), .out_input (column_input), .out_priority (column_priority),
                .out_multicast (column_multicast), .out_end (column_end), .out_sure (column_sure),
                .out_word (column_word[64*g +: 64]), .error_words (error_words[g]), .event_pair (event_pair[g]),
                .event_cancel (event_cancel[g]), .event_refused (event_refused[g])
            );

            pm_credit_row #(
                .PORTS(PORTS), .CREDIT_CLOCKS(CREDIT_CLOCKS), .RESERVE(PACKET_MODE == 2), .PRIORITIES(PRIORITIES)
            ) credit_row (
                .clk (clk), .rst (rst), .number (NUMBER[PW-1:0]), .in_valid (credit_valid),
                .in_priority (credit_priority), .in_input (credit_input), .in_words (credit_words),
                .in_notice (credit_notice), .in_urgent (credit_urgent), .in_id (credit_id),
                .late (credit_late[4*g +: 4]), .out_valid (back_valid), .out_priority (back_priority),
                .out_output (back_output), .out_words (back_words), .out_notice (back_notice), .out_id (back_id)
            );

            pm_card_out #(
                .PORTS(PORTS), .REASSEMBLY(REASSEMBLY), .MOST_WORDS(MOST_WORDS), .PRIORITIES(PRIORITIES),
                .MULTICAST(MULTICAST)
            ) card_out (
                .clk (clk), .rst (rst), .in_valid (column_valid[g]), .in_input (column_input),
                .in_priority (column_priority), .in_multicast (column_multicast), .in_end (column_end),
                .in_sure (column_sure), .in_word (column_word[64*g +: 64]), .line_valid (out_valid[g]),
                .line_first (out_first[g]), .line_last (out_last[g]), .line_input (out_input[PW*g +: PW]),
                .line_priority (out_priority[g]), .line_multicast (out_multicast[g]), .line_word (out_word[64*g +: 64]),
                .most (egress_most[20*g +: 20]), .error (error_egress[g])
            );
        end
        if (PACKET_MODE == 2) begin : locked
            // An output that requests a packet of low priority is refused if another one requests one of high priority.
            reg [PORTS-1:0] yields;
            integer         n;
            integer         m;
            always @* begin
                yields = {PORTS{1'b0}};
                m      = 0;
                n      = 0;
                if (|(lock_ask & lock_high))
                    for (n = 0; n < PORTS; n = n + 1)
                        for (m = 0; m < PORTS; m = m + 1)
                            if (lock_ask[n] && lock_high[n] && !lock_high[m]
                                && lock_input[PW*m +: PW] == lock_input[PW*n +: PW])
                                yields[m] = 1'b1;
            end
            `PM_LOCKS #(.PORTS(PORTS)) locks (
                .clk (clk), .rst (rst), .ask (lock_ask & ~yields), .ask_input (lock_input), .granted (lock_granted),
                .release_valid (lock_release), .release_input (lock_released), .free (lock_free)
            );
            // A lock is held from the clock of its grant on, until it is released.
            reg [PORTS*PW-1:0] asked;          // in the clock before
            reg [PORTS-1:0]    held;
            reg [PORTS-1:0]    holds;
            reg [PORTS-1:0]    twice;
            reg [PORTS-1:0]    twice_held;
            integer            k;
            assign error_lock = twice_held;
            always @* begin
                k     = 0;
                holds = held;
                twice = {PORTS{1'b0}};
                if (|lock_granted || |lock_release) begin
                    for (k = 0; k < PORTS; k = k + 1)
                        if (lock_granted[k]) begin
                            if (holds[asked[PW*k +: PW]]) twice[asked[PW*k +: PW]] = 1'b1;
                            holds[asked[PW*k +: PW]] = 1'b1;
                        end
                    for (k = 0; k < PORTS; k = k + 1) if (lock_release[k]) holds[lock_released[PW*k +: PW]] = 1'b0;
                end
            end
            always @(posedge clk) begin
                asked      <= lock_input;
                held       <= rst ? {PORTS{1'b0}} : holds;
                twice_held <= rst ? {PORTS{1'b0}} : twice;
            end
        end else begin : unlocked
            assign error_lock   = {PORTS{1'b0}};
            assign lock_free    = {PORTS{1'b0}};
            assign lock_granted = {PORTS{1'b0}};
            wire unused = &{1'b0, lock_ask, lock_high, lock_input, lock_release, lock_released};
        end
    endgenerate
endmodule
`default_nettype wire
