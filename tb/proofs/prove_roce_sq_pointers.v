// Proof of roce_wqe_fetch for one of NUM_QP send queues, of any depth: `bad` is never high, whatever the doorbells,
// completions, restarts, the other QPs, the registers' answers and the memory do.
//
//   posted      a WQE is read only after a doorbell for it (owed != 0)
//   in order    ... the one behind the last one that was read, position 0 behind depth - 1; none is left out, none read
//               twice
//   16 ahead    at most 16 are read and not completed (the 16 places of the cache)
//   arrive      what arrives was asked for, in order, each at its own place; nothing of a former life arrives
//   reported    sender_arrived, sender_pi and completer_arrived are what they say
//   none lost   while posted WQEs wait and a place is free, its turn comes: it is queued, is being served, or was
//               reported as stopped
//
// Source: IBA's work queues are taken in the order of their posting; S5 2, table 2-7 (SQPIi, QDEPTHi); issue: "position
// 0..depth-1, at most depth-1 entries in use"; OUTSTANDING 16.
//
// Assumed of roce_registers (prove_roce_registers_doorbells): a doorbell is below the depth, and comes only for a QP
// that is on; the depth of a QP that is on does not change; a restart only while it is off and, but for the first one,
// was not busy. Of software: a doorbell takes nothing back and never posts depth or more. Of roce_completion: it
// completes only what has arrived, no two in two clocks on end, and is restarted after the fetch. Of roce_axi_read
// (prove_roce_axi_read): each command is answered by a whole piece, in order: `any_axi_read` stands in its place.
//
// `lemmas` is what makes a step enough; MEMORIES=seen, because they name what memories hold.
`default_nettype none
module prove_roce_sq_pointers #(
    parameter NUM_QP = 2,
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1,
    // bits of the depth
    parameter DEPTH_BITS = 16,
    // of the cache, for each QP
    parameter PLACES = 16
) (
    input  wire        clk,
    input  wire        any_mine,           // in the first clock: the QP that is followed
    input  wire [15:0] any_depth,          // ... and the depth of its queue
    input  wire        any_sq,
    input  wire        any_sq_qp,
    input  wire [15:0] any_pi,
    input  wire        any_free,
    input  wire        any_free_qp,
    input  wire [4:0]  any_done,           // of other QPs
    input  wire        any_restart,
    input  wire        any_restart_qp,
    input  wire        any_step,           // the completion is restarted, the QP turned on or off
    input  wire        any_switch,         // another one
    input  wire        any_on,
    input  wire        any_limit,          // the chip is on
    input  wire        any_resume,
    input  wire        any_resume_qp,
    input  wire        any_cfg_ready,
    input  wire [127:0] any_cfg,
    input  wire        any_accept,
    input  wire        any_whole,
    output wire        bad
);
    localparam LOG2_READS = 2;             // of the ring of reads under way; 5 in the block
    localparam [31:0] PLACES_32 = PLACES;
    localparam [4:0]  MOST = PLACES_32[4:0];
    localparam ENTRIES = 1 << LOG2_READS;

    reg        running;                    // 0 in the first clock
    initial    running = 1'b0;
    reg        mine;
    reg [15:0] depth;
    always @(posedge clk) begin
        running <= 1'b1;
        if (!running) {mine, depth} <= {any_mine, any_depth & 16'hffff >> (16 - DEPTH_BITS)};
    end

    (* hierconn *) wire        \fetch.asked ;
    (* hierconn *) wire [6:0]  \fetch.qp ;
    (* hierconn *) wire [15:0] \fetch.position ;
    (* hierconn *) wire [1:0]  \fetch.state ;
    (* hierconn *) wire        \fetch.again ;
    (* hierconn *) wire        \fetch.back ;
    (* hierconn *) wire [6:0]  \fetch.back_qp ;
    (* hierconn *) wire        \fetch.enabled.flags[0] ;
    (* hierconn *) wire        \fetch.enabled.flags[1] ;
    (* hierconn *) wire        \fetch.store ;
    (* hierconn *) wire [10:0] \fetch.store_addr ;
    (* hierconn *) wire        \fetch.answered ;
    (* hierconn *) wire [15:0] \fetch.depth ;
    (* hierconn *) wire [15:0] \fetch.producers[0] ;
    (* hierconn *) wire [15:0] \fetch.producers[1] ;
    (* hierconn *) wire [20:0] \fetch.fetched[0] ;
    (* hierconn *) wire [20:0] \fetch.fetched[1] ;
    (* hierconn *) wire [15:0] \fetch.arrivals[0] ;
    (* hierconn *) wire [15:0] \fetch.arrivals[1] ;
    (* hierconn *) wire        \fetch.rung.added[0] ;
    (* hierconn *) wire        \fetch.rung.added[1] ;
    (* hierconn *) wire        \fetch.rung.taken[0] ;
    (* hierconn *) wire        \fetch.rung.taken[1] ;
    (* hierconn *) wire        \fetch.more.added[0] ;
    (* hierconn *) wire        \fetch.more.added[1] ;
    (* hierconn *) wire        \fetch.more.taken[0] ;
    (* hierconn *) wire        \fetch.more.taken[1] ;
    (* hierconn *) wire [LOG2_READS-1:0] \fetch.reads.words.rd_pointer ;
    (* hierconn *) wire [LOG2_READS-1:0] \fetch.reads.words.wr_pointer ;
    (* hierconn *) wire [LOG2_READS:0]   \fetch.reads.words.count ;
    (* hierconn *) wire [LOG2_READS:0]   \fetch.reader.level ;
    (* hierconn *) wire        \fetch.rung.clearing ;
    (* hierconn *) wire [1:0]  \fetch.rung.first ;
    (* hierconn *) wire [1:0]  \fetch.rung.behind ;
    (* hierconn *) wire        \fetch.rung.line[0] ;
    (* hierconn *) wire        \fetch.rung.line[1] ;
    (* hierconn *) wire        \fetch.more.clearing ;
    (* hierconn *) wire [1:0]  \fetch.more.first ;
    (* hierconn *) wire [1:0]  \fetch.more.behind ;
    (* hierconn *) wire        \fetch.more.line[0] ;
    (* hierconn *) wire        \fetch.more.line[1] ;
    (* hierconn *) wire [10:0] \fetch.reads.words.memory[0] ;
    (* hierconn *) wire [10:0] \fetch.reads.words.memory[1] ;
    (* hierconn *) wire [10:0] \fetch.reads.words.memory[2] ;
    (* hierconn *) wire [10:0] \fetch.reads.words.memory[3] ;

    // ---- the life of the QP: off until its restart, then the completion's, then on
    localparam [1:0] OFF = 2'd0, FETCHES = 2'd1, COMPLETES = 2'd2, ON = 2'd3;
    reg  [1:0] life;
    reg        once;                       // it has been restarted since reset
    reg        restart, restart_qp;
    wire       restart_done, restart_busy;
    wire       ours = restart && restart_qp == mine;

    // ---- the model: positions and counts
    reg  [15:0] pi, position, owed;        // owed: posted, not yet read
    reg  [4:0]  count, arrived, done;      // read, arrived, completed
    wire [15:0] more    = any_pi >= pi ? any_pi - pi : any_pi - pi + depth;
    wire [16:0] posts   = {1'b0, owed} + {1'b0, more};
    wire        bell_ok = any_sq_qp != mine || (life == ON && any_pi < depth && posts < {1'b0, depth});
    wire        sq      = running && any_sq && bell_ok;
    wire        bell    = sq && any_sq_qp == mine;
    wire        free_ok = any_free_qp != mine || (once && (life == ON || life == OFF) && done != arrived);
    reg         was_free, was_resumed;
    wire        free    = running && any_free && free_ok && !was_free;
    wire        resume  = running && any_resume && !was_resumed;
    wire        turns_on  = any_step && !ours && life == COMPLETES && !\fetch.rung.clearing && !\fetch.more.clearing ;
    wire        turns_off = any_step && !ours && life == ON;
    wire [8:0]  qp_switch = !running ? {8'b1000_0000, any_mine} : turns_on || turns_off ? {1'b1, turns_on, 6'd0, mine} :
                            {any_switch, any_on, 6'd0, !mine};
    reg         reported;                  // that it was stopped
    wire        stopped;
    wire [6:0]  stopped_qp;

    wire        cfg_valid;
    wire [10:0] cfg_addr;
    reg         of_depth;                  // the answer is row 3 of mine
    wire [6:0]  done_qp;
    wire        arrive;
    wire [6:0]  arrive_qp;
    wire [15:0] sender_arrived, sender_pi;
    wire [4:0]  completer_arrived;
    wire [4:0]  done_now = done_qp == {6'd0, mine} ? done : any_done;

    roce_wqe_fetch #(.BYTES(64), .NUM_QP(NUM_QP)) fetch (
        .clk (clk), .rst (!running), .qp_switch (qp_switch), .qp_limit (any_limit ? 8'd2 : 8'd0),
        .stopped (stopped), .stopped_qp (stopped_qp), .resume (resume), .resume_qp ({6'd0, any_resume_qp}),
        .restart (restart), .restart_qp ({6'd0, restart ? restart_qp : any_restart_qp}), .restart_done (restart_done),
        .restart_busy (restart_busy),
        .sq_valid (sq), .sq_qp ({6'd0, any_sq_qp}), .sq_pi (any_pi), .free (free), .free_qp ({6'd0, any_free_qp}),
        .full (), .empty (), .cfg_valid (cfg_valid), .cfg_ready (any_cfg_ready), .cfg_addr (cfg_addr),
        .cfg_data ({any_cfg[127:112], of_depth ? depth : any_cfg[111:96], any_cfg[95:0]}),
        .wqe_read (1'b0), .wqe_addr (11'd0), .wqe (), .wqe_failed (), .id_addr (11'd0), .id (), .arrive (arrive),
        .arrive_qp (arrive_qp), .sender_qp ({6'd0, mine}), .sender_arrived (sender_arrived), .sender_pi (sender_pi),
        .completer_qp ({6'd0, mine}), .completer_arrived (completer_arrived), .done_qp (done_qp), .done (done_now),
        .qp_mgr_arvalid (), .qp_mgr_arready (any_accept), .qp_mgr_araddr (), .qp_mgr_arlen (),
        .qp_mgr_rvalid (any_whole), .qp_mgr_rready (), .qp_mgr_rdata (512'd0), .qp_mgr_rresp (2'd0),
        .qp_mgr_rlast (1'b0)
    );

    wire asks    = \fetch.asked && \fetch.qp == {6'd0, mine};
    wire arrives = arrive && arrive_qp == {6'd0, mine};
    wire begins  = restart_done && ours;
    always @(posedge clk) begin
        was_free    <= free;
        was_resumed <= resume;
        of_depth <= cfg_addr == {6'd0, mine, 4'd3};
        if (!running) begin
            life    <= OFF;
            once    <= 1'b0;
            restart <= 1'b0;
        end else begin
            if (restart_done) restart <= 1'b0;
            else if (!restart && any_restart && (any_restart_qp != mine
                                                 || (life == OFF && !(once && restart_busy)))) begin
                restart    <= 1'b1;
                restart_qp <= any_restart_qp;
            end
            if (begins) begin
                once <= 1'b1;
                life <= FETCHES;
            end else if (any_step && !ours)
                case (life)
                    FETCHES:   begin life <= COMPLETES; done <= 5'd0; end
                    COMPLETES: if (turns_on) life <= ON;
                    ON:        life <= OFF;
                    default:   ;
                endcase
            if (begins) {pi, position, owed, count, arrived} <= 58'd0;
            else begin
                if (bell) pi <= any_pi;
                if (asks) position <= position + 16'd1 == depth ? 16'd0 : position + 16'd1;
                if (asks) count <= count + 5'd1;
                if (arrives) arrived <= arrived + 5'd1;
                owed <= owed + (bell ? more : 16'd0) - {15'd0, asks};
            end
            if (begins || (resume && any_resume_qp == mine)) reported <= 1'b0;
            else if (stopped && stopped_qp == {6'd0, mine})  reported <= 1'b1;
            if (free && any_free_qp == mine) done <= done + 5'd1;
        end
    end

    // ---- lemmas
    wire        storing   = \fetch.store && \fetch.store_addr [10:4] == {6'd0, mine};
    wire [4:0]  under_way = count - arrived - {4'd0, storing};
    wire [15:0] its_pi    = mine ? \fetch.producers[1]  : \fetch.producers[0] ;
    wire [20:0] its_place = mine ? \fetch.fetched[1]  : \fetch.fetched[0] ;
    wire [15:0] its_count = mine ? \fetch.arrivals[1]  : \fetch.arrivals[0] ;
    wire        in_rung   = mine ? \fetch.rung.added[1]  ^ \fetch.rung.taken[1]  : \fetch.rung.added[0]
                            ^ \fetch.rung.taken[0] ;
    wire        in_more   = mine ? \fetch.more.added[1]  ^ \fetch.more.taken[1]  : \fetch.more.added[0]
                            ^ \fetch.more.taken[0] ;
    wire        its_flag  = mine ? \fetch.enabled.flags[1]  : \fetch.enabled.flags[0] ;
    wire        is_back   = \fetch.back && \fetch.back_qp == {6'd0, mine};
    wire        in_hand   = reported || is_back || (\fetch.state != 2'd0 || \fetch.again ) && \fetch.qp == {6'd0, mine};
    wire [4:0]  ahead     = count - done;
    wire [16:0] behind    = {1'b0, position} + {1'b0, owed};
    wire        rung_wrong, more_wrong;
    lemma_turns of_rung (
        .clearing (\fetch.rung.clearing ), .first (\fetch.rung.first ), .behind (\fetch.rung.behind ),
        .line ({\fetch.rung.line[1] , \fetch.rung.line[0] }), .added ({\fetch.rung.added[1] , \fetch.rung.added[0] }),
        .taken ({\fetch.rung.taken[1] , \fetch.rung.taken[0] }), .wrong (rung_wrong)
    );
    lemma_turns of_more (
        .clearing (\fetch.more.clearing ), .first (\fetch.more.first ), .behind (\fetch.more.behind ),
        .line ({\fetch.more.line[1] , \fetch.more.line[0] }), .added ({\fetch.more.added[1] , \fetch.more.added[0] }),
        .taken ({\fetch.more.taken[1] , \fetch.more.taken[0] }), .wrong (more_wrong)
    );
    reg         lemma_ring, lemma_places;  // what the ring has of mine follows on what has arrived
    reg  [4:0]  of_mine;
    reg  [LOG2_READS-1:0] slot;
    reg  [10:0] word;
    integer     k;
    always @* begin
        of_mine    = 5'd0;
        lemma_ring = 1'b1;
        lemma_places = 1'b1;
        for (k = 0; k < ENTRIES; k = k + 1) begin
            slot = \fetch.reads.words.rd_pointer + k[LOG2_READS-1:0];
            word = slot == 2'd0 ? \fetch.reads.words.memory[0]  : slot == 2'd1 ? \fetch.reads.words.memory[1]  :
                   slot == 2'd2 ? \fetch.reads.words.memory[2]  : \fetch.reads.words.memory[3] ;
            if (k[LOG2_READS:0] < \fetch.reads.words.count ) begin
                if (word[10:5] != 6'd0) lemma_ring = 1'b0;
                if (word[10:4] == {6'd0, mine}) begin
                    if (word[3:0] != count[3:0] - under_way[3:0] + of_mine[3:0]) lemma_places = 1'b0;
                    of_mine = of_mine + 5'd1;
                end
            end
        end
    end
    wire        fetching  = \fetch.state [1] && \fetch.qp == {6'd0, mine};
    wire        new       = {pi, position, owed, count, arrived} == 58'd0;
    wire        lemmas    = !rung_wrong && !more_wrong &&
                            (!ours || life == OFF && of_mine == 5'd0 && !storing && !fetching) &&
                            its_flag == (life == ON) &&
                            !(\fetch.back && !was_resumed && !was_free) &&
                            !(\fetch.store && \fetch.store_addr [10:5] != 6'd0) &&
                            \fetch.reads.words.count == \fetch.reader.level &&
                            \fetch.reads.words.count <= (\fetch.state == 2'd0 ? 3'd4 : 3'd3) &&
                            \fetch.qp [6:1] == 6'd0 && !(\fetch.back && \fetch.back_qp [6:1] != 6'd0) &&
                            \fetch.reads.words.wr_pointer == \fetch.reads.words.rd_pointer +
                            \fetch.reads.words.count [LOG2_READS-1:0] && lemma_ring &&
                            (!fetching || once && (life == ON || life == OFF)) &&
                            (once || life == OFF && of_mine == 5'd0 && !storing) &&
                            (life != ON || !\fetch.rung.clearing && !\fetch.more.clearing );
    wire        lemmas_of_mine =
        its_pi == pi && its_place == {count, position} && its_count[4:0] == arrived &&
        (position < depth || position == 16'd0) && (owed < depth || owed == 16'd0) && (pi < depth || pi == 16'd0) &&
        (behind == {1'b0, pi} || behind == {1'b0, pi} + {1'b0, depth}) && lemma_places && of_mine == under_way &&
        (life == FETCHES || ahead <= MOST && arrived - done <= ahead) && (life != COMPLETES || done == 5'd0) &&
        (life == ON || life == OFF || new) && (!fetching || owed != 16'd0 && ahead < MOST) &&
        (!fetching || \fetch.state != 2'd3 || (\fetch.answered  ? of_depth : \fetch.depth == depth));

    wire waits = life == ON && owed != 16'd0 && ahead < MOST;
    assign bad = LEMMAS != 0 && running && (!lemmas || once && !lemmas_of_mine) || once && running &&
                 ((asks && (owed == 16'd0 || \fetch.position != position || position >= depth || ahead >= MOST)) ||
                  (arrives && (arrived == count || \fetch.store_addr [3:0] != arrived[3:0])) ||
                  sender_arrived[4:0] != arrived || completer_arrived != arrived || sender_pi != pi ||
                  (waits && !in_rung && !in_more && !in_hand));
endmodule

// What holds in roce_qp_queue with two QPs at any time.
module lemma_turns (
    input  wire       clearing,
    input  wire [1:0] first,
    input  wire [1:0] behind,
    input  wire [1:0] line,
    input  wire [1:0] added,
    input  wire [1:0] taken,
    output wire       wrong
);
    wire [1:0] level = behind - first;
    wire [1:0] waits = added ^ taken;
    wire       head  = line[first[0]];
    assign wrong = clearing ? first != behind || first[1] || (first[0] && (added[0] || taken[0]))
                            : level == 2'd3 || (level == 2'd0 && waits != 2'd0) ||
                              (level == 2'd1 && waits != 2'd1 << head) ||
                              (level == 2'd2 && (waits != 2'd3 || line[0] == line[1]));
endmodule

// A reader of pieces as prove_roce_axi_read proves it: takes a command when it likes, and later gives each whole.
module any_axi_read #(
    parameter BYTES = 64,
    parameter OUTSTANDING = 16,
    parameter LOG2_WORDS = 5
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               cmd_valid,
    output wire               cmd_ready,
    input  wire [31:0]        cmd_addr,
    input  wire [12:0]        cmd_length,
    output wire               out_valid,
    input  wire               out_ready,
    output wire [8*BYTES-1:0] out_data,
    output wire               out_last,
    output wire               out_error,
    output wire               busy,
    output wire               arvalid,
    input  wire               arready,
    output wire [31:0]        araddr,
    output wire [7:0]         arlen,
    input  wire               rvalid,
    output wire               rready,
    input  wire [8*BYTES-1:0] rdata,
    input  wire [1:0]         rresp
);
    reg [2:0] level;                       // commands under way: no more than the ring has
    assign cmd_ready = arready;
    assign out_valid = rvalid && level != 3'd0;
    assign out_last  = 1'b1;
    assign out_data  = rdata;
    assign out_error = rresp != 2'd0;
    assign {busy, arvalid, araddr, arlen, rready} = 43'd0;
    always @(posedge clk)
        if (rst) level <= 3'd0;
        else     level <= level + {2'd0, cmd_valid && cmd_ready} - {2'd0, out_valid};
endmodule
`default_nettype wire
