// The headers of a packet: Ethernet, IPv4 or IPv6, UDP, BTH, and RETH, AETH or DETH; a payload that arrived with the
// command counts as one, too.
//
// A job waits with job_valid until `taken`. Its QP's configuration is read in four rows. As soon as the last one is
// there, `head` holds all bytes of the headers, byte 0 first, and zeros behind them. `head_bytes` of them: 54 (IPv4) or
// 74 (IPv6), and 16 for a RETH, 4 for an AETH, 8 for a DETH, or the payload with its pad. job_extra is
//   of WRITE first and only, and READ request: address, key, length of the RETH, as {64, 32, 32} bits
//   of an ACK: syndrome and MSN of the AETH in [127:96]
//   of a SEND with job_inline: the payload, byte 0 in [7:0]; other payloads follow the headers, not seen here.
// The DETH is made here: Q_Key 8001_0000, source QP 1.
//
// IPv4: no options, identification 0, "don't fragment", ECN 0, its checksum. UDP: checksum 0. IPv6: no flow label. BTH:
// MigReq 1, no solicited event, and the bytes of pad that the payload needs (IBA 9.2; annex A17).
//
//   clocks            0     1     2     3     4
//   row requested     6     0     5     4
//   row arrives             6     0     5     4
//   sums for IPv4     1           2     3
//   head_valid                                1     4 clocks after job_valid if cfg_ready stays high, and until `taken`
//
// `head_off`: the QP is disabled (QPCONF[0]), the packet must not leave. The headers are valid while head_valid is
// high.
`default_nettype none
module roce_tx_header (
    input  wire         clk,
    input  wire         rst,
    // the chip's own addresses; the first byte on the wire is the most significant one
    input  wire [15:0]  udp_source,
    input  wire [47:0]  mac,
    input  wire [31:0]  ipv4,
    input  wire [127:0] ipv6,
    // the job, held until `taken`
    input  wire         job_valid,
    input  wire [6:0]   job_qp,
    input  wire [7:0]   job_opcode,
    input  wire [23:0]  job_psn,
    input  wire         job_ackreq,
    input  wire [127:0] job_extra,
    input  wire         job_inline,
    input  wire [12:0]  job_length,   // payload [bytes], without pad; with job_inline at most 16
    // configuration of QPs: the row of cfg_addr is valid in the clock after cfg_valid and cfg_ready
    output wire         cfg_valid,
    input  wire         cfg_ready,
    output wire [10:0]  cfg_addr,
    input  wire [127:0] cfg_data,
    // the headers
    output wire         head_valid,
    input  wire         taken,
    output reg          head_off,
    output reg          head_v6,
    output wire [6:0]   head_bytes,
    output wire [783:0] head
);
    localparam [7:0] UD_SEND = 8'h64, ACKNOWLEDGE = 8'h11, WRITE_FIRST = 8'h06, WRITE_ONLY = 8'h0A,
                     READ_REQUEST = 8'h0C;

    // ---- the rows of the QP's configuration. The last one counts in the clock in which it arrives
    localparam [15:0] ROWS = 16'h4506;   // the first one last
    reg  [2:0]   asked;      // rows requested
    reg          arrives;    // a row arrives:
    reg  [1:0]   coming;     // which of the four
    reg          complete;   // all have arrived
    reg  [5:0]   dscp;
    reg  [7:0]   ttl;
    reg  [15:0]  pkey;
    reg  [127:0] peer_ip;
    reg  [47:0]  peer_mac;
    reg  [23:0]  row_qp;
    wire         completes = arrives && coming == 2'd3;
    wire [23:0]  peer_qp   = complete ? row_qp : cfg_data[87:64];

    assign cfg_valid  = job_valid && !asked[2];
    assign cfg_addr   = {job_qp, ROWS[4*asked[1:0] +: 4]};
    assign head_valid = complete || completes;

    always @(posedge clk)
        if (rst || taken) begin
            asked    <= 3'd0;
            arrives  <= 1'b0;
            complete <= 1'b0;
        end else begin
            if (cfg_valid && cfg_ready) asked <= asked + 3'd1;
            arrives <= cfg_valid && cfg_ready;
            if (completes) complete <= 1'b1;
        end
    always @(posedge clk) begin
        coming <= asked[1:0];
        if (arrives)
            case (coming)
                2'd0: peer_ip <= cfg_data;
                2'd1: begin
                    head_off <= !cfg_data[0];
                    head_v6  <= cfg_data[7];
                    dscp     <= cfg_data[37:32];
                    ttl      <= cfg_data[47:40];
                    pkey     <= cfg_data[63:48];
                end
                2'd2: peer_mac <= cfg_data[47:0];
                default: row_qp <= cfg_data[87:64];
            endcase
    end

    // ---- sizes
    wire         reth   = job_opcode == WRITE_FIRST || job_opcode == WRITE_ONLY || job_opcode == READ_REQUEST;
    wire         aeth   = job_opcode == ACKNOWLEDGE;
    wire         deth   = job_opcode == UD_SEND;
    wire [1:0]   pad    = 2'd0 - job_length[1:0];
    wire [4:0]   within = job_inline ? job_length[4:0] + {3'd0, pad} : 5'd0;   // payload among the headers
    wire [4:0]   extra  = {reth, deth, aeth, 2'b00};
    wire [15:0]  udp_length   = {3'd0, job_length} + {14'd0, pad} + {11'd0, extra} + 16'd24;   // UDP 8, BTH 12, ICRC 4
    wire [15:0]  total_length = udp_length + 16'd20;

    assign head_bytes = (head_v6 ? 7'd74 : 7'd54) + {2'd0, extra} + {2'd0, within};

    // ---- checksum of IPv4: the sum of its ten halfwords in ones' complement, inverted (RFC 791)
    reg  [17:0] sum_own;    // 4500, length, 4000, 11, own address: nothing of the QP
    reg  [18:0] sum_peer;   // and the peer's address
    reg  [15:0] checksum;
    wire [19:0] sum    = {1'b0, sum_peer} + {4'd0, ttl, dscp, 2'b00};
    wire [16:0] folded = {1'b0, sum[15:0]} + {13'd0, sum[19:16]};

    always @(posedge clk) begin
        sum_own  <= 18'h04500 + 18'h04011 + {2'd0, total_length} + {2'd0, ipv4[31:16]} + {2'd0, ipv4[15:0]};
        sum_peer <= {1'b0, sum_own} + {3'd0, peer_ip[31:16]} + {3'd0, peer_ip[15:0]};
        checksum <= ~(folded[15:0] + {15'd0, folded[16]});
    end

    // ---- as sent, the first byte most significant
    wire [111:0] ethernet = {peer_mac, mac, head_v6 ? 16'h86DD : 16'h0800};
    wire [159:0] ip_4 = {8'h45, dscp, 2'b00, total_length, 16'h0000, 16'h4000, ttl, 8'h11, checksum, ipv4,
                         peer_ip[31:0]};
    wire [319:0] ip_6 = {4'h6, dscp, 2'b00, 20'd0, udp_length, 8'h11, ttl, ipv6, peer_ip};
    wire [63:0]  udp  = {udp_source, 16'd4791, udp_length, 16'h0000};
    wire [95:0]  bth  = {job_opcode, 2'b01, pad, 4'h0, pkey, 8'h00, peer_qp, job_ackreq, 7'd0, job_psn};
    reg  [127:0] data;
    reg  [191:0] more;
    wire [783:0] in_order = {ethernet, head_v6 ? {ip_6, udp, bth, more} : {ip_4, udp, bth, more, 160'd0}};
    integer      i;

    always @* begin
        for (i = 0; i < 16; i = i + 1)
            data[120 - 8*i +: 8] = (job_inline && i[4:0] < job_length[4:0]) ? job_extra[8*i +: 8] : 8'd0;
        if (reth)      more = {job_extra, 64'd0};
        else if (aeth) more = {job_extra[127:96], 160'd0};
        else if (deth) more = {32'h8001_0000, 8'h00, 24'd1, data};
        else           more = {data, 64'd0};
    end

    genvar g;
    generate
        for (g = 0; g < 98; g = g + 1) begin : turned
            assign head[8*g +: 8] = in_order[776 - 8*g +: 8];
        end
    endgenerate

    // ---- measuring
    wire probe_busy         = job_valid;
    wire probe_stall_config = cfg_valid && !cfg_ready;
endmodule
`default_nettype wire
