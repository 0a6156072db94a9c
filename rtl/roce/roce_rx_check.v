// Checks each RoCE v2 packet and decides on it: S5 table 2-3, then the responder of a reliable connection (IBA 9.7.4),
// then a place in the receive queue. One packet after the other; roce_rx_lookup has found its QP's registers while the
// remainder of it was arriving.
//
// A packet breaks the rules of one precedence of table 2-3 at most, the first one; its syndrome has all bits of that
// one. Added to the table (S5 leaves these bits free): 24 wrong P_Key, 25 wrong Q_Key, both of precedence 10; 26
// message longer than its buffer, of 14. Bit 15 is also for a QP in FATAL state. No source addresses are compared for
// QP 1, for a QP that is off, or in a packet that is too short to name its QP or has it behind IP options.
//
// Where S5's table contradicts IBA, and its own table 2-4, STRICT_S5 chooses: congestion marks (bit 4, ECN = 11) drop
// nothing, or the packet; pad in a FIRST or MIDDLE packet (bit 18) and a payload that does not fit PMTU (bit 19) are
// answered NAK-invalid and end the QP, or drop the packet.
//
// Outputs, all in the order of the packets:
//   job   the frame in the ring (roce_rx_mover): nothing, payload to memory, a response for the requester, an error
//   post  actions when the payload is in memory (roce_rx_completion): doorbell and ACK, an ACK for a duplicate, a NAK
//   rsp   a response for the requester, which answers the mover
// Requests: PSN as expected: taken, or RNR NAK (no free entry, first or only packet), or NAK-invalid and FATAL. Behind:
// ACK of the newest. Ahead: one NAK-sequence, until the expected one arrives; an RNR NAK counts as that one.
//
// State of a QP in block memory: last opcode, last PSN, MSN, entry of the receive queue, bytes of the message so far.
// `closed` has a bit for each QP that took a fatal request. Registers of S5 kept here are read and written between
// packets; also while a packet cannot be passed on because no doorbell, or no response, is taken: it is checked once
// more then. A QP is restarted only when no old operation of it is left (roce_registers polls `busy` of all modules).
//
// Latency: from verdict to job and post 3 clocks. A packet takes 4 clocks: state, check, decision, action. The state is
// written in the last one and read in the first one of the next packet.
`default_nettype none
module roce_rx_check #(
    // queue pairs, 8..128
    parameter NUM_QP = 8,
    // log2 of the words of the ring
    parameter LOG2_WORDS = 12,
    // 1: doorbells go through the handshake ports, if the QP wants so
    parameter HW_HANDSHAKE = 1,
    // 1: the rules of S5 table 2-3 as written; 0: those of IBA where the table contradicts them
    parameter STRICT_S5 = 0
) (
    input  wire                     clk,
    input  wire                     rst,
    // configuration
    input  wire                     error_all,     // all errors are recorded, not only fatal ones
    input  wire                     any_mac,       // source MAC addresses are not compared
    input  wire [NUM_QP-1:0]        qp_fatal,
    // registers
    input  wire                     own_valid,
    input  wire                     own_start,
    input  wire                     own_write,
    input  wire [6:0]               own_qp,
    input  wire [5:0]               own_word,
    input  wire [31:0]              own_wdata,
    output reg                      own_ready,
    output reg  [31:0]              own_rdata,
    output wire                     own_read,      // wants rows 0 to 3 of own_qp
    input  wire [127:0]             own_row,       // row 0, requested in the clock before
    output wire                     busy,          // a packet of own_qp has been checked and not passed on
    output wire                     restart_valid, // the state of own_qp is reset
    output reg                      rung_set,      // the index last reported to software becomes rung_index
    output wire [6:0]               rung_qp,
    output wire [15:0]              rung_index,
    input  wire                     rung_ready,
    input  wire [15:0]              rung_now,      // ... is this (of own_qp, from the last clock)
    // packets: registers found by roce_rx_lookup, and the verdict
    input  wire                     found_valid,
    output wire                     found_ready,
    input  wire                     found_on,      // its QP is enabled, and was so since it was looked up
    input  wire [263:0]             found,
    input  wire                     verdict_valid,
    output wire                     verdict_ready,
    input  wire [16+2*LOG2_WORDS:0] verdict,
    // job
    output wire                     job_valid,
    input  wire                     job_ready,
    output reg  [1:0]               job_kind,      // 0 nothing, 1 payload to memory, 2 response, 3 error
    output wire [LOG2_WORDS-1:0]    job_start,     // of the frame
    output wire [LOG2_WORDS-1:0]    job_next,
    output wire [13:0]              job_frame,     // bytes of it
    output reg  [6:0]               job_offset,    // byte of it where the payload starts
    output wire [31:0]              job_addr,
    output reg  [12:0]              job_length,
    output reg                      job_counts,    // the message's length goes to job_count_addr
    output reg  [31:0]              job_count_addr,
    output reg  [31:0]              job_count,
    output reg  [31:0]              job_syndrome,
    output reg                      job_fatal,
    output reg  [4:0]               job_code,
    output wire [6:0]               job_qp,
    output wire [7:0]               job_opcode,
    output wire [23:0]              job_psn,
    output reg  [7:0]               job_aeth,      // syndrome sent or received
    // post
    output wire                     post_valid,
    input  wire                     post_ready,
    output reg  [1:0]               post_kind,     // 0 taken, 1 duplicate, 2 NAK
    output reg  [1:0]               post_writes,   // commands of the job that it waits for
    output reg                      post_ends,     // a message ends: doorbell
    output wire                     post_mad,
    output reg                      post_now,      // its ACK was requested
    output wire                     post_by_port,  // doorbell by handshake
    output wire                     post_irq,
    output reg  [23:0]              post_psn,
    output reg  [23:0]              post_msn,
    output reg  [15:0]              post_index,    // the doorbell's value
    output wire [31:0]              post_bell,     // its address
    // response
    output wire                     rsp_valid,
    input  wire                     rsp_ready,
    output wire [7:0]               rsp_syndrome,
    output wire [23:0]              rsp_msn,
    output reg  [12:0]              rsp_length,
    // events
    output reg                      in_all,
    output reg                      in_dropped,
    output reg                      in_send,
    output reg                      in_read_response,
    output reg                      in_ack,
    output reg                      in_mad,
    output reg                      in_invalid,
    output reg                      in_duplicate,
    output reg                      in_nak,
    output reg                      in_marked,     // congestion was experienced
    output reg                      in_last_valid,
    output reg  [6:0]               in_qp,         // of in_nak and in_last
    output reg  [7:0]               in_last_opcode,
    output reg  [15:0]              in_last_psn
);
    localparam N = LOG2_WORDS;
    localparam Q = $clog2(NUM_QP);

    localparam [1:0] NOTHING = 2'd0, PAYLOAD = 2'd1, RESPONSE = 2'd2, ERROR = 2'd3;
    localparam [1:0] TAKEN = 2'd0, DUPLICATE = 2'd1, NAK = 2'd2;
    localparam [5:0] LSTRQREQ = 6'h11, STATMSN = 6'h21, STATRQBUFCA = 6'h25, STATRQPIDB = 6'h27;

    localparam [2:0] IDLE = 3'd0, CHECK = 3'd1, DECIDE = 3'd2, ACT = 3'd3,
                     OWN_FIND = 3'd4, OWN_MULTIPLY = 3'd5, OWN_WRITE = 3'd6, OWN_REPLY = 3'd7;
    reg [2:0] state;
    reg       own_last;         // the registers were served last

    initial
        if (NUM_QP < 8 || NUM_QP > 128) begin
            $display("%m: NUM_QP must be 8..128, is %0d", NUM_QP);
            $finish;
        end else if (STRICT_S5 != 0 && STRICT_S5 != 1) begin
            $display("%m: STRICT_S5 must be 0 or 1, is %0d", STRICT_S5);
            $finish;
        end

    // ---- the packet
    wire [8:0]   flags;
    wire [15:0]  ip_length;
    wire [7:0]   opcode;
    wire [1:0]   pad;
    wire         bad_transport, asks, known, bad_sum, bad_udp, bad_key, bad_q_key, foreign_mac, foreign_ip;
    wire [23:0]  psn;
    wire [6:0]   qp;
    wire [31:0]  conf, bell, counts;
    wire [31:8]  base;
    wire [15:0]  consumer, depth;
    wire [4:0]   rnr_timer;
    assign {qp, flags, ip_length, opcode, pad, bad_transport, asks, psn, rsp_syndrome, rsp_msn, known, bad_sum,
            bad_udp, bad_key, bad_q_key, foreign_mac, foreign_ip, conf, base, consumer, depth, rnr_timer, bell,
            counts} = found;
    wire         v6          = flags[0];
    wire         bad_version = flags[1];
    wire         options     = flags[2];
    wire         bad_flags   = flags[3];
    wire         fragment    = flags[4];
    wire         marked      = flags[5];
    wire         other_mac   = flags[6];
    wire         other_ip    = flags[7];
    wire         short       = flags[8];
    wire         gone        = verdict[0];       // it found no space in the ring
    wire         bad_fcs     = verdict[1];
    wire         bad_icrc    = verdict[2];
    wire         management  = qp == 7'd0;
    wire         enabled     = known && found_on;
    reg [NUM_QP-1:0] closed;
    wire         fatal       = qp_fatal[qp[Q-1:0]] || closed[qp[Q-1:0]];

    assign job_start  = verdict[17 +: N];
    assign job_next   = verdict[17+N +: N];
    assign job_frame  = verdict[16:3];
    assign job_qp     = qp;
    assign job_opcode = opcode;
    assign job_psn    = psn;

    // ---- opcodes
    wire is_send     = !management && opcode[7:3] == 5'd0 && opcode[2:0] != 3'd3 && opcode[2:0] < 3'd5;
    wire is_response = !management && (opcode[7:4] == 4'd0 ? opcode[3:0] >= 4'hD : opcode == 8'h10 || opcode == 8'h11);
    wire is_ack      = !management && opcode == 8'h11;
    wire is_mad      = management && opcode == 8'h64;
    wire is_request  = !management && opcode[7:5] == 3'd0 && !is_response && opcode != 8'h12;   // of RC
    wire first       = opcode == 8'h00 || opcode == 8'h04;
    wire last        = opcode == 8'h02 || opcode == 8'h04;
    wire whole_mtu   = !last && (!is_response || opcode == 8'h0D || opcode == 8'h0E);     // FIRST or MIDDLE: no pad
    wire has_aeth    = is_response && opcode != 8'h0E;
    wire [3:0] more  = is_mad ? 4'd8 : has_aeth ? 4'd4 : 4'd0;      // bytes of headers behind the BTH

    assign post_by_port = HW_HANDSHAKE != 0 && !conf[4];
    assign post_irq     = conf[2];
    assign post_mad     = management;
    assign post_bell    = bell;

    // ---- its QP's state
    (* ram_style = "block" *) reg [97:0] states [0:(1 << Q)-1];
    reg  [97:0] was;
    reg  [97:0] becomes;
    reg         write;
    wire [6:0]  write_qp = state == OWN_WRITE ? own_qp : qp;
    wire [7:0]  was_opcode = was[97:90];
    wire [23:0] was_psn    = was[89:66];
    wire [23:0] was_msn    = was[65:42];
    wire [15:0] was_index  = was[41:26];     // entry of the receive queue
    wire [23:0] was_bytes  = was[25:2];      // in it
    wire        was_inside = was[1];         // a message has begun
    wire        was_nak    = was[0];         // a NAK waits for the expected PSN
    wire        own_now    = own_valid && !own_ready && !(own_last && found_valid);
    wire [6:0]  look_qp    = own_now ? own_qp : qp;
    always @(posedge clk) begin
        if (state == IDLE) was <= states[look_qp[Q-1:0]];
        if (write) states[write_qp[Q-1:0]] <= becomes;
    end
    // the entry's address, of a packet's QP or own_qp
    reg  [15:0] own_size;
    reg  [31:8] own_base;
    wire        of_packet = state == CHECK || state == DECIDE;
    wire [15:0] size      = of_packet ? conf[31:16] : own_size;
    reg  [31:0] product;                     // start of the entry, in 256 bytes from the base
    reg  [31:8] entry;
    always @(posedge clk) begin
        if (state == OWN_FIND) {own_base, own_size} <= {own_row[95:72], own_row[31:16]};
        if (state != ACT) begin
            product <= was_index * size;
            entry   <= (of_packet ? base : own_base) + product[23:0];
        end
    end

    // ---- checks
    wire [15:0] udp_area  = ip_length - (v6 ? 16'd40 : 16'd20);                      // bytes of the IP packet for UDP
    wire [6:0]  least     = {2'b00, 5'd24} + {3'd0, more} + {5'd0, pad};             // UDP header, BTH, ICRC, ...
    // an ACK of 28 bytes: an AETH alone
    wire        bad_length = short || ip_length < {9'd0, least} + (v6 ? 16'd40 : 16'd20)
                                   || {1'b0, ip_length} + 17'd14 > {3'b000, job_frame}
                                   || (!whole_mtu && udp_area[1:0] != 2'b00) || (is_ack && udp_area != 16'd28);
    wire        from_peer = enabled && !management;
    wire [31:0] rule_1    = {bad_fcs, 31'd0};
    wire [31:0] rule_2    = {1'b0, bad_icrc, 30'd0};
    wire [31:0] rule_4    = {3'd0, from_peer && foreign_mac && !any_mac, 27'd0, other_mac};
    wire [31:0] rule_5    = {4'd0, from_peer && foreign_ip, 24'd0, bad_version || (from_peer && v6 != conf[7]), 2'b00};
    wire [31:0] rule_6    = {22'd0, bad_sum, 9'd0};
    wire [31:0] rule_7    = {28'd0, options, 3'd0};
    wire [31:0] rule_8    = {21'd0, bad_length, 1'b0, other_ip, 1'b0, fragment, bad_flags, marked && STRICT_S5 != 0,
                            4'd0};
    wire [31:0] rule_9    = {19'd0, bad_udp, 12'd0};
    wire [31:0] rule_10   = {6'd0, is_mad && bad_q_key, known && enabled && bad_key, 6'd0,
                             known && !is_send && !is_response && !is_mad, 2'b00, !known, bad_transport, 13'd0};
    wire [31:0] rule_11   = {16'd0, !enabled || fatal, 15'd0};
    reg  [31:0] broken;                      // broken rules of the precedences before those of the transport
    wire        psn_expected, psn_before, psn_ahead, psn_inside;
    wire [23:0] psn_steps;
    reg         expected, before, ahead;     // its PSN
    reg  [13:0] payload;                     // bytes
    reg         sequence_error, length_error, pad_error, overrun, full;
    reg  [15:0] next_index;
    reg  [23:0] bytes;                       // of the message, with it

    roce_psn_place place (
        .psn (psn), .from (was_psn + 24'd1), .to (24'd0), .steps (psn_steps),
        .expected (psn_expected), .before (psn_before), .ahead (psn_ahead), .inside (psn_inside)
    );

    wire [12:0] pmtu       = conf[10] ? 13'd4096 : 13'd256 << conf[9:8];
    wire [15:0] payload_16 = udp_area - {9'd0, least};
    wire [15:0] whole      = ip_length + 16'd10;                                     // MADs go to memory with headers
    wire [15:0] in_buffer  = is_mad ? whole : payload_16;
    wire [24:0] total      = {1'b0, is_mad ? 24'd0 : was_bytes} + {9'd0, in_buffer};
    always @(posedge clk)
        if (state == CHECK) begin
            broken         <= |rule_1 ? rule_1 : |rule_2 ? rule_2 : |rule_4 ? rule_4 : |rule_5 ? rule_5
                              : |rule_6 ? rule_6 : |rule_7 ? rule_7 : |rule_8 ? rule_8 : |rule_9 ? rule_9
                              : |rule_10 ? rule_10 : rule_11;
            {expected, before, ahead} <= {psn_expected, psn_before, psn_ahead};
            payload        <= in_buffer[15:14] != 2'd0 ? 14'h3FFF : in_buffer[13:0];
            sequence_error <= was_inside == first;
            length_error   <= last ? payload_16 > {3'd0, pmtu} || (!first && payload_16 == 16'd0)
                              : payload_16 != {3'd0, pmtu};
            pad_error      <= whole_mtu && pad != 2'd0;
            overrun        <= total > {1'b0, conf[31:16], 8'd0} || in_buffer > 16'd4352;
            bytes          <= total[23:0];
            next_index     <= was_index + 16'd1 == depth ? 16'd0 : was_index + 16'd1;
            full           <= depth < 16'd2 || (was_index + 16'd1 == depth ? 16'd0 : was_index + 16'd1) == consumer;
        end

    // ---- decision
    wire        sound     = broken == 32'd0;
    wire        nakable   = sound ? is_send : broken == 32'h0002_0000 && is_request && enabled && !fatal;
    wire        stopped   = full && first && !was_inside;
    wire        faulty    = sequence_error || length_error || pad_error || overrun;
    wire        ends_qp   = sequence_error || overrun || (faulty && STRICT_S5 == 0);
    wire        taken     = sound && ((is_send && expected && !stopped && !faulty) || (is_mad && !full && !overrun));
    wire        is_again  = sound && is_send && before;
    wire        refused   = nakable && expected && !(sound && stopped) && (!sound || ends_qp);    // NAK-invalid, FATAL
    wire        waits     = nakable && expected && sound && stopped;                              // RNR NAK
    wire        misses    = nakable && ahead && !was_nak;                                         // NAK-sequence
    reg         acts_job, acts_post, acts_rsp, changes;
    reg  [31:0] syndrome;
    always @* begin
        syndrome = broken;
        if (sound && is_mad)
            syndrome = full ? 32'd1 << 20 : overrun ? 32'd1 << 26 : 32'd0;
        else if (sound && is_send && ahead)
            syndrome = 32'd1 << 21;
        else if (sound && is_response && STRICT_S5 != 0)
            syndrome = {13'd0, pad_error, 18'd0};
        else if (sound && is_send && expected)
            syndrome = stopped ? 32'd1 << 20
                     : {5'd0, overrun, 6'd0, length_error, pad_error, 1'b0, sequence_error, 16'd0};
    end
    wire        ends      = taken && (last || is_mad);
    wire        writes    = taken && payload != 14'd0;
    wire [6:0]  start_at  = (v6 ? 7'd74 : 7'd54) + {3'd0, more};
    wire [7:0]  nak       = refused ? 8'h61 : waits ? {3'b001, rnr_timer} : 8'h60;
    wire        error     = syndrome != 32'd0 && (error_all || refused);
    wire        responds  = sound && is_response && !(STRICT_S5 != 0 && pad_error);
    wire        replies   = taken || is_again || refused || waits || misses;
    always @(posedge clk)
        if (state == DECIDE) begin
            acts_job       <= !gone;
            acts_post      <= !gone && replies;
            acts_rsp       <= !gone && responds;
            changes        <= !gone && (taken || waits || misses);
            job_kind       <= responds ? RESPONSE : error ? ERROR : taken ? PAYLOAD : NOTHING;
            job_offset     <= is_mad ? 7'd0 : start_at;
            job_length     <= taken || responds ? payload[12:0] : 13'd0;
            job_counts     <= ends && counts != 32'd0;
            job_count_addr <= counts + {14'd0, was_index, 2'b00};
            job_count      <= {8'd0, bytes};
            job_syndrome   <= syndrome;
            job_fatal      <= refused;
            job_code       <= !sound ? 5'b00100 : {3'd0, length_error || pad_error || overrun, sequence_error};
            job_aeth       <= !responds ? nak : has_aeth ? rsp_syndrome : 8'd0;
            rsp_length     <= payload[13] || pad_error ? 13'h1FFF : payload[12:0];
            post_kind      <= is_again ? DUPLICATE : taken ? TAKEN : NAK;
            post_writes    <= {1'b0, writes} + {1'b0, ends && counts != 32'd0};
            post_ends      <= ends;
            post_now       <= asks || is_again;
            post_psn       <= is_again ? was_psn : misses && !refused && !waits ? was_psn + 24'd1 : psn;
            post_msn       <= was_msn + {23'd0, ends && !is_mad};
            post_index     <= next_index;
        end

    wire acted = state == ACT && (!acts_job || job_ready) && (!acts_post || post_ready) && (!acts_rsp || rsp_ready);
    assign job_addr      = {entry, 8'd0} + (is_mad ? 32'd0 : {8'd0, was_bytes});
    assign job_valid     = state == ACT && acts_job && (!acts_post || post_ready) && (!acts_rsp || rsp_ready);
    assign post_valid    = state == ACT && acts_post && job_ready;
    assign rsp_valid     = state == ACT && acts_rsp && job_ready;
    assign found_ready   = acted;
    assign verdict_ready = acted;

    always @* begin
        write   = (acted && changes) || state == OWN_WRITE;
        becomes = was;
        if (state == OWN_WRITE) begin
            if (own_start)
                becomes = {was[97:66], 66'd0};
            else if (own_word == LSTRQREQ)
                becomes[97:66] = own_wdata;
            else if (own_word == STATRQPIDB)
                becomes[41:26] = own_wdata[15:0];
            if (!own_start && !own_write)
                becomes = was;
        end else if (post_kind == NAK)
            becomes[0] = 1'b1;
        else if (management)
            becomes[41:26] = post_index;
        else
            becomes = {opcode, psn, post_msn, post_ends ? post_index : was_index, post_ends ? 24'd0 : bytes, !post_ends,
                       1'b0};
    end

    // ---- states
    assign own_read   = state == IDLE && own_now;
    assign busy       = (state == DECIDE || state == ACT) && qp == own_qp;
    assign rung_qp    = own_qp;
    assign restart_valid = state == OWN_WRITE && own_start;
    assign rung_index = own_start ? 16'd0 : own_wdata[15:0];

    always @(posedge clk)
        if (rst) begin
            state     <= IDLE;
            own_last  <= 1'b0;
            own_ready <= 1'b0;
            rung_set  <= 1'b0;
            closed    <= {NUM_QP{1'b0}};
        end else begin
            own_ready <= 1'b0;
            case (state)
                IDLE: begin
                    own_last <= own_now;
                    state    <= own_now ? OWN_FIND : found_valid ? CHECK : IDLE;
                end
                CHECK: begin          // until its verdict is known, which may take long: registers go before
                    own_last <= 1'b0;
                    state    <= verdict_valid ? DECIDE : own_valid && !own_ready ? IDLE : CHECK;
                end
                DECIDE: state <= ACT;
                ACT:
                    if (acted) begin
                        state    <= IDLE;
                        own_last <= 1'b0;
                        if (acts_job && job_fatal) closed[qp[Q-1:0]] <= 1'b1;
                    end else if (((acts_post && !post_ready) || (acts_rsp && !rsp_ready)) && own_valid && !own_ready)
                        state <= IDLE;
                OWN_FIND: state <= OWN_MULTIPLY;
                OWN_MULTIPLY: begin
                    state <= OWN_WRITE;
                    if (own_start || (own_write && own_word == STATRQPIDB)) rung_set <= 1'b1;
                end
                OWN_WRITE: begin
                    state <= OWN_REPLY;
                    if (own_start) closed[own_qp[Q-1:0]] <= 1'b0;
                end
                default: // OWN_REPLY
                    if (!rung_set || rung_ready) begin
                        rung_set  <= 1'b0;
                        own_ready <= 1'b1;
                        state     <= IDLE;
                    end
            endcase
        end
    always @(posedge clk)
        if (state == OWN_REPLY)
            case (own_word)
                LSTRQREQ:    own_rdata <= {was_opcode, was_psn};
                STATMSN:     own_rdata <= {8'd0, was_msn};
                STATRQBUFCA: own_rdata <= {entry, 8'd0};
                STATRQPIDB:  own_rdata <= {16'd0, rung_now};
                default:     own_rdata <= 32'd0;
            endcase

    // ---- events
    always @(posedge clk) begin
        in_all           <= acted && !rst;
        in_dropped       <= acted && !rst && (gone || !(taken || responds || is_again || refused || waits || misses));
        in_send          <= acted && !rst && acts_post && post_kind == TAKEN && !management;
        in_mad           <= acted && !rst && acts_post && post_kind == TAKEN && management;
        in_read_response <= acted && !rst && acts_rsp && opcode != 8'h11;
        in_ack           <= acted && !rst && acts_rsp && opcode == 8'h11;
        in_nak           <= acted && !rst && acts_rsp && opcode == 8'h11 && rsp_syndrome[5];
        in_invalid       <= acted && !rst && !gone && job_syndrome != 32'd0;
        in_duplicate     <= acted && !rst && acts_post && post_kind == DUPLICATE;
        in_marked        <= acted && !rst && !gone && sound && marked;
        in_last_valid    <= acted && !rst && !gone && sound;
        in_qp            <= qp;
        in_last_opcode   <= opcode;
        in_last_psn      <= psn[15:0];
    end

    wire unused = &{1'b0, psn_steps, psn_inside, own_row, product[31:24], conf, in_buffer, look_qp, write_qp, own_qp};

    // ---- measuring
    wire       probe_busy          = state != IDLE;
    wire       probe_stall_verdict = state == CHECK && !verdict_valid;
    wire       probe_stall_job     = state == ACT && !acted;
    wire       probe_start         = state == IDLE && !own_now && found_valid;
    wire       probe_done          = acted;
    wire [2:0] probe_state         = state;
endmodule
`default_nettype wire
