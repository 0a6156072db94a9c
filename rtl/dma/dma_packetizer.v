// Outgoing half of the DMA engine, writing side: cuts the data of transfers into packets and writes them into the host-to-net FIFO.
//
// Words arrive from the bus one per clock and cannot be stopped; a header costs a clock of its own. So words that come while a header
// is written wait in a short FIFO; with nothing waiting they pass it by. At least 32 words per packet mean at most 16 headers in a
// piece of 512 words, so 32 places are enough if at most 12 are taken when it is asked for (`calm`); with smaller packets a piece is
// one packet. The end of each piece, good or bad,
// goes the same way as a marker, behind the words it ends.
//
// Header (design.md 3): [63]=0, [62:56] destination, [55]=0, [54] remote notification, [53] local notification, [52] remote
// interrupt, [51]=1, [50:42] sequence number per destination, [41:32] length in words, [31:0] destination address. The three flags
// stand in the last packet of a transfer only. H2N word: [64] start of packet, [65] end of packet, [66] in a header: last packet
// of a transfer. A header is written as soon as its piece has been asked for, since then its place in H2N is reserved.
//
// A packet becomes visible to the link when its last word is in; the last packet of a transfer only when its piece ended well. When a
// piece ends badly the words not yet visible are rolled back and the transfer is over: nothing more of it leaves, its notifications
// never. Packets are numbered when they become visible: one rolled back leaves no gap.
//
// Latency: word from the bus -> H2N 1 clock (one more per header it met); last word of a packet -> visible 1 clock, but that of a
// transfer in the clock of rd_done.
//
//     rd_data_valid ___/~~~~~~~~~~~\____________
//     rd_data          |w0 |w1 |w2 |
//     rd_done       _______________/~~~\________
//     h2n_valid     ___/~~~~~~~~~~~~~~~\________
//     h2n_data         |hdr|w0 |w1 |w2 |
//     h2n_commit    _______________/~~~\________
`default_nettype none
module dma_packetizer #(
    // request queues, 2..16
    parameter QUEUES = 8,
    // log2 of QUEUES
    parameter LOG2_QUEUES = 3
) (
    input  wire                   clk,
    input  wire                   rst,

    // transfers, in the order in which their data come
    input  wire                   transfer_valid,    // one clock; never while transfer_full
    input  wire [63:0]            transfer_word,     // word 1 of the descriptor
    input  wire [LOG2_QUEUES-1:0] transfer_queue,
    input  wire [9:0]             transfer_limit,    // longest payload of its packets, 1..512
    input  wire                   transfer_skip,     // no data: only to be reported
    output wire                   transfer_full,

    // their data
    input  wire                   rd_data_valid,
    input  wire [63:0]            rd_data,
    input  wire                   rd_done,
    input  wire [2:0]             rd_status,
    output reg                    calm,              // few words wait: the next piece may be asked for
    input  wire                   room_given,        // a piece has been asked for: its words and headers have room in H2N
    input  wire                   discard,           // what comes now belongs to no transfer

    // H2N write side
    output reg                    h2n_valid,
    output reg  [67:0]            h2n_data,
    output wire                   h2n_commit,
    output reg                    h2n_rollback,

    // set-up
    input  wire                   cfg_sequence_zero,
    input  wire                   cfg_direct,        // all queues lead to one destination: they share one sequence
    input  wire                   flush,             // software reset: give up all transfers
    output wire                   idle,

    // results: each transfer is reported once, in order
    output reg                    served,            // one clock
    output reg  [LOG2_QUEUES-1:0] served_queue,
    output reg                    served_left,       // with served: it is in H2N whole; else it was skipped or abandoned
    output reg                    served_local,      // with served_left: a local notification is due when it has departed
    output wire                   ev_overflow,       // a word was lost in here: a bug, never otherwise
    output wire [2:0]             state
);
    localparam [2:0] IDLE    = 3'd0,   // no transfer
                     HEADER  = 3'd1,   // waits for its piece, then writes the header
                     DATA    = 3'd2,   // words
                     VERDICT = 3'd3;   // last word is in; waits for the end of the piece

    localparam [1:0] WORD = 2'd0, GOOD_END = 2'd1, BAD_END = 2'd2;

    // ---- transfers waiting
    wire                   t_valid;
    wire                   t_skip;
    wire [LOG2_QUEUES-1:0] t_queue;
    wire [9:0]             t_limit;
    wire [63:0]            t_word;
    wire                   t_pop;
    wire [2:0]             t_count;
    wire                   t_overflow, t_underflow;

    fifo_sync #(.WIDTH(75 + LOG2_QUEUES), .LOG2_DEPTH(2)) transfers (
        .clk (clk), .rst (rst),
        .wr_valid (transfer_valid), .wr_data ({transfer_skip, transfer_queue, transfer_limit, transfer_word}), .full (transfer_full),
        .rd_data ({t_skip, t_queue, t_limit, t_word}), .rd_valid (t_valid), .rd_pop (t_pop),
        .count (t_count), .overflow (t_overflow), .underflow (t_underflow)
    );

    // ---- words and ends as they come; an end that comes with a word waits one clock
    reg         end_waits;
    reg         end_bad;
    wire        in_word = rd_data_valid && !discard;
    wire        in_end  = (rd_done || end_waits) && !rd_data_valid && !discard;
    wire        in_bad  = end_waits ? end_bad : (rd_status != 3'd0);
    wire [1:0]  in_kind = in_word ? WORD : in_bad ? BAD_END : GOOD_END;

    always @(posedge clk)
        if (rst) begin
            end_waits <= 1'b0;
            end_bad   <= 1'b0;
        end else begin
            end_waits <= (rd_done || end_waits) && rd_data_valid && !discard;
            if (rd_done) end_bad <= (rd_status != 3'd0);
        end

    // ---- waiting room: what cannot be used at once, or must not overtake
    wire        f_valid;
    wire [1:0]  f_kind;
    wire [63:0] f_word;
    wire        f_full;
    wire [5:0]  f_count;
    wire        f_overflow, f_underflow;
    wire        use_item;

    fifo_sync #(.WIDTH(66), .LOG2_DEPTH(5)) words (
        .clk (clk), .rst (rst),
        .wr_valid ((in_word || in_end) && (f_valid || !use_item)), .wr_data ({in_kind, rd_data}), .full (f_full),
        .rd_data ({f_kind, f_word}), .rd_valid (f_valid), .rd_pop (use_item && f_valid),
        .count (f_count), .overflow (f_overflow), .underflow (f_underflow)
    );

    always @(posedge clk)
        if (rst) calm <= 1'b0;
        else     calm <= (f_count <= 6'd12);

    wire        item_valid = f_valid || in_word || in_end;
    wire [1:0]  item_kind  = f_valid ? f_kind : in_kind;
    wire [63:0] item_word  = f_valid ? f_word : rd_data;

    // ---- the transfer under way
    reg  [2:0]           fsm;
    reg  [31:0]          address;
    reg  [9:0]           words_left;       // of the transfer, after this packet
    reg  [9:0]           packet_words;     // of this packet
    reg  [9:0]           packet_left;      // still to come
    reg                  commit_packet;    // the word in h2n_data ends a packet that is not its transfer's last
    reg  [QUEUES*9-1:0]  sequences;
    wire [LOG2_QUEUES-1:0] numbered  = cfg_direct ? {LOG2_QUEUES{1'b0}} : t_queue;
    wire [8:0]           sequence    = sequences[numbered*9 +: 9];
    wire                 last_packet = (words_left == 10'd0);

    wire word_here    = item_valid && (item_kind == WORD);
    wire good_here    = item_valid && (item_kind == GOOD_END);
    wire bad_here     = item_valid && (item_kind == BAD_END);
    wire working      = (fsm != IDLE);
    wire abandon      = working && (bad_here || flush);
    wire write_header = (fsm == HEADER) && (room_given || word_here) && !abandon;
    wire write_word   = (fsm == DATA) && word_here && !abandon;
    wire last_word    = write_word && (packet_left == 10'd1);
    wire verdict_good = (fsm == VERDICT) && good_here && !abandon;
    wire skip_now     = (fsm == IDLE) && t_valid && (t_skip || flush);
    wire stray        = item_valid && !flush && ((fsm == IDLE && !t_valid) || (fsm == VERDICT && word_here));

    assign use_item    = write_word || flush || stray || (working && (good_here || bad_here));
    assign t_pop       = skip_now || abandon || verdict_good;
    assign h2n_commit  = commit_packet || verdict_good;
    assign idle        = (fsm == IDLE) && !t_valid && !transfer_valid && !f_valid && !h2n_valid && !h2n_rollback && !served;
    assign ev_overflow = f_overflow || f_underflow || t_overflow || t_underflow || stray;
    assign state       = fsm;

    always @(posedge clk)
        if (rst) begin
            fsm           <= IDLE;
            h2n_valid     <= 1'b0;
            h2n_rollback  <= 1'b0;
            commit_packet <= 1'b0;
            served        <= 1'b0;
        end else begin
            h2n_valid     <= write_header || write_word;
            h2n_rollback  <= abandon;
            commit_packet <= last_word && !last_packet;
            served        <= t_pop;
            if (abandon)
                fsm <= IDLE;
            else
                case (fsm)
                    IDLE:    if (t_valid && !t_skip && !flush) fsm <= HEADER;
                    HEADER:  if (write_header) fsm <= DATA;
                    DATA:    if (last_word) fsm <= last_packet ? VERDICT : HEADER;
                    default: if (verdict_good) fsm <= IDLE;
                endcase
        end

    always @(posedge clk) begin
        served_queue <= t_queue;
        served_left  <= verdict_good;
        served_local <= t_word[61];
        h2n_data     <= (fsm == HEADER)
                        ? {1'b0, last_packet, 2'b01, 1'b0, t_word[58:52], 1'b0, t_word[62:60] & {3{last_packet}}, 1'b1,
                           cfg_sequence_zero ? 9'd0 : sequence, packet_words, address}
                        : {2'b00, last_word, 1'b0, item_word};
    end

    // ---- length of the packet that comes next
    wire [9:0] size_left = (fsm == IDLE) ? t_word[41:32] : words_left;
    wire [9:0] size      = (size_left > t_limit) ? t_limit : size_left;

    always @(posedge clk)
        if (fsm == IDLE || last_word) begin
            address      <= (fsm == IDLE) ? t_word[31:0] : address + {19'd0, packet_words, 3'b000};
            packet_words <= size;
            packet_left  <= size;
            words_left   <= size_left - size;
        end else if (write_word)
            packet_left  <= packet_left - 10'd1;

    always @(posedge clk)
        if (rst) sequences <= {QUEUES*9{1'b0}};
        else if (verdict_good || (last_word && !last_packet)) sequences[numbered*9 +: 9] <= sequence + 9'd1;

    wire unused = &{1'b0, t_word[63], t_word[59], t_word[51:42], t_count, f_full};

    // ---- measuring
    wire probe_busy  = working || t_valid;
    wire probe_stall = working && !item_valid;
    wire probe_start = write_header;
    wire probe_done  = h2n_commit;
endmodule
`default_nettype wire
