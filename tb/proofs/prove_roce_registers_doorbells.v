// Proof of roce_registers: which doorbells of software (SQPI, RQCI) count, whatever is written and signalled by
// handshake, in any order.
//
//   below       an index is stored, and sent to the requester, only if it is below the depth of its queue, its QP there
//               and enabled, both of its bytes written, and its handshake pair the right one; then in the next clock,
//               and as it came. While the QP is pending it is stored alone
//   ignored     any other one has no effect but being counted: once, and no good one is
//   start       when the QP has started the requester gets the SQPI that is stored, if it is not 0
//   alone       nothing else notifies the requester, or changes SQPI, RQCI: but when the QP is enabled, or all
//               registers are cleared, both are 0
//   depth       QDEPTH of an enabled QP stays
//
// So the index of an enabled QP is below its depth at all times, or 0. MEMORIES=free: what the registers' memory and
// that of enabled QPs give is anything; the proof looks at what they give in the clock in which an access is checked.
`default_nettype none
module prove_roce_registers_doorbells (
    input  wire        clk,
    input  wire        any_awvalid,
    input  wire [15:0] any_awaddr,
    input  wire        any_wvalid,
    input  wire [31:0] any_wdata,
    input  wire [3:0]  any_wstrb,
    input  wire        any_bready,
    input  wire        any_arvalid,
    input  wire [15:0] any_araddr,
    input  wire        any_rready,
    input  wire        any_sqpi,
    input  wire        any_rqci,
    input  wire [15:0] any_handshake_addr,
    input  wire [15:0] any_handshake_index,
    input  wire        any_rx_ready,
    input  wire        any_rq_ready,
    output wire        bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    wire rst = !running;

    wire        awready, wready, bvalid, arready, rvalid, sqpi_ready, rqci_ready, sq_valid;
    wire [31:0] rdata;
    wire [6:0]  sq_qp;
    wire [15:0] sq_pi;
    roce_registers #(.NUM_QP(8)) registers (
        .clk (clk), .rst (rst),
        .lite_awvalid (any_awvalid), .lite_awready (awready), .lite_awaddr (any_awaddr), .lite_wvalid (any_wvalid),
        .lite_wready (wready), .lite_wdata (any_wdata), .lite_wstrb (any_wstrb), .lite_bvalid (bvalid),
        .lite_bready (any_bready), .lite_arvalid (any_arvalid), .lite_arready (arready), .lite_araddr (any_araddr),
        .lite_rvalid (rvalid), .lite_rready (any_rready), .lite_rdata (rdata),
        .sqpi_valid (any_sqpi), .sqpi_ready (sqpi_ready), .sqpi_addr (any_handshake_addr),
        .sqpi_index (any_handshake_index), .rqci_valid (any_rqci), .rqci_ready (rqci_ready),
        .rqci_addr (any_handshake_addr), .rqci_index (any_handshake_index), .rx_own_ready (any_rx_ready),
        .rq_own_ready (any_rq_ready), .sq_valid (sq_valid), .sq_qp (sq_qp), .sq_pi (sq_pi)
    );

    // ---- inside: what the memories give, and what is written to them
    (* hierconn *) wire [127:0] \registers.row_read ;
    (* hierconn *) wire         \registers.on ;
    (* hierconn *) wire [3:0]   \registers.row_write ;
    (* hierconn *) wire [6:0]   \registers.row_at ;           // {QP, row}
    (* hierconn *) wire [31:0]  \registers.row_data ;
    (* hierconn *) wire [15:0]  \registers.chip.count_bad_index ;
    (* hierconn *) wire         \registers.pending ;
    (* hierconn *) wire         \registers.look ;              // an access is checked in this clock
    (* hierconn *) wire [2:0]   \registers.by ;                // 4: of a QP that starts
    (* hierconn *) wire [15:0]  \registers.addr ;

    // ---- the access that was taken in the clock before
    wire        by_sqpi = any_sqpi && sqpi_ready, by_rqci = any_rqci && rqci_ready, by_write = any_awvalid && awready;
    reg         access, hand_sqpi, hand_rqci, whole;
    reg  [15:0] address, value;
    always @(posedge clk) begin
        access    <= running && (by_sqpi || by_rqci || by_write);
        hand_sqpi <= by_sqpi;
        hand_rqci <= by_rqci;
        address   <= (by_sqpi || by_rqci) ? any_handshake_addr : any_awaddr;
        value     <= (by_sqpi || by_rqci) ? any_handshake_index : any_wdata[15:0];
        whole     <= by_sqpi || by_rqci || any_wstrb[1:0] == 2'b11;
    end
    wire [7:0]  number = address[15:8] - 8'd1;                // of the QP, as S5 counts
    wire        of_qp  = address[15:8] >= 8'd2;
    wire        sqpi   = access && of_qp && address[7:2] == 6'h0e;     // 0x238, 0x234
    wire        rqci   = access && of_qp && address[7:2] == 6'h0d;
    wire [15:0] depth  = sqpi ? \registers.row_read [111:96] : \registers.row_read [127:112];
    wire        good   = (sqpi || rqci) && number <= 8'd8 && \registers.on && whole && value < depth &&
                         !(hand_sqpi && rqci) && !(hand_rqci && sqpi);

    // ---- effects, in the next clock
    wire        ring = \registers.look && \registers.by == 3'd4 && \registers.addr [7:2] == 6'h0e;
    reg         was, was_sqpi, was_rqci, was_good, was_on, was_pending, was_ring;
    reg  [6:0]  was_qp, ring_qp;
    reg  [15:0] was_value, was_count, ring_pi;
    always @(posedge clk) begin
        was       <= running;
        was_sqpi  <= sqpi;
        was_rqci  <= rqci;
        was_good  <= good;
        was_on    <= access && \registers.on ;
        was_pending <= \registers.pending ;
        was_ring  <= ring && \registers.on && !\registers.pending && \registers.row_read [79:64] != 16'd0;
        ring_qp   <= \registers.addr [14:8] - 7'd2;
        ring_pi   <= \registers.row_read [79:64];
        was_qp    <= address[14:8] - 7'd2;
        was_value <= value;
        was_count <= \registers.chip.count_bad_index ;
    end
    wire [3:0]  write  = \registers.row_write ;
    wire        row_3  = \registers.row_at [3:0] == 4'd3;
    wire        stored = write == (was_sqpi ? 4'b0100 : 4'b0010) && \registers.row_at == {was_qp[2:0], 4'd3} &&
                         \registers.row_data == {16'd0, was_value};
    wire        rings  = sq_valid == (was_sqpi && !was_pending)
                         && (!sq_valid || (sq_qp == was_qp && sq_pi == was_value));
    wire [15:0] bads   = \registers.chip.count_bad_index - was_count;
    assign bad = running && was && (
        (was_good && !(stored && rings)) ||
        ((was_sqpi || was_rqci) && !was_good && (write != 4'd0 || sq_valid)) ||
        bads != {15'd0, (was_sqpi || was_rqci) && !was_good} ||
        (!was_good && sq_valid != was_ring) ||
        (was_ring && !(sq_qp == ring_qp && sq_pi == ring_pi)) ||
        (!was_good && row_3 && write[2:1] != 2'd0 && (was_on || \registers.row_data != 32'd0)) ||
        (was_on && row_3 && write[3]));

    wire unused = &{1'b0, wready, bvalid, arready, rvalid, rdata};
endmodule
`default_nettype wire
