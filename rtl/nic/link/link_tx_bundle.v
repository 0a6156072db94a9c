// Makes frames of packets, credit words and check records for a bundle, as link_tx does for one link. Words have 32 x
// LINKS bits; the first byte of a frame is in the highest bits. Format of a frame: see link_rx_bundle.
//
//     packet          SOP [credit] and n + 2 (LINKS = 2) or n/2 + 1, rounded up (LINKS = 4), words for n of payload
//     credit alone    SOP credit idle
//     check record    SOP and 2 words (LINKS = 2); SOP, one word, idle (LINKS = 4)
//
// So SOPs are at least three clocks apart, which link_deskew relies on. In READY the next frame is chosen as in
// link_tx: a check record, else a packet that has credit, else a credit word alone, else idle; packets follow each
// other without a gap, and at least one idle word is sent every IDLE_WORDS words.
//
// Two links send a 64-bit word per clock, four links two: more than some buses deliver. So a packet starts only when
// enough of its words are in the FIFO that it cannot run dry, or all, or when it has waited for 1023 clocks (its
// remainder was dropped, voq_departure). While it is sent, FILL_* / 64 of its words are not delivered. That holds at
// 66, 100 and 133 MHz: on a slower bus of the class the packet may run dry, and is sent with an inverted body CRC.
//
// Faults of the source are handled as in link_tx: a packet that is too short, too long or marked is sent with an
// inverted body CRC, one of an illegal length or flow is dropped, and so are words without a header.
//
// Latency: a packet shows at `packet_valid` in clock n, `word_sop` is up in n if enough of its words are stored.
//
// Time stamps as in link_tx. The first word goes into the CRC with the SOP, three clocks before `now` shows its time.
// So the stamp is `now` and the PCI clocks of three network clocks, rounded: at most one clock off.
`default_nettype none
`include "slots.vh"
module link_tx_bundle #(
    // links, 2 or 4
    parameter LINKS = 2,
    // longest payload [64-bit words], 1..1022
    parameter MAX_WORDS = 512,
    // at least one idle word is sent in this many words, 2 * MAX_WORDS + 8 .. 65535
    parameter IDLE_WORDS = 2048,
    // 1: with time stamps; 0: without
    parameter STAMPS = 0,
    // 64-bit words per clock, LINKS / 2
    parameter WORDS = LINKS / 2
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                packets_may_start, // level, see link_check_record
    input  wire                direct,           // level: one lane, flow ID sent = node_id
    input  wire [6:0]          node_id,
    input  wire [1:0]          bus_class,        // level: clock of the bus of the words: 1 = 66 MHz, 3 = 133, else 100
    input  wire                stamp,            // level: packets carry time stamps
    input  wire [31:0]         now,              // the time for them, see link_tx

    // packets: show-ahead FIFO, 68-bit words, word 0 first
    input  wire [WORDS-1:0]    packet_valid,
    input  wire [68*WORDS-1:0] packet_data,
    input  wire [10:0]         packet_count,     // words in it, never too high
    output wire [WORDS-1:0]    packet_pop,
    output reg                 packet_departed,  // last body CRC of a transfer (header [66]) is on the port; with it:
    output reg  [6:0]          departed_flow,    // flow ID of the header as received
    output reg                 departed_local,   // header [53]: local notification

    // flow control: the head of the FIFO is the request, `packet_take` starts the packet
    input  wire                lane_known,       // its flow is one that may be used
    input  wire                granted,          // it has credit
    output wire                packet_take,

    // credit words
    input  wire                credit_request,
    input  wire [31:0]         credit_word,      // sent LINKS times
    output wire                credit_take,

    // check records
    input  wire                record_request,
    input  wire [6:0]          record_flow,
    input  wire [11:0]         record_units,
    output wire                record_take,

    // words for the transceivers
    output wire                word_idle,
    output wire                word_sop,
    output reg  [32*LINKS-1:0] word_data,

    // events
    output wire                ev_cycle,         // level: anything but idle is sent
    output wire                ev_packet,
    output wire [WORDS-1:0]    ev_word,          // 64-bit words taken for sending
    output reg                 ev_start,         // a packet became ready
    output wire                ev_backpressure,  // level: a packet waits for credit
    output wire                ev_step,          // a packet or word out of step, see link_tx
    output wire                ev_discard,       // a packet dropped, see link_tx
    output wire [3:0]          fsm_state
);
    localparam [3:0] READY      = 4'd0;
    localparam [3:0] CREDIT     = 4'd1;
    localparam [3:0] HEADER     = 4'd2;   // four links: its CRC too
    localparam [3:0] HEADER_CRC = 4'd3;   // two links
    localparam [3:0] BODY       = 4'd4;
    localparam [3:0] AFTER      = 4'd5;   // an idle word

    localparam [9:0]  LONGEST     = MAX_WORDS;
    localparam [15:0] IDLE_ROOM   = IDLE_WORDS - 1;
    localparam [15:0] SHORT_FRAME = 16'd4;

    // of 64 words sent this many are not delivered meanwhile: 1 - clock of the bus / (78.125 MHz x WORDS), rounded up
    localparam [15:0] FILL_66  = (LINKS == 4) ? 16'd37 : 16'd10;
    localparam [15:0] FILL_100 = (LINKS == 4) ? 16'd24 : 16'd0;
    localparam [15:0] FILL_133 = (LINKS == 4) ? 16'd10 : 16'd0;
    localparam [15:0] MARGIN   = 16'd16;  // pauses of voq_departure, latency of the count

    initial
        if ((LINKS != 2 && LINKS != 4) || WORDS != LINKS / 2
            || MAX_WORDS < 1 || MAX_WORDS > 1022 || IDLE_WORDS < 2 * MAX_WORDS + 8 || IDLE_WORDS > 65535) begin
            $display("%m: LINKS must be 2 or 4, is %0d; WORDS LINKS / 2, is %0d; MAX_WORDS 1..1022, is %0d; ", LINKS,
                     WORDS, MAX_WORDS, "IDLE_WORDS 2*MAX_WORDS+8..65535, is %0d", IDLE_WORDS);
            $finish;
        end

    reg  [3:0]          state;
    reg                 with_packet;      // a packet follows the credit word
    reg  [63:0]         header;           // of the packet being sent
    reg  [9:0]          words_left;       // payload words that are still in the FIFO
    reg  [64*WORDS-1:0] held;             // payload words out of it: the last one is in the highest word
    reg  [WORDS-1:0]    here;             // how many of them: 0, 1 or (four links) 2, one bit each
    reg  [31:0]         half;             // low half of the one before
    reg                 transfer_ends;    // header [66]
    reg                 poisoned;         // the body CRC will be sent inverted
    reg                 skipping;         // words before the next header have been counted already
    reg                 announced;        // the packet at the head has been counted as ready
    reg  [15:0]         room;             // words that may still be sent before an idle word
    reg  [9:0]          patience;         // clocks for which the packet at the head has waited for words

    // ---- the head of the FIFO
    wire        head_sop   = packet_valid[0] && packet_data[64];
    wire [9:0]  length     = packet_data[41:32];
    wire        head_legal = (length != 10'd0) && (length <= LONGEST) && lane_known;
    wire        head_fits  = ({6'd0, length} + 16'd6 <= room);
    wire [15:0] fill       = (bus_class == 2'd1) ? FILL_66 : (bus_class == 2'd3) ? FILL_133 : FILL_100;
    wire [15:0] not_coming = {6'd0, length} * fill;
    wire [15:0] enough     = {6'd0, not_coming[15:6]} + MARGIN;
    wire [15:0] words_here = {5'd0, packet_count};
    wire        head_whole = (words_here > {6'd0, length});
    // with four links the first word goes with the header; the count may lag by a clock (fifo_async)
    wire        head_shows = packet_valid[WORDS-1] && (head_whole || (words_here >= enough));
    wire        head_ready = head_shows || (&patience);

    // ---- READY: the next frame
    wire ready        = (state == READY);
    wire short_fits   = (room >= SHORT_FRAME);
    wire start_record = ready && record_request && short_fits;
    wire may_start    = head_sop && head_legal && packets_may_start && granted && head_ready;
    wire start_packet = ready && !start_record && may_start && head_fits;
    wire start_credit = ready && !start_record && !may_start && credit_request && short_fits;

    assign word_sop    = start_record || start_packet || start_credit;
    assign word_idle   = (ready && !word_sop) || (state == AFTER);
    assign packet_take = start_packet;
    assign record_take = start_record;
    assign credit_take = (state == CREDIT);

    // ---- payload words that are taken, and their faults
    wire                drop_word  = ready && packet_valid[0] && !start_packet && (!packet_data[64] || !head_legal);
    wire                last_two   = (WORDS == 2) && (words_left != 10'd1);
    wire                last_taken;       // no word is left behind those taken now
    wire                final_word  = (state == BODY) && !here[WORDS-1];   // it has the body CRC
    wire                taking;           // payload words are due
    wire [WORDS-1:0]    first_pop;        // READY: header, and with four links the first word
    wire [WORDS-1:0]    due;              // these
    wire [WORDS-1:0]    good;             // they are stored
    wire [64*WORDS-1:0] taken;            // with zeros in place of missing words
    wire                wrong;
    wire [31:0]         body_crc;

    // whether this word of the FIFO is none of the payload, or not the last one, or the last one, as it should be
    function mistaken (input [67:0] from, input is_there, input is_last);
        reg unused;
        begin
            unused   = &{1'b0, from[64:0]};
            mistaken = !is_there || (from[67:66] != 2'd0) || (from[65] != is_last);
        end
    endfunction

    wire                first_good = packet_valid[0] && !packet_data[64];

    // ---- time stamps
    wire                stamped;          // the packet at the head must carry time stamps
    wire                carries;          // the packet being sent does
    wire [31:0]         departure;        // of the packet being sent; four links: of the one that starts

    generate
        if (STAMPS != 0) begin : stamps
            // PCI clocks in four network clocks, the fourth for `soon`: 3.4, 5.1, 6.8
            wire [31:0] ahead = (bus_class == 2'd1) ? 32'd3 : (bus_class == 2'd3) ? 32'd7 : 32'd5;
            reg  [31:0] soon, time_kept;
            reg         carried;

            assign stamped   = stamp && (length > 10'd2);
            assign carries   = carried;
            assign departure = (WORDS == 2) ? soon : time_kept;

            always @(posedge clk) begin
                soon <= now + ahead;
                if (start_packet) time_kept <= soon;
                if (start_packet) carried   <= stamped;
            end
        end else begin : no_stamps
            assign stamped   = 1'b0;
            assign carries   = 1'b0;
            assign departure = 32'd0;
            wire   unused    = &{1'b0, stamp, now};
        end
    endgenerate

    assign packet_pop = drop_word ? {{WORDS-1{1'b0}}, 1'b1}
                       : first_pop | ((taking && state != READY) ? due & good : {WORDS{1'b0}});

    generate
        if (WORDS == 2) begin : two_words
            wire       next_good = packet_valid[1] && !packet_data[132];
            wire [63:0] first_word = {packet_data[131:100], stamped ? departure : packet_data[99:68]}
                                     & {64{next_good}};
            wire        second_due = carries && (state == HEADER);       // a switch writes its times there
            assign taking     = start_packet
                                || ((state == HEADER || state == BODY) && with_packet && words_left != 10'd0);
            assign first_pop  = start_packet ? {next_good, 1'b1} : 2'd0;
            assign due        = {last_two, 1'b1};
            assign good       = {first_good && next_good, first_good};
            assign last_taken = start_packet ? (length == 10'd1) : (words_left <= 10'd2);
            // one word of two is in the highest word if it is the first one, in the lowest if it is the last one
            assign taken      = start_packet ? {first_word, 64'd0}
                                             : {good[1] ? packet_data[131:68] : 64'd0,
                                                (good[0] && !second_due) ? packet_data[63:0] : 64'd0};
            assign wrong      = start_packet ? mistaken(packet_data[135:68], next_good, last_taken)
                                             : mistaken(packet_data[67:0], good[0], words_left == 10'd1)
                                               || (last_two && mistaken(packet_data[135:68], good[1],
                                                                        words_left == 10'd2));
            crc32_word128 body_check (
                .clk (clk), .rst (rst), .first (start_packet), .step (taking), .two (!start_packet && last_two),
                .data (start_packet ? {64'd0, first_word} : last_two ? {taken[63:0], taken[127:64]}
                       : {64'd0, taken[63:0]}), .crc (body_crc)
            );
        end else begin : one_word
            assign taking     = (state == HEADER || state == HEADER_CRC || state == BODY) && with_packet
                                && words_left != 10'd0;
            assign first_pop  = start_packet;
            assign due        = 1'b1;
            assign good       = first_good;
            assign last_taken = (words_left == 10'd1);
            assign taken      = {packet_data[63:32], (carries && state == HEADER) ? departure : packet_data[31:0]}
                                & {64{good[0] && !(carries && state == HEADER_CRC)}};
            assign wrong      = mistaken(packet_data[67:0], good[0], last_taken);
            wire unused = &{1'b0, last_two, stamped};
            `NIC_BODY_CRC body_check (
                .clk (clk), .rst (rst), .first (state == HEADER), .step (taking), .data (taken), .crc (body_crc)
            );
        end
    endgenerate

    assign ev_discard = drop_word && packet_data[64];
    assign ev_step    = (drop_word && !packet_data[64] && !skipping) || (final_word && poisoned);

    // ---- header and its CRC
    wire [63:0] header_next = start_record ? {1'b0, record_flow, 44'd0, record_units}
                                           : {1'b0, direct ? node_id : packet_data[62:56], packet_data[55] || stamped,
                                              packet_data[54:0]};
    wire [15:0] header_crc;
    `NIC_HEADER_CRC header_check (
        .clk (clk), .rst (rst), .first (1'b1), .step (start_record || start_packet), .data (header_next),
        .crc (header_crc)
    );

    // ---- the words
    wire [63:0] newest = held[64*WORDS-1 -: 64];
    wire [31:0] crc    = body_crc ^ {32{poisoned}};

    generate
        if (LINKS == 4) begin : word_of_four
            always @*
                case (state)
                    CREDIT:  word_data = {4{credit_word}};
                    HEADER:  word_data = {header, 16'd0, header_crc, with_packet ? newest[63:32] : 32'd0};
                    BODY:    word_data = here[1] ? {half, held[63:0], newest[63:32]}
                                       : here[0] ? {half, held[63:0], crc} : {half, crc, 64'd0};
                    default: word_data = 128'd0;
                endcase
        end else begin : word_of_two
            always @*
                case (state)
                    CREDIT:     word_data = {2{credit_word}};
                    HEADER:     word_data = header;
                    HEADER_CRC: word_data = {16'd0, header_crc, with_packet ? newest[63:32] : 32'd0};
                    BODY:       word_data = {half, here[0] ? newest[63:32] : crc};
                    default:    word_data = 64'd0;
                endcase
        end
    endgenerate

    // words go from the FIFO through `held` onto the line
    wire moves = (state == HEADER) || (state == HEADER_CRC) || (state == BODY);

    always @(posedge clk)
        if (rst) begin
            state           <= READY;
            with_packet     <= 1'b0;
            header          <= 64'd0;
            words_left      <= 10'd0;
            held            <= {64*WORDS{1'b0}};
            here            <= {WORDS{1'b0}};
            half            <= 32'd0;
            transfer_ends   <= 1'b0;
            poisoned        <= 1'b0;
            packet_departed <= 1'b0;
            departed_flow   <= 7'd0;
            departed_local  <= 1'b0;
        end else begin
            packet_departed <= final_word && transfer_ends;
            case (state)
                READY:
                    if (start_record)
                        state <= HEADER;
                    else if (start_packet)
                        state <= credit_request ? CREDIT : HEADER;
                    else if (start_credit)
                        state <= CREDIT;
                CREDIT:     state <= with_packet ? HEADER : AFTER;
                HEADER:     state <= (LINKS == 2) ? HEADER_CRC : with_packet ? BODY : AFTER;
                HEADER_CRC: state <= with_packet ? BODY : READY;
                BODY:       state <= final_word ? READY : BODY;
                default:    state <= READY;
            endcase

            if (ready) begin
                with_packet <= start_packet;
                header      <= header_next;
            end

            if (start_packet) begin
                transfer_ends  <= packet_data[66];
                departed_flow  <= packet_data[62:56];
                departed_local <= packet_data[53];
                poisoned       <= packet_data[67] || (taking && wrong);
                words_left     <= (WORDS == 2) ? length - 10'd1 : length;
            end else if (taking) begin
                poisoned       <= poisoned || wrong;
                words_left     <= last_taken ? 10'd0 : words_left - WORDS[9:0];
            end

            if (taking)
                held <= taken;
            if (start_packet || moves)
                here <= !taking ? {WORDS{1'b0}} : start_packet ? {WORDS{1'b1}} : due;
            if (moves)
                half <= newest[31:0];
        end

    // ---- idle words, events
    assign ev_cycle        = !word_idle;
    assign ev_packet       = final_word;
    assign ev_word         = drop_word ? {WORDS{1'b0}} : packet_pop;
    assign ev_backpressure = ready && !start_record && head_sop && head_legal && !granted;
    assign fsm_state       = state;

    always @(posedge clk)
        if (rst) begin
            room      <= 16'd0;
            patience  <= 10'd0;
            skipping  <= 1'b0;
            announced <= 1'b0;
            ev_start  <= 1'b0;
        end else begin
            if (word_idle)
                room <= IDLE_ROOM;
            else
                room <= room - 16'd1;
            if (!head_sop || packet_pop[0])
                patience <= 10'd0;
            else if (!(&patience))
                patience <= patience + 10'd1;
            if (drop_word)
                skipping <= 1'b1;
            else if (start_packet)
                skipping <= 1'b0;
            announced <= head_sop && !packet_pop[0];
            ev_start  <= head_sop && !announced;
        end

    wire unused = &{1'b0, not_coming[5:0]};

    wire       probe_busy         = !ready || word_sop || head_sop;
    wire       probe_stall_credit = ev_backpressure;
    wire       probe_stall_window = ready && head_sop && !packets_may_start;
    wire       probe_stall_words  = ready && head_sop && !head_ready;
    // an idle word is due before a packet of this length
    wire       probe_stall_idle   = ready && head_sop && may_start && !head_fits;
    wire       probe_stall        = ready && head_sop && !start_packet;
    wire       probe_start        = start_packet;
    wire       probe_done         = ev_packet;
    wire [3:0] probe_state        = state;
endmodule
`default_nettype wire
