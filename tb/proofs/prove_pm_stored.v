// Proof of what an ingress card stores of a source that obeys `line_full`: `bad` is never high, whatever it sends, and
// whatever leaves.
//
//   words    a queue of pm_card_in has VOQ_WORDS + MOST_WORDS + SCHEDULING_CLOCKS - 2 + a unit in its memory at most,
//            one of pm_iq_card VOQ_WORDS + 2 * MOST_WORDS. pm_switch, pm_iq refuse less than those take
//            (prove_pm_queues)
//
// Assumed: the source begins no packet while `line_full` of its queue is high; packets are not held (line_held); there
// is a place for a packet's size (an edit; pm_switch and pm_iq refuse VOQ_PACKETS that are fewer than words); sizes
// come back from their memories as they were, where a unit depends on one. `lemmas` is what makes a step enough.
`default_nettype none
module prove_pm_stored #(
    // 1: pm_iq_card
    parameter IQ                = 0,
    parameter SEGMENT_WORDS     = 64,
    parameter UNIT_IS_PACKET    = 0,
    // 1: packets that name both outputs, too; not of the IQ card
    parameter MULTICAST         = 0,
    parameter SCHEDULING_CLOCKS = 2,
    parameter VOQ_WORDS         = 8192,
    parameter MOST_WORDS        = 1024,
    // words less than are claimed
    parameter LESS              = 0,
    // 0: what is claimed alone, for faults
    parameter LEMMAS            = 1
) (
    input  wire        clk,
    input  wire        any_start,
    input  wire        any_output,
    input  wire        any_set,
    input  wire [12:0] any_words,
    input  wire        any_credit,
    input  wire        any_credit_output,
    input  wire        any_continue,
    output wire        bad
);
    localparam LATE    = SCHEDULING_CLOCKS - 2;
    localparam DELAYED = (LATE != 0) ? 19 * LATE : 1;
    localparam QUEUES = 2 + MULTICAST;
    localparam [31:0] UNIT   = (IQ != 0 || UNIT_IS_PACKET != 0) ? MOST_WORDS : SEGMENT_WORDS;
    localparam [31:0] FULL   = VOQ_WORDS;
    localparam [31:0] PACKET = MOST_WORDS;
    localparam [31:0] MOST   = VOQ_WORDS + MOST_WORDS + LATE;

    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    // ---- the source
    reg  [12:0] coming;               // words of the packet that are still to come, ...
    reg  [1:0]  coming_queue;
    wire        set   = (MULTICAST != 0) && any_set;
    wire [1:0]  queue = set ? 2'd2 : {1'b0, any_output};
    wire [QUEUES-1:0] line_full;
    wire        full  = line_full[queue];
    wire        fits  = any_words != 13'd0 && any_words <= PACKET[12:0];
    wire        first = running && any_start && coming == 13'd0 && !full && fits;
    wire        valid = first || coming != 13'd0;
    wire [1:0]  to    = first ? queue : coming_queue;
    always @(posedge clk) begin
        coming <= !running ? 13'd0 : first ? any_words - 13'd1 : coming - {12'd0, valid};
        if (first) coming_queue <= queue;
    end

    // ---- the card
    wire        read, is_as_assumed, head_fits;
    wire [1:0]  from, flow;
    wire [12:0] unit, card_coming;    // words to be read, from the queue `flow`
    wire [2:0]  touched;
    wire [71:0] words;
    wire [DELAYED-1:0] delayed;      // packets that do not count yet, in the card: the last one lowest, in 19 bits each
    generate
        if (IQ != 0) begin : iq
            (* hierconn *) wire [12:0] \card.left , \card.left_now , \card.coming ;
            (* hierconn *) wire [6:0]  \card.cell_left ;
            (* hierconn *) wire        \card.fetch , \card.output_now , \card.flow , \card.counted ,
                                       \card.counted_output , \card.started ;
            (* hierconn *) wire [23:0] \card.words[0] , \card.words[1] ;
            wire [1:0]  request;
            wire        free   = running && \card.cell_left == 7'd0;
            wire        starts = free && any_credit && \card.left == 13'd0 && request[any_credit_output];
            pm_iq_card #(.PORTS(2), .MOST_WORDS(MOST_WORDS), .VOQ_WORDS(VOQ_WORDS)) card (
                .clk (clk), .rst (!running), .line_valid (valid), .line_first (first), .line_output (any_output),
                .line_words (any_words), .line_word (64'd0), .line_full (line_full), .line_held (1'b0),
                .line_release (1'b0), .release_output (1'b0), .request (request), .starts (starts),
                .starts_output (any_credit_output), .continues (free && any_continue && \card.left != 13'd0)
            );
            assign is_as_assumed = !starts || (\card.left_now != 13'd0 && \card.left_now <= PACKET[12:0]
                                              && {11'd0, \card.left_now } <= words[24*any_credit_output +: 24]);
            assign {read, from}  = {\card.fetch , 1'b0, \card.output_now };
            assign {unit, flow}  = {\card.left , 1'b0, \card.flow };
            assign card_coming   = \card.coming ;
            assign words         = {24'd0, \card.words[1] , \card.words[0] };
            assign touched[1:0]  = {2{\card.counted }} & {\card.counted_output , !\card.counted_output }
                                   | {2{\card.started }} & {\card.flow , !\card.flow };
            assign touched[2]    = 1'b0;
            assign head_fits     = 1'b1;
            assign delayed       = 1'b0;
        end else begin : in
            (* hierconn *) wire        \card.voqs.read , \card.flow , \card.of_set , \card.set_again ;
            (* hierconn *) wire        \card.of[0].sets.sets_waiting.take , \card.of[0].sets.sets_waiting.none ;
            (* hierconn *) wire        \card.of[0].sets.sets_waiting.valid , \card.of[0].sets.sets_waiting.unit_done ;
            (* hierconn *) wire        \card.of[0].sets.sets_waiting.arrived ;
            (* hierconn *) wire [12:0] \card.of[0].sets.sets_waiting.left , \card.of[0].sets.sets_waiting.words ;
            (* hierconn *) wire [12:0] \card.of[0].sets.sets_waiting.arrived_words ;
            (* hierconn *) wire [1:0]  \card.of[0].sets.sets_waiting.set , \card.of[0].sets.sets_waiting.rest ;
            (* hierconn *) wire [14:0] \card.of[0].sets.sets_waiting.behind ;
            (* hierconn *) wire [23:0] \card.of[0].sets.sets_waiting.stored ;
            wire [23:0] of_sets  = \card.of[0].sets.sets_waiting.stored ;
            wire [23:0] stay     = of_sets
                                   + (\card.of[0].sets.sets_waiting.arrived
                                      ? \card.of[0].sets.sets_waiting.arrived_words : 24'd0)
                                   - (\card.of[0].sets.sets_waiting.unit_done ? \card.of[0].sets.sets_waiting.words
                                      : 24'd0);
            wire [12:0] back     = \card.of[0].sets.sets_waiting.behind [12:0];
            (* hierconn *) wire        \card.take ;
            (* hierconn *) wire [1:0]  \card.touched ;
            (* hierconn *) wire [12:0] \card.unit , \card.coming , \card.new_unit ;
            (* hierconn *) wire [23:0] \card.waiting ;
            (* hierconn *) wire [DELAYED-1:0] \card.late.before ;   // LATE > 0
            (* hierconn *) wire [23:0] \card.words[0] , \card.words[1] ;
            pm_card_in #(
                .PORTS(2), .SEGMENT_WORDS(SEGMENT_WORDS), .MOST_WORDS(MOST_WORDS), .XPOINT_WORDS(UNIT),
                .MULTICAST(MULTICAST), .UNIT_IS_PACKET(UNIT_IS_PACKET), .SCHEDULING_CLOCKS(SCHEDULING_CLOCKS),
                .VOQ_WORDS(VOQ_WORDS)
            ) card (
                .clk (clk), .rst (!running), .weight_write (1'b0), .line_valid (valid), .line_first (first),
                .line_priority (1'b0), .line_multicast (set), .line_set (2'd3), .line_output (any_output),
                .line_words (any_words), .line_word (64'd0), .line_full (line_full), .line_held (1'b0),
                .line_release (1'b0), .release_output (1'b0), .credit_valid (any_credit && running),
                .credit_priority (1'b0), .credit_output (any_credit_output), .credit_words (13'd1),
                .credit_notice (1'b0), .credit_id (8'd0)
            );
            assign is_as_assumed = (MULTICAST == 0 || !\card.of[0].sets.sets_waiting.take
                                    || \card.of[0].sets.sets_waiting.none
                                    || (back != 13'd0 && back <= PACKET[12:0] && {11'd0, back} <= stay))
                                   && (UNIT_IS_PACKET == 0 || !\card.take
                                       || (\card.new_unit <= PACKET[12:0]
                                           && {11'd0, \card.new_unit } <= \card.waiting ));
            assign head_fits     = MULTICAST == 0 || ((\card.unit == 13'd0 || !\card.set_again )
                                   && (!\card.of[0].sets.sets_waiting.valid
                                       || (\card.of[0].sets.sets_waiting.rest == \card.of[0].sets.sets_waiting.set
                                           && \card.of[0].sets.sets_waiting.left != 13'd0
                                           && {11'd0, \card.of[0].sets.sets_waiting.left } <= of_sets)));
            assign read          = \card.voqs.read ;
            assign from          = flow;
            assign unit          = \card.unit ;
            assign flow          = (MULTICAST != 0 && \card.of_set ) ? 2'd2 : {1'b0, \card.flow };
            assign card_coming   = \card.coming ;
            assign words         = {(MULTICAST != 0) ? of_sets : 24'd0, \card.words[1] , \card.words[0] };
            assign touched       = {1'b1, \card.touched };
            assign delayed       = (LATE != 0) ? \card.late.before : 1'b0;
        end
    endgenerate
    reg         some;                 // as is assumed, so far
    wire        still = (some || !running) && is_as_assumed;

    // ---- stored words; words that counted a clock before; packets of the clocks before, the last one lowest: {it
    // came, its queue, words}
    (* mem2reg *) reg [23:0] stored [0:2];
    (* mem2reg *) reg [23:0] before [0:2];
    reg  [16*(LATE+1)-1:0]   came;
    integer i;
    always @(posedge clk) begin
        some <= still;
        came <= running ? {came, first, queue, any_words} : 0;
        for (i = 0; i < 3; i = i + 1) begin
            before[i] <= running ? words[24*i +: 24] : 24'd0;
            stored[i] <= !running ? 24'd0 : stored[i] + {23'd0, valid && to == i} - {23'd0, read && from == i};
        end
    end

    // ---- lemmas
    reg         lemmas, over;
    reg  [23:0] late;                 // words that do not count yet
    reg  [23:0] recent;               // words of packets that came in the clocks before
    integer     n, q;
    always @* begin
        lemmas = card_coming == coming && coming < PACKET[12:0] && unit <= UNIT[12:0] && head_fits;
        over   = 1'b0;
        recent = 24'd0;
        late   = 24'd0;
        for (n = 0; n <= LATE; n = n + 1) begin
            recent = recent + (came[16*n+15] ? {11'd0, came[16*n +: 13]} : 24'd0);
            lemmas = lemmas && recent <= {11'd0, coming} + n + 1;
        end
        for (n = 0; n < LATE; n = n + 1)
            lemmas = lemmas && delayed[19*n+18] == (came[16*n+15] && !came[16*n+14])
                     && delayed[19*n+3] == (came[16*n+15] && came[16*n+14])
                     && (!came[16*n+15] || (delayed[19*n+4 +: 13] == came[16*n +: 13]
                                            && (came[16*n+14] || delayed[19*n+17] == came[16*n+13])));
        for (q = 0; q < QUEUES; q = q + 1) begin
            late = 24'd0;
            for (n = 0; n < LATE; n = n + 1)
                if (came[16*n+15] && came[16*n+13 +: 2] == q) late = late + {11'd0, came[16*n +: 13]};
            recent = (came[16*LATE+15] && came[16*LATE+13 +: 2] == q) ? {11'd0, came[16*LATE +: 13]} : 24'd0;
            lemmas = lemmas && line_full[q] == (before[q] >= FULL[23:0])
                     && (touched[q] || words[24*q +: 24] == before[q]) && words[24*q +: 24] <= before[q] + recent
                     && words[24*q +: 24] <= MOST[23:0] - late
                     && stored[q] + ((coming_queue == q) ? {11'd0, coming} : 24'd0) ==
                        words[24*q +: 24] + late + ((flow == q) ? {11'd0, unit} : 24'd0);
            over   = over || stored[q] > MOST[23:0] + UNIT[23:0] - LESS;
        end
    end
    assign bad = running && still && (over || (LEMMAS != 0 && !lemmas));
endmodule
`default_nettype wire
