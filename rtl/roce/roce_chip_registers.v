// Registers of the RoCE v2 chip that belong to no QP (registers.map, S5 table 2-7): configuration as wires, counters of
// what the modules report, interrupts, and the clock of timers. A write takes one clock; reading is combinational. An
// event in the clock in which its interrupt bit is cleared keeps the bit.
`default_nettype none
`include "roce_registers.vh"
module roce_chip_registers #(
    // queue pairs, 8..128
    parameter NUM_QP = 8
) (
    input  wire                 clk,
    input  wire                 rst,

    // ---- access
    input  wire [14:0]          offset,          // in the 32 KB of these registers, a multiple of 4
    input  wire                 write,
    input  wire [31:0]          data,
    input  wire [3:0]           strobes,         // bytes of `data` that are written
    output reg  [31:0]          read,            // 0 where there is no register
    output reg                  there,
    output reg                  writable,
    input  wire                 bad_access,      // to be counted
    input  wire                 bad_index,

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
    output reg                  tick,            // a clock in each 2**tick_width
    output wire [7:0]           qp_limit,        // QPs from this one on are off
    output wire                 stored_override, // XRNICADCONF: CQHEAD and STATRQPIDB of override_qp can be written
    output wire [7:0]           override_qp,

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
    reg  [31:0] xrnicconf, xrnicadconf, macxaddlsb, errbufba, errbufsz, ipv4xadd, opkterrqba, ipkterrqba;
    reg  [31:0] ipv6xadd1, ipv6xadd2, ipv6xadd3, ipv6xadd4, txbufba, txbufsz, txsglbufba, txsglbufsz, datbufba,
                datbufsz;
    reg  [15:0] macxaddmsb, opkterrqsz, ipkterrqsz;
    reg  [7:0]  inten;
    reg  [7:0]  intsts;
    reg  [255:0] rqintsts, cqintsts;
    reg  [15:0] count_send, count_read_response, count_ack, count_mad, count_invalid, count_duplicate, count_nak,
                count_all, count_dropped;
    reg  [15:0] count_out_send, count_out_read_write, count_out_ack, count_out_mad, count_out_nak, count_out_rnr,
                count_wqes;
    reg  [15:0] count_marked, count_other_lost, count_bad_access, count_bad_index;
    reg  [31:0] count_retry;
    reg  [31:0] last_in, last_out;
    reg  [7:0]  nak_qp, rnr_qp;

    // number of a QP, of a `qp`
    function [7:0] name_of(input [6:0] q);
        name_of = {1'b0, q} + 8'd1;
    endfunction

    localparam [31:0] QPS        = 1 << $clog2(NUM_QP);
    localparam [6:0]  LARGEST_QP = QPS[6:0] - 7'd1;  // bits of a `qp`
    wire [2:0]   bit_word = offset[4:2] - 3'd4; // 0x190 and 0x1b0: the first 32 QPs
    always @* begin
        there    = 1'b1;
        writable = 1'b0;
        case (offset)
            `ROCE_XRNICCONF:     begin read = xrnicconf;   writable = 1'b1; end
            `ROCE_XRNICADCONF:   begin read = xrnicadconf; writable = 1'b1; end
            `ROCE_MACXADDLSB:    begin read = macxaddlsb;  writable = 1'b1; end
            `ROCE_MACXADDMSB:    begin read = {16'd0, macxaddmsb}; writable = 1'b1; end
            `ROCE_IPV6XADD1:     begin read = ipv6xadd1;   writable = 1'b1; end
            `ROCE_IPV6XADD2:     begin read = ipv6xadd2;   writable = 1'b1; end
            `ROCE_IPV6XADD3:     begin read = ipv6xadd3;   writable = 1'b1; end
            `ROCE_IPV6XADD4:     begin read = ipv6xadd4;   writable = 1'b1; end
            `ROCE_TXBUFBA:       begin read = txbufba;     writable = 1'b1; end
            `ROCE_TXBUFSZ:       begin read = txbufsz;     writable = 1'b1; end
            `ROCE_TXSGLBUFBA:    begin read = txsglbufba;  writable = 1'b1; end
            `ROCE_TXSGLBUFSZ:    begin read = txsglbufsz;  writable = 1'b1; end
            `ROCE_ERRBUFBA:      begin read = errbufba;    writable = 1'b1; end
            `ROCE_ERRBUFSZ:      begin read = errbufsz;    writable = 1'b1; end
            `ROCE_ERRBUFWPTR:    read = {16'd0, errbuf_wptr};
            `ROCE_IPV4XADD:      begin read = ipv4xadd;    writable = 1'b1; end
            `ROCE_OPKTERRQBA:    begin read = opkterrqba;  writable = 1'b1; end
            `ROCE_OPKTERRQSZ:    begin read = {16'd0, opkterrqsz}; writable = 1'b1; end
            `ROCE_OPKTERRQWPTR:  read = {16'd0, opkterr_wptr};
            `ROCE_IPKTERRQBA:    begin read = ipkterrqba;  writable = 1'b1; end
            `ROCE_IPKTERRQSZ:    begin read = {16'd0, ipkterrqsz}; writable = 1'b1; end
            `ROCE_IPKTERRQWPTR:  read = {16'd0, ipkterr_wptr};
            `ROCE_DATBUFBA:      begin read = datbufba;    writable = 1'b1; end
            `ROCE_DATBUFSZ:      begin read = datbufsz;    writable = 1'b1; end
            `ROCE_INSRRPKTCNT:   read = {count_read_response, count_send};
            `ROCE_INAMPKTCNT:    read = {count_mad, count_ack};
            `ROCE_OUTIOPKTCNT:   read = {count_out_read_write, count_out_send};
            `ROCE_OUTAMPKTCNT:   read = {count_out_mad, count_out_ack};
            `ROCE_LSTINPKT:      read = last_in;
            `ROCE_LSTOUTPKT:     read = last_out;
            `ROCE_ININVDUPCNT:   read = {count_duplicate, count_invalid};
            `ROCE_INNCKPKTSTS:   read = {count_nak, 8'd0, nak_qp};
            `ROCE_OUTRNRPKTSTS:  read = {count_out_rnr, 8'd0, rnr_qp};
            `ROCE_WQEPROCSTS:    read = wqe_status;
            `ROCE_QPMSTS:        read = {count_wqes, 14'd0, cache_empty, cache_full};
            `ROCE_INALLDRPPKTCNT: read = {count_dropped, count_all};
            `ROCE_INNAKPKTCNT:   read = {16'd0, count_nak};
            `ROCE_OUTNAKPKTCNT:  read = {16'd0, count_out_nak};
            `ROCE_RESPHNDSTS:    read = response_status;
            `ROCE_RETRYCNTSTS:   read = count_retry;
            `ROCE_INMARKEDCNT:   read = {16'd0, count_marked};
            `ROCE_OUTOTHERDRPCNT: read = {16'd0, count_other_lost};
            `ROCE_ACCESSERRCNT:  read = {count_bad_index, count_bad_access};
            `ROCE_INTEN:         begin read = {24'd0, inten};  writable = 1'b1; end
            `ROCE_INTSTS:        begin read = {24'd0, intsts}; writable = 1'b1; end
            `ROCE_RQINTSTS1, `ROCE_RQINTSTS2, `ROCE_RQINTSTS3, `ROCE_RQINTSTS4, `ROCE_RQINTSTS5, `ROCE_RQINTSTS6,
            `ROCE_RQINTSTS7,
            `ROCE_RQINTSTS8:     begin read = rqintsts[{bit_word, 5'd0} +: 32]; writable = 1'b1; end
            `ROCE_CQINTSTS1, `ROCE_CQINTSTS2, `ROCE_CQINTSTS3, `ROCE_CQINTSTS4, `ROCE_CQINTSTS5, `ROCE_CQINTSTS6,
            `ROCE_CQINTSTS7,
            `ROCE_CQINTSTS8:     begin read = cqintsts[{bit_word, 5'd0} +: 32]; writable = 1'b1; end
            default:             begin read = 32'd0; there = 1'b0; end
        endcase
    end

    function [31:0] stored(input [31:0] was);
        stored = {strobes[3] ? data[31:24] : was[31:24], strobes[2] ? data[23:16] : was[23:16],
                  strobes[1] ? data[15:8] : was[15:8], strobes[0] ? data[7:0] : was[7:0]};
    endfunction
    // The word after the write of this clock, if it is its register.
    function [31:0] written(input [31:0] was, input [14:0] register);
        written = write && offset == register ? stored(was) : was;
    endfunction
    wire [31:0] cleared = stored(32'd0); // bits of a w1c register that are cleared
    wire [31:0] macxaddmsb_next = written({16'd0, macxaddmsb}, `ROCE_MACXADDMSB);
    wire [31:0] opkterrqsz_next = written({16'd0, opkterrqsz}, `ROCE_OPKTERRQSZ);
    wire [31:0] ipkterrqsz_next = written({16'd0, ipkterrqsz}, `ROCE_IPKTERRQSZ);
    wire [31:0] inten_next      = written({24'd0, inten}, `ROCE_INTEN);
    wire        is_rqintsts     = offset >= `ROCE_RQINTSTS1 && offset <= `ROCE_RQINTSTS8;
    wire        is_cqintsts     = offset >= `ROCE_CQINTSTS1 && offset <= `ROCE_CQINTSTS8;
    wire [7:0]  in_word         = 8'd1 << bit_word;
    wire [7:0]  rq_name         = name_of(irq_rq_qp & LARGEST_QP), cq_name = name_of(irq_cq_qp & LARGEST_QP);
    wire [31:0] rq_bit          = 32'd1 << rq_name[4:0], cq_bit = 32'd1 << cq_name[4:0];
    integer     w;
    always @(posedge clk)
        if (rst) begin
            {xrnicconf, xrnicadconf, macxaddlsb, errbufba, errbufsz, ipv4xadd, opkterrqba, ipkterrqba} <= 256'd0;
            {ipv6xadd1, ipv6xadd2, ipv6xadd3, ipv6xadd4, txbufba, txbufsz, txsglbufba, txsglbufsz, datbufba,
             datbufsz} <= 320'd0;
            {macxaddmsb, opkterrqsz, ipkterrqsz} <= 48'd0;
            inten    <= 8'd0;
            intsts   <= 8'd0;
            rqintsts <= 256'd0;
            cqintsts <= 256'd0;
        end else begin
            xrnicconf   <= written(xrnicconf, `ROCE_XRNICCONF) & 32'hffff_ff39;
            xrnicadconf <= written(xrnicadconf, `ROCE_XRNICADCONF) & 32'hff0f_000d;
            macxaddlsb  <= written(macxaddlsb, `ROCE_MACXADDLSB);
            macxaddmsb  <= macxaddmsb_next[15:0];
            ipv6xadd1   <= written(ipv6xadd1, `ROCE_IPV6XADD1);
            ipv6xadd2   <= written(ipv6xadd2, `ROCE_IPV6XADD2);
            ipv6xadd3   <= written(ipv6xadd3, `ROCE_IPV6XADD3);
            ipv6xadd4   <= written(ipv6xadd4, `ROCE_IPV6XADD4);
            txbufba     <= written(txbufba, `ROCE_TXBUFBA);
            txbufsz     <= written(txbufsz, `ROCE_TXBUFSZ);
            txsglbufba  <= written(txsglbufba, `ROCE_TXSGLBUFBA);
            txsglbufsz  <= written(txsglbufsz, `ROCE_TXSGLBUFSZ);
            errbufba    <= written(errbufba, `ROCE_ERRBUFBA);
            errbufsz    <= written(errbufsz, `ROCE_ERRBUFSZ);
            ipv4xadd    <= written(ipv4xadd, `ROCE_IPV4XADD);
            opkterrqba  <= written(opkterrqba, `ROCE_OPKTERRQBA);
            opkterrqsz  <= opkterrqsz_next[15:0];
            ipkterrqba  <= written(ipkterrqba, `ROCE_IPKTERRQBA);
            ipkterrqsz  <= ipkterrqsz_next[15:0];
            datbufba    <= written(datbufba, `ROCE_DATBUFBA);
            datbufsz    <= written(datbufsz, `ROCE_DATBUFSZ);
            inten       <= inten_next[7:0];
            // an event in the clock of a clear stays
            intsts      <= (intsts & ~(write && offset == `ROCE_INTSTS ? cleared[7:0] : 8'd0)) |
                           {irq_fatal, irq_rq, irq_illegal, irq_cq, irq_rnr, 1'b0, irq_mad, irq_invalid};
            for (w = 0; w < 8; w = w + 1) begin
                rqintsts[32*w +: 32] <= (rqintsts[32*w +: 32] & ~(write && is_rqintsts && in_word[w] ? cleared :
                                                                  32'd0)) |
                                        (irq_rq && rq_name[7:5] == w[2:0] ? rq_bit : 32'd0);
                cqintsts[32*w +: 32] <= (cqintsts[32*w +: 32] & ~(write && is_cqintsts && in_word[w] ? cleared :
                                                                  32'd0)) |
                                        (irq_cq && cq_name[7:5] == w[2:0] ? cq_bit : 32'd0);
            end
        end
    assign interrupts = {1'b0, intsts & inten};

    assign stored_override = xrnicadconf[0];
    assign override_qp     = xrnicadconf[31:24];
    assign chip_enable    = xrnicconf[0];
    assign ack_mode       = xrnicconf[4:3];
    assign error_all      = xrnicconf[5];
    assign udp_source     = xrnicconf[31:16];
    assign retry_for_ever = xrnicadconf[2];
    assign any_mac        = xrnicadconf[3];
    assign mac            = {macxaddmsb, macxaddlsb};
    assign ipv4           = ipv4xadd;
    assign ipv6           = {ipv6xadd4, ipv6xadd3, ipv6xadd2, ipv6xadd1};
    assign errbuf_base    = errbufba;
    assign errbuf_count   = errbufsz[15:0];
    assign errbuf_size    = errbufsz[31:16];
    assign ipkterr_base   = ipkterrqba;
    assign ipkterr_size   = ipkterrqsz;
    assign opkterr_base   = opkterrqba;
    assign opkterr_size   = opkterrqsz;

    assign qp_limit       = chip_enable ? xrnicconf[15:8] : 8'd0;

    // ---- the clock of timers: 2**tick_width clocks
    wire [3:0]  tick_width = xrnicadconf[19:16];
    reg  [14:0] tick_count;
    wire [14:0] tick_end = (15'd1 << tick_width) - 15'd1;
    always @(posedge clk)
        if (rst) begin
            tick       <= 1'b0;
            tick_count <= 15'd0;
        end else begin
            tick       <= tick_count >= tick_end;
            tick_count <= tick_count >= tick_end ? 15'd0 : tick_count + 15'd1;
        end

    // ---- counters
    always @(posedge clk)
        if (rst) begin
            {count_send, count_read_response, count_ack, count_mad, count_invalid, count_duplicate, count_nak,
             count_all} <= 128'd0;
            {count_dropped, count_out_send, count_out_read_write, count_out_ack, count_out_mad, count_out_nak} <= 96'd0;
            {count_out_rnr, count_wqes, count_marked, count_other_lost, count_bad_access, count_bad_index} <= 96'd0;
            {count_retry, last_in, last_out} <= 96'd0;
            {nak_qp, rnr_qp} <= 16'd0;
        end else begin
            count_send           <= count_send + {15'd0, in_send};
            count_read_response  <= count_read_response + {15'd0, in_read_response};
            count_ack            <= count_ack + {15'd0, in_ack};
            count_mad            <= count_mad + {15'd0, in_mad};
            count_invalid        <= count_invalid + {15'd0, in_invalid};
            count_duplicate      <= count_duplicate + {15'd0, in_duplicate};
            count_nak            <= count_nak + {15'd0, in_nak};
            count_all            <= count_all + {15'd0, in_all};
            count_dropped        <= count_dropped + {15'd0, in_dropped};
            count_out_send       <= count_out_send + {15'd0, out_send};
            count_out_read_write <= count_out_read_write + {15'd0, out_read_write};
            count_out_ack        <= count_out_ack + {15'd0, out_ack};
            count_out_mad        <= count_out_mad + {15'd0, out_mad};
            count_out_nak        <= count_out_nak + {15'd0, out_nak};
            count_out_rnr        <= count_out_rnr + {15'd0, out_rnr};
            count_wqes           <= count_wqes + {15'd0, wqe_done};
            count_retry          <= count_retry + {31'd0, retry};
            count_marked         <= count_marked + {15'd0, in_marked};
            count_other_lost     <= count_other_lost + {15'd0, other_lost};
            count_bad_access     <= count_bad_access + {15'd0, bad_access};
            count_bad_index      <= count_bad_index + {15'd0, bad_index};
            if (in_nak)         nak_qp   <= name_of(in_nak_qp);
            if (out_rnr)        rnr_qp   <= name_of(out_rnr_qp);
            if (in_last_valid)  last_in  <= {in_last_psn, name_of(in_last_qp), in_last_opcode};
            if (out_last_valid) last_out <= {out_last_psn, name_of(out_last_qp), out_last_opcode};
        end

    wire unused = &{1'b0, macxaddmsb_next[31:16], opkterrqsz_next[31:16], ipkterrqsz_next[31:16], inten_next[31:8]};

    // ---- measuring
    wire probe_busy = write;
endmodule
`default_nettype wire
