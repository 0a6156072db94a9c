// Proof of roce_rx_check for the receive queue of one of NUM_QP QPs, of any depth: `bad` is never high, whatever
// packets, registers, other QPs and those behind the block do. QP 0 takes MADs, QP 1 messages of a reliable connection.
//
//   index       the producer index is 0 after a restart, below the depth, and moves by one, from depth - 1 to 0, when a
//               MAD or the last packet of a message is taken, and then only; that is what the post, the length's
//               address and the state say
//   free        an entry is begun only if less than depth - 1 are in use: the producer never comes to where the
//               consumer is
//   refused     no room is said (RNR NAK, bit 20) only to a first packet or a MAD, and only if depth - 1 entries were
//               in use when its QP was looked up; so never within a message
//   address     with entries of SIZE: the payload goes into that entry, behind what the message has so far
//
// Source: issue: "position 0..depth-1, at most depth-1 in use"; S5 2, table 2-7 (RQCIi, STATRQPIDBi, QDEPTHi, RQBAi).
//
// Assumed of software: it gives back no more entries than are in use, and does not write STATRQPIDB. Of roce_rx_lookup:
// what it has found and the verdict stay until they are taken; a QP that is on has the depth of its life, and a
// consumer index that was true in it and is no older than the last packet's. Nothing is assumed before the QP's first
// restart, nor of what a packet says. States of others are free.
//
// `lemmas` is what makes a step enough; MEMORIES=seen, because they name the states.
`default_nettype none
module prove_roce_rq_pointers #(
    parameter NUM_QP = 2,
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1,
    // bits of the depth
    parameter DEPTH_BITS = 16,
    // of an entry, in 256 bytes; 0: any, then nothing is claimed of its address
    parameter SIZE = 0
) (
    input  wire         clk,
    input  wire         any_mine,          // in the first clock: the QP that is followed
    input  wire [15:0]  any_depth,         // of its next life
    input  wire [15:0]  any_back,          // entries that software gives back
    input  wire [15:0]  any_look,          // ... and that roce_rx_lookup knows of
    input  wire         any_packet,
    input  wire         any_on,
    input  wire [257:0] any_found,
    input  wire         any_verdict_valid,
    input  wire [24:0]  any_verdict,
    input  wire         any_own,
    input  wire [40:0]  any_own_word,
    input  wire [127:0] any_row,
    input  wire         any_error_all,
    input  wire [1:0]   any_fatal,
    input  wire         any_mac,
    input  wire         any_rung_ready,
    input  wire         any_job_ready,
    input  wire         any_post_ready,
    input  wire         any_rsp_ready,
    output wire         bad
);
    localparam [31:0] SIZE_32 = SIZE;
    localparam [2:0] IDLE = 3'd0, DECIDE = 3'd2, ACT = 3'd3, OWN_REPLY = 3'd7;   // states of roce_rx_check

    reg        running;                    // 0 in the first clock
    initial    running = 1'b0;
    reg        mine;

    // ---- what comes
    reg         found_valid, found_qp;
    reg  [256:0] found;                    // as in roce_rx_check, without the QP
    wire        found_ready;
    wire [7:0]  opcode = found[231:224];
    wire        known  = found[163];
    wire [15:0] conf_size = SIZE == 0 ? found[156:141] : SIZE_32[15:0];
    reg         verdict_valid;
    reg  [24:0] verdict;
    wire        verdict_ready;
    reg         own_valid, own_start, own_write, own_qp;
    reg  [5:0]  own_word;
    reg  [31:0] own_wdata;
    wire        own_ready, restart_valid;
    wire        ours = found_qp == mine;

    // ---- the model
    reg         once;                      // it has been restarted since reset
    reg  [15:0] depth, index, seen;        // seen: the consumer index that roce_rx_lookup knows
    reg  [15:0] used, late;                // entries in use; given back, but not seen
    reg         inside;                    // a message has begun
    reg  [23:0] bytes;                     // of it
    wire [15:0] follows = index + 16'd1 == depth ? 16'd0 : index + 16'd1;
    wire        next    = !found_valid || found_ready;
    wire [15:0] back    = any_back <= used ? any_back : 16'd0;
    wire [15:0] look    = next && any_look <= late ? any_look : 16'd0;
    wire [16:0] seen_at = {1'b0, seen} + {1'b0, look};
    wire [15:0] seen_is = seen_at >= {1'b0, depth} ? seen_at[15:0] - depth : seen_at[15:0];

    wire        job_valid, job_counts, post_valid, post_ends, rsp_valid;
    wire [31:0] job_addr, job_count_addr, job_syndrome;
    wire [12:0] job_length;
    wire [7:0]  job_aeth;
    wire [1:0]  post_kind;
    wire [15:0] post_index;
    roce_rx_check #(.NUM_QP(NUM_QP), .LOG2_WORDS(4)) check (
        .clk (clk), .rst (!running), .error_all (any_error_all), .any_mac (any_mac), .qp_fatal (any_fatal),
        .own_valid (own_valid), .own_start (own_start), .own_write (own_write), .own_qp ({6'd0, own_qp}),
        .own_word (own_word), .own_wdata (own_wdata), .own_ready (own_ready), .own_rdata (), .own_read (),
        .own_row (any_row), .busy (), .restart_valid (restart_valid), .rung_set (), .rung_qp (), .rung_index (),
        .rung_ready (any_rung_ready), .rung_now (16'd0), .found_valid (found_valid), .found_ready (found_ready),
        .found_on (any_on && (!ours || once)), .found ({6'd0, found_qp, found[256:157], conf_size, found[140:101],
                 ours && any_on ? {seen, depth} : found[100:69], found[68:0]}),
        .verdict_valid (verdict_valid), .verdict_ready (verdict_ready), .verdict (verdict),
        .job_valid (job_valid), .job_ready (any_job_ready), .job_kind (), .job_start (), .job_next (), .job_frame (),
        .job_offset (), .job_addr (job_addr), .job_length (job_length), .job_counts (job_counts),
        .job_count_addr (job_count_addr), .job_count (), .job_syndrome (job_syndrome), .job_fatal (), .job_code (),
        .job_qp (), .job_opcode (), .job_psn (), .job_aeth (job_aeth), .post_valid (post_valid),
        .post_ready (any_post_ready), .post_kind (post_kind), .post_writes (), .post_ends (post_ends), .post_mad (),
        .post_now (), .post_by_port (), .post_irq (), .post_psn (), .post_msn (), .post_index (post_index),
        .post_bell (), .rsp_valid (rsp_valid), .rsp_ready (any_rsp_ready), .rsp_syndrome (), .rsp_msn (),
        .rsp_length (), .in_all (), .in_dropped (), .in_send (), .in_read_response (), .in_ack (), .in_mad (),
        .in_invalid (), .in_duplicate (), .in_nak (), .in_marked (), .in_last_valid (), .in_qp (), .in_last_opcode (),
        .in_last_psn ()
    );
    (* hierconn *) wire [2:0]  \check.state ;
    (* hierconn *) wire [97:0] \check.was ;
    (* hierconn *) wire [97:0] \check.states[0] ;
    (* hierconn *) wire [97:0] \check.states[1] ;
    (* hierconn *) wire [31:0] \check.broken ;
    (* hierconn *) wire        \check.full ;
    (* hierconn *) wire [15:0] \check.next_index ;
    (* hierconn *) wire        \check.sequence_error ;
    (* hierconn *) wire        \check.overrun ;
    (* hierconn *) wire        \check.expected ;
    (* hierconn *) wire        \check.before ;
    (* hierconn *) wire        \check.ahead ;
    (* hierconn *) wire [13:0] \check.payload ;
    (* hierconn *) wire [23:0] \check.bytes ;
    (* hierconn *) wire [31:0] \check.product ;
    (* hierconn *) wire        \check.acts_job ;
    (* hierconn *) wire        \check.acts_post ;
    (* hierconn *) wire        \check.acts_rsp ;
    (* hierconn *) wire        \check.changes ;

    wire        begins = restart_valid && own_qp == mine;
    wire        first  = opcode == 8'h00 || opcode == 8'h04;
    wire        ends   = !found_qp || opcode == 8'h02 || opcode == 8'h04;
    wire        opens  = !found_qp || first;                       // an entry
    wire        takes  = post_valid && any_post_ready && post_kind == 2'd0 && ours;
    always @(posedge clk) begin
        running <= 1'b1;
        if (!running) mine <= any_mine;
        found_valid   <= running && (next ? any_packet : 1'b1);
        verdict_valid <= running && (verdict_valid && !verdict_ready || any_verdict_valid);
        own_valid     <= running && (own_valid && !own_ready || any_own);
        if (next) {found_qp, found} <= any_found;
        if (!verdict_valid || verdict_ready) verdict <= any_verdict;
        if (!own_valid || own_ready) begin
            {own_start, own_write, own_qp, own_word, own_wdata} <= any_own_word;
            if (any_own_word[38] == mine && any_own_word[37:32] == 6'h27) own_write <= 1'b0;
        end
        if (!running) once <= 1'b0;
        else if (begins) begin
            once  <= 1'b1;
            depth <= any_depth & 16'hffff >> (16 - DEPTH_BITS);
            {index, seen, used, late, inside, bytes} <= 89'd0;
        end else begin
            seen <= seen_is;
            late <= late + back - look;
            used <= used - back + {15'd0, takes && ends};
            if (takes && ends) index <= follows;
            if (takes && found_qp) {inside, bytes} <= {!ends, ends ? 24'd0 : bytes + {11'd0, job_length}};
        end
    end

    // ---- the claims
    wire [16:0] busy   = {1'b0, used} + {1'b0, late};              // entries in use as roce_rx_lookup knows them
    wire        no_room = busy + 17'd1 >= {1'b0, depth};
    wire [23:0] entry  = found[124:101] + index * SIZE_32[23:0];
    wire        wrong_take = index >= depth || (opens && {1'b0, used} + 17'd1 >= {1'b0, depth}) ||
                             (found_qp && first == inside) || post_ends != ends || (ends && post_index != follows) ||
                             (SIZE != 0 && job_addr != {entry, 8'd0} + {8'd0, bytes});
    wire        counts_right = ends && job_count_addr == found[31:0] + {14'd0, index, 2'b00};
    wire        says_rnr   = found_qp && post_kind == 2'd2 && job_aeth[7:5] == 3'b001;
    wire        says_full  = (post_valid && says_rnr) || (job_valid && job_syndrome[20]);
    wire        wrong_job  = (says_full && !(opens && !inside && no_room)) ||
                             (job_valid && job_counts && !counts_right);

    // ---- lemmas
    wire [97:0] its    = mine ? \check.states[1]  : \check.states[0] ;
    wire        packet = !\check.state [2] && \check.state != IDLE;
    wire        at_own = \check.state [2];
    wire [16:0] ahead  = {1'b0, seen} + busy;
    wire        held   = {index, inside, bytes} == {its[41:26], its[1], its[25:2]};
    wire        read   = \check.was == (found_qp ? \check.states[1]  : \check.states[0] );
    wire        own_read = \check.was == (own_qp ? \check.states[1]  : \check.states[0] );
    wire        decided_right = !\check.broken [20] && (\check.broken != 32'd0 ||
        known && \check.full == no_room && \check.next_index == follows && \check.sequence_error == (inside == first) &&
        (\check.overrun || !\check.payload [13] && \check.bytes == bytes + {10'd0, \check.payload }) &&
        (SIZE == 0 || \check.product [23:0] == index * SIZE_32[23:0]));
    wire        acts_right =
        (!\check.acts_post || post_kind != 2'd0 || !wrong_take && !no_room &&
         \check.bytes == bytes + {11'd0, job_length}) &&
        (!\check.acts_post || !says_rnr || opens && !inside && no_room) &&
        (!\check.acts_job || (!job_counts || counts_right) && (!job_syndrome[20] || opens && !inside && no_room));
    wire        lemmas = !(own_ready && \check.state != IDLE) && (!packet || found_valid && read) &&
        (!at_own || own_valid && (own_read || \check.state == OWN_REPLY)) &&
        !(own_valid && own_write && own_qp == mine && own_word == 6'h27) &&
        (\check.state != DECIDE || {1'b0, \check.expected } + {1'b0, \check.before } + {1'b0, \check.ahead } <= 2'd1) &&
        (\check.state != ACT || post_kind != 2'd3 && !(\check.acts_post && \check.acts_rsp ) &&
         (!\check.acts_post || \check.acts_job ) &&
                                (\check.acts_post || !\check.changes ) && (post_kind != 2'd1 || !\check.changes ) &&
                                (post_kind != 2'd0 || \check.changes || !\check.acts_post ));
    wire        lemmas_of_mine = held && (mine || !inside) && (inside || bytes == 24'd0) && (!inside || !no_room) &&
        (index < depth || index == 16'd0) && (seen < depth || seen == 16'd0) &&
        (busy < {1'b0, depth} || busy == 17'd0) && (ahead == {1'b0, index} || ahead == {1'b0, index} + {1'b0, depth}) &&
        (!ours || \check.state != DECIDE || decided_right) && (!ours || \check.state != ACT || acts_right);

    assign bad = running && ((LEMMAS != 0 && (!lemmas || once && !lemmas_of_mine)) ||
                             (once && ((takes && wrong_take) || (ours && wrong_job) || used >= depth &&
                                       used != 16'd0)));

    wire unused = &{1'b0, rsp_valid};
endmodule
`default_nettype wire
