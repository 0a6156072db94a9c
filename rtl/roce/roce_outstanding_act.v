// How an event changes the state of a QP (roce_outstanding). Combinational: in the clock ACT it takes the state, the
// WQE read and the event, and gives the new state and the actions.
//
// `state` and `state_next` are rows of the memory of states, whose fields are
//
//     left                   the first packet has left again since `back`
//     recover                messages before it, from una on, were in flight at the last go-back; una: none is left
//     waiting                after an RNR NAK
//     narrow                 the window of PSNs had no space for the packet at cur
//     fault                  if the QP is fatal: the first message with ERRFLAG
//     una, cur               messages: acknowledged before una, sent before cur; each with a packet of it and that
//                            packet's PSN
//     high                   PSN behind the last packet ever sent
//     asked                  PSN behind the last packet that has left since the last go-back and requested an answer
//     retries, rnrs          in a row, for STATQP
//     back                   go-back by a response, without progress since
//     again                  the READ at una was requested again, from una on
//     resent, syndrome       of STATQP
//     armed, end             the timer, and the tick at which it ends
//     reads, ssn             READs from una to cur; messages sent
//
// A response that acknowledges several messages takes one of them in a clock (`more`), with the state of the clock
// before and the remainder of `r_acked`: `step` is subtracted from it.
`default_nettype none
module roce_outstanding_act #(
    // messages of a QP that may be unacknowledged, 1..16
    parameter OUTSTANDING = 16
) (
    input  wire [2:0]   what,            // the event
    input  wire [245:0] state,
    output wire [245:0] state_next,
    // the QP and the time
    input  wire         starting,        // after reset
    input  wire         retry_for_ever,
    input  wire         live,            // enabled and not fatal
    input  wire         dead,            // fatal, enabled or not
    input  wire         finished,        // of SENT and PUT: its QP was disabled meanwhile, no effect
    input  wire         datagrams,       // QP 1
    input  wire         dying,           // a request made it fatal
    input  wire         faulty,          // a completion did
    input  wire [4:0]   rd_limit,        // READs that may be outstanding
    input  wire [31:0]  timeouts,        // TIMEOUTCONF
    input  wire [32:0]  now,
    input  wire [18:0]  rnr_ticks,       // that an RNR NAK asks to wait
    // of the packet to be sent
    input  wire [4:0]   arrived,         // messages whose WQE has arrived
    input  wire         too_early,       // the one at cur had not arrived when it was read
    input  wire         refuse_idle,
    // the WQE read: the one at cur for packets, else the one at una
    input  wire         m_read,
    input  wire         m_last,
    input  wire         m_ends,
    input  wire         m_failed,
    input  wire [5:0]   m_refused,
    input  wire [23:0]  m_packets,       // from the one read on
    input  wire [12:0]  m_payload,
    // the response
    input  wire [7:0]   r_opcode,
    input  wire [7:0]   r_syndrome,
    input  wire [12:0]  r_length,
    input  wire         r_answer,        // it is one to a READ
    input  wire         r_positive,      // ... an ACK
    input  wire [23:0]  r_acked,         // packets from una on that it acknowledges, not yet taken off
    input  wire [23:0]  r_ahead,         // packets from una to cur
    input  wire         r_inside,        // its PSN is one of una .. high - 1
    input  wire         r_moved,         // it has acknowledged a packet
    input  wire         r_ended,         // ... a whole message
    // other events
    input  wire         refused_alive,
    input  wire         sent_error,
    input  wire [4:0]   sent_message,    // message of the packet that has left, or failed,
    input  wire [23:0]  sent_behind,     // the PSN behind it,
    input  wire         sent_asks,       // it requested an answer
    input  wire         sent_first,      // it was the first one after a go-back
    input  wire [4:0]   put_message,     // whose data could not be written to memory
    input  wire         own_write,
    input  wire [5:0]   own_word,
    input  wire [31:0]  own_wdata,
    // actions
    output wire         fresh,           // the packet at cur was never sent
    output reg          act_send,
    output reg          act_refuse,
    output reg          act_idle,        // nothing to send now
    output reg          act_more,        // the next message acknowledged
    output reg          act_back,
    output reg          act_flush,       // ... or it will, after an RNR NAK: packets that TX holds are obsolete
    output wire         first,           // of act_send: see sent_first
    output reg          act_resume,
    output reg          act_moved,
    output reg          act_fatal,
    output reg          act_error,       // an error status entry
    output reg          act_drop,
    output reg          act_put,
    output reg          act_malformed,
    output reg  [4:0]   act_code,        // of act_fatal
    output reg  [23:0]  step,
    output reg          jump,            // una passes cur: the packets to be repeated have been acknowledged meanwhile
    output reg          n_moved,
    output reg          n_ended
);
    localparam [31:0] MOST = OUTSTANDING;
    localparam [4:0]  MEMORY_ERROR = 5'b00111, RETRIES_OUT = 5'b00110, REMOTE_ERROR = 5'b01010, WRONG_ANSWER = 5'b01100,
                      RNR_OUT = 5'b01101;
    localparam [2:0]  SEND = 3'd0, RESPONSE = 3'd1, TIMER = 3'd2, REFUSED = 3'd3, SENT = 3'd4, PUT = 3'd5, OWN = 3'd6,
                      START = 3'd7;
    localparam [5:0]  SQPSN = 6'h10, STATQP = 6'h22;

    wire [4:0]  w_fault, w_una, w_cur, w_reads;
    wire [23:0] w_una_packet, w_una_psn, w_cur_packet, w_cur_psn, w_high, w_asked, w_ssn;
    wire [2:0]  w_retries, w_rnrs;
    wire [4:0]  w_recover;
    wire        w_left, w_waiting, w_narrow, w_back, w_again, w_resent, w_armed;
    wire [32:0] w_end;
    wire [6:0]  w_syndrome;
    reg  [4:0]  n_fault, n_una, n_cur, n_reads;
    reg  [23:0] n_una_packet, n_una_psn, n_cur_packet, n_cur_psn, n_high, n_asked, n_ssn;
    reg  [2:0]  n_retries, n_rnrs;
    reg  [4:0]  n_recover;
    reg         n_left, n_waiting, n_narrow, n_back, n_again, n_resent, n_armed;
    reg  [32:0] n_end;
    reg  [6:0]  n_syndrome;
    assign {w_left, w_recover, w_waiting, w_narrow, w_fault, w_una, w_una_packet, w_una_psn, w_cur, w_cur_packet,
            w_cur_psn, w_high, w_asked, w_retries, w_rnrs, w_back, w_again, w_resent, w_armed, w_end, w_reads, w_ssn,
            w_syndrome} = state;
    assign state_next = {n_left, n_recover, n_waiting, n_narrow, n_fault, n_una, n_una_packet, n_una_psn, n_cur,
                         n_cur_packet, n_cur_psn, n_high, n_asked, n_retries, n_rnrs, n_back, n_again, n_resent,
                         n_armed, n_end, n_reads, n_ssn, n_syndrome};

    // ---- derived values
    assign      fresh       = (w_cur_psn == w_high);
    assign      first       = w_back && (r_ahead == 24'd0);
    wire        none_before = (w_una == w_cur);          // all before cur is acknowledged
    wire [4:0]  unacknowledged = w_cur - w_una;
    wire [23:0] width       = m_read ? m_packets : 24'd1;    // PSNs of the packet at cur
    wire [24:0] window      = {1'b0, w_cur_psn - w_una_psn} + {1'b0, width};

    wire [4:0]  exponent    = timeouts[5] ? 5'd31 : timeouts[4:0];
    wire        timed       = (timeouts[5:0] != 6'd0) && !datagrams;
    wire [32:0] timeout_end = now + (33'd1 << exponent) + 33'd1;
    wire        over        = w_armed && !(now - w_end >= 33'h1_0000_0000);
    wire        retries_left = retry_for_ever || (w_retries < timeouts[10:8]);

    wire        rnr_nak     = !r_answer && (r_syndrome[7:5] == 3'b001);
    wire        nak         = !r_answer && (r_syndrome[7:5] == 3'b011) && (r_syndrome[4:0] < 5'd4);
    wire        sequence    = nak && (r_syndrome[4:0] == 5'd0);
    wire        malformed   = !r_answer && !r_positive && !rnr_nak && !nak;
    wire        with_aeth   = (r_opcode != 8'h0e);
    wire        begun       = (w_una_packet != 24'd0);
    wire        fits_first  = !begun || w_again;
    wire        right_code  = m_ends ? (r_opcode == 8'h0f && begun) || (r_opcode == 8'h10 && fits_first)
                                     : (r_opcode == 8'h0d && fits_first) || (r_opcode == 8'h0e && begun);
    wire [2:0]  wrong       = {!right_code, r_length != m_payload, with_aeth && r_syndrome[7:5] != 3'b000};
    wire        whole       = (r_acked >= m_packets);
    wire        earlier     = (put_message - w_fault >= 5'd16);    // than w_fault
    wire        sent_acked  = (sent_message - w_una >= 5'd16);     // the message is acknowledged
    reg         act_try_back, act_wait, rnr_last;
    reg  [23:0] to_come;                 // PSNs from una to the last one that requested an answer

    always @* begin
        n_left = w_left; n_waiting = w_waiting; n_narrow = w_narrow; n_fault = w_fault; n_una = w_una;
        n_una_packet = w_una_packet; n_una_psn = w_una_psn; n_cur = w_cur; n_cur_packet = w_cur_packet;
        n_cur_psn = w_cur_psn; n_high = w_high; n_asked = w_asked; n_retries = w_retries; n_rnrs = w_rnrs;
        n_back = w_back; n_again = w_again; n_resent = w_resent; n_armed = w_armed; n_end = w_end; n_reads = w_reads;
        n_ssn = w_ssn; n_syndrome = w_syndrome; act_send = 1'b0; act_refuse = 1'b0; act_idle = 1'b0; act_more = 1'b0;
        act_back = 1'b0; act_try_back = 1'b0; act_wait = 1'b0; act_resume = 1'b0; act_moved = 1'b0; act_fatal = 1'b0;
        act_error = 1'b0; act_drop = 1'b0; act_put = 1'b0; act_malformed = 1'b0;
        act_code = 5'd0;
        step = 24'd0;
        jump = 1'b0;
        n_moved = r_moved;
        n_ended = r_ended;
        rnr_last = 1'b0;

        case (what)
            SEND: begin
                n_narrow = 1'b0;
                if (!live || w_waiting || dying || faulty || arrived == w_cur) act_idle = 1'b1;
                else if (too_early) act_idle = 1'b0;
                else if (m_failed) begin
                    act_idle  = 1'b1;
                    act_fatal = none_before;
                    act_error = none_before;
                    act_code  = MEMORY_ERROR;
                end else if (m_refused != 6'd0) begin
                    act_idle   = !none_before || refuse_idle;
                    act_refuse = none_before && refuse_idle;
                end else if ((m_read && w_reads >= rd_limit) || window > 25'h80_0000
                             || (unacknowledged >= MOST[4:0])) begin
                    act_idle = 1'b1;
                    n_narrow = (window > 25'h80_0000);
                end else begin
                    act_send  = 1'b1;
                    n_cur_psn = w_cur_psn + width;
                    if (m_last) begin
                        n_cur        = w_cur + 5'd1;
                        n_cur_packet = 24'd0;
                        act_idle     = (arrived == n_cur);
                    end else n_cur_packet = w_cur_packet + 24'd1;
                    if (m_read) begin
                        n_reads = w_reads + 5'd1;
                        n_again = (w_cur_packet != 24'd0) || w_again;
                    end
                    if (fresh) begin
                        n_high = n_cur_psn;
                        n_ssn  = w_ssn + {23'd0, m_last};
                    end else n_resent = 1'b1;
                end
            end

            RESPONSE:
                if (!live || datagrams || !r_inside || malformed) begin
                    act_malformed = live && malformed;
                    act_drop      = !act_malformed;
                end else begin
                    if (!m_read) begin
                        step         = whole ? m_packets : r_acked;
                        n_una        = w_una + {4'd0, whole};
                        n_una_packet = whole ? 24'd0 : w_una_packet + r_acked;
                        act_more     = whole && (r_acked != m_packets || r_answer);
                        act_fatal    = r_answer && !whole;
                        act_code     = WRONG_ANSWER;
                    end else if (r_acked != 24'd0) begin
                        act_try_back = r_positive ? w_recover == w_una : !nak || sequence;
                        act_drop     = r_answer;
                    end else if (r_answer) begin
                        act_fatal = (wrong != 3'd0);
                        act_code  = {2'b11, wrong};
                        if (!act_fatal) begin
                            act_put      = (m_payload != 13'd0);
                            step         = 24'd1;
                            n_una        = w_una + {4'd0, m_ends};
                            n_una_packet = m_ends ? 24'd0 : w_una_packet + 24'd1;
                            n_again      = 1'b0;
                        end
                    end
                    n_una_psn = w_una_psn + step;
                    n_moved   = r_moved || (step != 24'd0);
                    n_ended   = r_ended || (n_una != w_una);
                    rnr_last  = timeouts[13:11] != 3'd7 && (n_moved ? 3'd0 : w_rnrs) >= timeouts[13:11];
                    jump      = (step > r_ahead);
                    if (jump) begin
                        n_cur        = n_una;
                        n_cur_packet = n_una_packet;
                        n_cur_psn    = n_una_psn;
                    end else if (m_read && n_una != w_una) n_reads = w_reads - 5'd1;

                    if (!act_more && !act_fatal && !r_answer && !r_positive) begin
                        n_syndrome = r_syndrome[6:0];
                        if (nak && !sequence) begin
                            act_fatal = 1'b1;
                            act_code  = REMOTE_ERROR;
                        end else if (sequence) act_try_back = 1'b1;
                        else if (!act_try_back && (n_moved || !w_waiting)) begin
                            act_wait  = !rnr_last;
                            act_fatal = rnr_last;
                            act_code  = RNR_OUT;
                        end
                    end
                    act_moved = !act_more && n_moved;
                    if (act_moved) begin
                        n_retries = 3'd0;
                        n_rnrs    = 3'd0;
                        n_back    = 1'b0;
                    end
                    if (act_try_back
                        && (n_moved || (!w_waiting && (!w_back || (w_left && sequence && r_acked == 24'd0))))) begin
                        act_back = retries_left || (n_moved && timeouts[10:8] != 3'd0);
                        if (!act_back) begin
                            act_fatal = 1'b1;
                            act_code  = RETRIES_OUT;
                        end
                    end
                end

            TIMER:
                if (!live) n_armed = w_armed && !dead;     // off: it is kept
                else if (dying) act_fatal = 1'b1;
                else if (faulty) begin
                    act_fatal = 1'b1;
                    act_error = 1'b1;
                    act_code  = MEMORY_ERROR;
                end else if (over) begin
                    n_armed = 1'b0;
                    n_back  = 1'b0;
                    if (w_waiting) act_resume = 1'b1;
                    else if (w_una_psn != w_high) begin
                        act_back  = retries_left;
                        act_fatal = !retries_left;
                        act_error = !retries_left;
                        act_code  = RETRIES_OUT;
                    end
                end

            REFUSED:
                if (!dead && refused_alive && none_before) begin
                    n_una     = w_una + 5'd1;
                    n_cur     = n_una;
                    act_moved = 1'b1;
                end

            SENT:
                if (sent_error) begin
                    act_fatal = !dead && !finished && !sent_acked;
                    act_error = act_fatal;
                    act_code  = MEMORY_ERROR;
                end else if (datagrams) begin
                    n_una     = w_una + 5'd1;
                    n_una_psn = w_una_psn + 24'd1;
                    act_moved = 1'b1;
                end else begin
                    n_left = w_left || sent_first;
                    if (sent_asks) n_asked = sent_behind;
                end

            PUT:
                if (!dead) begin
                    act_fatal = !finished;
                    act_error = !finished;
                    act_code  = MEMORY_ERROR;
                end else if (earlier) n_fault = put_message;

            OWN:
                if (own_write && own_word == SQPSN) begin
                    n_una_psn = own_wdata[23:0];
                    n_cur_psn = own_wdata[23:0];
                    n_high    = own_wdata[23:0];
                    n_asked   = own_wdata[23:0];
                end else if (own_write && own_word == STATQP) begin
                    n_syndrome = own_wdata[22:16];
                    n_retries  = own_wdata[26:24];
                    n_rnrs     = own_wdata[30:28];
                end

            default: begin     // START
                {n_fault, n_una, n_cur, n_reads} = 20'd0;
                {n_una_packet, n_cur_packet, n_ssn} = 72'd0;
                {n_left, n_waiting, n_narrow, n_retries, n_rnrs, n_back, n_again, n_resent, n_armed} = 13'd0;
                n_end      = 33'd0;
                n_syndrome = 7'd0;
                n_high     = starting ? 24'd0 : w_high;
                n_una_psn  = n_high;
                n_cur_psn  = n_high;
                n_asked    = n_high;
            end
        endcase

        act_flush = act_back || act_wait;
        n_recover = (w_recover == w_una || what == START) ? n_una : w_recover;
        if (act_flush) begin
            if (fresh) n_recover = w_cur;
            n_left       = 1'b0;
            n_asked      = n_una_psn;
            n_cur        = n_una;
            n_cur_packet = n_una_packet;
            n_cur_psn    = n_una_psn;
            n_reads      = 5'd0;
        end
        if (act_back) begin
            n_back    = (what == RESPONSE);
            n_retries = (n_retries == 3'd7) ? 3'd7 : n_retries + 3'd1;
        end
        to_come = n_asked - n_una_psn;
        if (act_wait)                     n_waiting = 1'b1;
        else if (act_resume || act_moved) n_waiting = 1'b0;
        if (act_wait) begin
            n_rnrs  = (n_rnrs == 3'd7) ? 3'd7 : n_rnrs + 3'd1;
            n_back  = 1'b0;
            n_armed = 1'b1;
            n_end   = now + {14'd0, rnr_ticks} + 33'd1;
        end else if (act_back || act_resume || (what == RESPONSE && act_moved)
                     || (what == SENT && sent_asks && !dead && !w_armed)) begin
            n_armed = timed && (to_come != 24'd0) && (to_come <= 24'h80_0000);
            n_end   = timeout_end;
        end
        if (act_fatal) begin
            n_armed = 1'b0;
            n_fault = (what == PUT) ? put_message : n_una;
        end
    end

    wire unused = &{1'b0, MOST[31:5], timeouts[31:14], timeouts[7:6], own_wdata};
endmodule
`default_nettype wire
