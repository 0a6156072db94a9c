// What the requester's core has in progress elsewhere: packets that TX holds (`sents`), and data of READ responses on
// their way to memory (`puts`), oldest first. The oldest entry leaves when it has its answer and the core, if it must
// look at that answer (`*_event`), has done so (`*_ends`). One entry leaves in a clock.
//
// The core looks at an error, at each datagram, and at packets whose answer was asked for or that started a message.
`default_nettype none
module roce_outstanding_underway #(
    // queue pairs, 8..128
    parameter NUM_QP = 8,
    // log2 of the entries of each list, 2..6
    parameter LOG2_DEPTH = 5
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [8:0]  qp_switch,         // which QPs are enabled, see roce_registers
    // Errors of memory while the chip is off are kept until it is on or a QP starts: the error queues are off, too.
    // They no longer affect a QP that has been disabled.
    input  wire        errors_wait,
    input  wire [6:0]  qp,                // of the event

    // ---- packets
    input  wire        sents_push,
    input  wire [23:0] push_behind,       // PSN behind it
    input  wire        push_first,
    input  wire        push_asks,
    input  wire [4:0]  push_message,
    input  wire        flush,             // `qp` goes back: its packets are no longer reported
    input  wire        sent_valid,        // an answer, in order
    input  wire        sent_error,
    output wire        sents_full,
    output wire        sents_any,
    output wire [7:0]  sents_head,        // places of the next one
    output wire [7:0]  sents_tail,        // and of the oldest one without an answer
    output wire        sents_event,       // the oldest one has an answer that the core must look at
    output wire        sents_on,          // QPCONF.ENABLE of its QP
    output wire [6:0]  sents_qp,
    output wire        sents_error,
    output wire [23:0] sents_behind,
    output wire        sents_first,
    output wire        sents_asks,
    output wire [4:0]  sents_message,
    input  wire        sent_ends,

    // ---- data
    input  wire        puts_push,
    input  wire [4:0]  puts_push_message,
    input  wire        put_valid,
    input  wire        put_error,
    output wire        puts_full,
    output wire        puts_event,
    output wire        puts_on,
    output wire [6:0]  puts_qp,
    output wire [4:0]  puts_message,
    input  wire        put_ends,

    // ---- entries that leave; searching
    output wire        left,
    output wire [6:0]  left_qp,
    input  wire [6:0]  look_qp,
    input  wire [4:0]  look_message,      // a message is found by its place in the cache, 4 bits: entries of a QP are
    input  wire        look_any,          // of messages that are not complete, 16 at most; any: of every message
    output wire        sents_found,
    output wire        puts_found
);
    localparam SENT_BITS = 31;
    wire [LOG2_DEPTH-1:0] sents_slot, sents_next, puts_slot, puts_next;
    wire sents_answered, sents_alive, puts_answered, puts_error, puts_any, puts_alive, sents_lost, puts_lost;

    roce_qp_flag #(.NUM_QP(NUM_QP)) sents_enabled (
        .clk (clk), .change (qp_switch), .limit (8'd128), .look_qp (sents_qp), .look (sents_on)
    );
    roce_qp_flag #(.NUM_QP(NUM_QP)) puts_enabled (
        .clk (clk), .change (qp_switch), .limit (8'd128), .look_qp (puts_qp), .look (puts_on)
    );
    wire   datagram     = (sents_qp == 7'd0);
    wire   sents_report = sents_answered && sents_alive && (sents_error || datagram || sents_asks || sents_first);
    wire   puts_report  = puts_answered && puts_error;
    assign sents_event  = sents_report && !(sents_error && errors_wait && sents_on);
    assign puts_event   = puts_report && !(errors_wait && puts_on);
    wire   puts_pop     = puts_answered && (puts_report ? put_ends : !sent_ends);
    wire   sents_pop    = sents_answered && (sents_report ? sent_ends : !puts_pop);
    assign left         = puts_pop || sents_pop;
    assign left_qp      = sents_pop ? sents_qp : puts_qp;
    assign sents_head   = {{8-LOG2_DEPTH{1'b0}}, sents_slot};
    assign sents_tail   = {{8-LOG2_DEPTH{1'b0}}, sents_next};

    roce_outstanding_ring #(.WIDTH(SENT_BITS), .LOG2_DEPTH(LOG2_DEPTH), .LOOK(4), .LOOK_ALL(1)) sents (
        .clk (clk), .rst (rst), .full (sents_full), .push (sents_push), .push_qp (qp),
        .push_data ({push_behind, push_first, push_asks, push_message}), .push_slot (sents_slot),
        .answer (sent_valid), .answer_error (sent_error), .answer_slot (sents_next), .head_valid (sents_any),
        .head_answered (sents_answered), .head_error (sents_error), .head_alive (sents_alive), .head_qp (sents_qp),
        .head_data ({sents_behind, sents_first, sents_asks, sents_message}), .pop (sents_pop), .forget (flush),
        .forget_qp (qp), .look_qp (look_qp), .look_data ({{SENT_BITS-5{1'b0}}, look_message}), .look_any (look_any),
        .look_found (sents_found), .lost (sents_lost)
    );
    roce_outstanding_ring #(.WIDTH(5), .LOG2_DEPTH(LOG2_DEPTH), .LOOK(4), .LOOK_ALL(1)) puts (
        .clk (clk), .rst (rst), .full (puts_full), .push (puts_push), .push_qp (qp), .push_data (puts_push_message),
        .push_slot (puts_slot), .answer (put_valid), .answer_error (put_error), .answer_slot (puts_next),
        .head_valid (puts_any), .head_answered (puts_answered), .head_error (puts_error), .head_alive (puts_alive),
        .head_qp (puts_qp), .head_data (puts_message), .pop (puts_pop), .forget (1'b0), .forget_qp (7'd0),
        .look_qp (look_qp), .look_data (look_message), .look_any (look_any), .look_found (puts_found),
        .lost (puts_lost)
    );

    wire unused = &{1'b0, puts_slot, puts_next, puts_alive, sents_lost, puts_lost};

    // ---- measuring
    wire probe_busy = sents_any || puts_any;
endmodule
`default_nettype wire
