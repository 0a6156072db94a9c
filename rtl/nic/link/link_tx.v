// Makes frames of packets, credit words and check records. One word per clock, no gap inside a frame or between frames.
//
//     packet          SOP [credit] header header CRC payload ... payload body-CRC      2 x length + 5 (6) clocks
//     credit alone    SOP credit
//     check record    SOP header header CRC
//
// In READY the next frame is chosen: a check record, else a packet that has credit (with a credit word if one waits),
// else a credit word alone, else idle. READY is also where the SOP is sent, so a frame follows the last one without a
// bubble: the head of the FIFO shows the next header while the body CRC is sent. At least one idle word is sent every
// IDLE_WORDS words: a frame that would not end in time waits for it.
//
// Latency: a packet shows at `packet_valid` in clock n, `sop` is up in n, on the port of the transceiver in n+1.
//
// The source must show whole packets only; its faults never harm the link:
//   * a packet shorter or longer than its header says, or with bit [67] set on any of its words, is sent with the
//     length of its header, zeros for missing words, and its body CRC inverted: the receiver sees a bad body.
//     (`ev_step`)
//   * a packet whose length is not 1..MAX_WORDS, or whose flow the sender may not use, is dropped (`ev_discard`).
//   * words without a header are dropped (`ev_step`).
//
// `discard`: the link has been down for long. Packets in the FIFO are discarded but counted as sent, as if lost on the
// wire. Credit accounting stays consistent and the next check record restores the credit.
//
// In `direct` mode the flow ID of a header is replaced by the own node ID.
//
// With `stamp` (S2 5.3) packets of three words or more have bit [55] of their header set; the low half of their first
// payload word is the time of their SOP on the port, the high half stays (when the descriptor was made), and the second
// word is 0, where a switch writes its times. The body CRC covers the words as sent. `now` is the count of 3 clocks ago
// (sync_count), so it is sampled 3 clocks after `sop`.
//
// With CRCS = 0 the packets contain their CRCs (voq_crc): a word with the header CRC behind the header, a word with the
// body CRC behind the last word, both in [31:0]; headers have their node ID, and bit [55] if they carry time stamps;
// the places of these are 0. The time of the SOP changes the body CRC by the CRC of a payload of this time alone, begun
// with 0, which is added to the CRC of the packet. Then [65] is ignored, and so is [66] of words. A packet that is too
// short or too long, or has no CRC, carries another word, or 0, in the place of the body CRC: the receiver sees a bad
// body except in one of 2^32 cases. A body CRC with bit [67] is wrong already (`ev_step`).
`default_nettype none
`include "slots.vh"
module link_tx #(
    // longest payload [64-bit words], 1..1022
    parameter MAX_WORDS = 512,
    // at least one idle word is sent in this many words, 2 * MAX_WORDS + 8 .. 65535
    parameter IDLE_WORDS = 2048,
    // 1: with time stamps; 0: without
    parameter STAMPS = 0,
    // 1: every packet is reported when it has departed, not only the last one of a transfer; dropped ones, too
    parameter REPORT_ALL = 0,
    // 1: CRCs are made here; 0: packets contain them
    parameter CRCS = 1
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        discard,          // level: packets are discarded, and count as transmitted
    input  wire        packets_may_start, // level, see link_check_record
    input  wire        direct,           // level: one lane, flow ID sent = node_id
    input  wire [6:0]  node_id,
    input  wire        stamp,            // level: packets carry time stamps
    input  wire [31:0] now,              // the time for them

    // packets: show-ahead FIFO, 68-bit words
    input  wire        packet_valid,
    input  wire [67:0] packet_data,
    output wire        packet_pop,
    output reg         packet_departed,  // the last body CRC of a transfer (header [66]) is on the port; with it:
    output reg  [6:0]  departed_flow,    // flow ID of the header as received
    output reg         departed_local,   // header [53]: local notification
    output reg         departed_lost,    // it was dropped (REPORT_ALL)

    // flow control: the head of the FIFO is the request, `packet_take` starts the packet
    input  wire        lane_known,       // its flow is one that may be used
    input  wire        granted,          // it has credit
    output wire        packet_take,

    // credit words
    input  wire        credit_request,
    input  wire [31:0] credit_word,
    output wire        credit_take,

    // check records
    input  wire        record_request,
    input  wire [6:0]  record_flow,
    input  wire [11:0] record_units,
    output wire        record_take,

    // words for the transceiver
    output wire        word_idle,
    output wire        word_sop,
    output wire [31:0] word_data,

    // events
    output wire        ev_cycle,         // level: anything but idle is sent
    output wire        ev_packet,
    output wire        ev_word,          // 64-bit word taken for sending
    output reg         ev_start,         // a packet became ready
    output wire        ev_backpressure,  // level: a packet waits for credit
    output wire        ev_step,          // a packet or word out of step, see above
    output wire        ev_discard,       // a packet dropped, see above
    output wire [3:0]  fsm_state
);
    localparam [3:0] READY      = 4'd0;
    localparam [3:0] CREDIT     = 4'd1;
    localparam [3:0] HEADER_HI  = 4'd2;
    localparam [3:0] HEADER_LO  = 4'd3;
    localparam [3:0] HEADER_CRC = 4'd4;
    localparam [3:0] BODY_HI    = 4'd5;
    localparam [3:0] BODY_LO    = 4'd6;
    localparam [3:0] BODY_CRC   = 4'd7;

    localparam [9:0]  LONGEST     = MAX_WORDS;
    localparam        ROOM_BITS   = $clog2(IDLE_WORDS);
    localparam [31:0] IDLE_ROOM   = IDLE_WORDS - 1;
    localparam [16:0] SHORT_FRAME = 17'd4;

    initial
        if (MAX_WORDS < 1 || MAX_WORDS > 1022 || IDLE_WORDS < 2 * MAX_WORDS + 8 || IDLE_WORDS > 65535) begin
            $display("%m: MAX_WORDS must be 1..1022, is %0d; IDLE_WORDS 2*MAX_WORDS+8..65535, is %0d", MAX_WORDS,
                     IDLE_WORDS);
            $finish;
        end

    initial
        if ((CRCS != 0 && CRCS != 1) || (STAMPS != 0 && STAMPS != 1)) begin
            $display("%m: CRCS and STAMPS must be 0 or 1, are %0d and %0d", CRCS, STAMPS);
            $finish;
        end

    reg  [3:0]  state;
    reg         with_packet;      // a packet follows the credit word
    reg         with_record;
    reg  [6:0]  record_flow_kept;
    reg  [11:0] record_units_kept;
    reg  [9:0]  words_left;
    reg         body_first;       // no payload word has been sent
    reg         transfer_ends;    // header [66]
    reg         poisoned;         // the body CRC will be sent inverted
    reg         skipping;         // words before the next header have been counted already
    reg         announced;        // the packet at the head has been counted as ready
    reg  [ROOM_BITS-1:0] room;    // words that may still be sent before an idle word

    // the head of the FIFO
    wire        head_sop   = packet_valid && packet_data[64];
    wire [9:0]  length     = packet_data[41:32];
    wire        head_legal = (length != 10'd0) && (length <= LONGEST) && lane_known;
    wire [16:0] room_wide  = {{17-ROOM_BITS{1'b0}}, room};
    wire        head_fits  = ({6'd0, length, 1'b0} + 17'd6 <= room_wide);

    // READY: the next frame
    wire ready        = (state == READY);
    wire short_fits   = (room_wide >= SHORT_FRAME);
    wire start_record = ready && record_request && short_fits;
    wire may_start    = head_sop && head_legal && packets_may_start && granted && !discard;
    wire start_packet = ready && !start_record && may_start && head_fits;
    wire start_credit = ready && !start_record && !may_start && credit_request && short_fits;

    assign word_sop    = start_record || start_packet || start_credit;
    assign word_idle   = ready && !word_sop;
    assign packet_take = start_packet || (ready && discard && !start_record && head_sop && head_legal);
    assign record_take = start_record;
    assign credit_take = (state == CREDIT);

    // payload words, and their faults
    wire        body_valid  = packet_valid && !packet_data[64];
    wire        last_word   = (words_left == 10'd1);
    wire        body_wrong  = !body_valid
                              || (CRCS != 0 && ((packet_data[67:66] != 2'd0) || (packet_data[65] != last_word)));
    wire        crc_used;         // CRCS = 0: the word at the head is a CRC, and sent
    wire        crc_wrong;        // CRCS = 0, with BODY_CRC: the CRC that is sent is
    wire        stamped;          // the packet at the head must carry time stamps
    wire        stamp_place;      // its second word is due, where a switch writes its times
    wire        departure_place;  // its first word is due, and its low half is:
    wire [31:0] departure;
    wire [31:0] added;            // CRCS = 0: to what is sent: departure, and the difference that it makes to the CRC
    wire        in_header   = (state == HEADER_HI) || (state == HEADER_LO);
    wire        in_body     = (state == BODY_HI) || (state == BODY_LO);
    wire        low_half    = (state == HEADER_LO) || (state == BODY_LO);

    // the header or payload word being sent, else 0
    wire        as_header   = in_header && !with_record;
    wire        as_record   = in_header && with_record;
    wire [63:0] came        = packet_data[63:0] & {64{as_header || (in_body && body_valid && !stamp_place)}};
    wire [6:0]  flow        = (as_header && direct) ? node_id : came[62:56] | (record_flow_kept & {7{as_record}});
    wire [31:0] low         = (in_body && departure_place) ? departure
                              : came[31:0] | {20'd0, record_units_kept & {12{as_record}}};
    wire [63:0] double_word = {came[63] && in_body, flow, came[55] || (as_header && stamped), came[54:32], low};
    wire [31:0] half_word   = low_half ? double_word[31:0] : double_word[63:32];
    wire        body_step   = (state == BODY_LO);

    wire        drop_word  = ready && packet_valid && !start_packet
                             && (!packet_data[64] || !head_legal || (discard && !start_record));
    wire        lost       = drop_word && packet_data[64];
    assign packet_pop = drop_word || (state == HEADER_LO && with_packet) || (body_step && body_valid) || crc_used;
    assign ev_discard = drop_word && packet_data[64] && !discard;
    assign ev_step    = (drop_word && !packet_data[64] && !skipping && !discard)
                        || (state == BODY_CRC && (poisoned || crc_wrong));

    // time stamps
    generate
        if (STAMPS != 0 && CRCS == 0) begin : stamps_in_crc
            reg  [2:0]  since_sop;
            reg  [31:0] difference;       // the time; then what it has made of the CRC
            reg         carries;          // the packet being sent does
            wire [31:0] next;
            wire        begun     = !body_first || (state == BODY_LO);
            wire        shows     = carries && ((body_first && state == BODY_LO) || state == BODY_CRC);

            crc32_sums32 sums (.sum (difference), .rest (next));

            assign stamped         = 1'b0;
            assign departure       = 32'd0;
            assign departure_place = 1'b0;
            assign stamp_place     = 1'b0;
            assign added           = difference & {32{shows}};

            // 32 bits of the payload per clock: its low half is the first one that counts
            always @(posedge clk) begin
                since_sop <= {since_sop[1:0], start_packet && stamp};
                if (since_sop[2])         difference <= now;
                else if (in_body && begun) difference <= next;
                if (state == HEADER_LO)   carries    <= packet_data[55];
            end
        end else if (STAMPS != 0) begin : stamps
            reg  [2:0]  since_sop;
            reg  [31:0] time_kept;
            reg         carries;          // the packet being sent does
            reg         second;           // one payload word has been sent

            assign stamped         = stamp && (length > 10'd2);
            assign departure       = time_kept;
            assign departure_place = carries && body_first;
            assign stamp_place     = carries && second;
            assign added           = 32'd0;

            always @(posedge clk) begin
                since_sop <= {since_sop[1:0], start_packet && stamp};
                if (since_sop[2])        time_kept <= now;
                if (state == HEADER_LO)  carries   <= stamped;
                if (state == HEADER_LO)  second    <= 1'b0;
                else if (body_step)      second    <= body_first;
            end
        end else begin : no_stamps
            wire unused = &{1'b0, stamp, now};
            assign stamped         = 1'b0;
            assign departure       = 32'd0;
            assign departure_place = 1'b0;
            assign stamp_place     = 1'b0;
            assign added           = 32'd0;
        end
    endgenerate

    // CRCs
    generate
        if (CRCS != 0) begin : whole_words
            wire [15:0] header_crc;
            wire [31:0] body_crc;
            `NIC_HEADER_CRC header_check (
                .clk (clk), .rst (rst), .first (1'b1), .step (state == HEADER_HI), .data (double_word),
                .crc (header_crc)
            );
            `NIC_BODY_CRC body_check (
                .clk (clk), .rst (rst), .first (body_first), .step (body_step), .data (double_word), .crc (body_crc)
            );

            assign crc_used  = 1'b0;
            assign crc_wrong = 1'b0;
            assign word_data = half_word | added
                               | (credit_word & {32{state == CREDIT}})
                               | ({16'd0, header_crc} & {32{state == HEADER_CRC}})
                               | ((body_crc ^ {32{poisoned}}) & {32{state == BODY_CRC}});
        end else begin : with_packets
            wire        send_high   = (state == HEADER_HI && with_packet) || (state == BODY_HI && body_valid);
            wire        word_used   = (state == HEADER_LO && with_packet) || (body_step && body_valid);
            wire        send_low    = word_used || crc_used;
            wire [31:0] record_word;

            link_record_words record_words (
                .clk (clk), .take (ready), .flow (record_flow), .units (record_units),
                .high (state == HEADER_HI && !with_packet), .low (state == HEADER_LO && !with_packet),
                .last (state == HEADER_CRC && !with_packet), .word (record_word)
            );

            assign crc_used  = body_valid && ((state == HEADER_CRC && with_packet) || state == BODY_CRC);
            assign crc_wrong = !body_valid || packet_data[67];
            assign word_data = (packet_data[63:32] & {32{send_high}}) | ((packet_data[31:0] & {32{send_low}}) ^ added)
                               | record_word | (credit_word & {32{state == CREDIT}});
            wire unused = &{1'b0, half_word, body_first};
        end
    endgenerate

    always @(posedge clk)
        if (rst) begin
            state             <= READY;
            with_packet       <= 1'b0;
            with_record       <= 1'b0;
            record_flow_kept  <= 7'd0;
            record_units_kept <= 12'd0;
            words_left        <= 10'd0;
            body_first        <= 1'b0;
            transfer_ends     <= 1'b0;
            poisoned          <= 1'b0;
            packet_departed   <= 1'b0;
            departed_flow     <= 7'd0;
            departed_local    <= 1'b0;
            departed_lost     <= 1'b0;
        end else begin
            packet_departed <= ((state == BODY_CRC) && (transfer_ends || REPORT_ALL != 0)) || (lost && REPORT_ALL != 0);
            departed_lost   <= lost && (REPORT_ALL != 0);
            case (state)
                READY: begin
                    with_packet       <= start_packet;
                    with_record       <= start_record;
                    record_flow_kept  <= record_flow;
                    record_units_kept <= record_units;
                    if (start_record)
                        state <= HEADER_HI;
                    else if (start_packet)
                        state <= credit_request ? CREDIT : HEADER_HI;
                    else if (start_credit)
                        state <= CREDIT;
                end
                CREDIT:     state <= with_packet ? HEADER_HI : READY;
                HEADER_HI:  state <= HEADER_LO;
                HEADER_LO: begin
                    state          <= HEADER_CRC;
                    words_left     <= length;
                    body_first     <= 1'b1;
                    transfer_ends  <= packet_data[66];
                    poisoned       <= packet_data[67];
                    departed_flow  <= packet_data[62:56];
                    departed_local <= packet_data[53];
                end
                HEADER_CRC: state <= with_packet ? BODY_HI : READY;
                BODY_HI: begin
                    state    <= BODY_LO;
                    poisoned <= poisoned || !body_valid;
                end
                BODY_LO: begin
                    state      <= last_word ? BODY_CRC : BODY_HI;
                    words_left <= words_left - 10'd1;
                    body_first <= 1'b0;
                    poisoned   <= poisoned || body_wrong;
                end
                default:    state <= READY;
            endcase
        end

    // idle words, events
    assign ev_cycle        = !word_idle;
    assign ev_packet       = (state == BODY_CRC);
    assign ev_word         = packet_pop && !drop_word && !crc_used;
    assign ev_backpressure = ready && !start_record && head_sop && head_legal && !granted;
    assign fsm_state       = state;

    always @(posedge clk)
        if (rst) begin
            skipping  <= 1'b0;
            announced <= 1'b0;
            ev_start  <= 1'b0;
        end else begin
            if (drop_word)
                skipping <= 1'b1;
            else if (start_packet)
                skipping <= 1'b0;
            announced <= head_sop && !packet_pop;
            ev_start  <= head_sop && !announced;
        end

    always @(posedge clk)
        if (rst || word_idle) room <= IDLE_ROOM[ROOM_BITS-1:0];
        else                  room <= room - 1'b1;

    wire       probe_busy         = !ready || word_sop || head_sop;
    wire       probe_stall_credit = ev_backpressure;
    wire       probe_stall_window = ready && head_sop && !packets_may_start;
    // an idle word is due before a packet of this length
    wire       probe_stall_idle   = ready && head_sop && may_start && !head_fits;
    wire       probe_stall        = ready && head_sop && !start_packet;
    wire       probe_start        = start_packet;
    wire       probe_done         = ev_packet;
    wire [3:0] probe_state        = state;
endmodule
`default_nettype wire
