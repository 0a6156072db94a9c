// Proof of roce_outstanding_act, by one step, for any state and any event: what holds of a QP's messages before it,
// holds behind it. `bad` is never high. (`holds` is roce_outstanding_properties; the block has no registers, so a proof
// of gates is enough.)
//
//   order       una <= cur <= arrived: no message is sent that is not there, none is acknowledged twice; una moves by
//               one message at most
//   most        at most OUTSTANDING messages are sent and not acknowledged
//   reads       `reads` is the number of READs among them, at most the QP's limit
//   PSNs        una <= cur <= high, within 2^23 PSNs; high is not behind what has come
//   marks       una and cur: message, packet and PSN are of the same place. It is in the message, or at its start if
//               it is not there
//   whole       cur is never inside a READ but at una, high never
//   never       a WQE that is refused or could not be fetched is not sent, nor what is behind it before it is done
//   datagrams   QP 1 has no timer and does not wait, so it never goes back
//   back        to go back, after a NAK, an RNR NAK or a timeout, is to go to una, with no READs under way
//   more        while a response goes on with the next message: what it acknowledges is inside una .. high, `r_ahead`
//               is the way from una to cur, the next message is there; of the state only recover, una, cur and reads
//               change (roce_outstanding keeps no more)
//   recover     is one of una .. una + OUTSTANDING
//
// START needs nothing of the state before, so all of it holds from reset on. Messages may arrive at any time.
//
// Assumed, each of a line of roce_outstanding.v, or of the block named:
//   all         the message in question is at cur for SEND, else at una (in_question); m_packets is what is left of it
//               (m_packets <= p_packets - m_place). Of roce_wqe_packet: a message has 1 .. 2^23 packets, `ends` if one
//               is left, `last` then and of a READ; a datagram that is not refused is a SEND of one packet. While the
//               QP is on, its WQEs stay as they are (roce_wqe_fetch), and so do its path MTU and limit of READs
//               (roce_registers: any_time, QPCONF_OFF)
//   SEND        the WQE read is used only if it had arrived (too_early)
//   RESPONSE    r_acked, r_ahead, r_inside, answer and positive as state ROW makes them, and as `more` leaves them
//   REFUSED     the message at una was refused: act_refuse needs none_before, nothing but REFUSED goes past it;
//               roce_wqe_refuse reports each once, and not as alive if the QP has restarted
//   SENT        sents_event. Each datagram that was sent is in the ring `sents` until it is reported, once: una is not
//               at cur (prove_roce_outstanding_ring)
//   OWN         nobody writes SQPSN. Software may while the QP is off (roce_registers: own_may), and it restarts before
//               it is on. What software does with XRNICCONF's override is left out
//   START       the fetch is restarted before the next event (RESTART_FETCH): no message is there
`default_nettype none
module prove_roce_outstanding_act #(
    parameter OUTSTANDING = 16,
    // of the cache of WQEs: messages that are there
    parameter PLACES = 16,
    // 0: any event, else this one; 8 is SEND
    parameter EVENT = 0,
    // 0: of what is claimed, order, most and reads only
    parameter PSNS = 1,
    // 0: a datagram may be reported as sent more than once
    parameter ONCE = 1
) (
    input  wire [2:0]   any_what,
    input  wire [245:0] any_state,
    input  wire [23:0]  any_ahead,
    input  wire [23:0]  any_high,
    input  wire [28*PLACES+27:0] any_ends,
    input  wire [PLACES:0]  any_reads,
    input  wire [PLACES:0]  any_never,
    input  wire [4:0]   any_here,
    input  wire         any_arrival,
    input  wire [18:0]  any_bits,
    input  wire [4:0]   any_limit,
    input  wire [31:0]  any_timeouts,
    input  wire [32:0]  any_now,
    input  wire [18:0]  any_ticks,
    input  wire [5:0]   any_refused,
    input  wire [23:0]  any_packets,
    input  wire [12:0]  any_payload,
    input  wire [7:0]   any_opcode,
    input  wire [7:0]   any_syndrome,
    input  wire [12:0]  any_length,
    input  wire [23:0]  any_acked,
    input  wire [4:0]   any_message,
    input  wire [5:0]   any_word,
    input  wire [31:0]  any_wdata,
    output wire         bad
);
    localparam [2:0]  SEND = 3'd0, RESPONSE = 3'd1, REFUSED = 3'd3, SENT = 3'd4, OWN = 3'd6, START = 3'd7;
    localparam [31:0] ONLY = EVENT, MOST = OUTSTANDING, MOST_THERE = PLACES;

    wire [2:0]  what      = (EVENT == 0) ? any_what : ONLY[2:0];
    wire        datagrams = any_bits[0], live = any_bits[1], too_early = any_bits[2], m_read = any_bits[3],
                m_last = any_bits[4], m_ends = any_bits[5], m_failed = any_bits[6], alive = any_bits[7],
                sent_error = any_bits[8], own_write = any_bits[9], dead = any_bits[16];
    wire [4:0]  limit     = (any_limit == 5'd0 || any_limit > 5'd16) ? 5'd16 : any_limit;
    wire        answer    = any_opcode >= 8'h0d && any_opcode <= 8'h10;
    wire        positive  = !answer && any_syndrome[7:5] == 3'd0;

    // ---- before: una's PSN is any, the others are relative to it
    wire [4:0]   una = any_state[232:228], cur = any_state[179:175];
    wire [4:0]   under_way = cur - una;
    wire [23:0]  una_packet = any_state[227:204], una_psn = any_state[203:180];
    wire [245:0] state = {any_state[245:151], una_psn + any_ahead, una_psn + any_high, any_state[102:0]};
    wire [8:0]   held, holds;
    roce_outstanding_properties #(.OUTSTANDING(OUTSTANDING), .PLACES(PLACES)) was (
        .arrived (any_here), .first (una_packet), .ends (any_ends), .is_read (any_reads), .never (any_never),
        .datagrams (datagrams), .limit (limit), .una (5'd0), .una_packet (una_packet), .una_psn (24'd0),
        .cur (under_way), .cur_packet (any_state[174:151]), .cur_psn (any_ahead), .high (any_high),
        .reads (any_state[35:31]), .armed (any_state[69]), .waiting (any_state[239]), .holds (held)
    );

    // ---- what is assumed
    reg         messages;                  // the list of messages is one
    reg  [27:0] start, stop, end_here;     // ... of the message in question: the PSN behind its last packet
    reg         read_here, never_here;
    reg  [23:0] of_first;                  // packets of the message that are acknowledged
    integer     i;
    always @* begin
        messages = !una_packet[23];
        end_here = 28'd0; read_here = 1'b0; never_here = 1'b0;
        for (i = 0; i <= PLACES; i = i + 1) begin
            start = (i == 0) ? 28'd0 : any_ends[28*(i-1) +: 28];
            stop  = any_ends[28*i +: 28];
            of_first = (i == 0) ? una_packet : 24'd0;
            if (any_never[i] ? stop != start
                             : stop <= start || {1'b0, stop - start} + {5'd0, of_first} 
                               > (datagrams ? 29'd1 : 29'h80_0000))
                messages = 1'b0;
            if (datagrams && any_reads[i] && !any_never[i]) messages = 1'b0;
            if (i[4:0] == ((what == SEND) ? under_way : 5'd0)) begin
                end_here   = stop;
                read_here  = any_reads[i];
                never_here = any_never[i];
            end
        end
    end
    wire known = (what == SEND) ? under_way != any_here && !too_early : any_here != 5'd0;
    wire may =
        messages && &held && !(live && dead) && {27'd0, any_state[244:240] - una} <= MOST &&
        (!known || (any_packets == end_here[23:0] - ((what == SEND) ? any_ahead : 24'd0) && m_read == read_here)) &&
        m_ends == (any_packets == 24'd1) && m_last == (m_read || m_ends) &&
        (what != SEND || !known || never_here == (m_failed || any_refused != 6'd0)) &&
        (what != RESPONSE || !any_bits[10] || any_acked - {23'd0, positive} < any_high) &&
        (what != REFUSED || !alive || (any_here != 5'd0 && any_never[0])) &&
        (what != SENT || sent_error || !datagrams || under_way != 5'd0 || ONCE == 0) &&
        (what != OWN || !own_write || any_word != 6'h10);

    // ---- the block
    wire [245:0] next;
    wire [23:0]  step;
    wire         jump, act_more, act_back;
    roce_outstanding_act #(.OUTSTANDING(OUTSTANDING)) act (
        .what (what), .state (state), .state_next (next), .starting (any_bits[11]), .retry_for_ever (any_bits[12]),
        .live (live), .dead (dead), .datagrams (datagrams), .dying (any_bits[13]), .faulty (any_bits[14]),
        .rd_limit (limit), .timeouts (any_timeouts), .now (any_now), .rnr_ticks (any_ticks),
        .arrived (una + any_here), .too_early (too_early), .refuse_idle (any_bits[15]),
        .m_read (m_read), .m_last (m_last), .m_ends (m_ends), .m_failed (m_failed), .m_refused (any_refused),
        .m_packets (any_packets), .m_payload (any_payload), .r_opcode (any_opcode), .r_syndrome (any_syndrome),
        .r_length (any_length), .r_answer (answer), .r_positive (positive), .r_acked (any_acked), .r_ahead (any_ahead),
        .r_inside (any_bits[10]), .r_moved (any_wdata[31]), .r_ended (any_wdata[30]), .refused_alive (alive),
        .sent_error (sent_error), .sent_message (any_message), .sent_behind (any_wdata[23:0]),
        .sent_asks (any_bits[17]), .sent_first (any_bits[18]), .put_message (any_message), .own_write (own_write),
        .own_word (any_word), .own_wdata (any_wdata), .act_more (act_more), .act_back (act_back), .step (step),
        .jump (jump)
    );

    // ---- behind
    wire         starts = what == START;
    wire [4:0]   from = starts ? 5'd0 : una;               // base of messages and PSNs
    wire [23:0]  from_packet = starts ? 24'd0 : una_packet, from_psn = starts ? next[203:180] : una_psn;
    wire [4:0]   n_una = next[232:228] - from, n_cur = next[179:175] - from;
    wire [23:0]  n_una_psn = next[203:180] - from_psn, n_cur_psn = next[150:127] - from_psn,
                 n_high = next[126:103] - from_psn;
    wire [4:0]   n_here = starts ? 5'd0 : any_here;
    wire         room = n_here - n_una < MOST_THERE[4:0];
    roce_outstanding_properties #(.OUTSTANDING(OUTSTANDING), .PLACES(PLACES)) is (
        .arrived (n_here + {4'd0, any_arrival && room}), .first (from_packet), .ends (any_ends), .is_read (any_reads),
        .never (any_never), .datagrams (datagrams), .limit (limit), .una (n_una), .una_packet (next[227:204]),
        .una_psn (n_una_psn), .cur (n_cur), .cur_packet (next[174:151]), .cur_psn (n_cur_psn), .high (n_high),
        .reads (next[35:31]), .armed (next[69]), .waiting (next[239]), .holds (holds)
    );
    wire         back = act_back || (next[239] && !state[239]);
    wire         to_una = next[179:127] == next[232:180] && next[35:31] == 5'd0;
    wire [23:0]  acked = n_una_psn + (any_acked - step), ahead = jump ? 24'd0 : any_ahead - step;
    wire         more = n_una_psn <= acked && acked - {23'd0, positive} < n_high && ahead == n_cur_psn - n_una_psn &&
                        n_una < n_here && {next[245], next[239:233], next[126:36], next[30:0]} ==
                                          {state[245], state[239:233], state[126:36], state[30:0]};
    wire         recover = {27'd0, next[244:240] - next[232:228]} <= MOST;
    assign bad = may && !(PSNS ? &holds && recover && (!back || to_una) && (!act_more || more) : &holds[2:0]);
endmodule
`default_nettype wire
