// Executes operations one after the other: those of packets, in the order of the buffer, and those of the host; and
// prepares answers. All state is in sync_memory, so an operation is a few reads and writes of it.
//
//     ENQUEUE     entry of source and queue, set-up, head and tail, base: read from the header's arrival on. When the
//                 message is complete (good): the writer gets its job; then tail, entry, count
//     words       word and operand, new value; the old value goes to a place for answers
//     counters    counter and operand, new value; at zero the action
//     answers     record or base; the writer gets its job
//     rest        QENTRY..QBASE, EREAD.. etc. below
//
// One clock per state, unless sync_memory stalls; ENQUEUE takes nine, five of them before the job. All others than
// ENQUEUE wait until the writer has settled, so that what they make visible (an answer, a release) is not ahead
// of a message before them.
//
// A word that the host writes between the executor's read and its write is read again (WORD back to START).
`default_nettype none
`include "sync_registers.vh"
module sync_execute #(
    // nodes that may ask and be answered, 8 or 16
    parameter NODES = 8
) (
    input  wire             clk,
    input  wire             rst,
    output wire             busy,

    // the oldest packet in the buffer
    input  wire             shown_valid,
    input  wire             shown_complete,
    input  wire [63:0]      shown_header,
    input  wire             shown_written,
    input  wire [2:0]       shown_place,
    output wire             shown_taken,
    output wire             shown_kept,       // the writer still reads its words
    input  wire             burst_over,       // one clock: no longer
    output wire             rd_enable,
    output wire [2:0]       rd_place,
    output wire [5:0]       rd_index,
    input  wire [63:0]      rd_data,

    // a command of the host
    input  wire             host_go,          // one clock, ignored while host_busy
    input  wire [3:0]       host_operation,
    input  wire [11:0]      host_object,
    output reg              host_busy,
    output reg  [2:0]       host_reason,

    // state
    output wire             read,
    output wire [1:0]       write,
    output reg  [9:0]       at,
    output reg  [63:0]      data,
    input  wire [63:0]      read_data,
    input  wire             stalled,

    // writes to the host's memory
    output wire             load,
    output wire             load_burst,
    output wire             load_burst_odd,
    output wire [9:0]       load_words,
    output wire             load_single,
    output wire             load_single_odd,
    output wire [63:4]      load_at,
    output wire [63:0]      load_word,
    output wire             load_queue_valid,
    output wire             load_irq,
    input  wire             writer_ready,     // a job may be given
    input  wire             settled,          // ... and all before are done
    input  wire             failed,           // one clock: a write for failed_source has failed
    input  wire [3:0]       failed_source,
    output wire [3:0]       queue,            // of the message
    output wire [3:0]       node,             // its source
    output wire             slot_valid,       // level: the message at the head will be taken, if it is good

    // answers that leave
    input  wire [NODES-1:0] answer_room,
    output reg              answer_valid,
    output wire [3:0]       answer_node,
    output reg  [31:0]      answer_header,
    output reg  [63:0]      answer_word,
    input  wire             answer_held,
    input  wire             answer_taken,

    // operations of this node that wait for theirs
    output wire             close_valid,
    output wire [3:0]       close_queue,

    // results
    input  wire [15:0]      prepared,
    output wire [15:0]      release_mask,
    output reg              irq_event,
    output wire             counted,          // one clock: an event of `kind`, as numbered by MESSAGES.. of the map
    output reg  [3:0]       kind,
    output wire [4:0]       state
);
    localparam [3:0] ENQUEUE = 4'd0, ADD = 4'd1, ARM = 4'd2, SET = 4'd3, WRITE = 4'd4, FETCH_ADD = 4'd5,
                     COMPARE_SWAP = 4'd7, REOPEN = 4'd8, REFUSED = 4'd14, REPLY = 4'd15;
    localparam [2:0] FULL = 3'd1, OFF = 3'd2, SOURCE = 3'd3, LONG = 3'd4, OBJECT = 3'd5, LENGTH = 3'd6, UNKNOWN = 3'd7;

    localparam [14:0] COUNTER_BASE = `SYNC_COUNTER_BASE_LOW, ANSWER_BASE = `SYNC_ANSWER_BASE_LOW,
                      REFUSED_BASE = `SYNC_REFUSED_BASE_LOW, HOST_RESULT = `SYNC_HOST_RESULT_LOW;
    localparam [3:0] K_MESSAGE = 4'd0, K_COUNTED = 4'd1, K_WORD = 4'd2, K_REOPENED = 4'd3, K_SENT = 4'd4,
                     K_WRITTEN = 4'd5, K_ACTED = 4'd6, K_NOTHING = 4'd7, K_FULL = 4'd8, K_OFF = 4'd9, K_SOURCE = 4'd10,
                     K_LENGTH = 4'd11, K_OBJECT = 4'd12, K_OPERATION = 4'd13, K_UNEXPECTED = 4'd14, K_LOST = 4'd15;

    localparam [4:0] IDLE   = 5'd0,
                     START  = 5'd1,    // complete, writer settled: decodes, first read
                     QENTRY = 5'd2, QSETUP = 5'd3, QHEAD = 5'd4, QBASE = 5'd5, QTAIL = 5'd6,
                     EREAD  = 5'd7, EWRITE = 5'd8,
                     WORD   = 5'd9, COMPARED = 5'd10, OLD = 5'd11, ASK = 5'd12,
                     COUNT  = 5'd13, ACT = 5'd14, ACTWORD = 5'd15,
                     REOPENS = 5'd16,
                     ANSWER = 5'd17, ABASE = 5'd18, AWRITE = 5'd19,
                     PICKED = 5'd20, TELLS = 5'd21, VALUE = 5'd22, REPLIES = 5'd23,
                     KREAD  = 5'd24, KWRITE = 5'd25,
                     END    = 5'd26;

    reg  [4:0]  fsm;
    wire        go = !stalled;
    reg         host;                  // the operation is the host's
    reg         bookkeeping;           // the count is not of an operation
    reg  [2:0]  reason;                // why it is not executed
    reg         closed;
    reg  [2:0]  closed_reason;
    reg         on, wants_irq, permitted;
    reg  [3:0]  log2_slots;
    reg  [1:0]  log2_size;
    reg  [12:0] tail;
    reg         full, none;
    reg         equal;
    reg         job;                   // the writer has a job of this operation,
    reg         job_burst;             // ... and reads its words
    reg         acted;
    reg         act_write, act_irq, act_damaged, act_nothing;
    reg  [7:0]  act_times;
    reg  [15:0] act_mask;
    reg         sent;                  // the answer has left
    reg         of_reply;              // the answer is a REPLY
    reg  [3:0]  told_queue;
    reg         vanished;              // the packet in execution was dropped; another one may have begun
    reg         answers_next;          // an answer before another operation
    reg  [NODES-1:0] slot_marks, counter_marks;

    // ---- the operation
    reg  [3:0]  host_operation_kept;
    reg  [11:0] host_object_kept;
    wire [3:0]  operation = host ? host_operation_kept : shown_header[19:16];
    wire [11:0] object    = host ? host_object_kept : shown_header[31:20];
    wire [6:0]  source    = host ? 7'h7F : shown_header[62:56];
    wire [9:0]  length    = shown_header[41:32];
    wire [14:0] operand   = shown_header[15:1];
    wire        wants     = !host && shown_header[52];

    wire        is_enqueue = (operation == ENQUEUE) && !host;
    wire        is_counter = (operation == ADD) || (operation == ARM) || (operation == SET && host);
    wire        is_word    = operation[3:2] == 2'b01;
    wire        is_asked   = is_word && (operation != WRITE);
    wire        is_reopen  = (operation == REOPEN) && !host;
    wire        is_refused = (operation == REFUSED) && !host;
    wire        is_reply   = (operation == REPLY);                    // of the host: CLOSE
    wire        known      = is_enqueue || is_counter || is_word || is_reopen || is_refused || is_reply;
    wire        is_node    = (source < NODES[6:0]);
    wire        no_object  = is_counter ? (object[11:6] != 6'd0) : is_word ? (object[11:8] != 4'd0)
                             : is_reply ? (host && object[11:6] != 6'd0) : (object[11:4] != 8'd0);
    wire        bad_length = !host && !is_enqueue && (length != ((operation == COMPARE_SWAP) ? 10'd2 : 10'd1));
    wire        ready_now  = (host || shown_complete) && settled;
    wire        gone       = !host && (!shown_valid || vanished);     // its body was bad
    wire [5:0]  slot       = host ? object[5:0] : operand[5:0];
    wire [3:0]  place      = object[3:0];

    assign queue = place;
    assign node  = source[3:0];

    // ---- IDLE: what is next
    wire        answers_any, reply_full, some_refused;
    wire [3:0]  picked, first_queue;
    wire [1:0]  reply_place, oldest_place;
    wire [15:0] rooms     = {{16-NODES{1'b0}}, answer_room};
    wire        room_of_answer = rooms[picked];
    wire        is_idle   = (fsm == IDLE);
    wire        book      = is_idle && sent;
    wire        withdraw  = is_idle && !sent && answer_valid && !room_of_answer && !answer_held && !answer_taken;
    wire        may_pick  = is_idle && !sent && !answer_valid && answers_any && (answers_next || !shown_valid);
    wire        pick      = may_pick && go;
    wire        host_next = is_idle && !book && !withdraw && !may_pick && host_busy;
    wire        op_next   = is_idle && !book && !withdraw && !may_pick && !host_busy && shown_valid;
    wire        loses     = op_next && go && shown_header[63] && (shown_header[62:56] < NODES[6:0]);
    wire        early     = (shown_header[19:16] == ENQUEUE) && (shown_header[62:56] < NODES[6:0])
                            && (shown_header[31:24] == 8'd0);

    // ---- ENQUEUE: the verdict, in QBASE
    wire [63:0] q         = read_data;
    wire [4:0]  log2_ring = {1'b0, log2_slots} + {3'd0, log2_size};   // of the slots of 64 bytes
    wire [14:0] ring_mask = ~(15'h7FFF << log2_ring);
    wire        illegal   = (log2_slots == 4'd0) || (log2_slots > 4'd12) || ((q[20:6] & ring_mask) != 15'd0)
                            || (q[5:0] != 6'd0);
    wire        too_long  = (length[9:3] != 7'd0) && ((log2_size == 2'd0) || ((length[9:4] != 6'd0)
                            && ((log2_size == 2'd1) || ((length[9:5] != 5'd0)
                            && ((log2_size == 2'd2) || (length[9:6] != 4'd0) || (length[5:0] == 6'd63))))));
    wire [2:0]  verdict   = closed ? closed_reason : (!on || illegal) ? OFF : !permitted ? SOURCE : too_long ? LONG
                            : full ? FULL : 3'd0;
    wire        takes     = !closed && (verdict == 3'd0);
    wire [3:0]  refusal   = closed ? K_FULL : (verdict == OFF) ? K_OFF : (verdict == SOURCE) ? K_SOURCE
                            : (verdict == LONG) ? K_LENGTH : K_FULL;
    wire [14:0] position  = ({3'd0, tail[11:0]} << log2_size) & ring_mask;
    wire [15:0] tail_wide = {3'd0, tail};
    wire        enqueues  = (fsm == QBASE) && takes && !gone && shown_complete && writer_ready && go;
    wire [12:0] level     = q[44:32] - q[12:0];

    assign slot_valid = (fsm == QBASE) && takes && go;

    // ---- entry of source and queue: {closed, 28'd0, reason, taken, refused}
    wire        refuses   = (reason != 3'd0);
    wire [63:0] entry_new = {q[63] || (refuses && reason != OBJECT), 28'd0, q[63] ? q[34:32] : reason,
                             q[31:16] + {15'd0, !refuses}, q[15:0] + {15'd0, refuses}};
    wire        reopens   = (q[14:0] == operand);

    // ---- one adder for words, counters and, in its low half, the counts of either half
    wire        arms      = (operation == ARM);
    wire        sets      = (operation == SET);
    wire        counts    = (fsm == KWRITE);
    wire        adds      = counts || (operation == FETCH_ADD) || (is_counter && !sets);
    wire [31:0] low_term  = (counts && kind[0]) ? q[63:32] : q[31:0];
    wire [63:0] new_value = ({q[63:32], low_term} & {64{adds}})
                            + {rd_data[63:32], (rd_data[31:0] & {32{!counts}}) | {31'd0, counts}};

    // ---- counters
    wire        marked    = is_node && counter_marks[source[$clog2(NODES)-1:0]];
    wire [31:0] sum       = new_value[31:0];
    wire        armed     = arms || (q[61] && !sets);
    wire        acts      = armed && (sum == 32'd0);
    wire        damaged   = (q[60] && !sets) || marked || (!host && shown_header[63]);
    wire [1:0]  does      = arms ? rd_data[63:62] : q[63:62];
    wire [15:0] releases  = arms ? rd_data[47:32] : q[47:32];
    wire [7:0]  times     = q[55:48] + {7'd0, acts};
    wire [63:0] counter_new = {sets ? 2'd0 : does, armed && !acts, damaged && !acts, 4'd0, times,
                               releases & {16{!sets}}, sum};

    assign release_mask = act_mask & {16{(fsm == ACT) && go}};

    // ---- answers of others to this node
    wire        match     = q[31] && (host || q[14:0] == operand);
    wire        answers   = (fsm == AWRITE) && q[0] && go;

    assign close_valid = (fsm == ANSWER) && match && go;
    assign close_queue = q[19:16];

    // ---- answers of this node to others
    wire        of_answer = is_idle || (fsm == PICKED) || (fsm == VALUE) || (fsm == REPLIES);
    wire        replies   = (fsm == ASK) && go;
    wire        refuse    = ((fsm == EWRITE) && refuses && go) || ((fsm == REOPENS) && !reopens && go)
                            || (withdraw && !of_reply && go);

    assign answer_node = picked;

    sync_answers #(.NODES(NODES)) waiting (
        .clk (clk), .rst (rst), .at (of_answer ? picked : node),
        .refuse (refuse), .queue (withdraw ? told_queue : place), .reply (replies), .reply_place (reply_place),
        .reply_full (reply_full), .refusal_told ((fsm == PICKED) && some_refused && go),
        .reply_gone (book && of_reply && go), .refused (some_refused), .first_queue (first_queue),
        .oldest_place (oldest_place), .room (answer_room), .any (answers_any), .pick (pick), .picked (picked)
    );

    // ---- accesses to the state
    reg         reads;
    reg  [1:0]  writes;
    wire [3:0]  answer_or_node = of_answer ? picked : node;

    always @* begin
        reads  = 1'b0;
        writes = 2'd0;
        at     = {2'b11, answer_or_node, place};
        data   = q;
        case (fsm)
            IDLE: begin
                reads = op_next;
                at    = {2'b11, shown_header[59:56], shown_header[23:20]};
            end
            START: begin
                reads = 1'b1;
                if (is_counter)      at = {4'b0011, object[5:0]};
                else if (is_word)    at = {2'b10, object[7:0]};
                else if (is_reply)   at = {4'b0101, slot};
                else if (is_refused) at = REFUSED_BASE[12:3];
            end
            QENTRY, QSETUP, QHEAD: begin
                reads = 1'b1;
                at    = {4'b0010, place, (fsm == QENTRY) ? 2'd1 : (fsm == QSETUP) ? 2'd2 : 2'd0};
            end
            QTAIL: begin
                writes = 2'b10;
                at     = {4'b0010, place, 2'd2};
                data   = {19'd0, tail + 13'd1, 32'd0};
            end
            EREAD: reads = 1'b1;
            EWRITE: begin
                writes = 2'b11;
                data   = entry_new;
            end
            WORD: begin
                writes = {2{operation != COMPARE_SWAP}};
                at     = {2'b10, object[7:0]};
                data   = new_value;
            end
            COMPARED: begin
                writes = {2{equal}};
                at     = {2'b10, object[7:0]};
                data   = new_value;
            end
            OLD: begin
                writes = 2'b11;
                at     = host ? HOST_RESULT[12:3] : {3'b000, node, reply_place, 1'b0};
                data   = q & {64{!refuses}};
            end
            ASK: begin
                writes = 2'b11;
                at     = {3'b000, node, reply_place, 1'b1};
                data   = {45'd0, reason, 1'b0, operand};
            end
            COUNT: begin
                writes = 2'b11;
                at     = {4'b0011, object[5:0]};
                data   = counter_new;
            end
            ACT: begin
                reads = 1'b1;
                at    = COUNTER_BASE[12:3];
            end
            REOPENS: begin
                writes = {2{reopens}};
                data   = {1'b0, q[62:0]};
            end
            ANSWER: begin
                writes = {2{match}};
                at     = {4'b0101, slot};
                data   = 64'd0;
            end
            ABASE: begin
                reads = 1'b1;
                at    = ANSWER_BASE[12:3];
            end
            PICKED: begin
                reads = 1'b1;
                at    = some_refused ? {2'b11, picked, first_queue} : {3'b000, picked, oldest_place, 1'b0};
            end
            VALUE: begin
                reads = 1'b1;
                at    = {3'b000, picked, oldest_place, 1'b1};
            end
            KREAD: begin
                reads = 1'b1;
                at    = {7'b0100001, kind[3:1]};
            end
            KWRITE: begin
                writes = {kind[0], !kind[0]};
                at     = {7'b0100001, kind[3:1]};
                data   = {2{new_value[31:0]}};
            end
            default: ;
        endcase
    end

    assign read  = reads;
    assign write = writes;

    // ---- jobs of the writer
    wire acts_word = (fsm == ACTWORD) && q[0] && go;

    assign load             = enqueues || answers || acts_word;
    assign load_burst       = (fsm != ACTWORD) && !(fsm == QBASE && shown_written);
    assign load_burst_odd   = (fsm == QBASE) || (is_refused && place[0]);
    assign load_words       = (fsm == QBASE) ? length : 10'd1;
    assign load_single      = !((fsm == AWRITE) && is_refused);
    assign load_single_odd  = (fsm == ACTWORD) ? object[0] : (fsm == AWRITE);
    assign load_at          = (fsm == QBASE)     ? {q[63:21], q[20:6] | position, 2'd0}
                              : (fsm == ACTWORD) ? {q[63:9], object[5:1]}
                              : is_refused       ? {q[63:11], node, place[3:1]} : {q[63:10], slot};
    assign load_word        = (fsm == QBASE)
                              ? {!tail_wide[log2_slots], source, slot_marks[node[$clog2(NODES)-1:0]], 13'd0, length,
                                 3'd0, tail, 1'b0, operand}
                              : (fsm == ACTWORD)
                              ? {act_times[0], source, act_damaged, 1'b0, object[5:0], 40'd0, act_times}
                              : {operand[6], source, 32'd0, object[7:0], 1'b0, operand};
    assign load_queue_valid = (fsm == QBASE);
    assign load_irq         = wants || ((fsm == QBASE) ? wants_irq && none : (fsm == ACTWORD) ? act_irq : q[1]);

    // ---- the buffer
    assign rd_enable   = ((fsm == START) || (fsm == WORD && operation == COMPARE_SWAP)) && go;
    assign rd_place    = shown_place & {3{!host}};
    assign rd_index    = {{5{host}}, (fsm == WORD)};
    assign shown_taken = (fsm == END) && !host && go;
    assign shown_kept  = job_burst && !burst_over;
    assign counted     = (fsm == KWRITE) && go;
    assign state       = fsm;
    assign busy        = (fsm != IDLE) || host_busy || sent || answers_any || shown_valid;

    always @(posedge clk)
        if (rst)
            fsm <= IDLE;
        else if (go)
            case (fsm)
                IDLE: if (book)           fsm <= KREAD;
                      else if (withdraw)  fsm <= IDLE;
                      else if (may_pick)  fsm <= PICKED;
                      else if (host_next) fsm <= START;
                      else if (op_next)   fsm <= early ? QENTRY : START;
                QENTRY: fsm <= QSETUP;
                QSETUP: fsm <= QHEAD;
                QHEAD:  fsm <= QBASE;
                QBASE:
                    if (gone)                                     fsm <= IDLE;
                    else if (shown_complete && !takes)            fsm <= EREAD;
                    else if (enqueues)                            fsm <= QTAIL;
                QTAIL:  fsm <= EREAD;
                EREAD:  fsm <= EWRITE;
                EWRITE: fsm <= KREAD;
                START:
                    if (gone) fsm <= IDLE;
                    else if (ready_now) begin
                        if (host && (!known || no_object))          fsm <= END;
                        else if (!known)                            fsm <= KREAD;
                        else if (is_enqueue)                        fsm <= is_node ? EREAD : KREAD;
                        else if ((is_reopen || is_refused || is_asked) && !is_node && !host) fsm <= KREAD;
                        else if (is_asked && (no_object || bad_length)) fsm <= OLD;
                        else if (no_object || bad_length)           fsm <= KREAD;
                        else if (is_counter)                        fsm <= COUNT;
                        else if (is_word)                           fsm <= WORD;
                        else if (is_reopen)                         fsm <= REOPENS;
                        else if (is_reply)                          fsm <= ANSWER;
                        else                                        fsm <= AWRITE;
                    end
                WORD:     fsm <= (operation == COMPARE_SWAP) ? COMPARED : (operation == WRITE) ? KREAD : OLD;
                COMPARED: fsm <= OLD;
                OLD:      fsm <= (host || reply_full) ? KREAD : ASK;
                ASK:      fsm <= KREAD;
                COUNT:    fsm <= acts ? ACT : KREAD;
                ACT:      fsm <= act_write ? ACTWORD : KREAD;
                ACTWORD:  fsm <= KREAD;
                REOPENS:  fsm <= reopens ? KREAD : END;
                ANSWER:   fsm <= host ? END : match ? ABASE : KREAD;
                ABASE:    fsm <= AWRITE;
                AWRITE:   fsm <= KREAD;
                PICKED:   fsm <= some_refused ? TELLS : VALUE;
                VALUE:    fsm <= REPLIES;
                KREAD:    fsm <= KWRITE;
                KWRITE:   fsm <= acted ? KREAD : bookkeeping ? IDLE : END;
                default:  fsm <= IDLE;
            endcase
        else if (fsm == WORD || fsm == COMPARED)
            fsm <= START;

    always @(posedge clk)
        if (rst) begin
            host          <= 1'b0;
            host_busy     <= 1'b0;
            host_reason   <= 3'd0;
            sent          <= 1'b0;
            vanished      <= 1'b0;
            answer_valid  <= 1'b0;
            answers_next  <= 1'b0;
            acted         <= 1'b0;
            job           <= 1'b0;
            job_burst     <= 1'b0;
            irq_event     <= 1'b0;
            slot_marks    <= {NODES{1'b0}};
            counter_marks <= {NODES{1'b0}};
        end else begin
            irq_event     <= 1'b0;
            if (burst_over) job_burst <= 1'b0;
            vanished      <= !is_idle && (vanished || !shown_valid);
            if (answer_taken) begin
                answer_valid <= 1'b0;
                sent         <= 1'b1;
            end
            if (host_go && !host_busy) begin
                host_busy   <= 1'b1;
                host_reason <= 3'd0;
            end
            if (go)
                case (fsm)
                    IDLE: begin
                        if (book)      sent <= 1'b0;
                        if (withdraw)  answer_valid <= 1'b0;
                        if (may_pick)  answers_next <= 1'b0;
                        host      <= host_next;
                        job       <= 1'b0;
                        job_burst <= 1'b0;
                    end
                    START: if (host && ready_now && (!known || no_object)) host_reason <= known ? OBJECT : UNKNOWN;
                    ANSWER: if (host && !match) host_reason <= OBJECT;
                    QBASE, AWRITE, ACTWORD: if (load) begin
                        job       <= 1'b1;
                        job_burst <= load_burst;
                    end else if (fsm == ACTWORD)
                        irq_event <= act_irq;
                    COUNT: acted <= acts;
                    ACT: irq_event <= act_irq && !act_write;
                    KWRITE: acted <= 1'b0;
                    TELLS, REPLIES: answer_valid <= 1'b1;
                    END: begin
                        answers_next <= 1'b1;
                        irq_event    <= wants && !job;
                        if (host) host_busy <= 1'b0;
                    end
                    default: ;
                endcase
            slot_marks    <= (slot_marks & ~one_node(enqueues, node)) | one_node(loses, shown_header[59:56])
                             | one_node(failed, failed_source);
            counter_marks <= (counter_marks & ~one_node((fsm == COUNT) && is_node && go, node))
                             | one_node(loses, shown_header[59:56]) | one_node(failed, failed_source);
        end

    function [NODES-1:0] one_node (input valid, input [3:0] number);
        one_node = {{NODES-1{1'b0}}, valid} << number;
    endfunction

    // ---- what is kept of the reads, and the kind of the result
    always @(posedge clk) begin
        if (host_go && !host_busy) begin
            host_operation_kept <= host_operation;
            host_object_kept    <= host_object;
        end
        if (go)
            case (fsm)
                IDLE: begin
                    kind        <= K_SENT;
                    bookkeeping <= book;
                    reason      <= 3'd0;
                end
                QENTRY: {closed, closed_reason} <= {q[63], q[34:32]};
                QSETUP: begin
                    {on, wants_irq}        <= q[31:30];
                    {log2_slots, log2_size} <= {q[7:4], q[1:0]};
                    permitted              <= q[{2'b10, node}];
                end
                QHEAD: begin
                    tail <= q[44:32];
                    full <= ((level >> log2_slots) != 13'd0);
                    none <= (level == 13'd0);
                end
                QBASE: begin
                    reason <= takes ? 3'd0 : verdict;
                    kind   <= takes ? K_MESSAGE : refusal;
                end
                START: if (!known)
                    kind <= K_OPERATION;
                else if (is_enqueue) begin
                    reason <= OBJECT;
                    kind   <= is_node ? K_OBJECT : K_SOURCE;
                end else if ((is_reopen || is_refused || is_asked) && !is_node && !host)
                    kind <= is_asked ? K_LOST : K_SOURCE;
                else if (no_object || bad_length) begin
                    reason <= no_object ? OBJECT : LENGTH;
                    kind   <= no_object ? K_OBJECT : K_LENGTH;
                end else begin
                    reason <= 3'd0;
                    kind   <= is_counter ? K_COUNTED : is_word ? K_WORD : is_reopen ? K_REOPENED : K_WRITTEN;
                end
                WORD: equal <= (q == rd_data);
                OLD: if (!host && reply_full) kind <= K_LOST;
                COUNT: begin
                    {act_write, act_irq} <= does;
                    act_damaged          <= damaged;
                    act_times            <= times;
                    act_mask             <= releases;
                end
                ANSWER: if (!match) kind <= K_UNEXPECTED;
                AWRITE: if (!q[0]) kind <= K_UNEXPECTED;
                PICKED: begin
                    of_reply   <= !some_refused;
                    told_queue <= first_queue;
                end
                TELLS: begin
                    answer_header <= {8'd0, told_queue, REFUSED, 15'd0, 1'b1};
                    answer_word   <= {5'd0, q[34:32], 8'd0, q[15:0], 16'd0, q[31:16]};
                end
                VALUE: answer_word <= q;
                REPLIES: answer_header <= {9'd0, q[18:16], REPLY, q[14:0], 1'b1};
                KWRITE: kind <= act_nothing ? K_NOTHING : K_ACTED;
                default: ;
            endcase
        if (fsm == ACT && go) act_nothing <= ((act_mask & ~prepared) != 16'd0);
    end

    wire unused = &{1'b0, shown_header, q[62], q[47:45], tail_wide[15:13]};

    // ---- measuring
    wire       probe_busy         = busy;
    wire       probe_stall_memory = stalled;
    wire       probe_stall_writer = ((fsm == START) && !settled) || ((fsm == QBASE) && !writer_ready);
    wire       probe_start        = (is_idle && op_next && go);
    wire       probe_done         = (fsm == END) && go;
    wire [4:0] probe_state        = fsm;
endmodule
`default_nettype wire
