// Receive buffer of a NIC: decides whether a packet is stored, writes it into the net-to-host FIFO, pads truncated
// packets, and keeps the count of forwarded words from which credits are made.
//
// A packet is stored whole or not at all. It is dropped before its first word if its length is not 1..cfg_max_words,
// its flow is not below SOURCES, or the FIFO has no space for header and payload. A packet that arrives while a
// truncated one is being padded (one word per clock, so at most as long as its missing words would have been on the
// link) is dropped, too.
//
// Order in the FIFO: header word ([64] = 1), payload words; the last one ([65] = 1) is held until the body CRC has been
// checked and carries the result in [66] (1 = bad, padded bodies included).
//
// With CRCS = 0 the body CRC is a word of its own behind the last one, [67] = 1, in [31:0], and nothing is held; if the
// packet was padded that word has [66] = 1. So a packet of n words takes n + 2, exactly its units, and the FIFO holds
// all that the sender has credit for if that is 2 x DEPTH units at most: 1022 for 511 words. Credit for the last two
// units is due when the CRC leaves the FIFO. Padding then writes every other clock: the speed of the line. The body of
// a dropped packet counts neither in NET_IN_CYCLES nor as an alignment error. With CRCS = 1 CRC words take no place: 2
// x 1023 + 2 = 2048 units are the most for 1023 words.
//
// Many lost: 512 packets of one source missing, or a multiple, leave no gap in its 9-bit sequence numbers. Check
// records show how many words were lost on the channel. When these suffice for 512 smallest packets since the last
// report (unknown before the first record after reset), the next header stored has [63] set, and dma_incoming sets the
// loss indication of all sources. One of several links by packet (EACH) only reports the units; link_lost_many, which
// sees all links, says which sources' headers get [63].
//
// Not detected: (1) a channel into the switch, which holds 85 packets at most, is cut off again and again, none of its
// packets arrives in between, and the losses add up to exactly 512; (2) a NIC is reset when its last packet to arrive
// had number 511; (3) a switch is reset twice, each time after the loss of whole buffers, no packet arrives in between,
// and the losses make 512; (4) exactly 512 packets in a row of a source are lost over one link, the last ones, a buffer
// at most, since the last record (link_lost_many detects this); (5) a switch port drains packets of a source, the next
// one is lost on the wire, and the losses make exactly 512. A lower limit would report false losses.
//
// A record of 0 where another count was due is that of a sender that has been reset: its count restarts, so the
// difference means nothing. Packets sent between its last record and the reset may be lost all the same. If the line
// was good in that time, or had one single error, these are the packet in flight and one whose SOP had just left; else
// at most the buffer here, since the sender had no more credit. That much counts as missing. Sequence numbers show the
// rest: a NIC's start at 0 again, those behind a switch go on.
//
// Accounts, 12 bits, modulo 4096, in link words:
//     received   what the sender has transmitted on this channel as known here: + 2 x length + 4 with every good
//                header, stored or not; set by check records.
//     reserved   64-bit words of the current packet that are not yet in the FIFO's own count.
//     forwarded  = received - 2 x (FIFO count + reserved). Dropped packets, and CRCs that are not kept, take no space:
//                forwarded at once.
// So a check record is exact at any time, also during padding, and so is the check for space.
//
// Latency: header CRC on `word` in clock n, header at the FIFO in n+1; payload word n, n+1; the last one with the body
// CRC, or, with CRCS = 0, at once, and the CRC as a word.
// `forwarded` follows the FIFO's count in the next clock.
`default_nettype none
module link_rx_store #(
    // node IDs that may appear in a header as source, 1..128; 128: all
    parameter SOURCES = 128,
    // words that the FIFO holds, 1..2047
    parameter DEPTH = 1023,
    // 1: one of several links by packet
    parameter EACH = 0,
    // 0: the FIFO keeps each packet's body CRC, which is checked behind it; one link only
    parameter CRCS = 1,
    // links that a packet is spread over, 1, 2 or 4: with more than one its last words arrive with the result of the
    // CRC
    parameter LINKS = 1,
    // 64-bit words per clock: 2 with four links, else 1
    parameter WORDS = (LINKS == 4) ? 2 : 1
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [9:0]  cfg_max_words,         // longest payload that is stored

    // from link_rx_frame, or link_rx_bundle
    input  wire        header_good,
    input  wire        record_good,
    input  wire [63:0] header,
    input  wire        header_next,            // one link: body_data is the next header
    input  wire [WORDS-1:0] body_word,        // word 0 is the first one
    input  wire [64*WORDS-1:0] body_data,
    input  wire        body_last,             // one link: body_word is the last one
    input  wire        body_end,
    input  wire        body_bad,
    input  wire        body_abort,
    output wire        stored,                // CRCS = 0, with header_good: the packet is stored, its body is awaited
    output wire        last_is_due,           // CRCS = 0: the next payload word is the last one
    input  wire        trouble,               // level: words of the line are damaged, missing or out of place
    input  wire [15:0] suspects,              // EACH: sources whose headers get [63]
    output wire [12:0] lost_units,            // EACH: units that a record has reported as missing, in one clock; else 0

    // FIFO, write side
    output reg  [WORDS-1:0]    wr_valid,      // 0, 1 or 2 words
    output reg  [68*WORDS-1:0] wr_data,
    input  wire [10:0] wr_count,              // words in it, never too low

    // accounts
    output reg  [11:0] received,              // [units], modulo 4096
    output reg  [11:0] forwarded,             // [units], modulo 4096
    output reg         forwarded_repaired,    // pulse: a check record has set `received`

    // events
    output reg         ev_packet,             // stored, last word included
    output reg         ev_start,              // header stored
    output reg         ev_body_crc,           // of stored packets; CRCS = 0: of padded ones
    output reg         ev_drop_length,        // a length that is not 1..cfg_max_words
    output reg         ev_drop_flow,          // a source that is not below SOURCES
    output reg         ev_drop_space,         // no space for header and payload
    output reg         ev_record,
    output reg         ev_record_unknown,     // check record for another virtual channel
    output wire [1:0]  fsm_state
);
    localparam [1:0] IDLE = 2'd0;
    localparam [1:0] BODY = 2'd1;
    localparam [1:0] PAD  = 2'd2;

    localparam [12:0] ROOM = DEPTH[12:0];
    localparam [7:0]  KNOWN = SOURCES[7:0];

    initial
        if (DEPTH < 1 || DEPTH > 2047 || SOURCES < 1 || SOURCES > 128 || WORDS != ((LINKS == 4) ? 2 : 1)
            || (CRCS == 0 && LINKS != 1)) begin
            $display("%m: DEPTH must be 1..2047, is %0d; SOURCES 1..128, is %0d; LINKS %0d with %0d WORDS, CRCS %0d",
                     DEPTH, SOURCES, LINKS, WORDS, CRCS);
            $finish;
        end

    // units of the smallest packet; of 512 of them; units that may be lost unseen around a reset of the sender
    localparam [12:0] SMALLEST = 13'd6;
    localparam [12:0] MANY     = 13'd512 * SMALLEST;
    localparam [12:0] FEW_LOST = 13'd2 * SMALLEST;
    localparam [12:0] ALL_LOST = {DEPTH[11:0], 1'b1} + 13'd1;

    reg  [1:0]  state;
    reg  [9:0]  words_left;      // BODY, PAD: payload words that are not written; with CRCS = 1
    reg  [10:0] reserved;
    reg         captured;        // one link: the header is in wr_data

    wire [9:0]  length     = header[41:32];
    wire [10:0] both       = {1'b0, length} + 11'd2;          // words with header and CRCs, each of which counts as one
    wire [11:0] units      = {both, 1'b0};
    wire [10:0] places     = (CRCS == 0) ? both : {1'b0, length} + 11'd1;
    wire [12:0] occupied   = {2'b00, wr_count} + {2'b00, reserved};
    wire        too_long   = (length > cfg_max_words);
    wire        unknown    = ({1'b0, header[62:56]} >= KNOWN);
    wire        no_room    = (state != IDLE) || !captured || (occupied + {2'b00, places} > ROOM);
    wire        accept     = header_good && !too_long && !unknown && !no_room;
    wire        last_word  = (words_left == 10'd1);
    wire        two_left   = (WORDS == 2) && !last_word;
    wire        pad_ends   = (words_left <= WORDS[9:0]);
    wire        crc_is_due = (reserved == 11'd1);
    wire        lane_known = (header[62:56] == 7'd0);

    assign stored      = accept;
    assign last_is_due = (reserved == 11'd2);

    assign fsm_state = state;

    localparam [WORDS-1:0] FIRST_ONLY = 1;

    always @(posedge clk)
        if (LINKS != 1)       captured <= 1'b1;
        else if (header_next) captured <= (state == IDLE);

    // payload words as they are written: the last one that is valid has `ends` in [65] and, with it, `is_bad` in [66]
    function [68*WORDS-1:0] with_flags (input [64*WORDS-1:0] words, input [WORDS-1:0] are_valid, input ends,
                                        input is_bad);
        integer w;
        begin
            for (w = 0; w < WORDS; w = w + 1)
                with_flags[68*w +: 68] = {1'b0, {2{ends && (w == (are_valid[WORDS-1] ? WORDS - 1 : 0))}}
                                          & {is_bad, 1'b1},
                                          1'b0, words[64*w +: 64]};
        end
    endfunction

    always @(posedge clk)
        if (rst) begin
            state             <= IDLE;
            words_left        <= 10'd0;
            wr_valid          <= {WORDS{1'b0}};
            ev_packet         <= 1'b0;
            ev_start          <= 1'b0;
            ev_body_crc       <= 1'b0;
            ev_drop_length    <= 1'b0;
            ev_drop_flow      <= 1'b0;
            ev_drop_space     <= 1'b0;
            ev_record         <= 1'b0;
            ev_record_unknown <= 1'b0;
        end else begin
            wr_valid          <= {WORDS{1'b0}};
            ev_packet         <= 1'b0;
            ev_body_crc       <= 1'b0;
            ev_start          <= accept;
            ev_drop_length    <= header_good && too_long;
            ev_drop_flow      <= header_good && !too_long && unknown;
            ev_drop_space     <= header_good && !too_long && !unknown && no_room;
            ev_record         <= record_good && lane_known;
            ev_record_unknown <= record_good && !lane_known;
            case (state)
                IDLE:
                    if (accept) begin
                        state      <= BODY;
                        words_left <= length;
                        wr_valid   <= FIRST_ONLY;
                    end
                BODY:
                    if (CRCS == 0) begin
                        wr_valid[0] <= body_word[0] || body_end;
                        ev_packet   <= body_end;
                        if (body_abort)    state <= PAD;
                        else if (body_end) state <= IDLE;
                    end else if (LINKS == 1) begin
                        if (body_abort) begin
                            state       <= last_word ? IDLE : PAD;
                            words_left  <= words_left - 10'd1;
                            wr_valid    <= FIRST_ONLY;
                            ev_packet   <= last_word;
                            ev_body_crc <= last_word;
                        end else if (body_end) begin
                            state       <= IDLE;
                            wr_valid    <= FIRST_ONLY;
                            ev_packet   <= 1'b1;
                            ev_body_crc <= body_bad;
                        end else if (body_word[0]) begin
                            wr_valid[0] <= !body_last;
                            if (!body_last)
                                words_left <= words_left - 10'd1;
                        end
                    end else if (body_abort)
                        state <= PAD;
                    else if (body_word[0]) begin
                        wr_valid   <= body_word;
                        words_left <= words_left - (body_word[WORDS-1] ? WORDS[9:0] : 10'd1);
                        if (body_end) begin
                            state       <= IDLE;
                            ev_packet   <= 1'b1;
                            ev_body_crc <= body_bad;
                        end
                    end
                default: if (CRCS == 0) begin
                    wr_valid <= FIRST_ONLY & ~wr_valid;
                    if (!wr_valid[0] && crc_is_due) begin
                        state       <= IDLE;
                        ev_packet   <= 1'b1;
                        ev_body_crc <= 1'b1;
                    end
                end else begin
                    wr_valid   <= two_left ? {WORDS{1'b1}} : FIRST_ONLY;
                    words_left <= words_left - WORDS[9:0];
                    if (pad_ends) begin
                        state       <= IDLE;
                        ev_packet   <= 1'b1;
                        ev_body_crc <= 1'b1;
                    end
                end
            endcase
        end

    // Words to write: valid also when not taken. A header is shown where one may arrive, whether it is written or not.
    wire many_lost;
    generate
        if (CRCS == 0) begin : with_crc
            wire pads = (state == PAD);

            always @(posedge clk)
                if (rst || pads)
                    wr_data[62:0] <= 63'd0;
                else if ((state == IDLE && header_next) || (state == BODY && (body_word[0] || body_end)))
                    wr_data[62:0] <= body_data[62:0];

            // a write and the next one are two clocks apart: `reserved` is exact when one is made, but for the CRC
            always @(posedge clk)
                if (rst)                wr_data[67:63] <= 5'd0;
                else if (state == IDLE) wr_data[67:63] <= {4'b0001, many_lost};
                else                    wr_data[67:63] <= {pads ? {2{crc_is_due}} : {body_end, 1'b0},
                                                           last_is_due && !body_end, 1'b0, body_data[63] && !pads};
        end else if (LINKS == 1) begin : one_word
            wire pads = (state == PAD) || (state == BODY && body_abort);
            wire mark = (state == BODY) && body_end;

            // a last word that only lacks its CRC stays when the others are padded
            always @(posedge clk)
                if (rst || (pads && !wr_data[65]))                                            wr_data[62:0] <= 63'd0;
                else if ((state == IDLE && header_next) || (state == BODY && body_word[0]))
                    wr_data[62:0] <= body_data[62:0];

            always @(posedge clk)
                if (rst)                wr_data[67:63] <= 5'd0;
                else if (pads)
                    wr_data[67:63] <= {1'b0, last_word, last_word, 1'b0, wr_data[63] && wr_data[65]};
                else if (state == IDLE) wr_data[67:63] <= {4'b0001, many_lost};
                else if (body_word[0])  wr_data[67:63] <= {2'b00, body_last, 1'b0, body_data[63]};
                else if (mark)          wr_data[66]    <= body_bad;
        end else begin : one_or_two
            always @(posedge clk)
                if (rst)
                    wr_data <= {68*WORDS{1'b0}};
                else
                    case (state)
                        IDLE:    wr_data[67:0] <= {4'b0001, many_lost, header[62:0]};
                        BODY:    if (body_word[0]) wr_data <= with_flags(body_data, body_word, body_end, body_bad);
                        default: wr_data <= with_flags({64*WORDS{1'b0}}, two_left ? {WORDS{1'b1}} : FIRST_ONLY,
                                                       pad_ends, 1'b1);
                    endcase
        end
    endgenerate

    always @(posedge clk)
        if (rst) begin
            received           <= 12'd0;
            reserved           <= 11'd0;
            forwarded          <= 12'd0;
            forwarded_repaired <= 1'b0;
        end else begin
            if (record_good && lane_known)
                received <= header[11:0];
            else if (header_good)
                received <= received + units;
            if (accept)
                reserved <= places;
            else if (wr_valid[0])
                reserved <= reserved - (wr_valid[WORDS-1] ? WORDS[10:0] : 11'd1);
            forwarded          <= received - {occupied[10:0], 1'b0};
            forwarded_repaired <= record_good && lane_known;
        end

    // ---- lost words
    reg         synchronised;    // `received` is the sender's count
    reg         troubled;        // line trouble since the last record
    reg         troubled_more;   // ... in a second clock
    wire [11:0] missing   = header[11:0] - received;
    wire        restarted = (header[11:0] == 12'd0) && (missing != 12'd0);
    wire        record    = record_good && lane_known;

    wire [12:0] gone      = !restarted ? {1'b0, missing} : troubled_more ? ALL_LOST : FEW_LOST;
    reg  [12:0] lost;            // since the last report, below MANY + 4096; EACH: by the record before this clock

    always @(posedge clk)
        if (rst)         synchronised <= 1'b0;
        else if (record) synchronised <= 1'b1;

    generate
        if (EACH != 0) begin : of_several
            assign many_lost  = suspects[header[59:56]];
            assign lost_units = lost;
            always @(posedge clk)
                lost <= (!rst && record && synchronised) ? gone : 13'd0;
            wire unused = &{1'b0, MANY};
        end else begin : alone
            assign many_lost  = (lost >= MANY);
            assign lost_units = 13'd0;
            always @(posedge clk)
                if (rst)
                    lost <= 13'd0;
                else if (record) begin
                    if (synchronised && !many_lost) lost <= lost + gone;
                end else if (accept && many_lost)
                    lost <= 13'd0;
            wire unused = &{1'b0, suspects};
        end
    endgenerate

    always @(posedge clk)
        if (rst || record) begin
            troubled      <= 1'b0;
            troubled_more <= 1'b0;
        end else if (trouble) begin
            troubled      <= 1'b1;
            troubled_more <= troubled;
        end

    wire unused = &{1'b0, header, header_next, body_last, two_left};

    wire       probe_busy        = (state != IDLE);
    wire       probe_stall_words = (state == BODY) && !body_word[0] && !body_end && !body_abort;
    wire       probe_start       = ev_start;
    wire       probe_done        = ev_packet;
    wire [1:0] probe_state       = state;
endmodule
`default_nettype wire
