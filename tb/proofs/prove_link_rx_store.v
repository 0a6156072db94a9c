// Proof of link_rx_store behind link_rx_frame, or link_rx_bundle: `bad` is never high, whatever words arrive on the
// line and however late words leave N2H.
//
//   places    a word that is written finds a place in N2H, with four links in that of its two FIFOs whose turn it is
//   reserved  what a packet reserves is what is written for it
//
// Assumed: a SOP is a valid word and has a K character, no word is valid while synchronisation is lost (link_rx_align,
// link_deskew). The count of a FIFO is never too low (fifo-async, fifo_async_properties); of two that are read in turn
// the writer may see the words that have left one of them a clock later than those of the other (sync_bit). `lemmas` is
// what makes a step enough.
`default_nettype none
module prove_link_rx_store #(
    parameter LINKS = 1,
    parameter EACH = 0,
    parameter CRCS = 1,
    // log2 of the words of N2H
    parameter LOG2_FIFO = 10,
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1
) (
    input  wire         clk,
    input  wire [127:0] any_word,
    input  wire [4:0]   any_flags,
    input  wire [9:0]   any_most,
    input  wire [10:0]  any_left,              // words that leave N2H
    input  wire [1:0]   any_late,              // the writer sees those of either FIFO a clock later
    output wire         bad
);
    localparam WORDS  = (LINKS == 4) ? 2 : 1;
    localparam BUNDLE = (LINKS == 4) ? 4 : 2;
    localparam DEPTH  = (1 << LOG2_FIFO) - WORDS;
    localparam [10:0] MOST = DEPTH;

    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    // ---- three parsers, one of which is used
    localparam U = (LINKS > 1) ? 2 : CRCS;
    wire        k     = any_flags[0] || any_flags[1];
    wire        sop   = any_flags[1];
    wire        valid = any_flags[2] || sop;
    wire        lost  = any_flags[4] && !valid;
    wire        stored, last_is_due;
    wire [2:0]  good, record, comes, last, ends, wrong, abort;
    wire [1:0]  word_1;
    wire [63:0] header_0, header_1, header_2, data_0, data_1;
    wire [BUNDLE/2-1:0]  word_2;
    wire [32*BUNDLE-1:0] data_2;

    link_rx_frame #(.CRCS(0)) kept (
        .clk (clk), .rst (!running), .word (any_word[31:0]), .word_valid (valid), .word_sop (sop), .word_k (k),
        .word_error (any_flags[3]), .word_lost (lost), .header_good (good[0]), .header (header_0),
        .header_next (comes[0]), .body_word (word_1[0]), .body_data (data_0), .body_last (last[0]),
        .body_end (ends[0]), .body_bad (wrong[0]), .body_abort (abort[0]), .stored (stored), .last_is_due (last_is_due),
        .record_good (record[0])
    );
    link_rx_frame frame (
        .clk (clk), .rst (!running), .word (any_word[31:0]), .word_valid (valid), .word_sop (sop), .word_k (k),
        .word_error (any_flags[3]), .word_lost (lost), .header_good (good[1]), .header (header_1),
        .header_next (comes[1]), .body_word (word_1[1]), .body_data (data_1), .body_last (last[1]),
        .body_end (ends[1]), .body_bad (wrong[1]), .body_abort (abort[1]), .stored (1'b0), .last_is_due (1'b0),
        .record_good (record[1])
    );
    link_rx_bundle #(.LINKS(BUNDLE)) bundle (
        .clk (clk), .rst (!running), .word (any_word[32*BUNDLE-1:0]), .word_valid (valid), .word_sop (sop), .word_k (k),
        .word_error (any_flags[3]), .header_good (good[2]), .header (header_2), .body_word (word_2),
        .body_data (data_2), .body_end (ends[2]), .body_bad (wrong[2]), .body_abort (abort[2]), .record_good (record[2])
    );
    assign {comes[2], last[2]} = 2'd0;

    wire [WORDS-1:0] body_word = (U == 2) ? word_2[WORDS-1:0] : {{WORDS-1{1'b0}}, word_1[U & 1]};
    wire [WORDS-1:0] wr_valid;
    wire [10:0]      count;
    link_rx_store #(.SOURCES(8), .DEPTH(DEPTH), .EACH(EACH), .CRCS(CRCS), .LINKS(LINKS)) store (
        .clk (clk), .rst (!running), .cfg_max_words (any_most), .header_good (good[U]), .record_good (record[U]),
        .header ((U == 2) ? header_2 : (U == 1) ? header_1 : header_0), .header_next (comes[U]),
        .body_word (body_word), .body_data ((U == 2) ? data_2[64*WORDS-1:0] : {WORDS{U == 1 ? data_1 : data_0}}),
        .body_last (last[U]), .body_end (ends[U]), .body_bad (wrong[U]), .body_abort (abort[U]), .stored (stored),
        .last_is_due (last_is_due), .trouble (any_flags[3]), .suspects (16'd0), .wr_valid (wr_valid), .wr_count (count)
    );

    // ---- N2H, as its writer sees it: one FIFO, or the two of a pair, of whose words half are read, rounded up and
    // down
    localparam L = LOG2_FIFO;
    wire [1:0]   writes = {1'b0, wr_valid[0]} + {1'b0, wr_valid[WORDS-1] && WORDS == 2};
    reg  [L:0]   written, read, before;        // words; before: read a clock ago
    wire [L:0]   here  = written - read;
    wire [L:0]   more  = (any_left[L:0] < here) ? any_left[L:0] : here;
    wire [L:0]   known_0 = any_late[0] ? before : read;
    wire [L:0]   known_1 = any_late[1] ? before : read;
    wire [L:0]   pair_count;
    wire         pair_over;
    (* hierconn *) wire \pair.wr_odd ;
    (* hierconn *) wire [L-1:0] \pair.side[0].fifo.seen , \pair.side[0].fifo.written , \pair.side[1].fifo.seen ;
    (* hierconn *) wire [L-1:0] \pair.side[1].fifo.written ;
    assign \pair.side[0].fifo.seen = known_0[L:1] + {{L-1{1'b0}}, known_0[0]};
    assign \pair.side[1].fifo.seen = known_1[L:1];

    fifo_async_pair #(.WIDTH(1), .LOG2_DEPTH(L)) pair (
        .wr_clk (clk), .wr_rst (!running), .wr_valid ({writes[1], |writes}), .wr_data (2'd0), .wr_count (pair_count),
        .wr_overflow (pair_over), .rd_clk (clk), .rd_run_clk (clk), .rd_rst (!running), .rd_pop (2'd0)
    );

    assign count = {{10-L{1'b0}}, (WORDS == 2) ? pair_count : here};
    always @(posedge clk)
        if (!running) {written, read, before} <= {3*L+3{1'b0}};
        else begin
            written <= written + {{L-1{1'b0}}, writes};
            read    <= read + more;
            before  <= (WORDS == 2) ? read : read + more;
        end
    wire over = (WORDS == 2) ? pair_over : writes != 2'd0 && count >= MOST;

    // ---- lemmas: what is awaited from the parser while a packet is stored, and what is reserved
    (* hierconn *) wire [1:0]  \store.state ;
    (* hierconn *) wire [9:0]  \store.words_left , \frame.checked.words_left , \bundle.words_left ;
    (* hierconn *) wire [10:0] \store.reserved ;
    (* hierconn *) wire [2:0]  \kept.state , \frame.state , \bundle.state ;
    wire [9:0]  left     = \store.words_left ;
    wire [1:0]  delivers = {1'b0, body_word[0]} + {1'b0, body_word[WORDS-1] && WORDS == 2};
    wire [10:0] to_come  = \store.reserved - {9'd0, writes};
    wire [11:0] promised = {{11-L{1'b0}}, written - before} + {1'b0, \store.reserved };
    wire [2:0]  follows;
    assign follows[0] = (\kept.state == 3'd5 && to_come >= 11'd2) || (\kept.state == 3'd7 && to_come == 11'd1)
                        || (\kept.state == 3'd6 && to_come >= 11'd2 && !wr_valid[0]);
    assign follows[1] = \frame.state == 3'd7 ? \frame.checked.words_left == 10'd0 && left == 10'd1
                        : \frame.state >= 3'd5 && \frame.checked.words_left == left && left != 10'd0;
    assign follows[2] = \bundle.state == 3'd4
                        ? !ends[2] && !abort[2] && \bundle.words_left != 10'd0
                          && {1'b0, left} == {1'b0, \bundle.words_left } + {9'd0, delivers}
                        : \bundle.state != 3'd3 && (ends[2] ? !abort[2] && delivers != 2'd0 && left == {8'd0, delivers}
                                                            : abort[2] && delivers == 2'd0 && left != 10'd0);
    wire        split    = here <= written - before && \pair.wr_odd == written[0]
                           && \pair.side[1].fifo.written == written[L:1]
                           && \pair.side[0].fifo.written == written[L:1] + {{L-1{1'b0}}, written[0]};
    wire        lemmas   = promised <= {1'b0, MOST} && (WORDS == 2 ? split : before == read)
                           && (wr_valid[0] || !wr_valid[WORDS-1]) && (body_word[0] || !body_word[WORDS-1])
                           && (\store.state == 2'd0 ? to_come == 11'd0
                               : CRCS == 0 ? to_come != 11'd0 : left != 10'd0 && to_come == {1'b0, left})
                           && \store.state != 2'd3 && (\store.state != 2'd1 || follows[U]);

    assign bad = running && (over || \store.reserved < {9'd0, writes} || (LEMMAS != 0 && !lemmas));
endmodule
`default_nettype wire
