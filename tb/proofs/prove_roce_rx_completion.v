// Proof of the queues of roce_rx_completion whose `in_ready` is not looked at: `bad` is never high, whatever posts
// come, in whatever order memory and the ports answer, and whatever is switched off and restarted. One of them each,
// CLAIM:
//
//   0  confirmed   twice as many places as there are for posts behind the oldest one, which takes its confirmations as
//                  they come
//   1  bell_irqs   an interrupt of a port delays those of memory by one clock at a time, since no doorbell shows while
//                  one waits
//   2  late_ends   a QP ends once before it is restarted
//
// Assumed: the post of each write is here for two clocks before memory confirms it (roce_rx_mover issues the write
// behind its job, which comes with the post), and it has two writes at most. A QP is restarted when no doorbell's error
// waits and none of its doorbells is answered in that clock (`busy`). No doorbell is answered before the bits of all
// QPs are cleared.
`default_nettype none
module prove_roce_rx_completion #(
    parameter CLAIM = 0,
    // of `confirmed`: log2 of the places for posts, 0: what is claimed alone, for faults
    parameter LOG2 = 2,
    parameter LEMMAS = 0,
    // 1: the assumptions do not hold
    parameter AT_ONCE = 0,
    parameter ANY_RESTART = 0
) (
    input  wire         clk,
    input  wire [8:0]   any_switch,
    input  wire         any_restart,
    input  wire [1:0]   any_restart_qp,
    input  wire         any_post,
    input  wire [133:0] any_about,
    input  wire         any_written,
    input  wire [3:0]   any_ready,
    input  wire         any_bell_done,
    input  wire         any_error,
    input  wire [2:0]   any_noted,         // with an interrupt, QP
    output wire         bad
);
    localparam [6:0] QPS = 7'd3;           // the last QP

    reg running;                           // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    (* hierconn *) wire \block.written_room , \block.bell_irq_room , \block.late_room , \block.late ;
    (* hierconn *) wire \block.clearing , \block.bell_ends , \block.bell_fatal ;
    wire [1:0] kind, writes;
    wire       ends, mad, now, by_port, irq, fatal, post_ready;
    wire [4:0] code;
    wire [6:0] qp;
    wire [7:0] opcode, aeth;
    wire [23:0] psn, msn;
    wire [15:0] index;
    wire [31:0] bell;
    assign {kind, writes, ends, mad, now, by_port, irq, fatal, code, qp, opcode, psn, msn, aeth, index,
            bell} = any_about;
    wire [1:0] most_writes = writes == 2'd3 ? 2'd2 : writes;

    // ---- writes without a confirmation
    reg  [1:0] new_writes;
    reg  [8:0] due;
    wire       post    = any_post && running;
    wire       written = any_written && running && (due != 9'd0 || (AT_ONCE != 0 && new_writes != 2'd0));
    always @(posedge clk)
        if (!running) {new_writes, due} <= 11'd0;
        else begin
            new_writes <= post && post_ready ? most_writes : 2'd0;
            due        <= due + {7'd0, new_writes} - {8'd0, written};
        end

    wire bell_done = any_bell_done && running && ! \block.clearing ;
    wire restart   = any_restart && running
                     && (ANY_RESTART != 0 || (!(bell_done && any_noted[1:0] == any_restart_qp) && ! \block.late ));

    roce_rx_completion #(.NUM_QP(4)) block (
        .clk (clk), .rst (!running), .qp_switch (any_switch), .restart_valid (restart),
        .restart_qp ({5'd0, any_restart_qp}), .look_qp (7'd0), .post_valid (post), .post_ready (post_ready),
        .post_kind (kind), .post_writes (most_writes), .post_ends (ends), .post_mad (mad), .post_now (now),
        .post_by_port (by_port), .post_irq (irq), .post_fatal (fatal), .post_code (code), .post_qp (qp & QPS),
        .post_opcode (opcode), .post_psn (psn), .post_msn (msn), .post_aeth (aeth), .post_index (index),
        .post_bell (bell), .written_valid (written), .written_error (any_error), .rq_db_ready (any_ready[0]),
        .bell_ready (any_ready[1]), .bell_done (bell_done), .bell_error (any_error),
        .bell_noted ({any_noted[2], 5'd0, any_noted[1:0]}), .rung_set (1'b0), .rung_qp (7'd0), .rung_index (16'd0),
        .ev_ready (any_ready[2]), .nak_done (1'b0), .nak_done_qp (7'd0), .memory_ready (any_ready[3])
    );

    // ---- lemmas for `confirmed`: the confirmations that are here, or will come, are those that the posts wait for;
    // the oldest post waits for one in the first two clocks, or there was none
    localparam PLACES = 1 << LOG2;
    (* hierconn *) wire [LOG2:0] \block.posts.level , \block.posts.fetched ;
    (* hierconn *) wire [LOG2+1:0] \block.confirmed.words.count ;
    (* hierconn *) wire \block.posts.fetch , \block.has , \block.decided ;
    (* hierconn *) wire [1:0] \block.writes , \block.confirmed_count ;
    (* hierconn *) wire [133:0] \block.posts.words[0] , \block.posts.words[1] , \block.posts.words[2] ,
                                \block.posts.words[3] ;
    wire [7:0] of_words = {\block.posts.words[3] [131:130], \block.posts.words[2] [131:130],
                           \block.posts.words[1] [131:130], \block.posts.words[0] [131:130]};
    wire [1:0] lacks = \block.has ? \block.writes - \block.confirmed_count : 2'd0;     // confirmations of the oldest
    reg  [1:0] age;                                                                 // clocks of being the oldest one
    reg  [8:0] sum, newest;
    reg        few;
    integer    k;
    always @(posedge clk) age <= \block.posts.fetch ? 2'd0 : age[1] ? age : age + 2'd1;
    always @* begin
        {sum, newest, few} = {7'd0, lacks, 9'd0, 1'b1};
        for (k = 0; k < PLACES; k = k + 1)
            if (k[LOG2:0] < \block.posts.level ) begin
                newest = {7'd0, of_words[2*((\block.posts.fetched + k[LOG2:0]) % PLACES) +: 2]};
                sum    = sum + newest;
                few    = few && newest <= 9'd2;
            end
    end
    wire lemmas = few && due <= 2 * PLACES + 2 && \block.posts.level <= PLACES
                  && \block.confirmed.words.count <= 2 * PLACES && (\block.has || \block.posts.level <= 1)
                  && \block.confirmed.words.count + due + {7'd0, new_writes} == sum
                  && (\block.has ? \block.writes <= 2'd2 && \block.confirmed_count <= \block.writes
                      && (!\block.decided || lacks == 2'd0)
                      : !\block.decided && \block.confirmed_count == 2'd0)
                  && (!\block.has || age != 2'd0 || (\block.confirmed_count == 2'd0 && \block.posts.level < PLACES))
                  && (lacks == 2'd0 || age == 2'd0 || \block.confirmed.words.count <= 1
                      || (age == 2'd1 && \block.confirmed_count == 2'd1))
                  && (!\block.has || age != 2'd1 || \block.posts.level != PLACES || {7'd0, new_writes} == newest);

    assign bad = running && (CLAIM == 0 ? (written && ! \block.written_room ) || (LEMMAS != 0 && !lemmas)
                             : CLAIM == 1 ? bell_done && !any_error && any_noted[2] && ! \block.bell_irq_room
                             : \block.bell_ends && ! \block.bell_fatal && ! \block.late_room );
endmodule
`default_nettype wire
