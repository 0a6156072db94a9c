// Outgoing half of the DMA engine, writing side: cuts the data of transfers into packets and writes them into the host-to-net FIFO.
//
// Words arrive from the bus one per clock and cannot be stopped; a header costs a clock of its own. So words go through a short
// FIFO (32 places: with at least 32 words per packet at most 17 headers fall into one piece of 512 words). The end of each piece, good
// or bad, goes through the same FIFO as a marker, behind the words it ends.
//
// Header (design.md 3): [63]=0, [62:56] destination, [55]=0, [54] remote notification, [53] local notification, [52] remote
// interrupt, [51]=1, [50:42] sequence number per destination, [41:32] length in words, [31:0] destination address. The three flags
// stand in the last packet of a transfer only. H2N word: [64] start of packet, [65] end of packet, [66] in a header: last packet
// of a transfer.
//
// A packet becomes visible to the link when its last word is in; the last packet of a transfer only when its piece ended well. When a
// piece ends badly the words not yet visible are rolled back and the transfer is over: nothing more of it leaves, its notifications never.
//
// Latency: first word of a packet from the bus -> header into H2N 1 clock; last word -> visible 1 clock, of a transfer 2 clocks after
// the end of the piece.
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
    input  wire                   transfer_valid,
    input  wire [63:0]            transfer_word,     // word 1 of the descriptor
    input  wire [LOG2_QUEUES-1:0] transfer_queue,
    input  wire                   transfer_skip,     // no data: only to be reported
    output wire                   transfer_full,

    // their data
    input  wire                   rd_data_valid,
    input  wire [63:0]            rd_data,
    input  wire                   rd_done,
    input  wire [2:0]             rd_status,
    output wire                   pieces_pending,    // words or markers are still on their way into H2N

    // H2N write side
    output reg                    h2n_valid,
    output reg  [67:0]            h2n_data,
    output reg                    h2n_commit,
    output reg                    h2n_rollback,

    // set-up
    input  wire [9:0]             cfg_payload_limit, // 1..512
    input  wire                   cfg_sequence_zero,
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
    localparam [2:0] IDLE   = 3'd0,   // no transfer
                     SIZE   = 3'd1,   // length of the next packet
                     HEADER = 3'd2,   // waits for the first word, then writes the header
                     DATA   = 3'd3,   // words
                     VERDICT = 3'd4,  // last word is in; waits for the end of the piece
                     DROP   = 3'd5;   // software reset: swallows what still comes

    localparam [1:0] WORD = 2'd0, GOOD_END = 2'd1, BAD_END = 2'd2;

    // ---- transfers waiting
    wire                   t_valid;
    wire                   t_skip;
    wire [LOG2_QUEUES-1:0] t_queue;
    wire [63:0]            t_word;
    wire                   t_pop;
    wire [2:0]             t_count;
    wire                   t_overflow, t_underflow;
    // full is judged one place early, since a transfer may be on its way
    wire                   t_full_now;

    fifo_sync #(.WIDTH(65 + LOG2_QUEUES), .LOG2_DEPTH(2)) transfers (
        .clk (clk), .rst (rst),
        .wr_valid (transfer_valid), .wr_data ({transfer_skip, transfer_queue, transfer_word}), .full (t_full_now),
        .rd_data ({t_skip, t_queue, t_word}), .rd_valid (t_valid), .rd_pop (t_pop),
        .count (t_count), .overflow (t_overflow), .underflow (t_underflow)
    );

    assign transfer_full = t_full_now || (t_count >= 3'd3) || transfer_valid;

    // ---- words and markers; an end that comes with a word waits one clock
    reg        end_waits;
    reg        end_bad;
    wire       put_end = (rd_done || end_waits) && !rd_data_valid;
    wire       put_bad = end_waits ? end_bad : (rd_status != 3'd0);
    wire [1:0] s_kind;
    wire [63:0] s_word;
    wire       s_valid;
    wire       s_pop;
    wire       s_full;
    wire [5:0] s_count;
    wire       s_overflow, s_underflow;

    always @(posedge clk)
        if (rst) begin
            end_waits <= 1'b0;
            end_bad   <= 1'b0;
        end else begin
            end_waits <= (rd_done || end_waits) && rd_data_valid;
            if (rd_done) end_bad <= (rd_status != 3'd0);
        end

    fifo_sync #(.WIDTH(66), .LOG2_DEPTH(5)) words (
        .clk (clk), .rst (rst),
        .wr_valid (rd_data_valid || put_end),
        .wr_data ({rd_data_valid ? WORD : put_bad ? BAD_END : GOOD_END, rd_data}), .full (s_full),
        .rd_data ({s_kind, s_word}), .rd_valid (s_valid), .rd_pop (s_pop),
        .count (s_count), .overflow (s_overflow), .underflow (s_underflow)
    );

    assign pieces_pending = s_valid || end_waits || h2n_valid;
    assign ev_overflow    = s_overflow || s_underflow || t_overflow || t_underflow;

    // ---- the transfer under way
    reg  [2:0]             fsm;
    reg  [31:0]            address;
    reg  [9:0]             words_left;     // of the transfer, after this packet
    reg  [9:0]             packet_words;   // of this packet
    reg  [9:0]             packet_left;    // still to come
    reg  [QUEUES*9-1:0]    sequences;
    wire [8:0]             sequence        = sequences[t_queue*9 +: 9];
    wire                   last_packet     = (words_left == 10'd0);

    wire word_here = s_valid && (s_kind == WORD);
    wire bad_here  = s_valid && (s_kind == BAD_END);
    wire good_here = s_valid && (s_kind == GOOD_END);
    wire working   = (fsm == SIZE) || (fsm == HEADER) || (fsm == DATA) || (fsm == VERDICT);
    wire abandon   = working && (bad_here || flush);
    wire write_header = (fsm == HEADER) && word_here && !flush;
    wire write_word   = (fsm == DATA) && word_here && !flush;
    wire last_word    = write_word && (packet_left == 10'd1);
    wire verdict_good = (fsm == VERDICT) && good_here && !flush;
    wire commit_now   = (last_word && !last_packet) || verdict_good;
    wire skip_now     = (fsm == IDLE) && t_valid && (t_skip || flush);

    assign t_pop = skip_now || abandon || verdict_good;
    assign s_pop = write_word || (fsm == IDLE || fsm == DROP || flush ? s_valid : (good_here || bad_here));
    assign idle  = (fsm == IDLE) && !t_valid && !pieces_pending && !transfer_valid && !served;
    assign state = fsm;

    always @(posedge clk)
        if (rst) begin
            fsm          <= IDLE;
            h2n_valid    <= 1'b0;
            h2n_commit   <= 1'b0;
            h2n_rollback <= 1'b0;
            served       <= 1'b0;
        end else begin
            h2n_valid    <= write_header || write_word;
            h2n_commit   <= commit_now;
            h2n_rollback <= abandon;
            served       <= t_pop;
            if (abandon)
                fsm <= flush ? DROP : IDLE;
            else
                case (fsm)
                    IDLE:    if (t_valid && !t_skip && !flush) fsm <= SIZE;
                    SIZE:    fsm <= HEADER;
                    HEADER:  if (write_header) fsm <= DATA;
                    DATA:    if (last_word) fsm <= last_packet ? VERDICT : SIZE;
                    VERDICT: if (verdict_good) fsm <= IDLE;
                    DROP:    if (!flush) fsm <= IDLE;
                    default: fsm <= IDLE;
                endcase
        end

    always @(posedge clk) begin
        served_queue <= t_queue;
        served_left  <= verdict_good;
        served_local <= t_word[61];
        h2n_data     <= write_header
                        ? {1'b0, last_packet, 2'b01, 1'b0, t_word[58:52], 1'b0, t_word[62:60] & {3{last_packet}}, 1'b1,
                           cfg_sequence_zero ? 9'd0 : sequence, packet_words, address}
                        : {2'b00, last_word, 1'b0, s_word};
    end

    wire [9:0] size_left = words_left;
    wire [9:0] size      = (size_left > cfg_payload_limit) ? cfg_payload_limit : size_left;

    always @(posedge clk)
        case (fsm)
            IDLE: begin
                address    <= t_word[31:0];
                words_left <= t_word[41:32];
            end
            SIZE: begin
                packet_words <= size;
                packet_left  <= size;
                words_left   <= size_left - size;
            end
            DATA: if (write_word) begin
                packet_left <= packet_left - 10'd1;
                if (last_word) address <= address + {19'd0, packet_words, 3'b000};
            end
            default: ;
        endcase

    always @(posedge clk)
        if (rst) sequences <= {QUEUES*9{1'b0}};
        else if (commit_now) sequences[t_queue*9 +: 9] <= sequence + 9'd1;

    wire unused = &{1'b0, t_word[63], t_word[59], t_word[51:42], s_full, s_count};

    // ---- measuring
    wire probe_busy  = (fsm != IDLE) || t_valid;
    wire probe_stall = working && !s_valid;
    wire probe_start = write_header;
    wire probe_done  = h2n_commit;
endmodule
`default_nettype wire
