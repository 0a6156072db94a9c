// Outgoing half of the DMA engine, reading side: takes descriptors from the request queues, checks them, and asks the bus interface
// for their data. The data themselves go to the packetizer.
//
//     request_queues --descriptor--> [checks] --> next --> active --rd_req--> pcix_core --rd_data--> dma_packetizer
//
// One descriptor is fetched and checked while the one before is being read, so that the next read request stands at the bus interface as
// soon as it can be taken. A transfer is read in pieces of at most `cfg_max_read_words`; a piece is asked for only when H2N has room for
// all its words and the headers of the packets they will be cut into (completions may not be refused). With a payload limit below 32
// words a piece is at most one packet, which bounds the headers that can fall into one piece (see dma_packetizer).
//
// An illegal descriptor (length 0 or above 512, an address that is no multiple of 8, a flow that is not its queue's) is handed on
// as a transfer to be skipped. When a read fails the rest of its transfer is abandoned.
//
// Latency: rd_req stands 5 clocks after `ready` (take, check, hand over, size of the piece, room).
`default_nettype none
module dma_outgoing #(
    // request queues, 2..16
    parameter QUEUES = 8,
    // log2 of QUEUES
    parameter LOG2_QUEUES = 3
) (
    input  wire                   clk,
    input  wire                   rst,

    // request queues
    input  wire [QUEUES-1:0]      ready,
    output wire                   take,
    output wire [LOG2_QUEUES-1:0] take_queue,
    input  wire [127:0]           take_descriptor,

    // read sequences of the bus interface
    output wire                   rd_req,
    output wire [63:0]            rd_addr,
    output wire [9:0]             rd_words,
    output wire [4:0]             rd_tag,
    input  wire                   rd_ack,
    input  wire                   rd_done,
    input  wire [2:0]             rd_status,
    input  wire [9:0]             cfg_max_read_words,

    // to the packetizer: a transfer has begun (its parameters), and how each piece ended
    output reg                    transfer_valid,    // one clock
    output reg  [63:0]            transfer_word,     // word 1 of the descriptor
    output reg  [LOG2_QUEUES-1:0] transfer_queue,
    output reg                    transfer_skip,     // it is not read: illegal, or given up by a software reset
    input  wire                   transfer_full,     // it can take no more transfers

    // room in H2N
    input  wire [10:0]            h2n_count,
    input  wire [9:0]             cfg_payload_limit, // 1..512
    input  wire                   pieces_pending,    // words or ends of pieces are on their way into H2N

    // set-up
    input  wire                   enable,            // new transfers may be taken
    input  wire                   flush,             // software reset: give up what was taken
    output wire                   idle,

    // results
    output reg                    ev_bad_length,
    output reg                    ev_bad_address,
    output reg                    ev_bad_flow,
    output wire                   read_failed,       // one clock: the active transfer was abandoned
    output wire                   ev_transfer_read,  // one clock: all data of a transfer have been read
    output wire [2:0]             state
);
    localparam [2:0] IDLE    = 3'd0,   // no transfer
                     ROOM    = 3'd1,   // waits for room in H2N
                     REQUEST = 3'd2,   // read request stands at the bus interface
                     DATA    = 3'd3,   // waits for the end of the piece
                     GIVE_UP = 3'd4;   // software reset while a read is under way: waits for its end

    localparam [10:0] CAPACITY = 11'd1023;

    // ---- fetch and check
    wire                   pick_any;
    wire [LOG2_QUEUES-1:0] pick_index;
    reg  [LOG2_QUEUES-1:0] last_queue;
    reg                    fetching;       // the descriptor's words are there in this clock
    reg                    next_valid;
    reg                    next_skip;
    reg  [63:0]            next_source;
    reg  [63:0]            next_word;
    reg  [LOG2_QUEUES-1:0] next_queue;
    wire                   next_leaves;
    // One-hot grant of the arbiter is not needed here.
    wire [QUEUES-1:0]      pick_grant;

    round_robin #(.N(QUEUES), .LOG2_N(LOG2_QUEUES)) pick (
        .request (ready),
        .last    (last_queue),
        .any     (pick_any),
        .grant   (pick_grant),
        .index   (pick_index)
    );

    assign take       = (|pick_grant) && pick_any && enable && !flush && !fetching && (!next_valid || next_leaves);
    assign take_queue = pick_index;

    wire [63:0] source      = take_descriptor[63:0];
    wire [63:0] word        = take_descriptor[127:64];
    wire        bad_length  = (word[41:32] == 10'd0) || (word[41:32] > 10'd512);
    wire        bad_address = (|source[2:0]) || (|word[2:0]);
    wire        bad_flow    = (word[58:52] != {{7-LOG2_QUEUES{1'b0}}, last_queue});
    wire        bad         = bad_length || bad_address || bad_flow;

    always @(posedge clk)
        if (rst) begin
            last_queue     <= {LOG2_QUEUES{1'b0}};
            fetching       <= 1'b0;
            next_valid     <= 1'b0;
            ev_bad_length  <= 1'b0;
            ev_bad_address <= 1'b0;
            ev_bad_flow    <= 1'b0;
        end else begin
            fetching       <= take;
            ev_bad_length  <= fetching && bad_length;
            ev_bad_address <= fetching && bad_address && !bad_length;
            ev_bad_flow    <= fetching && bad_flow && !bad_address && !bad_length;
            if (take) last_queue <= pick_index;
            if (fetching)         next_valid <= 1'b1;
            else if (next_leaves) next_valid <= 1'b0;
        end

    always @(posedge clk)
        if (fetching) begin
            next_source <= source;
            next_word   <= word;
            next_queue  <= last_queue;
            next_skip   <= bad;
        end

    // ---- reading the active transfer
    reg  [2:0]  fsm;
    reg  [63:0] address;
    reg  [9:0]  words_left;
    reg  [9:0]  piece;

    // the largest piece that may be asked for
    wire        small_packets = (cfg_payload_limit < 10'd32);
    wire [9:0]  by_bus        = (words_left < cfg_max_read_words) ? words_left : cfg_max_read_words;
    wire [9:0]  by_packet     = (small_packets && by_bus > cfg_payload_limit) ? cfg_payload_limit : by_bus;

    // headers that can fall into it: one if a piece is a packet, else words / 32 + 2 (the limit is at least 32)
    wire [10:0] headers = small_packets ? 11'd2 : {6'd0, piece[9:5]} + 11'd2;
    wire        room    = !pieces_pending && ({1'b0, h2n_count} + {2'b0, piece} + {1'b0, headers} <= {1'b0, CAPACITY});

    assign next_leaves  = (fsm == IDLE) && next_valid && !transfer_full;
    assign rd_req       = (fsm == REQUEST);
    assign rd_addr      = address;
    assign rd_words     = piece;
    assign rd_tag       = 5'd0;
    assign read_failed  = (fsm == DATA) && rd_done && (rd_status != 3'd0);
    assign ev_transfer_read = (fsm == DATA) && rd_done && (rd_status == 3'd0) && (words_left == 10'd0);
    assign idle         = (fsm == IDLE) && !next_valid && !fetching && !transfer_valid;
    assign state        = fsm;

    always @(posedge clk)
        if (rst) begin
            fsm            <= IDLE;
            transfer_valid <= 1'b0;
        end else begin
            transfer_valid <= next_leaves;
            case (fsm)
                IDLE:    if (next_leaves && !next_skip && !flush) fsm <= ROOM;
                ROOM:    if (flush) fsm <= IDLE;
                         else if (enable && piece != 10'd0 && room) fsm <= REQUEST;
                REQUEST: if (rd_ack) fsm <= flush ? GIVE_UP : DATA;
                         else if (flush) fsm <= IDLE;
                DATA:    if (rd_done) fsm <= (rd_status != 3'd0 || words_left == 10'd0 || flush) ? IDLE : ROOM;
                         else if (flush) fsm <= GIVE_UP;
                GIVE_UP: if (rd_done) fsm <= IDLE;
                default: fsm <= IDLE;
            endcase
        end

    always @(posedge clk) begin
        if (next_leaves) begin
            address        <= next_source;
            words_left     <= next_word[41:32];
            transfer_word  <= next_word;
            transfer_queue <= next_queue;
            transfer_skip  <= next_skip || flush;
        end else if (fsm == REQUEST && rd_ack) begin
            address    <= address + {51'd0, piece, 3'b000};
            words_left <= words_left - piece;
        end
        // the piece is settled one clock before it is looked at; 0 until words_left is there
        piece <= (fsm == REQUEST && !rd_ack) ? piece : (fsm == ROOM) ? by_packet : 10'd0;
    end

    // ---- measuring
    wire probe_busy  = (fsm != IDLE) || fetching || next_valid;
    wire probe_stall = (fsm == ROOM && !room) || (fsm == REQUEST && !rd_ack);
    wire probe_start = transfer_valid;
    wire probe_done  = ev_transfer_read || read_failed;
endmodule
`default_nettype wire
