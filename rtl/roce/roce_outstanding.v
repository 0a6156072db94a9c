// The requester's core: which work of a QP has been sent, which has been acknowledged, and what happens next.
//
// One event at a time, each of one QP: its state, a row of block RAM, is read, changed and written back. An event takes
// four clocks, and two more for each further message that a response acknowledges:
//
//     IDLE  an event is chosen    ROW  its QP's state is read    WQE  the WQE is read    ACT  decided, written back
//
// Events: packets of QPs with work, round robin, one packet per grant; responses, up to four for each packet, because a
// sender can wait and a MAC cannot; and before both the rare ones: timers, fatal errors, registers, packets not sent,
// data not written to memory.
//
// Messages are counted per QP modulo 32; the WQE of message m is at place m modulo 16 of the cache (roce_wqe_fetch). A
// state has three marks in the stream of packets, each a message, a packet of it and its PSN:
//
//     acknowledged up to `una`            sent up to `cur`              sent once up to `high` (PSN only)
//     ______________|______________________________|____________________________|_______________
//
// Go-back-N sets cur to una. A response is for one of the PSNs una .. high - 1, or it is ignored.
//
// A READ is acknowledged packet by packet, in order, by its responses; any other response while a packet is missing
// requests the remainder again. Without progress in between this happens once (`back`): responses still in flight must
// not repeat it.
//
// An invalid WQE waits until all before it are acknowledged. Then it is written to the outgoing error queue and
// completes with ERRFLAG; the QP goes on. One that could not be fetched waits in the same way and makes the QP fatal.
//
// roce_outstanding_act decides how an event changes the state; bits of each QP and the arbitration are in
// roce_outstanding_marks, packets that TX holds and data on their way to memory in roce_outstanding_underway.
`default_nettype none
module roce_outstanding #(
    // queue pairs, 8..128
    parameter NUM_QP = 8,
    // messages of a QP that may be unacknowledged, 1..16
    parameter OUTSTANDING = 16,
    // log2 of the packets that TX may hold, and of the READ responses on their way to memory, 2..6
    parameter LOG2_UNDERWAY = 5
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              chip_enable,
    input  wire              retry_for_ever,
    input  wire              tick,               // one clock each 4.096 us
    input  wire [8:0]        qp_switch,          // which QPs are enabled, see roce_registers
    input  wire [7:0]        qp_limit,
    output wire [NUM_QP-1:0] qp_fatal,

    // registers kept here (CQHEAD: roce_completion)
    input  wire              own_valid,          // held until own_ready
    input  wire              own_start,
    input  wire              own_write,
    input  wire [6:0]        own_qp,
    input  wire [5:0]        own_word,
    input  wire [31:0]       own_wdata,
    output reg               own_ready,
    output reg  [31:0]       own_rdata,
    output wire              head_write,         // one clock: software sets CQHEAD of own_qp

    // a QP is restarted: first the fetch, then the completion, each until it is done
    output wire              restart_fetch,
    input  wire              restart_fetch_done,
    output wire              restart_complete,
    input  wire              restart_complete_done,
    output wire [6:0]        restart_qp,

    // configuration, in the clock after cfg_use
    output wire              cfg_use,
    output wire [10:0]       cfg_addr,
    input  wire [127:0]      cfg_data,

    // WQEs
    output wire              wqe_read,
    output wire [10:0]       wqe_addr,
    input  wire [511:0]      wqe,
    input  wire              wqe_failed,
    input  wire              arrive,
    input  wire [6:0]        arrive_qp,
    output wire [6:0]        sender_qp,
    input  wire [15:0]       sender_arrived,
    input  wire [15:0]       sender_pi,

    // packets to send
    output reg               cmd_valid,
    input  wire              cmd_ready,
    output reg  [6:0]        cmd_qp,
    output reg  [7:0]        cmd_opcode,
    output reg  [23:0]       cmd_psn,
    output reg               cmd_ackreq,
    output reg  [63:0]       cmd_va,
    output reg  [31:0]       cmd_rkey,
    output reg  [31:0]       cmd_dma_length,
    output reg               cmd_inline,
    output reg  [127:0]      cmd_data,
    output reg  [31:0]       cmd_addr,
    output reg  [12:0]       cmd_length,
    input  wire              ack_busy,           // TX has an ACK of ack_busy_qp
    input  wire [6:0]        ack_busy_qp,
    input  wire              sent_valid,         // in order: it has left, or never will
    input  wire              sent_error,

    // responses
    input  wire              rsp_valid,
    output wire              rsp_ready,
    input  wire [6:0]        rsp_qp,
    input  wire [7:0]        rsp_opcode,
    input  wire [23:0]       rsp_psn,
    input  wire [7:0]        rsp_syndrome,
    input  wire [12:0]       rsp_length,
    output reg               ans_valid,
    output reg               ans_write,
    output reg  [31:0]       ans_addr,
    output reg               ans_drop,
    output reg  [31:0]       ans_error,
    output reg               ans_fatal,
    output reg  [4:0]        ans_code,
    input  wire              put_valid,
    input  wire              put_error,

    // fatal errors and RNR NAKs of the responder; writes of completions that failed
    input  wire              set_fatal_valid,
    input  wire [6:0]        set_fatal_qp,
    input  wire              rnr_valid,
    input  wire [6:0]        rnr_qp,
    input  wire              fault_valid,
    input  wire [6:0]        fault_qp,

    // error status entries
    output reg               err_valid,
    input  wire              err_ready,
    output reg  [6:0]        err_qp,
    output reg  [4:0]        err_code,
    output reg  [7:0]        err_opcode,
    output reg  [23:0]       err_psn,
    output wire [7:0]        err_syndrome,

    // invalid WQEs, to the outgoing error queue
    output wire              refuse,             // one clock, only while refuse_idle
    input  wire              refuse_idle,
    input  wire              refuse_writes,      // one of refused_qp is on its way to memory
    output wire [6:0]        refuse_qp,
    output wire [5:0]        refuse_reasons,
    input  wire              refused,            // the entry is in memory; held until refused_taken
    input  wire [6:0]        refused_qp,
    input  wire              refused_alive,
    output wire              refused_taken,

    // a QP that was to be fetched for or completed while it was off, and it is on again: then `complete` follows, too
    input  wire              stopped,
    input  wire [6:0]        stopped_qp,
    output reg               resume,             // one clock, of complete_qp

    // for completions: all combinational
    input  wire [6:0]        completer_qp,
    input  wire [4:0]        completer_count,    // of the message being examined
    input  wire              completer_looks,    // completer_waits counts in this clock
    output wire [4:0]        completer_limit,    // messages before this one are acknowledged
    output wire [4:0]        completer_fault,    // if the QP is fatal: from this one on with ERRFLAG
    output wire              completer_bad,      // this one was invalid
    output wire              completer_waits,    // data of this one are not all in memory, or TX has packets of it
    output reg               complete,           // one clock: serve this QP
    output reg  [6:0]        complete_qp,
    output wire              complete_put,       // ... and at this one
    output wire [6:0]        complete_put_qp,

    // of own_qp, for status registers
    input  wire              busy_elsewhere,     // of restart_qp: fetches, completions, illegal WQEs in progress
    input  wire [4:0]        done_count,
    input  wire [15:0]       done_position,
    input  wire [15:0]       done_head,
    input  wire              done_full,          // no space for completions

    // events
    output reg               retry,
    output reg               irq_fatal,
    output reg  [8:0]        last_bad_opcode,
    output wire [31:0]       response_status,
    output wire [2:0]        tx_state,           // of TX's list of packets: {full, TX takes none, not empty},
    output wire [7:0]        tx_head,            // places of the next one
    output wire [7:0]        tx_tail             // and of the oldest one
);
    localparam LOG2_QP = $clog2(NUM_QP);
    localparam [31:0] QPS = NUM_QP;
    localparam [6:0]  LAST_QP = QPS[6:0] - 7'd1;
    localparam [31:0] MOST = OUTSTANDING;
    // READ responses of 256 bytes arrive every 5.3 clocks with 64 bytes per clock: five events of four clocks for four
    localparam [2:0]  MOST_IN_ROW = 3'd4;
    localparam [2:0]  IDLE = 3'd0, ROW = 3'd1, WQE = 3'd2, ACT = 3'd3, RESTART_FETCH = 3'd4, RESTART_COMPLETE = 3'd5;
    localparam [2:0]  SEND = 3'd0, RESPONSE = 3'd1, TIMER = 3'd2, REFUSED = 3'd3, SENT = 3'd4, PUT = 3'd5, OWN = 3'd6,
                      START = 3'd7;
    // registers, by word: 230, 240, 280, 288, 28C, 290, 298
    localparam [5:0]  CQHEAD = 6'h0c, SQPSN = 6'h10, STATSSN = 6'h20, STATQP = 6'h22, STATCURSQPTR = 6'h23,
                      STATRESPSN = 6'h24, STATWQE = 6'h26;
    localparam        ROW_BITS = 246;

    initial
        if (NUM_QP < 8 || NUM_QP > 128 || OUTSTANDING < 1 || OUTSTANDING > 16) begin
            $display("%m: NUM_QP must be 8..128, is %0d, OUTSTANDING 1..16, is %0d", NUM_QP, OUTSTANDING);
            $finish;
        end

    // ---- state of the QPs
    reg  [ROW_BITS-1:0] rows [0:NUM_QP-1];
    reg  [ROW_BITS-1:0] row;
    (* ram_style = "distributed" *) reg [9:0] limits [0:NUM_QP-1];       // {fault, una}: copies for roce_completion
    (* ram_style = "distributed" *) reg       bad    [0:16*NUM_QP-1];    // the message was invalid

    // ---- choice of the event
    reg  [2:0]         state, what;
    reg  [6:0]         qp;
    wire [LOG2_QP-1:0] qp_index = qp[LOG2_QP-1:0];
    reg                starting;      // after reset: one QP after the other starts
    reg  [2:0]         responded;     // responses served since the last packet, up to MOST_IN_ROW
    wire [6:0]         pick;
    wire               picked, in_line_late, ring_valid;
    wire [6:0]         ring_qp;

    wire [32:0] now;
    wire [18:0] rnr_ticks;

    wire        sents_full, sents_event, sents_on, sents_error, sents_asks, sents_first, puts_full, puts_event, puts_on;
    wire [6:0]  sents_qp, puts_qp;
    wire [4:0]  sents_message, puts_message;
    wire [23:0] sents_behind;          // PSN

    // A QP is not restarted while TX still has packets of it from before, or one of its WQEs is on its way to the error
    // queue. The same lookup serves completions: a WQE does not complete while TX has packets of it.
    wire sents_found, puts_found;
    wire own_waits   = own_start && (completer_looks || sents_found || (ack_busy && ack_busy_qp == own_qp) ||
                                     (refuse_writes && refused_qp == own_qp));
    wire may_send     = picked && !sents_full && (!cmd_valid || cmd_ready);
    wire may_respond  = rsp_valid && !puts_full;

    reg  [2:0] chosen;
    reg  [6:0] chosen_qp;
    reg        choose;
    always @* begin
        choose    = 1'b1;
        chosen    = SEND;
        chosen_qp = pick;
        if (starting)                                   begin chosen = START;    chosen_qp = qp;         end
        else if (own_valid && !own_ready && !own_waits)
                                                        begin chosen = own_start ? START : OWN; chosen_qp = own_qp; end
        else if (ring_valid)                            begin chosen = TIMER;    chosen_qp = ring_qp;    end
        else if (refused)                               begin chosen = REFUSED;  chosen_qp = refused_qp; end
        else if (sents_event)                           begin chosen = SENT;     chosen_qp = sents_qp;   end
        else if (puts_event)                            begin chosen = PUT;      chosen_qp = puts_qp;    end
        else if (may_respond && !(responded == MOST_IN_ROW && may_send))
                                                        begin chosen = RESPONSE; chosen_qp = rsp_qp;     end
        else if (!may_send)                             choose = 1'b0;
    end

    wire begins = (state == IDLE) && choose && !in_line_late;
    assign rsp_ready = begins && (chosen == RESPONSE);

    // ---- the current state
    reg  [ROW_BITS-1:0] held;           // its fields: roce_outstanding_act
    wire        w_waiting    = held[239], w_narrow = held[238], w_resent = held[70];
    wire [4:0]  w_una        = held[232:228];
    wire [23:0] w_una_packet = held[227:204];
    wire [23:0] w_una_psn    = held[203:180];
    wire [4:0]  w_cur        = held[179:175];
    wire [23:0] w_cur_packet = held[174:151];
    wire [23:0] w_cur_psn    = held[150:127];
    wire [23:0] w_high       = held[126:103];
    wire [2:0]  w_retries    = held[78:76], w_rnrs = held[75:73];
    wire [23:0] w_ssn        = held[30:7];
    wire [6:0]  w_syndrome   = held[6:0];
    wire [4:0]  row_una = row[232:228], row_cur = row[179:175];
    wire [23:0] row_una_psn = row[203:180], row_cur_psn = row[150:127], row_high = row[126:103];

    // the current response
    reg [7:0]  r_opcode, r_syndrome;
    reg [23:0] r_psn;
    reg [12:0] r_length;
    reg [23:0] r_acked;               // packets from una on that it acknowledges, not yet taken off
    reg [23:0] r_ahead;               // packets from una to cur
    reg        r_inside;              // its PSN is one of una .. high - 1
    reg        r_moved;               // it has acknowledged a packet
    reg        r_ended;               // ... a whole message

    reg        too_early;             // the WQE at cur had not arrived when it was read: it may have since

    // configuration as read
    reg [2:0]  mtu_code;
    reg [15:0] depth;
    reg [31:0] timeouts;              // TIMEOUTCONF

    // the WQE read: the one at cur for packets, else the one at una
    wire        p_read, p_last, p_inline, p_ends;
    wire [5:0]  p_refused;
    wire [23:0] p_packets;
    wire [7:0]  p_opcode;
    wire [12:0] p_payload, p_mtu;
    wire [31:0] p_left, p_address;
    wire [63:0] p_remote;
    reg         m_read, m_last, m_inline, m_ends, m_failed;
    reg  [5:0]  m_refused;
    reg  [23:0] m_packets;            // from the one read on
    reg  [7:0]  m_opcode;
    reg  [12:0] m_payload;
    reg  [31:0] m_left, m_address;
    reg  [63:0] m_remote;
    wire [23:0] m_place = (what == SEND) ? w_cur_packet : w_una_packet;

    roce_wqe_packet packet (
        .wqe (wqe), .mtu_code (mtu_code), .datagrams (qp == 7'd0), .place (m_place),
        .is_read (p_read), .refused (p_refused), .packets (p_packets), .opcode (p_opcode), .last (p_last),
        .inline_data (p_inline), .mtu (p_mtu), .payload (p_payload), .ends (p_ends), .left (p_left),
        .address (p_address), .remote (p_remote)
    );

    // ---- event
    wire        live, flushes, dying, faulty, rnr_sent, called, sents_any;
    wire [6:0]  scanned_qp;
    wire        scanned_on;
    wire        datagrams   = (qp == 7'd0);
    wire [4:0]  unacknowledged = w_cur - w_una;
    wire [4:0]  rd_limit    = (cfg_data[36:32] == 5'd0 || cfg_data[36:32] > 5'd16) ? 5'd16 : cfg_data[36:32];
    wire        answer      = (r_opcode >= 8'h0d) && (r_opcode <= 8'h10);      // READ response
    wire        positive    = !answer && (r_syndrome[7:5] == 3'b000);
    wire        fresh, first, act_send, act_refuse, act_idle, act_more, act_back, act_flush, act_resume, act_moved,
                act_fatal, act_error, act_drop, act_put, act_malformed, jump, n_moved, n_ended;
    wire [4:0]  act_code;
    wire [23:0] step;
    wire [ROW_BITS-1:0] held_next;
    wire [4:0]  n_fault = held_next[237:233], n_una = held_next[232:228];

    roce_outstanding_act #(.OUTSTANDING(OUTSTANDING)) act (
        .what (what), .state (held), .state_next (held_next), .starting (starting), .retry_for_ever (retry_for_ever),
        .live (live), .dead (qp_fatal[qp_index]), .finished (what == PUT ? !puts_on : !sents_on),
        .datagrams (datagrams), .dying (dying), .faulty (faulty),
        .rd_limit (rd_limit), .timeouts (timeouts), .now (now), .rnr_ticks (rnr_ticks),
        .arrived (sender_arrived[4:0]), .too_early (too_early), .refuse_idle (refuse_idle),
        .m_read (m_read), .m_last (m_last), .m_ends (m_ends), .m_failed (m_failed), .m_refused (m_refused),
        .m_packets (m_packets), .m_payload (m_payload),
        .r_opcode (r_opcode), .r_syndrome (r_syndrome), .r_length (r_length), .r_answer (answer),
        .r_positive (positive), .r_acked (r_acked), .r_ahead (r_ahead), .r_inside (r_inside), .r_moved (r_moved),
        .r_ended (r_ended), .refused_alive (refused_alive), .sent_error (sents_error), .sent_message (sents_message),
        .sent_behind (sents_behind), .sent_asks (sents_asks), .sent_first (sents_first), .put_message (puts_message),
        .own_write (own_write), .own_word (own_word), .own_wdata (own_wdata),
        .fresh (fresh), .first (first), .act_send (act_send), .act_refuse (act_refuse), .act_idle (act_idle),
        .act_more (act_more), .act_back (act_back), .act_flush (act_flush), .act_resume (act_resume),
        .act_moved (act_moved), .act_fatal (act_fatal), .act_error (act_error), .act_drop (act_drop),
        .act_put (act_put), .act_malformed (act_malformed), .act_code (act_code), .step (step), .jump (jump),
        .n_moved (n_moved), .n_ended (n_ended)
    );

    wire acting = (state == ACT) && !(act_error && err_valid && !err_ready);
    wire ends   = acting && !act_more;     // the state is written back

    // ---- memories
    wire [6:0] row_qp = (state == IDLE) ? chosen_qp : qp;
    always @(posedge clk) begin
        if (ends)
            rows[qp_index] <= held_next;
        row <= rows[row_qp[LOG2_QP-1:0]];
        if (ends) limits[qp_index] <= {n_fault, n_una};
        if (ends && (act_send || what == REFUSED)) bad[{qp_index, w_cur[3:0]}] <= !act_send;
    end

    assign {completer_fault, completer_limit} = limits[completer_qp[LOG2_QP-1:0]];
    assign completer_bad = bad[{completer_qp[LOG2_QP-1:0], completer_count[3:0]}];

    assign cfg_use  = begins || (state == ROW) || (state == WQE);
    assign cfg_addr = (state == IDLE) ? {chosen_qp, (chosen == OWN) ? 4'd3 : 4'd0}
                      : {qp, (state == ROW) ? 4'd4 : 4'd10};

    assign sender_qp = qp;
    assign wqe_read  = (state == ROW) || (acting && act_more);
    wire [4:0] in_question = (state != ROW) ? n_una : (what == SEND) ? row_cur : row_una;
    assign wqe_addr  = {qp, in_question[3:0]};

    wire [23:0] row_behind;
    wire        row_inside, psn_expected, psn_before, psn_ahead;
    roce_psn_place place (
        .psn (r_psn), .from (row_una_psn), .to (row_high), .steps (row_behind),
        .expected (psn_expected), .before (psn_before), .ahead (psn_ahead), .inside (row_inside)
    );

    always @(posedge clk) begin
        if (begins) begin
            qp         <= chosen_qp;
            what       <= chosen;
            r_opcode   <= rsp_opcode;
            r_psn      <= rsp_psn;
            r_syndrome <= rsp_syndrome;
            r_length   <= rsp_length;
        end
        if (state == ROW) begin
            held      <= row;
            too_early <= (sender_arrived[4:0] == row_cur);
            mtu_code <= cfg_data[10:8];
            depth    <= cfg_data[111:96];
            r_acked  <= row_behind + {23'd0, positive};
            r_ahead  <= row_cur_psn - row_una_psn;
            r_inside <= row_inside;
            r_moved  <= 1'b0;
            r_ended  <= 1'b0;
        end
        if (state == WQE) begin
            if (what != RESPONSE || !r_moved) timeouts <= cfg_data[127:96];
            m_read    <= p_read;
            m_last    <= p_last;
            m_inline  <= p_inline;
            m_ends    <= p_ends;
            m_failed  <= wqe_failed;
            m_refused <= p_refused;
            m_packets <= p_packets - m_place;
            m_opcode  <= p_opcode;
            m_payload <= p_payload;
            m_left    <= p_left;
            m_address <= p_address;
            m_remote  <= p_remote;
        end
        if (acting && act_more) begin
            held[244:240] <= held_next[244:240];     // recover, una to cur_psn, and reads: nothing else changes then
            held[232:127] <= held_next[232:127];
            held[35:31]   <= held_next[35:31];
            r_acked <= r_acked - step;
            r_ahead <= jump ? 24'd0 : r_ahead - step;
            r_moved <= n_moved;
            r_ended <= n_ended;
        end
        if (rst) begin
            qp   <= 7'd0;
            what <= START;
        end else if (state == RESTART_COMPLETE && restart_complete_done && starting) qp <= qp + 7'd1;
    end

    // ---- order of steps
    wire owned = ends && (what == OWN);
    always @(posedge clk)
        if (rst) begin
            state       <= IDLE;
            starting    <= 1'b1;
            responded   <= 3'd0;
            own_ready   <= 1'b0;
        end else begin
            own_ready <= owned;
            case (state)
                IDLE:
                    if (begins) begin
                        state <= ROW;
                        if (chosen == SEND)                                             responded <= 3'd0;
                        else if (chosen == RESPONSE && responded != MOST_IN_ROW) responded <= responded + 3'd1;
                    end
                ROW: state <= WQE;
                WQE: state <= ACT;
                ACT: if (acting) state <= act_more ? WQE : (what == START) ? RESTART_FETCH : IDLE;
                RESTART_FETCH: if (restart_fetch_done) state <= RESTART_COMPLETE;
                default:
                    if (restart_complete_done) begin
                        state     <= IDLE;
                        own_ready <= !starting;
                        if (qp == LAST_QP) starting <= 1'b0;
                    end
            endcase
        end

    assign restart_fetch    = (state == RESTART_FETCH);
    assign restart_complete = (state == RESTART_COMPLETE);
    assign restart_qp       = qp;
    wire   restarts         = ends && (what == START);
    wire   now_fatal        = ends && act_fatal;

    // A part of a message acknowledged frees no place for others, except in the window: that would waste events.
    wire goes_on = (what == SEND && !act_idle) || act_back || act_resume
                   || (act_moved && (what != RESPONSE || n_ended || jump || w_waiting || w_narrow));

    roce_outstanding_marks #(.NUM_QP(NUM_QP)) marks (
        .clk (clk), .rst (rst), .chip_enable (chip_enable), .qp_switch (qp_switch), .qp_limit (qp_limit),
        .arrive (arrive), .arrive_qp (arrive_qp), .stopped (stopped), .stopped_qp (stopped_qp),
        .set_fatal_valid (set_fatal_valid), .set_fatal_qp (set_fatal_qp), .fault_valid (fault_valid),
        .fault_qp (fault_qp), .rnr_valid (rnr_valid), .rnr_qp (rnr_qp), .ends (ends), .qp (qp), .restarts (restarts),
        .sends (what == SEND), .timer (what == TIMER), .goes_on (goes_on), .now_fatal (now_fatal), .live (live),
        .flushes (flushes), .dying_here (dying), .faulty_here (faulty), .rnr_sent (rnr_sent), .qp_fatal (qp_fatal),
        .scanned_qp (scanned_qp), .scanned_on (scanned_on), .called (called), .turn_valid (picked), .turn (pick),
        .take (begins && chosen == SEND), .turn_waits (in_line_late)
    );
    roce_timer #(.NUM_QP(NUM_QP)) clocks (
        .clk (clk), .rst (rst), .tick (tick), .now (now), .set (ends), .set_qp (qp), .set_armed (held_next[69]),
        .set_end (held_next[68:36]), .scanned_qp (scanned_qp), .scanned_on (scanned_on), .called (called),
        .ring_valid (ring_valid), .ring_qp (ring_qp), .ring_ready (ends && what == TIMER), .rnr_code (r_syndrome[4:0]),
        .wait_ticks (rnr_ticks)
    );

    roce_outstanding_underway #(.NUM_QP(NUM_QP), .LOG2_DEPTH(LOG2_UNDERWAY)) underway (
        .clk (clk), .rst (rst), .qp_switch (qp_switch), .errors_wait (!chip_enable && !(own_valid && own_start)),
        .qp (qp), .sents_push (ends && act_send), .push_behind (held_next[150:127]), .push_first (first),
        .push_asks (m_last), .push_message (w_cur), .flush (ends && act_flush), .sent_valid (sent_valid),
        .sent_error (sent_error), .sents_full (sents_full), .sents_any (sents_any), .sents_head (tx_head),
        .sents_tail (tx_tail), .sents_event (sents_event), .sents_on (sents_on), .sents_qp (sents_qp),
        .sents_error (sents_error), .sents_behind (sents_behind), .sents_first (sents_first),
        .sents_asks (sents_asks), .sents_message (sents_message), .sent_ends (ends && what == SENT),
        .puts_push (ends && act_put), .puts_push_message (w_una), .put_valid (put_valid), .put_error (put_error),
        .puts_full (puts_full), .puts_event (puts_event), .puts_on (puts_on), .puts_qp (puts_qp),
        .puts_message (puts_message), .put_ends (ends && what == PUT), .left (complete_put), .left_qp (complete_put_qp),
        .look_qp (completer_looks ? completer_qp : own_qp), .look_message (completer_count),
        .look_any (!completer_looks), .sents_found (sents_found), .puts_found (puts_found)
    );
    assign completer_waits = puts_found || sents_found;

    // ---- invalid WQEs
    assign refuse         = ends && act_refuse;
    assign refuse_qp      = qp;
    assign refuse_reasons = m_refused;
    assign refused_taken  = ends && (what == REFUSED);

    // ---- status outputs
    wire [15:0] cur_sum   = done_position + {11'd0, w_cur - done_count};
    wire [15:0] cur_place = (cur_sum >= depth) ? cur_sum - depth : cur_sum;
    wire [15:0] pi_after  = (sender_pi + 16'd1 == depth) ? 16'd0 : sender_pi + 16'd1;
    wire        flushed   = (done_position == sender_pi);
    wire        fatal     = qp_fatal[qp_index];
    wire        acking    = ack_busy && ack_busy_qp == qp;
    wire        busy_here = completer_looks || sents_found || puts_found || busy_elsewhere || acking;
    // STATQP.BUSY may be 1 for a clock too many: the rings serve the completer then.
    wire [31:0] status    = {1'b0, w_rnrs, 1'b0, w_retries, 1'b0, w_syndrome, 3'd0, busy_here, w_resent,
                             fatal ? flushed : (w_una_psn == w_high), fatal ? flushed : (cur_place == sender_pi), 4'd0,
                             done_full, unacknowledged >= MOST[4:0], pi_after == done_head, rnr_sent, fatal};

    assign head_write   = owned && own_write && (own_word == CQHEAD);
    assign err_syndrome = 8'd0;

    always @(posedge clk) begin
        case (own_word)
            CQHEAD:       own_rdata <= {16'd0, done_head};
            SQPSN:        own_rdata <= {8'd0, w_high};
            STATSSN:      own_rdata <= {8'd0, w_ssn};
            STATQP:       own_rdata <= status;
            STATCURSQPTR: own_rdata <= {16'd0, fatal ? done_position : cur_place};
            STATRESPSN:   own_rdata <= {8'd0, w_una_psn};
            STATWQE:      own_rdata <= {16'd0, sender_arrived};
            default:      own_rdata <= 32'd0;
        endcase
        if (acting && act_send) begin
            cmd_qp         <= qp;
            cmd_opcode     <= m_opcode;
            cmd_psn        <= w_cur_psn;
            cmd_ackreq     <= m_last && !datagrams;
            cmd_va         <= m_remote;
            cmd_rkey       <= wqe[255:224];
            cmd_dma_length <= m_left;
            cmd_inline     <= m_inline;
            cmd_data       <= wqe[383:256];
            cmd_addr       <= m_address;
            cmd_length     <= m_read ? 13'd0 : m_payload;
        end
        ans_write <= act_put;
        ans_addr  <= m_address;
        ans_drop  <= act_drop;
        ans_error <= {8'd0, act_fatal, act_malformed || (act_fatal && act_code[4:3] == 2'b11 && act_code[0]), 2'd0,
                      act_fatal && act_code[4:3] == 2'b11 && act_code[1], 2'd0, act_fatal && act_code[4:3] == 2'b11
                      && act_code[2], 16'd0};
        ans_fatal <= act_fatal;
        ans_code  <= act_code;
        complete_qp <= qp;
        if (acting && act_error) begin
            err_qp     <= qp;
            err_code   <= act_code;
            err_opcode <= m_opcode;
            err_psn    <= (what == SEND) ? w_cur_psn : w_una_psn;
        end
    end

    always @(posedge clk)
        if (rst) begin
            cmd_valid       <= 1'b0;
            ans_valid       <= 1'b0;
            err_valid       <= 1'b0;
            complete        <= 1'b0;
            resume          <= 1'b0;
            retry           <= 1'b0;
            irq_fatal       <= 1'b0;
            last_bad_opcode <= 9'd0;
        end else begin
            cmd_valid <= (acting && act_send) || (cmd_valid && !cmd_ready);
            ans_valid <= ends && (what == RESPONSE);
            err_valid <= (acting && act_error) || (err_valid && !err_ready);
            complete  <= ends && (act_fatal || act_moved || what == PUT || what == TIMER || (what == SEND && flushes));
            resume    <= ends && (what == TIMER);
            retry     <= ends && act_send && !fresh;
            irq_fatal <= now_fatal;
            if (refuse) last_bad_opcode <= {1'b0, wqe[135:128]};
        end

    assign tx_state = {sents_full, cmd_valid && !cmd_ready, sents_any};
    assign response_status = {14'd0, rsp_valid, 3'd0, 3'd0, state, 1'b0, qp};

    wire unused = &{1'b0, psn_expected, psn_before, psn_ahead, cfg_data[95:37], cfg_data[31:11], cfg_data[7:0],
                    own_wdata, timeouts[31:14], timeouts[7:6], p_mtu,
                    wqe[511:384], wqe[223:0], row, in_question, row_qp};

    // ---- measuring
    wire       probe_busy  = (state != IDLE);
    wire       probe_start = begins;
    wire       probe_done  = ends;
    wire [2:0] probe_state = state;
endmodule
`default_nettype wire
