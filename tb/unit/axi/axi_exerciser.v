// What a chip with AXI ports looks like to sim/model/axi: registers at an AXI4-Lite slave, an engine that copies memory
// by two AXI4 masters, one that reads and one that writes, and the RoCE chip's handshake ports, which answer each
// doorbell posted with one of their own.
//
// Registers: 0x00 source, 0x04 destination, 0x08 words of BYTES to copy (at most 256, and within 4 KB at both), a write
// starts; 0x0c copies done, read only; 0x10 [1:0] the worst response of a copy, read only; 0x14 a word to keep; 0x20
// SLVERR, 0x24 DECERR, whatever is done. FAULT 1: the doorbell of the receive queue changes while it waits; 2: WLAST
// comes a word early; 3: RREADY is high, but the address of a read goes before it is taken.
`default_nettype none
module axi_exerciser #(
    // bytes per clock: 8 or 64
    parameter BYTES = 8,
    // the fault above, 0: none
    parameter FAULT = 0
) (
    input  wire                 clk,
    input  wire                 rst,

    // ---- registers
    input  wire                 s_axi_lite_awvalid,
    output wire                 s_axi_lite_awready,
    input  wire [7:0]           s_axi_lite_awaddr,
    input  wire                 s_axi_lite_wvalid,
    output wire                 s_axi_lite_wready,
    input  wire [31:0]          s_axi_lite_wdata,
    input  wire [3:0]           s_axi_lite_wstrb,
    output reg                  s_axi_lite_bvalid,
    input  wire                 s_axi_lite_bready,
    output reg  [1:0]           s_axi_lite_bresp,
    input  wire                 s_axi_lite_arvalid,
    output wire                 s_axi_lite_arready,
    input  wire [7:0]           s_axi_lite_araddr,
    output reg                  s_axi_lite_rvalid,
    input  wire                 s_axi_lite_rready,
    output reg  [31:0]          s_axi_lite_rdata,
    output reg  [1:0]           s_axi_lite_rresp,

    // ---- master that reads
    output reg                  in_m_axi_arvalid,
    input  wire                 in_m_axi_arready,
    output wire [31:0]          in_m_axi_araddr,
    output wire [7:0]           in_m_axi_arlen,
    output wire [2:0]           in_m_axi_arsize,
    output wire [1:0]           in_m_axi_arburst,
    output wire                 in_m_axi_arid,
    input  wire                 in_m_axi_rvalid,
    output wire                 in_m_axi_rready,
    input  wire [8*BYTES-1:0]   in_m_axi_rdata,
    input  wire [1:0]           in_m_axi_rresp,
    input  wire                 in_m_axi_rlast,

    // ---- master that writes
    output reg                  out_m_axi_awvalid,
    input  wire                 out_m_axi_awready,
    output wire [31:0]          out_m_axi_awaddr,
    output wire [7:0]           out_m_axi_awlen,
    output wire                 out_m_axi_wvalid,
    input  wire                 out_m_axi_wready,
    output wire [8*BYTES-1:0]   out_m_axi_wdata,
    output wire [BYTES-1:0]     out_m_axi_wstrb,
    output wire                 out_m_axi_wlast,
    input  wire                 out_m_axi_bvalid,
    output wire                 out_m_axi_bready,
    input  wire [1:0]           out_m_axi_bresp,

    // ---- doorbells
    output reg                  rx_pkt_hndler_o_rq_db_data_valid,
    input  wire                 rx_pkt_hndler_i_rq_db_rdy,
    output reg  [9:0]           rx_pkt_hndler_o_rq_db_addr,
    output reg  [31:0]          rx_pkt_hndler_o_rq_db_data,
    output reg                  resp_hndler_o_send_cq_db_cnt_valid,
    input  wire                 resp_hndler_i_send_cq_db_rdy,
    output reg  [9:0]           resp_hndler_o_send_cq_db_addr,
    output reg  [31:0]          resp_hndler_o_send_cq_db_cnt,
    input  wire                 i_qp_sq_pidb_wr_valid_hndshk,
    output wire                 o_qp_sq_pidb_wr_rdy,
    input  wire [31:0]          i_qp_sq_pidb_wr_addr_hndshk,
    input  wire [15:0]          i_qp_sq_pidb_hndshk,
    input  wire                 i_qp_rq_cidb_wr_valid_hndshk,
    output wire                 o_qp_rq_cidb_wr_rdy,
    input  wire [31:0]          i_qp_rq_cidb_wr_addr_hndshk,
    input  wire [15:0]          i_qp_rq_cidb_hndshk
);
    // ---- registers
    reg  [31:0] source, destination, kept, copies;
    reg  [8:0]  words;
    reg  [1:0]  worst;
    reg         copying;
    wire        write = s_axi_lite_awvalid && s_axi_lite_wvalid && !s_axi_lite_bvalid;
    wire        read  = s_axi_lite_arvalid && !s_axi_lite_rvalid;
    wire        start = write && s_axi_lite_awaddr == 8'h08;
    assign s_axi_lite_awready = write;
    assign s_axi_lite_wready  = write;
    assign s_axi_lite_arready = read;

    function [1:0] response(input [7:0] at);
        response = at == 8'h20 ? 2'd2 : at == 8'h24 ? 2'd3 : 2'd0;
    endfunction
    function [31:0] merge(input [31:0] old, input [31:0] data, input [3:0] strobes);
        merge = {strobes[3] ? data[31:24] : old[31:24], strobes[2] ? data[23:16] : old[23:16],
                 strobes[1] ? data[15:8] : old[15:8], strobes[0] ? data[7:0] : old[7:0]};
    endfunction

    always @(posedge clk)
        if (rst) begin
            s_axi_lite_bvalid <= 1'b0;
            s_axi_lite_rvalid <= 1'b0;
            s_axi_lite_bresp  <= 2'd0;
            s_axi_lite_rresp  <= 2'd0;
            s_axi_lite_rdata  <= 32'd0;
            source            <= 32'd0;
            destination       <= 32'd0;
            kept              <= 32'd0;
            words             <= 9'd0;
        end else begin
            if (s_axi_lite_bready) s_axi_lite_bvalid <= 1'b0;
            if (s_axi_lite_rready) s_axi_lite_rvalid <= 1'b0;
            if (write) begin
                s_axi_lite_bvalid <= 1'b1;
                s_axi_lite_bresp  <= response(s_axi_lite_awaddr);
                case (s_axi_lite_awaddr)
                    8'h00: source      <= merge(source, s_axi_lite_wdata, s_axi_lite_wstrb);
                    8'h04: destination <= merge(destination, s_axi_lite_wdata, s_axi_lite_wstrb);
                    8'h08: words       <= s_axi_lite_wdata[8:0];
                    8'h14: kept        <= merge(kept, s_axi_lite_wdata, s_axi_lite_wstrb);
                    default: ;
                endcase
            end
            if (read) begin
                s_axi_lite_rvalid <= 1'b1;
                s_axi_lite_rresp  <= response(s_axi_lite_araddr);
                case (s_axi_lite_araddr)
                    8'h00:   s_axi_lite_rdata <= source;
                    8'h04:   s_axi_lite_rdata <= destination;
                    8'h08:   s_axi_lite_rdata <= {23'd0, words};
                    8'h0c:   s_axi_lite_rdata <= copies;
                    8'h10:   s_axi_lite_rdata <= {30'd0, worst};
                    8'h14:   s_axi_lite_rdata <= kept;
                    default: s_axi_lite_rdata <= 32'd0;
                endcase
            end
        end

    // ---- the copy: a word that is read is written in the same clock
    wire [7:0] most = words[7:0] - 8'd1;
    reg  [8:0] left;               // words that were not written yet, less one; [8]: none
    assign in_m_axi_araddr   = source;
    assign in_m_axi_arlen    = most;
    assign in_m_axi_arsize   = BYTES == 64 ? 3'd6 : 3'd3;
    assign in_m_axi_arburst  = 2'd1;
    assign in_m_axi_arid     = 1'b0;
    assign in_m_axi_rready   = copying && out_m_axi_wready;
    assign out_m_axi_awaddr  = destination;
    assign out_m_axi_awlen   = most;
    assign out_m_axi_wvalid  = copying && in_m_axi_rvalid;
    assign out_m_axi_wdata   = in_m_axi_rdata;
    assign out_m_axi_wstrb   = {BYTES{1'b1}};
    assign out_m_axi_wlast   = FAULT == 2 ? left == 9'd1 : in_m_axi_rlast;
    assign out_m_axi_bready  = 1'b1;
    wire   moved = in_m_axi_rvalid && in_m_axi_rready;
    always @(posedge clk)
        if (rst) begin
            in_m_axi_arvalid  <= 1'b0;
            out_m_axi_awvalid <= 1'b0;
            copying           <= 1'b0;
            copies            <= 32'd0;
            worst             <= 2'd0;
            left              <= 9'd0;
        end else begin
            if (in_m_axi_arready || (FAULT == 3 && in_m_axi_arvalid)) in_m_axi_arvalid <= 1'b0;
            if (out_m_axi_awready) out_m_axi_awvalid <= 1'b0;
            if (moved) left <= left - 9'd1;
            if (moved && in_m_axi_rresp > worst) worst <= in_m_axi_rresp;
            if (out_m_axi_bvalid) begin
                copying <= 1'b0;
                copies  <= copies + 32'd1;
                if (out_m_axi_bresp > worst) worst <= out_m_axi_bresp;
            end
            if (start) begin
                in_m_axi_arvalid  <= 1'b1;
                out_m_axi_awvalid <= 1'b1;
                copying           <= 1'b1;
                worst             <= 2'd0;
                left              <= s_axi_lite_wdata[8:0] - 9'd1;
            end
        end

    // ---- doorbells: SQPI of a QP comes back as one of its completion queue, RQCI as one of its receive queue
    assign o_qp_sq_pidb_wr_rdy = !resp_hndler_o_send_cq_db_cnt_valid;
    assign o_qp_rq_cidb_wr_rdy = !rx_pkt_hndler_o_rq_db_data_valid;
    function [9:0] short(input [31:0] register, input [7:0] place);
        short = register[31:16] == 16'd0 && register[7:0] == place ? {register[15:8] - 8'd2, 2'b00} : 10'h3ff;
    endfunction
    always @(posedge clk)
        if (rst) begin
            rx_pkt_hndler_o_rq_db_data_valid   <= 1'b0;
            rx_pkt_hndler_o_rq_db_addr         <= 10'd0;
            rx_pkt_hndler_o_rq_db_data         <= 32'd0;
            resp_hndler_o_send_cq_db_cnt_valid <= 1'b0;
            resp_hndler_o_send_cq_db_addr      <= 10'd0;
            resp_hndler_o_send_cq_db_cnt       <= 32'd0;
        end else begin
            if (resp_hndler_i_send_cq_db_rdy) resp_hndler_o_send_cq_db_cnt_valid <= 1'b0;
            if (i_qp_sq_pidb_wr_valid_hndshk && o_qp_sq_pidb_wr_rdy) begin
                resp_hndler_o_send_cq_db_cnt_valid <= 1'b1;
                resp_hndler_o_send_cq_db_addr      <= short(i_qp_sq_pidb_wr_addr_hndshk, 8'h38);
                resp_hndler_o_send_cq_db_cnt       <= {16'd0, i_qp_sq_pidb_hndshk};
            end
            if (rx_pkt_hndler_i_rq_db_rdy) rx_pkt_hndler_o_rq_db_data_valid <= 1'b0;
            else if (FAULT == 1 && rx_pkt_hndler_o_rq_db_data_valid)
                rx_pkt_hndler_o_rq_db_data <= ~rx_pkt_hndler_o_rq_db_data;
            if (i_qp_rq_cidb_wr_valid_hndshk && o_qp_rq_cidb_wr_rdy) begin
                rx_pkt_hndler_o_rq_db_data_valid <= 1'b1;
                rx_pkt_hndler_o_rq_db_addr       <= short(i_qp_rq_cidb_wr_addr_hndshk, 8'h34);
                rx_pkt_hndler_o_rq_db_data       <= {16'd0, i_qp_rq_cidb_hndshk};
            end
        end
endmodule
`default_nettype wire
