// The registers of the RoCE v2 chip (registers.map, S5 table 2-7) at its AXI4-Lite port, and doorbells from the
// handshake ports.
//
// Registers of the chip, counters and interrupts are in roce_chip_registers. Registers of a QP that software writes are
// in memories, a row of four for 16 bytes of the map; TX and the requester read one each: cfg_addr = {qp, row}, the row
// a clock later. RX reads four rows at once: {qp, row[3:2]}. Registers of a QP that hardware updates are kept by the
// module that updates them and reached by the `own` bus: one access at a time, held until ready. `qp` = QP number - 1.
//
// One access at a time, round robin: SQPI by handshake, RQCI by handshake, AXI4-Lite (there a write and a read
// alternately), so none waits for more than two others, even if one holds its valid for ever. Doorbells do not wait for
// an access by `own`. An index that is not below the depth of its queue, or for a QP that is disabled, is ignored and
// counted, and so is an access to no register, or a write that is not allowed (ACCESSERRCNT); AXI answers OKAY to all,
// and reads 0 there. Bytes can be written alone, except of an index (half of one would post missing work), and of
// registers kept by another module.
//
// A QP starts when QPCONF.ENABLE goes from 0 to 1. The write is answered at once; the QP is `pending` until all its old
// operations have ended, which is polled: STATQP of the requester and `rx_own_busy`. Then the receiver and the
// requester start it (own_start), the modules see it enabled, and its SQPI goes to the requester. Its indices are 0
// from the write on, and SQPI and RQCI can be written. Other registers that hardware updates read 0 while it is
// pending, STATQP only BUSY, and cannot be written. TX sees ENABLE = 0 till then (`row_off`), so no old packet leaves
// with the new addresses. `qp_switch` and `qp_limit` show the modules which QPs are enabled: XRNICCONF.QPS, and 0 while
// the chip is not enabled. After reset all registers are set to 0 first, 16 clocks for each QP; accesses wait for that.
`default_nettype none
module roce_registers #(
    // queue pairs, 8..128
    parameter NUM_QP = 8
) (
    input  wire                 clk,
    input  wire                 rst,

    // ---- AXI4-Lite, 64 KB: bits 1:0 of an address are ignored
    input  wire                 lite_awvalid,
    output wire                 lite_awready,
    input  wire [15:0]          lite_awaddr,
    input  wire                 lite_wvalid,
    output wire                 lite_wready,
    input  wire [31:0]          lite_wdata,
    input  wire [3:0]           lite_wstrb,
    output reg                  lite_bvalid,
    input  wire                 lite_bready,
    input  wire                 lite_arvalid,
    output wire                 lite_arready,
    input  wire [15:0]          lite_araddr,
    output reg                  lite_rvalid,
    input  wire                 lite_rready,
    output reg  [31:0]          lite_rdata,

    // ---- doorbells by handshake: the address of SQPI and RQCI of the QP, and the index
    input  wire                 sqpi_valid,
    output wire                 sqpi_ready,
    input  wire [15:0]          sqpi_addr,
    input  wire [15:0]          sqpi_index,
    input  wire                 rqci_valid,
    output wire                 rqci_ready,
    input  wire [15:0]          rqci_addr,
    input  wire [15:0]          rqci_index,

    // ---- configuration
    output wire                 chip_enable,
    output wire [1:0]           ack_mode,
    output wire                 error_all,
    output wire [15:0]          udp_source,
    output wire                 retry_for_ever,
    output wire                 any_mac,
    output wire [47:0]          mac,
    output wire [31:0]          ipv4,
    output wire [127:0]         ipv6,
    output wire [31:0]          errbuf_base,
    output wire [15:0]          errbuf_count,
    output wire [15:0]          errbuf_size,
    output wire [31:0]          ipkterr_base,
    output wire [15:0]          ipkterr_size,
    output wire [31:0]          opkterr_base,
    output wire [15:0]          opkterr_size,
    output wire                 tick,            // a clock in each 2**tick_width
    output wire [8:0]           qp_switch,       // {a QP is switched in this clock, on, QP}: for roce_qp_flag
    output wire [7:0]           qp_limit,        // QPs from this one on are off
    input  wire [8:0]           rx_cfg_addr,
    output wire [511:0]         rx_cfg_data,
    input  wire [10:0]          tx_cfg_addr,
    output wire [127:0]         tx_cfg_data,
    input  wire [10:0]          rq_cfg_addr,
    output wire [127:0]         rq_cfg_data,

    // ---- registers that are kept in other modules
    output reg                  own_start,
    output reg                  own_write,
    output reg  [6:0]           own_qp,
    output reg  [5:0]           own_word,        // offset in the QP's registers, in words
    output reg  [31:0]          own_wdata,
    input  wire                 rx_own_ready,
    input  wire [31:0]          rx_own_rdata,
    input  wire                 rx_own_busy,     // the receiver has an operation of own_qp in progress
    input  wire                 rq_own_ready,
    input  wire [31:0]          rq_own_rdata,
    output wire                 rx_own_valid,    // for the owner, until it is ready; a start: first rx, then rq
    output wire                 rq_own_valid,
    output reg                  sq_valid,        // a clock: SQPI of sq_qp is sq_pi now
    output reg  [6:0]           sq_qp,
    output reg  [15:0]          sq_pi,

    // ---- status of the modules: pointers, counted events (one clock each), interrupts
    input  wire [15:0]          errbuf_wptr,
    input  wire [15:0]          ipkterr_wptr,
    input  wire [15:0]          opkterr_wptr,
    input  wire                 in_all,
    input  wire                 in_dropped,
    input  wire                 in_send,
    input  wire                 in_read_response,
    input  wire                 in_ack,
    input  wire                 in_mad,
    input  wire                 in_invalid,
    input  wire                 in_duplicate,
    input  wire                 in_nak,
    input  wire [6:0]           in_nak_qp,
    input  wire                 in_marked,
    input  wire                 other_lost,
    input  wire                 in_last_valid,
    input  wire [7:0]           in_last_opcode,
    input  wire [6:0]           in_last_qp,
    input  wire [15:0]          in_last_psn,
    input  wire                 out_send,
    input  wire                 out_read_write,
    input  wire                 out_ack,
    input  wire                 out_mad,
    input  wire                 out_nak,
    input  wire                 out_rnr,
    input  wire [6:0]           out_rnr_qp,
    input  wire                 out_last_valid,
    input  wire [7:0]           out_last_opcode,
    input  wire [6:0]           out_last_qp,
    input  wire [15:0]          out_last_psn,
    input  wire                 retry,
    input  wire                 wqe_done,
    input  wire                 cache_full,
    input  wire                 cache_empty,
    input  wire [31:0]          wqe_status,
    input  wire [31:0]          response_status,
    input  wire                 irq_invalid,
    input  wire                 irq_mad,
    input  wire                 irq_rnr,
    input  wire                 irq_cq,
    input  wire [6:0]           irq_cq_qp,
    input  wire                 irq_illegal,
    input  wire                 irq_rq,
    input  wire [6:0]           irq_rq_qp,
    input  wire                 irq_fatal,
    output wire [8:0]           interrupts       // the pins: level
);
    initial
        if (NUM_QP < 8 || NUM_QP > 128) begin
            $display("%m: NUM_QP must be 8..128, is %0d", NUM_QP);
            $finish;
        end

    // ---- which registers exist. Words of a QP, by their offset in words.
    localparam [5:0] QPCONF = 6'h00, QPADVCONF = 6'h01, RQBA = 6'h02, SQBA = 6'h04, CQBA = 6'h06, RQWPTRDBADD = 6'h08,
                     CQDBADD = 6'h0a, CQHEAD = 6'h0c, RQCI = 6'h0d, SQPI = 6'h0e, QDEPTH = 6'h0f, SQPSN = 6'h10,
                     LSTRQREQ = 6'h11, DESTQPCONF = 6'h12, TIMEOUTCONF = 6'h13, MACDESADDLSB = 6'h14,
                     MACDESADDMSB = 6'h15, IPDESADDR1 = 6'h18, IPDESADDR2 = 6'h19, IPDESADDR3 = 6'h1a,
                     IPDESADDR4 = 6'h1b, STATSSN = 6'h20, STATMSN = 6'h21, STATQP = 6'h22, STATCURSQPTR = 6'h23,
                     STATRESPSN = 6'h24, STATRQBUFCA = 6'h25, STATWQE = 6'h26, STATRQPIDB = 6'h27, RQLENBA = 6'h28,
                     RDLIMIT = 6'h29;

    // Bits of a word in the memory; none where there is none.
    function [31:0] kept(input [5:0] word);
        case (word)
            QPCONF:                              kept = 32'hffff_07bd;
            QPADVCONF:                           kept = 32'hffff_ff3f;
            RQBA:                                kept = 32'hffff_ff00;
            SQBA, CQBA:                          kept = 32'hffff_ffe0;
            RQCI, SQPI, MACDESADDMSB:            kept = 32'h0000_ffff;
            DESTQPCONF:                          kept = 32'h00ff_ffff;
            TIMEOUTCONF:                         kept = 32'h001f_3f3f;
            RDLIMIT:                             kept = 32'h0000_001f;
            RQWPTRDBADD, CQDBADD, QDEPTH, MACDESADDLSB, IPDESADDR1, IPDESADDR2, IPDESADDR3, IPDESADDR4, RQLENBA:
                                                 kept = 32'hffff_ffff;
            default:                             kept = 32'h0000_0000;
        endcase
    endfunction

    // Kept by the receiver, by the requester.
    function of_receiver(input [5:0] word);
        of_receiver = word == LSTRQREQ || word == STATMSN || word == STATRQBUFCA || word == STATRQPIDB;
    endfunction
    function of_requester(input [5:0] word);
        of_requester = word == CQHEAD || word == SQPSN || word == STATSSN || word == STATQP || word == STATCURSQPTR ||
                       word == STATRESPSN || word == STATWQE;
    endfunction
    // Registers that QP 1 does not have.
    function connected_only(input [5:0] word);
        connected_only = word == SQPSN || word == LSTRQREQ || word == TIMEOUTCONF || word == STATSSN ||
                         word == STATMSN || word == STATRESPSN;
    endfunction
    // Writable while the QP is enabled: of QP 1 also the destination of its next datagram.
    function any_time(input [5:0] word, input management);
        any_time = word == QPCONF || word == TIMEOUTCONF || word == RQCI || word == SQPI ||
                   (management && (word == DESTQPCONF || word == MACDESADDLSB || word == MACDESADDMSB ||
                                   word == IPDESADDR1 ||
                                   word == IPDESADDR2 || word == IPDESADDR3 || word == IPDESADDR4));
    endfunction
    localparam [31:0] QPCONF_OFF = 32'hffff_0700; // of QPCONF: while the QP is disabled only

    function [31:0] merge(input [31:0] old, input [31:0] data, input [3:0] strobes);
        merge = {strobes[3] ? data[31:24] : old[31:24], strobes[2] ? data[23:16] : old[23:16],
                 strobes[1] ? data[15:8] : old[15:8], strobes[0] ? data[7:0] : old[7:0]};
    endfunction

    // ---- the current access
    localparam [2:0] CLEAR = 3'd0, IDLE = 3'd1, LOOK = 3'd2, ZERO = 3'd3, ANSWER = 3'd4;
    localparam [2:0] BY_SQPI = 3'd0, BY_RQCI = 3'd1, BY_WRITE = 3'd2, BY_READ = 3'd3, BY_START = 3'd4;
    localparam [2:0] SCAN = 3'd0, POLL = 3'd1, BEGIN = 3'd2, ENABLE = 3'd3, RING = 3'd4;
    localparam [31:0] BUSY = 32'h0000_1000;      // of STATQP
    reg  [2:0]  state;
    reg  [2:0]  by;
    reg  [2:0]  start_state;       // of the starting QP, start_qp: searched, polled, started, enabled, SQPI passed on
    reg  [6:0]  start_qp;
    reg  [4:0]  start_pause;       // clocks till the next poll
    reg  [7:0]  start_count;       // QPs that are pending
    reg         lite_waits;        // an access of AXI waits for `own`: lite_qp, lite_word, lite_write
    reg         lite_write;
    reg         lite_on;           // its QP is enabled
    reg         own_lite;          // `own` is that of AXI
    reg         own_valid, rx_done;
    reg  [6:0]  lite_qp;
    reg  [5:0]  lite_word;
    reg  [15:0] addr;
    reg  [31:0] data;
    reg  [3:0]  strobes;
    reg         read_turn;         // a read goes before a write
    wire        writing = by != BY_READ && by != BY_START;

    wire write_asked = lite_awvalid && lite_wvalid && !lite_bvalid;
    wire read_asked  = lite_arvalid && !lite_rvalid;
    wire take_read   = read_asked && (read_turn || !write_asked);
    wire idle        = state == IDLE;
    wire start_turn  = start_state == ENABLE || start_state == RING;     // has precedence
    wire lite_asked  = (write_asked || read_asked) && !lite_waits && !(own_valid && own_lite);
    // Round robin of SQPI, RQCI and AXI: `by` is still the last one; a start counts as one of AXI.
    wire sqpi_may    = by == BY_SQPI ? !rqci_valid && !lite_asked : by != BY_RQCI || !lite_asked;
    wire sqpi_asked  = sqpi_valid && sqpi_may;
    wire rqci_may    = by == BY_SQPI || (!sqpi_valid && (by != BY_RQCI || !lite_asked));
    wire by_port     = !start_turn && (sqpi_asked || (rqci_valid && rqci_may));
    wire lite_taken  = idle && !start_turn && lite_asked && !by_port;
    assign sqpi_ready   = idle && !start_turn && sqpi_may;
    assign rqci_ready   = idle && !start_turn && rqci_may;
    assign lite_awready = lite_taken && !take_read;
    assign lite_wready  = lite_awready;
    assign lite_arready = lite_taken && take_read;
    wire   taken        = idle && (start_turn || by_port || lite_taken);
    wire [7:0]  start_name = {1'b0, start_qp} + 8'd2;
    wire [15:0] next_addr = start_turn ? {start_name, start_state == ENABLE ? {QPCONF, 2'd0} : {SQPI, 2'd0}}
                          : by_port ? (sqpi_asked ? sqpi_addr : rqci_addr) : take_read ? lite_araddr : lite_awaddr;

    wire        in_qp    = addr[15:9] != 7'd0;
    wire [7:0]  number   = addr[15:8] - 8'd1;    // QP number
    wire [6:0]  qp       = addr[14:8] - 7'd2;    // - 1
    wire [5:0]  word     = addr[7:2];
    wire        there    = in_qp && {1'b0, number} <= NUM_QP[8:0] && number != 8'd0
                           && !(qp == 7'd0 && connected_only(word));
    wire        on, pending;                     // it is enabled, and waits for its start
    wire        stored_override;
    wire [7:0]  override_qp;
    wire        override = stored_override && override_qp == number && (word == CQHEAD || word == STATRQPIDB);

    // ---- the memories of the QPs' registers
    localparam ROWS = NUM_QP * 16;
    localparam LOG2_ROWS = $clog2(ROWS);
    wire [LOG2_ROWS-1:0] addr_row = {qp[LOG2_ROWS-5:0], word[5:2]};
    wire [127:0] row_read;
    reg  [3:0]   row_write;
    reg  [31:0]  row_data;
    reg          row_off;          // QPCONF of a QP that is pending
    reg  [LOG2_ROWS-1:0] row_at;
    reg  [LOG2_ROWS-1:0] clear_row;
    wire [10:0] look_addr = {next_addr[14:8] - 7'd2, next_addr[7:4]};
    roce_register_rows #(.NUM_QP(NUM_QP), .LOG2_WIDE(2)) rx_rows (
        .clk (clk), .write (row_write), .write_at (row_at), .write_data (row_data),
        .read (1'b1), .read_at (rx_cfg_addr[LOG2_ROWS-3:0]), .read_data (rx_cfg_data)
    );
    roce_register_rows #(.NUM_QP(NUM_QP)) tx_rows (
        .clk (clk), .write (row_write), .write_at (row_at), .write_data ({row_data[31:1], row_data[0] && !row_off}),
        .read (1'b1), .read_at (tx_cfg_addr[LOG2_ROWS-1:0]), .read_data (tx_cfg_data)
    );
    roce_register_rows #(.NUM_QP(NUM_QP)) rq_rows (
        .clk (clk), .write (row_write), .write_at (row_at), .write_data (row_data),
        .read (1'b1), .read_at (rq_cfg_addr[LOG2_ROWS-1:0]), .read_data (rq_cfg_data)
    );
    roce_register_rows #(.NUM_QP(NUM_QP)) own_rows (
        .clk (clk), .write (row_write), .write_at (row_at), .write_data (row_data),
        .read (idle), .read_at (look_addr[LOG2_ROWS-1:0]), .read_data (row_read)
    );

    wire [31:0] chip_read;
    wire        chip_there, chip_writable;
    // ---- effect of an access, in LOOK
    wire [31:0] old     = row_read[word[1:0]*32 +: 32];
    wire [31:0] merged  = merge(old, data, strobes) & kept(word);
    wire [31:0] wanted  = word == QPCONF && on ? (merged & ~QPCONF_OFF) | (old & QPCONF_OFF) : merged;
    wire        ignored_part = word == QPCONF && on && ((merged ^ old) & QPCONF_OFF) != 32'd0;
    wire        index   = word == SQPI || word == RQCI;
    wire [15:0] depth   = word == SQPI ? row_read[111:96] : row_read[127:112];
    wire        index_good = on && strobes[1:0] == 2'b11 && merged[15:0] < depth;
    wire        by_hand = by == BY_SQPI || by == BY_RQCI;
    wire        hand_good = !by_hand || word == (by == BY_SQPI ? SQPI : RQCI);
    wire        owned   = there && (of_receiver(word) || of_requester(word));
    wire        own_may = !writing || (strobes == 4'b1111 && !pending && (override || word == STATQP ||
                                                                          (!on && (word == SQPSN ||
                                                                                   word == LSTRQREQ))));
    wire        look    = state == LOOK;
    wire        row_may = there && hand_good && kept(word) != 32'd0
                          && (index ? index_good : !on || any_time(word, qp == 7'd0));
    wire        starts  = look && writing && row_may && word == QPCONF && wanted[0] && !on;
    wire        bad_index  = look && writing && in_qp && index && !(there && hand_good && index_good);
    wire        bad_access = look && !bad_index && by != BY_START &&
                             (in_qp ? !there || (owned ? !own_may : kept(word) == 32'd0 ||
                                                 (writing && (!row_may || ignored_part)))
                                    : !chip_there || (writing && !chip_writable));

    // A QP is switched off, or on; after reset each one off.
    wire        disables    = look && writing && row_may && word == QPCONF && !wanted[0];
    wire        enables_now = look && by == BY_START && word == QPCONF && pending;
    wire        rings_now   = look && by == BY_START && word == SQPI && on && !pending && old[15:0] != 16'd0;
    wire        clears      = state == CLEAR;
    wire [6:0]  clear_qp    = {{11-LOG2_ROWS{1'b0}}, clear_row[LOG2_ROWS-1:4]};
    wire [6:0]  change_qp   = clears ? clear_qp : qp;
    assign qp_switch = {disables || enables_now || clears, enables_now, change_qp};
    roce_qp_flag #(.NUM_QP(NUM_QP)) enabled (
        .clk (clk), .change ({disables || starts || clears, starts, change_qp}), .limit (8'd128), .look_qp (qp),
        .look (on)
    );
    wire [8:0]  pend_change = {disables || starts || enables_now || clears, starts, change_qp};
    wire        start_pending;
    roce_qp_flag #(.NUM_QP(NUM_QP)) pendings (
        .clk (clk), .change (pend_change), .limit (8'd128), .look_qp (qp), .look (pending)
    );
    roce_qp_flag #(.NUM_QP(NUM_QP)) scanned_pendings (
        .clk (clk), .change (pend_change), .limit (NUM_QP[7:0]), .look_qp (start_qp), .look (start_pending)
    );
    // A QP starts in the receiver first: when that is ready, no old event can arrive from there that could make it
    // fatal.
    assign rx_own_valid = own_valid && !rx_done && (own_start || of_receiver(own_word));
    assign rq_own_valid = own_valid && (own_start ? rx_done : of_requester(own_word));
    wire own_done = own_valid && (!own_start && of_receiver(own_word) ? rx_own_ready : rq_own_ready);
    wire start_polls = start_state == SCAN && start_pending && start_pause == 5'd0 && !own_valid && !lite_waits;
    wire own_busy = rx_own_busy || rq_own_rdata[12];
    wire hidden   = pending && by == BY_READ && word != SQPSN && word != LSTRQREQ;   // of an owned word

    always @(posedge clk)
        if (rst) begin
            state     <= CLEAR;
            clear_row <= {LOG2_ROWS{1'b0}};
            row_write <= 4'd0;
            row_at    <= {LOG2_ROWS{1'b0}};
            row_data  <= 32'd0;
            own_valid <= 1'b0;
            own_start <= 1'b0;
            rx_done   <= 1'b0;
            sq_valid  <= 1'b0;
            read_turn <= 1'b0;
            lite_bvalid <= 1'b0;
            lite_rvalid <= 1'b0;
            lite_rdata  <= 32'd0;
            by          <= BY_SQPI;
            addr        <= 16'd0;
            data        <= 32'd0;
            strobes     <= 4'd0;
            own_write   <= 1'b0;
            own_qp      <= 7'd0;
            own_word    <= 6'd0;
            own_wdata   <= 32'd0;
            sq_qp       <= 7'd0;
            sq_pi       <= 16'd0;
            row_off     <= 1'b0;
            lite_waits  <= 1'b0;
            lite_write  <= 1'b0;
            lite_on     <= 1'b0;
            own_lite    <= 1'b0;
            lite_qp     <= 7'd0;
            lite_word   <= 6'd0;
            start_state <= SCAN;
            start_qp    <= 7'd0;
            start_pause <= 5'd0;
            start_count <= 8'd0;
        end else begin
            row_write <= 4'd0;
            row_off   <= 1'b0;
            sq_valid  <= 1'b0;
            if (lite_bready) lite_bvalid <= 1'b0;
            if (lite_rready) lite_rvalid <= 1'b0;
            case (state)
                CLEAR: begin
                    row_write <= 4'b1111;
                    row_at    <= clear_row;
                    row_data  <= 32'd0;
                    clear_row <= clear_row + 1'b1;
                    if (clear_row == ROWS[LOG2_ROWS-1:0] - 1'b1) state <= IDLE;
                end
                IDLE:
                    if (taken) begin
                        state     <= LOOK;
                        by        <= start_turn ? BY_START : by_port ? (sqpi_asked ? BY_SQPI : BY_RQCI)
                                     : take_read ? BY_READ : BY_WRITE;
                        addr      <= next_addr;
                        data      <= by_port ? {16'd0, sqpi_asked ? sqpi_index : rqci_index} : lite_wdata;
                        // a start writes the present values
                        strobes   <= start_turn ? 4'b0000 : by_port ? 4'b1111 : lite_wstrb;
                        if (!start_turn && !by_port) read_turn <= !take_read;
                    end
                LOOK: begin
                    if (by == BY_READ)
                        lite_rdata <= !in_qp ? chip_read : there && kept(word) != 32'd0 ? old
                                      : owned && word == STATQP ? BUSY : 32'd0;
                    row_at   <= addr_row;
                    row_data <= wanted;
                    row_off  <= word == QPCONF && (starts || (pending && by != BY_START));
                    sq_qp    <= qp;
                    sq_pi    <= merged[15:0];
                    sq_valid <= rings_now || (writing && row_may && word == SQPI && !pending);
                    state    <= starts ? ZERO : by_hand || by == BY_START ? IDLE : ANSWER;
                    if ((writing && row_may) || enables_now) row_write[word[1:0]] <= 1'b1;
                    if (owned && own_may && !by_hand && by != BY_START && !hidden) begin
                        lite_waits <= 1'b1;
                        lite_qp    <= qp;
                        lite_word  <= word;
                        lite_write <= writing;
                        lite_on    <= on;
                        own_wdata  <= data;
                        state      <= IDLE;
                    end
                end
                ZERO: begin // the indices of the QP
                    row_write <= 4'b0110;
                    row_at    <= {qp[LOG2_ROWS-5:0], 4'd3};
                    row_data  <= 32'd0;
                    state     <= ANSWER;
                end
                default: begin // ANSWER
                    if (writing) lite_bvalid <= 1'b1;
                    else         lite_rvalid <= 1'b1;
                    state <= IDLE;
                end
            endcase

            // ---- a QP starts
            if (start_pause != 5'd0) start_pause <= start_pause - 5'd1;
            case (start_state)
                SCAN:
                    if (start_polls)                                  start_state <= POLL;
                    else if (!start_pending && start_count != 8'd0) start_qp    <= start_qp + 7'd1;
                POLL:
                    if (own_done) begin
                        start_pause <= {5{own_busy}};
                        start_state <= own_busy ? SCAN : BEGIN;
                        if (own_busy) start_qp <= start_qp + 7'd1;
                    end
                BEGIN:  if (own_done) start_state <= ENABLE;
                ENABLE: if (look && by == BY_START) start_state <= enables_now ? RING : SCAN;
                default: // RING
                    if (look && by == BY_START) start_state <= SCAN;
            endcase
            if (starts && start_state == SCAN && !start_polls) start_qp <= qp;
            start_count <= start_count + {7'd0, starts} - {7'd0, enables_now || (disables && pending)};

            // ---- registers of other modules: for AXI, or for a QP that starts
            if (start_polls || (lite_waits && !own_valid)) begin
                own_qp    <= lite_waits ? lite_qp : start_qp;
                own_word  <= lite_waits ? lite_word : STATQP;
                own_write <= lite_waits && lite_write;
                own_lite  <= lite_waits;
                own_valid <= 1'b1;
                if (lite_waits) lite_waits <= 1'b0;
            end
            if (rx_own_ready && own_start) rx_done <= 1'b1;
            if (own_done) begin
                own_start <= start_state == POLL && !own_lite && !own_busy;
                own_valid <= start_state == POLL && !own_lite && !own_busy;
                rx_done   <= 1'b0;
                if (own_lite && own_write) lite_bvalid <= 1'b1;
                if (own_lite && !own_write) begin
                    lite_rvalid <= 1'b1;
                    lite_rdata  <= of_receiver(own_word) ? rx_own_rdata
                                 : rq_own_rdata | (own_word == STATQP && (lite_on || rx_own_busy) ? BUSY : 32'd0);
                end
            end
        end

    // ---- registers of the chip
    roce_chip_registers #(.NUM_QP(NUM_QP)) chip (
        .clk (clk), .rst (rst), .offset ({addr[14:2], 2'd0}), .write (look && by == BY_WRITE && !in_qp), .data (data),
        .strobes (strobes), .read (chip_read), .there (chip_there), .writable (chip_writable), .bad_access (bad_access),
        .bad_index (bad_index), .chip_enable (chip_enable), .ack_mode (ack_mode), .error_all (error_all),
        .udp_source (udp_source), .retry_for_ever (retry_for_ever), .any_mac (any_mac), .mac (mac), .ipv4 (ipv4),
        .ipv6 (ipv6), .errbuf_base (errbuf_base), .errbuf_count (errbuf_count), .errbuf_size (errbuf_size),
        .ipkterr_base (ipkterr_base), .ipkterr_size (ipkterr_size), .opkterr_base (opkterr_base),
        .opkterr_size (opkterr_size), .tick (tick), .qp_limit (qp_limit), .stored_override (stored_override),
        .override_qp (override_qp), .errbuf_wptr (errbuf_wptr), .ipkterr_wptr (ipkterr_wptr),
        .opkterr_wptr (opkterr_wptr), .in_all (in_all), .in_dropped (in_dropped), .in_send (in_send),
        .in_read_response (in_read_response), .in_ack (in_ack), .in_mad (in_mad), .in_invalid (in_invalid),
        .in_duplicate (in_duplicate), .in_nak (in_nak), .in_nak_qp (in_nak_qp), .in_marked (in_marked),
        .other_lost (other_lost), .in_last_valid (in_last_valid), .in_last_opcode (in_last_opcode),
        .in_last_qp (in_last_qp), .in_last_psn (in_last_psn), .out_send (out_send), .out_read_write (out_read_write),
        .out_ack (out_ack), .out_mad (out_mad), .out_nak (out_nak), .out_rnr (out_rnr), .out_rnr_qp (out_rnr_qp),
        .out_last_valid (out_last_valid), .out_last_opcode (out_last_opcode), .out_last_qp (out_last_qp),
        .out_last_psn (out_last_psn), .retry (retry), .wqe_done (wqe_done), .cache_full (cache_full),
        .cache_empty (cache_empty), .wqe_status (wqe_status), .response_status (response_status),
        .irq_invalid (irq_invalid), .irq_mad (irq_mad), .irq_rnr (irq_rnr), .irq_cq (irq_cq), .irq_cq_qp (irq_cq_qp),
        .irq_illegal (irq_illegal), .irq_rq (irq_rq), .irq_rq_qp (irq_rq_qp), .irq_fatal (irq_fatal),
        .interrupts (interrupts)
    );

    wire unused = &{1'b0, rx_cfg_addr, tx_cfg_addr, rq_cfg_addr, look_addr, addr[1:0]};

    // ---- measuring
    wire       probe_busy  = state != IDLE;
    wire [2:0] probe_state = state;
endmodule
`default_nettype wire
