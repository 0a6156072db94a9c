// Finds the registers of a packet's QP, while the remainder of the packet is arriving and the packet before it is
// checked (roce_rx_check).
//
// A packet has 4 clocks here: three reads of four rows of registers each, and the clock in which the result goes to
// roce_rx_check, or waits for it. So its head may be popped while roce_rx_check still has the packet: the fields needed
// are passed along.
//
//   clock      0        1        2         3
//   cfg_addr   rows 0-3 rows 4-7 rows 8-11 rows 8-11     of the next one ...
//   cfg_data            rows 0-3 rows 4-7  rows 8-11
//   found_valid                                      ----
//
// A register access of roce_rx_check (`own_read`) takes the port for a clock; then the packet is looked up from the
// beginning. A QP that is disabled, or restarted, between here and roce_rx_check has no `on`: its registers may be old.
//
// `found` is a row of fields, see its assignment below; roce_rx_check takes it apart in the same order. Checks that
// need only headers and registers are made here: whether the packet is from the QP's peer, in its partition, and sound
// up to the UDP header.
`default_nettype none
module roce_rx_lookup #(
    // queue pairs, 8..128
    parameter NUM_QP = 8
) (
    input  wire              clk,
    input  wire              rst,
    // configuration
    input  wire [8:0]        qp_switch,        // which QPs are enabled, see roce_registers
    input  wire [7:0]        qp_limit,
    input  wire              restart_valid,    // the state of restart_qp is reset
    input  wire [6:0]        restart_qp,
    output wire [8:0]        cfg_addr,         // {QP, rows / 4}
    input  wire [511:0]      cfg_data,
    input  wire              own_read,         // roce_rx_check reads rows 0..3 of own_qp: in cfg_data in the next clock
    input  wire [6:0]        own_qp,
    // headers, see roce_rx_entry
    input  wire              head_valid,
    output wire              head_ready,
    input  wire [452:0]      head,
    // result
    output reg               found_valid,
    input  wire              found_ready,
    output wire              found_on,         // its QP is enabled, and was so all the time
    output reg  [263:0]      found
);
    // ---- the packet
    wire         v6          = head[0];
    wire         options     = head[2];
    wire         short       = head[8];
    wire [15:0]  ip_length   = head[24:9];
    wire [15:0]  udp_length  = head[40:25];
    wire [75:0]  sums        = head[116:41];
    wire [47:0]  source_mac  = head[164:117];
    wire [127:0] source_ip   = head[292:165];
    wire [95:0]  bth         = head[388:293];
    wire [63:0]  behind      = head[452:389];
    wire [7:0]   opcode      = bth[95:88];
    wire [1:0]   pad         = bth[85:84];
    wire [3:0]   version     = bth[83:80];
    wire [15:0]  p_key       = bth[79:64];
    wire [23:0]  to_qp       = bth[55:32];
    wire         asks        = bth[31];
    wire [23:0]  psn         = bth[23:0];
    wire [6:0]   qp          = to_qp[6:0] - 7'd1;
    wire         known       = !short && !options && to_qp != 24'd0 && to_qp <= NUM_QP[23:0];

    wire [15:0]  udp_area    = ip_length - (v6 ? 16'd40 : 16'd20);                   // bytes of the IP packet for UDP
    wire [19:0]  sum         = {1'b0, sums[18:0]} + {1'b0, sums[37:19]} + {1'b0, sums[56:38]} + {1'b0, sums[75:57]};
    wire [16:0]  folded      = {1'b0, sum[15:0]} + {13'd0, sum[19:16]};
    wire         bad_sum     = !v6 && folded[15:0] + {15'd0, folded[16]} != 16'hFFFF;
    wire         bad_udp     = udp_length != udp_area;
    wire         bad_q_key   = behind[63:32] != 32'h8001_0000;

    // ---- its QP's registers
    reg  [1:0]   step;
    reg          on;
    reg  [31:0]  conf, bell;
    reg  [15:0]  key, depth, consumer;
    reg  [31:8]  base;
    reg  [4:0]   rnr_timer;
    reg          foreign_mac, foreign_ip;
    wire [31:0]  counts = cfg_data[256 +: 32];
    // IBA 10.9.3: the same partition, and not both limited. QP 1 is also in the default one
    wire         bad_key = !((p_key[14:0] == key[14:0] && (p_key[15] || key[15]))
                             || (qp == 7'd0 && p_key[14:0] == 15'h7FFF));
    wire         pass    = step == 2'd3 && (!found_valid || found_ready);
    wire         restarts     = restart_valid && restart_qp == qp;
    wire [6:0]   found_qp;
    wire         on_now, found_on_now;
    roce_qp_flag #(.NUM_QP(NUM_QP)) heads (
        .clk (clk), .change (qp_switch), .limit (qp_limit), .look_qp (qp), .look (on_now)
    );
    roce_qp_flag #(.NUM_QP(NUM_QP)) founds (
        .clk (clk), .change (qp_switch), .limit (qp_limit), .look_qp (found_qp), .look (found_on_now)
    );
    reg          found_was_on;

    assign head_ready = pass;
    assign cfg_addr   = own_read ? {own_qp, 2'd0} : {qp, step == 2'd0 ? 2'd0 : step == 2'd1 ? 2'd1 : 2'd2};
    always @(posedge clk)
        if (rst) begin
            step        <= 2'd0;
            found_valid <= 1'b0;
        end else begin
            if (own_read || pass) step <= 2'd0;
            else if (step != 2'd3 && head_valid) step <= step + 2'd1;
            found_valid <= pass || (found_valid && !found_ready);
        end
    always @(posedge clk) begin
        on <= step == 2'd0 ? known && on_now && !restarts : on && !restarts;
        if (step == 2'd1) begin
            conf     <= cfg_data[0 +: 32];
            key      <= cfg_data[48 +: 16];
            base     <= cfg_data[72 +: 24];
            bell     <= cfg_data[256 +: 32];
            consumer <= cfg_data[416 +: 16];
            depth    <= cfg_data[496 +: 16];
        end
        if (step == 2'd2) begin
            rnr_timer   <= cfg_data[112 +: 5];
            foreign_mac <= cfg_data[128 +: 48] != source_mac;
            foreign_ip  <= v6 ? cfg_data[256 +: 128] != source_ip : cfg_data[256 +: 32] != source_ip[31:0];
        end
    end

    // ---- result
    always @(posedge clk) begin
        found_was_on <= pass ? on && !restarts : found_was_on && !(restart_valid && restart_qp == found_qp);
        if (pass)
            found <= {qp, head[8:0], ip_length, opcode, pad, version != 4'd0, asks, psn, behind[63:56], behind[55:32],
                      known, bad_sum, bad_udp, bad_key, bad_q_key, foreign_mac, foreign_ip, conf, base, consumer, depth,
                      rnr_timer, bell, counts};
    end
    assign found_qp = found[263:257];
    assign found_on = found_was_on && found_on_now;

    wire unused = &{1'b0, bth, behind, cfg_data};

    // ---- measuring
    wire       probe_busy          = head_valid;
    wire       probe_stall_verdict = step == 2'd3 && !pass;
    wire       probe_start         = step == 2'd0 && head_valid;
    wire       probe_done          = pass;
    wire [1:0] probe_state         = step;
endmodule
`default_nettype wire
