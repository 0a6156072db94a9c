// Proof of voq_departure, with several paths in front of voq_crc: `bad` is never high, whatever the queues hold,
// whatever credit arrives and however late words leave H2N.
//
//   places   a word finds a place in H2N, with PAIR in that of its two FIFOs whose turn it is
//   starts   a packet starts with at most START words there
//   sent     of several paths none has more than START / 2 + 1 packets there. With those that may be on their way from
//            there (gone-each: 5) they are much fewer than the 128 of which dma_departures keeps a list
//
// Assumed: the count of H2N is as in prove_link_rx_store; `halt` ends only when no packet is in progress (voq_flush). A
// packet in H2N has two words there, its header and the header's CRC, but for the clock between the two. `lemmas` is
// what makes a step enough; MEMORIES=seen, because they name the credit of a packet.
`default_nettype none
module prove_voq_departure #(
    parameter PATHS = 1,
    parameter LOG2_OUT = 6,
    // 1: H2N is a fifo_async_pair
    parameter PAIR = 0,
    // as in voq_departure
    parameter START = 16,
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1
) (
    input  wire                clk,
    input  wire [1:0]          any_path,   // in the first clock: the path that is followed
    input  wire                any_halt,
    input  wire                any_clear,
    input  wire [LOG2_OUT:0]   any_left,   // words that leave H2N
    input  wire [LOG2_OUT:0]   any_gone,   // packets that leave H2N
    input  wire [1:0]          any_late,   // the writer sees those of either FIFO a clock later
    input  wire [4*LOG2_OUT+3:0] any_counts,   // of the other paths
    input  wire [3:0]          any_put,
    input  wire [63:0]         any_header,
    input  wire [4:0]          any_shown,
    input  wire [7:0]          any_words,
    input  wire [67:0]         any_data,
    input  wire [23:0]         any_level,
    input  wire [17:0]         any_credit,
    input  wire [11:0]         any_capacity,
    input  wire [3:0]          any_up,
    input  wire [3:0]          any_dead,
    input  wire [7:0]          any_paths,
    input  wire [9:0]          any_ahead,
    input  wire                any_hold,
    input  wire [1:0]          any_mode,
    output wire                bad
);
    localparam L = LOG2_OUT;
    localparam [L:0] ONE = 1, FULL = (1 << L) - 1, FEW = START;

    reg        running, held;         // running: 0 in the first clock; held: halted in mid-packet, a clock ago
    reg  [1:0] mine;
    initial    running = 1'b0;
    wire       halt = any_halt || held;
    wire       idle;
    always @(posedge clk) begin
        running <= 1'b1;
        held    <= running && halt && !idle;
        mine    <= running ? mine : any_path & (PATHS - 1);
    end

    wire                 valid, crc_valid;
    wire [67:0]          data, crc_data;
    wire [1:0]           path, crc_path;
    wire [L:0]           count;
    wire [4*L+3:0]       counts = (any_counts & ~({{3*L+3{1'b0}}, {L+1{1'b1}}} << (L + 1) * mine))
                                  | {{3*L+3{1'b0}}, count} << (L + 1) * mine;
    voq_departure #(.VOQS(2), .LOG2_QUEUES(1), .LOG2_VOQ_WORDS(8), .PATHS(PATHS), .LOG2_OUT(L)) departure (
        .clk (clk), .rst (!running), .slept (8'd0), .clear (any_clear), .clear_numbers (1'b0), .clear_lane (1'b0),
        .clear_path (2'd0), .halt (halt), .idle (idle), .skip_valid (1'b0), .skip_lane (1'b0), .skip_voq (1'b0),
        .cfg_direct (any_mode[0]), .cfg_sequence_zero (1'b0), .cfg_groups (1'b0), .cfg_tx_capacity (any_capacity),
        .put_look (any_put[0]), .put_empty (any_put[1]), .put_eager (any_put[2]), .put_commit (any_put[3]),
        .put_rollback (any_mode[1]),
        .put_voq (any_shown[0]), .put_data (any_header), .shown_valid (any_shown[1]), .shown_voq (any_shown[2]),
        .shown_abort (any_shown[3]), .look_words (any_words), .rd_data (any_data), .level (any_level),
        .credit_valid (any_credit[0]), .credit_lane (any_credit[7:1]), .credit_value (any_credit[14:8]),
        .credit_path (any_credit[16:15]), .path_up (any_up[PATHS-1:0]), .path_dead (any_dead[PATHS-1:0]),
        .cfg_paths (any_paths[2*PATHS-1:0]), .cfg_ahead (any_ahead), .out_valid (valid), .out_data (data),
        .out_count (counts[PATHS*(L+1)-1:0]), .out_path (path), .out_hold (any_hold)
    );
    voq_crc crcs (
        .clk (clk), .rst (!running), .direct (1'b0), .node_id (7'd0), .in_valid (valid), .in_path (path),
        .in_data (data), .out_valid (crc_valid), .out_path (crc_path), .out_data (crc_data)
    );
    wire write = (PATHS == 1) ? valid : crc_valid && crc_path == mine;

    // ---- H2N of that path, as in prove_link_rx_store
    reg  [L:0]   written, read, before, packets;
    wire [L:0]   here    = written - read;
    wire [L:0]   more    = (any_left < here) ? any_left : here;
    wire [L:0]   known_0 = any_late[0] ? before : read;
    wire [L:0]   known_1 = any_late[1] ? before : read;
    wire [L:0]   pair_count;
    wire         pair_over, starts;
    (* hierconn *) wire \pair.wr_odd ;
    (* hierconn *) wire [L-1:0] \pair.side[0].fifo.seen , \pair.side[0].fifo.written , \pair.side[1].fifo.seen ;
    (* hierconn *) wire [L-1:0] \pair.side[1].fifo.written ;
    assign \pair.side[0].fifo.seen = known_0[L:1] + {{L-1{1'b0}}, known_0[0]};
    assign \pair.side[1].fifo.seen = known_1[L:1];
    fifo_async_pair #(.WIDTH(1), .LOG2_DEPTH(L)) pair (
        .wr_clk (clk), .wr_rst (!running), .wr_valid ({1'b0, write}), .wr_data (2'd0), .wr_count (pair_count),
        .wr_overflow (pair_over), .rd_clk (clk), .rd_run_clk (clk), .rd_rst (!running), .rd_pop (2'd0)
    );
    assign count = (PAIR != 0) ? pair_count : here;
    always @(posedge clk)
        if (!running) {written, read, before, packets} <= {4*L+4{1'b0}};
        else begin
            packets <= packets + {{L{1'b0}}, starts} - (any_gone < packets ? any_gone : packets);
            written <= written + {{L{1'b0}}, write};
            read    <= read + more;
            before  <= (PAIR != 0) ? read : read + more;
        end

    // ---- lemmas: most that may be there
    (* hierconn *) wire \departure.take , \departure.out_word , \departure.cut , \departure.reading ;
    (* hierconn *) wire \crcs.after_header , \crcs.after_last ;
    (* hierconn *) wire [1:0] \departure.cur_path , \crcs.path , \departure.bits.ready ;
    (* hierconn *) wire [2*PATHS-1:0] \departure.bits.credit ;
    wire [L:0] most  = written - before;
    wire       word  = \departure.out_word && \departure.cur_path == mine && ! \departure.cut ;
    wire       crc   = PATHS > 1 && \crcs.path == mine;
    wire [L:0] whole = here + {{L{1'b0}}, crc && \crcs.after_header };
    reg        some;                  // as is assumed, so far
    wire       still = PATHS == 1 || ((some || !running) && packets <= whole >> 1);
    always @(posedge clk) some <= still;
    assign starts = \departure.take && path == mine && PATHS > 1;

    // a queue that may start has credit by no paths but those that were read with it
    (* hierconn *) wire [PATHS-1:0] \departure.bits.several_paths.by_paths[0] ;
    (* hierconn *) wire [PATHS-1:0] \departure.bits.several_paths.by_paths[1] ;
    reg  [PATHS-1:0] credit_0, credit_1;
    integer    p;
    always @*
        for (p = 0; p < PATHS; p = p + 1)
            {credit_1[p], credit_0[p]} = \departure.bits.credit [2*p +: 2] & \departure.bits.ready ;
    wire       credits = (credit_0 & ~\departure.bits.several_paths.by_paths[0] ) == {PATHS{1'b0}}
                         && (credit_1 & ~\departure.bits.several_paths.by_paths[1] ) == {PATHS{1'b0}};
    wire       on      = \departure.reading || \departure.out_word || \crcs.after_header || \crcs.after_last ;
    wire       sides   = \pair.wr_odd == written[0] && \pair.side[1].fifo.written == written[L:1]
                         && \pair.side[0].fifo.written == written[L:1] + {{L-1{1'b0}}, written[0]};
    wire       lemmas  = (PAIR == 0 ? read == before : sides) && here <= most && most <= FULL && mine < PATHS
                         && (PATHS == 1 || (credits && (!on || \crcs.path == \departure.cur_path )))
                         && (!word || most <= FULL - 3) && (! \departure.cut || held)
                         && (!crc || ! \crcs.after_header || most <= FEW + 2)
                         && (!crc || ! \crcs.after_last || most <= FULL - 2);
    wire       over    = (PAIR != 0) ? pair_over : write && most == FULL;
    assign bad = running && still && (over || packets > FEW / 2 + ONE || (LEMMAS != 0 && !lemmas)
                                      || (\departure.take && path == mine && here > FEW));
endmodule
`default_nettype wire
