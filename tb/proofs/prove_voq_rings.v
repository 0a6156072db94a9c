// Proof of voq_space, voq_pieces and voq_rings, as voq connects them, for one of two queues: `bad` is never high,
// whatever pieces come, whenever words are read or fetched from external memory, and all queues are emptied.
//
//   places   a word that is stored finds a place in its ring
//   agreed   a piece that is reserved within `room` goes on chip, or has no more words than bodies offer
//
// Assumed: a piece is reserved within the `room` of its clock (proof pieces). It has no more words than were reserved
// for it, and ends with none that is neither committed nor dropped (proof pieces, dma_voq_writer). None is dropped that
// has been read. The oldest piece on chip has no more words than all of its queue have together. A segment is fetched
// within `free` of the clock before, of a queue that had and has a body, not in two clocks in a row (voq_fetch,
// voq_turns, voq_presence). `lemmas` is what makes a step enough; MEMORIES=seen, because they name accounts and
// pointers.
`default_nettype none
module prove_voq_rings #(
    parameter LOG2_VOQ_WORDS = 10,
    // log2 of the pieces of voq_pieces
    parameter LOG2_PIECES = 4,
    // the queue that is followed
    parameter MINE = 0,
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1
) (
    input  wire        clk,
    input  wire        any_flush,
    input  wire [1:0]  any_reserve,           // queue, and whether
    input  wire [10:0] any_words,
    input  wire [4:0]  any_put,
    input  wire [2:0]  any_fetch,             // queue, whether one is reserved, stored
    input  wire        any_from,
    input  wire [9:0]  any_segment,
    input  wire [1:0]  any_read,
    input  wire [1:0]  any_blocked,
    input  wire [1:0]  any_body,
    input  wire [1:0]  any_open,
    input  wire [10:0] any_room,
    output wire        bad
);
    localparam W = LOG2_VOQ_WORDS;
    localparam [W:0] ALL = (1 << W) - 1;

    // ---- emptied at first: rings (1, 2), accounts (3, 4)
    reg        running;                       // 0 in the first clock
    reg  [2:0] phase;
    reg        some;
    initial    running = 1'b0;
    wire       run    = phase == 3'd5;
    wire       clear  = phase == 3'd1 || phase == 3'd2;
    wire       settle = phase == 3'd3 || phase == 3'd4;
    always @(posedge clk) begin
        running <= 1'b1;
        phase   <= !running || (run && any_flush) ? 3'd1 : run ? 3'd5 : phase + 3'd1;
    end

    // ---- pieces
    wire            head_valid, head_body, head_queue, give, on_body, put_empty, shown, fetch_ready;
    wire [10:0]     head_words, give_words;
    wire [W-1:0]    put_words, scan_start;
    wire            scan_voq;
    wire [21:0]     room;
    wire [23:0]     free;
    localparam P = LOG2_PIECES;
    (* hierconn *) wire [P:0] \pieces.count ;
    (* hierconn *) wire [P-1:0] \pieces.list.rd_pointer , \pieces.list.wr_pointer ;
    (* hierconn *) wire [10:0] \pieces.used ;
    (* hierconn *) wire [W-1:0] \rings.hidden , \rings.ends[0] , \rings.ends[1] , \rings.starts[0] ;
    (* hierconn *) wire [W-1:0] \rings.starts[1] , \space.reserved[0] , \space.reserved[1] , \space.fetched[0] ;
    (* hierconn *) wire [W-1:0] \space.fetched[1] , \space.given[0] , \space.given[1] ;
    (* hierconn *) wire [2*W-1:0] \space.levels ;
    (* hierconn *) wire \space.turn , \rings.store , \rings.voq ;
    wire [W-1:0]    r_ends     = (MINE != 0) ? \rings.ends[1] : \rings.ends[0] ;
    wire [W-1:0]    r_starts   = (MINE != 0) ? \rings.starts[1] : \rings.starts[0] ;
    wire [W-1:0]    s_reserved = (MINE != 0) ? \space.reserved[1] : \space.reserved[0] ;
    wire [W-1:0]    s_fetched  = (MINE != 0) ? \space.fetched[1] : \space.fetched[0] ;
    wire [W-1:0]    s_given    = (MINE != 0) ? \space.given[1] : \space.given[0] ;

    reg  [10:0]     used;                     // words that the piece has brought
    reg  [W:0]      promised;                 // words of the queue that pieces on chip may still make visible
    reg  [W:0]      coming;                   // ... that are fetched
    reg  [W:0]      account;                  // ... all of them and those in the ring
    reg  [11:0]     was_free;
    reg             was_body, was_fetched;
    wire            from    = any_reserve[0];
    wire            reserve = any_reserve[1] && run && any_words != 11'd0 && any_words <= room[11*from +: 11]
                              && ! \pieces.count [P];
    wire            chip    = head_valid && !head_body, own = chip && head_queue == MINE;
    wire [W-1:0]    hidden  = \rings.hidden , own_hidden = hidden & {W{own}};
    wire [W-1:0]    here    = r_ends - r_starts + own_hidden;     // words in the ring, visible or not
    wire            valid   = any_put[0] && run && head_valid && used < head_words;
    wire            commit  = any_put[1] && run && head_valid;
    wire            back    = any_put[2] && run && head_valid && (!own || hidden <= here);
    wire            ends    = any_put[3] && run && head_valid && (commit || back || (hidden == {W{1'b0}} && !valid));
    wire            touched = valid || commit || back || ends;
    wire            of_mine = any_fetch[0] == MINE;
    wire            segment = any_fetch[1] && run && !was_fetched && any_segment != 10'd0
                              && (!of_mine || (any_body[MINE] && was_body && {2'd0, any_segment} <= was_free));
    wire            word    = any_fetch[2] && run && (any_from != MINE || coming != {W+1{1'b0}});
    wire            taken   = any_read[0] && run
                              && (any_read[1] != MINE || (here != {W{1'b0}} && !(back && own && hidden == here)));

    voq_pieces #(.LOG2_QUEUES(1)) pieces (
        .clk (clk), .clear (clear || !running), .reserve (reserve), .reserve_body (on_body), .reserve_queue (from),
        .reserve_words (any_words), .head_valid (head_valid), .head_body (head_body), .head_queue (head_queue),
        .head_words (head_words), .put_commit (chip && commit && !back), .put_words ({{11-W{1'b0}}, put_words}),
        .piece_end (ends), .give (give), .give_words (give_words)
    );
    voq_rings #(.VOQS(2), .LOG2_VOQ_WORDS(W)) rings (
        .clk (clk), .clear (clear), .clear_voq (phase[1]), .put_turn (chip && touched), .put_valid (valid),
        .put_bypass (any_put[4]), .put_data (67'd0), .put_voq (head_queue), .put_commit (commit), .put_rollback (back),
        .put_empty (put_empty), .put_words (put_words), .fetch_valid (word), .fetch_data (68'd0), .fetch_voq (any_from),
        .fetch_ready (fetch_ready), .fetch_due (1'b0), .shown_valid (shown), .rd_valid (taken), .rd_keep (1'b0),
        .rd_voq (any_read[1]), .look_voq (1'b0), .scan_voq (scan_voq), .scan_start (scan_start)
    );
    voq_space #(.VOQS(2), .LOG2_VOQ_WORDS(W)) space (
        .clk (clk), .rst (!running), .slept (8'd0), .closed (clear || settle), .clear (settle), .reserve (reserve),
        .reserve_voq (from), .reserve_words (any_words), .reserve_body (on_body), .give (give), .give_voq (head_queue),
        .give_words (give_words[W-1:0]), .fetch_reserve (segment), .fetch_reserve_voq (any_fetch[0]),
        .fetch_reserve_words (any_segment), .scan_voq (scan_voq), .scan_start (scan_start), .blocked (any_blocked),
        .body (any_body), .body_open (any_open), .body_room (any_room), .body_short (1'b0), .room (room), .free (free)
    );

    // ---- what is promised and what is coming
    wire [W:0]      shows = {1'b0, put_words & {W{own && commit && !back}}};
    wire [W:0]      goes  = shows + (give_words[W:0] & {W+1{give && own}});
    wire [W:0]      more  = any_words[W:0] & {W+1{reserve && !on_body && from == MINE}};
    wire [W:0]      fetch = {1'b0, any_segment[W-1:0] & {W{segment && of_mine}}};
    wire            still = (some || !running) && (!own || used != 11'd0 || head_words <= {{10-W{1'b0}}, promised});
    always @(posedge clk) begin
        some        <= still;
        was_free    <= free[12*MINE +: 12];
        was_body    <= any_body[MINE];
        was_fetched <= run && segment;
        if (!run) {used, promised, coming, account} <= {3*W+14{1'b0}};
        else begin
            account  <= account + more + fetch - (give_words[W:0] & {W+1{give && own}})
                        - {{W{1'b0}}, taken && any_read[1] == MINE};
            used     <= ends ? 11'd0 : used + {10'd0, valid};
            promised <= promised + more - goes;
            coming   <= coming + fetch - {{W{1'b0}}, word && fetch_ready && any_from == MINE};
        end
    end

    // ---- lemmas: accounts are what is there, what is promised and what is coming, and no more than a ring holds
    wire [W:0]   ahead  = promised - {1'b0, own_hidden};
    wire [W+1:0] all    = {2'd0, here} + {1'b0, ahead} + {1'b0, coming};
    wire [W-1:0] in     = s_reserved + s_fetched, out = s_given + r_starts, sum = in - out;
    wire [10:0]  left   = head_words - \pieces.used ;
    wire         bound  = all == {1'b0, account} && account <= ALL && {1'b0, own_hidden} <= promised && ahead <= ALL
                          && coming <= ALL;
    wire         high   = {1'b0, \space.levels [W*MINE +: W]} >= account;
    wire         offer  = was_fetched || !was_body || {1'b0, was_free} + {{12-W{1'b0}}, account} <= {{12-W{1'b0}}, ALL};
    wire         list   = \pieces.list.wr_pointer == \pieces.list.rd_pointer + \pieces.count [P-1:0]
                          && (! \pieces.count [P] || \pieces.count [P-1:0] == {P{1'b0}});
    wire         piece  = chip ? used <= head_words && {1'b0, \pieces.used } + {{12-W{1'b0}}, hidden} <= {1'b0, used}
                          : hidden == {W{1'b0}} && \pieces.used == 11'd0 && (head_valid || used == 11'd0);
    wire         begun  = !own || used == 11'd0
                          || (head_words <= {{10-W{1'b0}}, ALL} && left <= {{10-W{1'b0}}, promised});
    wire         none   = s_reserved == 0 && s_fetched == 0 && s_given == 0;
    wire         zero   = account == 0 && promised == 0 && coming == 0 && used == 0 && hidden == 0 && \pieces.used == 0
                          && \pieces.count == 0 && &\space.levels ;
    wire         begins = phase != 3'd0 && phase <= 3'd5 && (phase == 3'd1 || (zero && list))
                          && (phase < 3'd2 + MINE || (r_ends == 0 && r_starts == 0))
                          && (phase < 3'd4 || \space.turn == MINE || none);
    wire         lemmas = run ? bound && {1'b0, sum} == account && high && offer && list && piece && begun : begins;
    assign bad = running && still && ((run && \rings.store && \rings.voq == MINE && here == ALL[W-1:0])
                                      || (reserve && from == MINE && on_body && any_words > any_room)
                                      || (LEMMAS != 0 && !lemmas));
endmodule
`default_nettype wire
