// ACK packets, on a path of their own, so that they do not wait for data behind headers, memory or a full FIFO: as soon
// as the MAC is free.
//
// An ACK is the headers of roce_tx_header, 58 or 78 bytes, and the ICRC. A roce_crc32 of 8 bytes per step is enough for
// it at any width. The words leave when the ICRC is sure to be ready in time, then one in every clock. From ack_valid
// to the first word: 12 clocks with BYTES = 8 and 16 with 64, and 2 more with IPv6. One ACK at a time. When the chip is
// turned off, an ACK that the MAC has not seen is dropped.
`default_nettype none
module roce_tx_ack #(
    // bytes per word, 8 or 64
    parameter BYTES = 8
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     chip_enable,
    // ACK or NAK to send
    input  wire                     ack_valid,
    output wire                     ack_ready,
    input  wire [6:0]               ack_qp,
    input  wire [23:0]              ack_psn,
    input  wire [7:0]               ack_syndrome,
    input  wire [23:0]              ack_msn,
    // own addresses and the configuration of QPs, as for roce_tx_header
    input  wire [15:0]              udp_source,
    input  wire [47:0]              mac,
    input  wire [31:0]              ipv4,
    input  wire [127:0]             ipv6,
    output wire                     cfg_valid,
    input  wire                     cfg_ready,
    output wire [10:0]              cfg_addr,
    input  wire [127:0]             cfg_data,
    // the frame
    output wire                     out_valid,
    input  wire                     out_ready,
    input  wire                     out_shown,   // the MAC sees it
    output wire [8*BYTES-1:0]       out_data,
    output wire                     out_last,
    output wire [$clog2(BYTES)-1:0] out_bytes,   // with out_last: bytes of this word, 0 = all
    output wire                     busy,        // an ACK of QP sent_qp is here
    // one clock: it goes
    output wire                     sent,
    output wire [6:0]               sent_qp,
    output wire [15:0]              sent_psn,     // its low bits
    output wire [1:0]               sent_kind    // 0 ACK, 1 RNR, 3 NAK
);
    localparam BITS = 8 * BYTES;
    localparam LB   = $clog2(BYTES);

    // ---- one ACK
    reg         held;
    reg         dead;                 // the chip was off meanwhile
    reg  [6:0]  qp;
    reg  [23:0] psn, msn;
    reg  [7:0]  syndrome;
    wire        there, taken, off, v6;
    wire [6:0]  bytes;
    wire [783:0] head;

    assign busy      = held;
    assign ack_ready = !held;
    always @(posedge clk)
        if (rst)                         held <= 1'b0;
        else if (ack_valid && ack_ready) held <= 1'b1;
        else if (taken)                  held <= 1'b0;
    always @(posedge clk)
        if (rst || taken || !held)           dead <= 1'b0;
        else if (!chip_enable && !out_shown) dead <= 1'b1;
    always @(posedge clk)
        if (ack_valid && ack_ready) begin
            qp       <= ack_qp;
            psn      <= ack_psn;
            msn      <= ack_msn;
            syndrome <= ack_syndrome;
        end

    roce_tx_header header (
        .clk (clk), .rst (rst), .udp_source (udp_source), .mac (mac), .ipv4 (ipv4), .ipv6 (ipv6),
        .job_valid (held), .job_qp (qp), .job_opcode (8'h11), .job_psn (psn), .job_ackreq (1'b0),
        .job_extra ({syndrome, msn, 96'd0}), .job_inline (1'b0), .job_length (13'd0),
        .cfg_valid (cfg_valid), .cfg_ready (cfg_ready), .cfg_addr (cfg_addr), .cfg_data (cfg_data),
        .head_valid (there), .taken (taken), .head_off (off), .head_v6 (v6), .head_bytes (bytes), .head (head)
    );
    assign taken = there && (off || dead || (out_valid && out_ready && out_last));
    wire unused = &{1'b0, bytes, head[783:640]};   // the ICRC is at byte 58 or 78

    // ---- its ICRC: from byte 8 on, the Ethernet header's last six do not count (as FF: roce_tx_icrc)
    localparam [639:0] FF_4 = 640'hFF << 120 | 640'hFF << 176 | 640'hFFFF << 192 | 640'hFFFF << 320 | 640'hFF << 368;
    localparam [639:0] FF_6 = 640'hFFFFFF0F << 112 | 640'hFF << 168 | 640'hFFFF << 480 | 640'hFF << 528;
    reg  [3:0]   at;                // the group of eight bytes that is counted; from 1 to the last one, then 0
    reg          counted;           // all have been
    reg          crc_there;
    wire         ready;
    wire [31:0]  crc;
    wire         last_group = at == (v6 ? 4'd9 : 4'd7);
    wire [639:0] masked     = head[639:0] | (v6 ? FF_6 : FF_4);
    wire         step       = there && !off && at != 4'd0 && !counted;

    always @(posedge clk)
        if (rst || taken) begin
            at        <= 4'd1;
            counted   <= 1'b0;
            crc_there <= 1'b0;
        end else begin
            if (step)               at        <= at + 4'd1;
            if (step && last_group) counted   <= 1'b1;
            if (ready)              crc_there <= 1'b1;
        end
    roce_crc32 #(.BYTES(8), .LEAD(8), .SKIPPED(6)) icrc (
        .clk (clk), .rst (rst || taken), .step (step), .first (at == 4'd1), .last (last_group),
        .count (v6 ? 4'd6 : 4'd2), .data (masked[64*at +: 64]), .done (ready), .crc (crc)
    );

    // ---- the frame. Eight bytes per clock are slow enough for the ICRC to be ready when its word is due
    reg  [3:0]    number;
    wire [1023:0] frame = {384'd0, head[639:0]} | (v6 ? {992'd0, crc} << 624 : {992'd0, crc} << 464);
    wire [3:0]    last  = (BYTES == 8) ? (v6 ? 4'd10 : 4'd7) : {3'd0, v6};

    assign out_valid = there && !off && !dead && (BYTES == 8 ? counted : ready || crc_there);
    assign out_last  = number == last;
    assign out_data  = frame[BITS*number +: BITS];
    localparam [5:0] BYTES_4 = 6'd62, BYTES_6 = 6'd18;   // of 62 or 82, in the last word
    assign out_bytes = v6 ? BYTES_6[LB-1:0] : BYTES_4[LB-1:0];
    always @(posedge clk)
        if (rst || taken)                number <= 4'd0;
        else if (out_valid && out_ready) number <= number + 4'd1;

    assign sent          = taken && !off && !dead;
    assign sent_qp       = qp;
    assign sent_psn      = psn[15:0];
    assign sent_kind     = syndrome[6:5];

    // ---- measuring
    wire probe_busy      = held;
    wire probe_stall_mac = out_valid && !out_ready;
    wire probe_start     = ack_valid && ack_ready;
    wire probe_done      = taken;
endmodule
`default_nettype wire
