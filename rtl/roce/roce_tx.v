// Transmitter: commands and ACKs become frames for the MAC. Only wiring.
//
//   cmd_*  -> roce_tx_commands -> roce_tx_header -> roce_tx_frame -> roce_tx_icrc -> roce_tx_fifo --+
//               roce_axi_read ------ payload ----------^                                           |
//   ack_*  -> roce_tx_ack (roce_tx_header, roce_crc32) ------------------------------------- roce_tx_mac -> tx_*
//   tx_other_* ------------------------------------------------------------------ roce_tx_fifo --+
//
// A command is one packet. Frames leave in the order of commands; ACKs pass them. `sent` reports each command, in
// order, when the MAC has the last word of its frame, or when it is dropped: with sent_error because memory answered an
// error, without it because the QP was disabled when it was served, or the chip was turned off. No part of a dropped
// frame is ever seen at tx_*. When the chip is turned off (XRNICCONF.ENABLE), the frame that the MAC sees goes to its
// end, and all other commands and ACKs here are dropped, even if the chip is on again soon.
//
// Clocks, if memory answers in the next one and the MAC is free: from a command of 64 bytes to its first word 31 (IPv6
// 33) with BYTES = 8, and 19 with 64; from an ACK to its first word 12 (14) and 16 (18). A frame takes as many clocks
// as it has words, and at least 5, those of its headers.
`default_nettype none
module roce_tx #(
    // bytes per clock, 8 or 64
    parameter BYTES = 8
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               chip_enable,
    // the chip's own addresses; the first byte on the wire is the most significant one
    input  wire [15:0]        udp_source,
    input  wire [47:0]        mac,
    input  wire [31:0]        ipv4,
    input  wire [127:0]       ipv6,
    // configuration of QPs: the row {qp, row} is valid in the next clock
    output wire [10:0]        cfg_addr,
    input  wire [127:0]       cfg_data,
    // ACKs and NAKs (RX)
    input  wire               ack_valid,
    output wire               ack_ready,
    input  wire [6:0]         ack_qp,
    input  wire [23:0]        ack_psn,
    input  wire [7:0]         ack_syndrome,
    input  wire [23:0]        ack_msn,
    // packets to send (requester)
    input  wire               cmd_valid,
    output wire               cmd_ready,
    input  wire [6:0]         cmd_qp,
    input  wire [7:0]         cmd_opcode,       // 00 01 02 04, 06 07 08 0A, 0C, 64
    input  wire [23:0]        cmd_psn,
    input  wire               cmd_ackreq,
    input  wire [63:0]        cmd_va,           // RETH, of 06, 0A, 0C
    input  wire [31:0]        cmd_rkey,
    input  wire [31:0]        cmd_dma_length,
    input  wire               cmd_inline,       // the payload is cmd_data, byte 0 in [7:0], at most 16 bytes
    input  wire [127:0]       cmd_data,
    input  wire [31:0]        cmd_addr,         // else it is in memory
    input  wire [12:0]        cmd_length,       // bytes of payload, 0..4096
    output wire               ack_busy,         // an ACK of ack_busy_qp has not left
    output wire [6:0]         ack_busy_qp,
    output reg                sent_valid,
    output reg                sent_error,
    // AXI4 master for payload: wqe_proc_top. Read channels, ID 0, bursts INCR of whole words
    output wire               top_arvalid,
    input  wire               top_arready,
    output wire [31:0]        top_araddr,
    output wire [7:0]         top_arlen,
    input  wire               top_rvalid,
    output wire               top_rready,
    input  wire [8*BYTES-1:0] top_rdata,
    input  wire [1:0]         top_rresp,
    input  wire               top_rlast,
    // MAC
    output wire [8*BYTES-1:0] tx_tdata,
    output wire [BYTES-1:0]   tx_tkeep,
    output wire               tx_tlast,
    output wire               tx_tvalid,
    input  wire               tx_tready,
    // other frames for it
    input  wire [8*BYTES-1:0] tx_other_tdata,
    input  wire [BYTES-1:0]   tx_other_tkeep,
    input  wire               tx_other_tlast,
    input  wire               tx_other_tvalid,
    output wire               tx_other_tready,
    // one clock each: packets sent
    output reg                out_send,
    output reg                out_read_write,
    output reg                out_ack,
    output reg                out_mad,
    output reg                out_nak,          // RNR, too
    output reg                out_rnr,
    output reg  [6:0]         out_rnr_qp,
    output reg                out_last_valid,   // of any packet
    output reg  [7:0]         out_last_opcode,
    output reg  [6:0]         out_last_qp,
    output reg  [15:0]        out_last_psn,
    output wire               other_lost        // a frame of tx_other_* was too long
);
    localparam LB   = $clog2(BYTES);
    localparam INFO = 7 + 8 + 24;
    // payload on the chip: 8 KB or 32 KB; frames in front of the MAC: three or seven longest; other frames: 8 or 16 KB
    localparam PAYLOAD = (BYTES == 8) ? 10 : 9;
    localparam FRAMES  = (BYTES == 8) ? 11 : 9;
    localparam OTHERS  = (BYTES == 8) ? 10 : 8;
    localparam LONGEST = (98 + 4096 + 4 + BYTES - 1) / BYTES + 16;   // and frames between there and the FIFO

    initial
        if (BYTES != 8 && BYTES != 64) begin
            $display("%m: BYTES must be 8 or 64, is %0d", BYTES);
            $finish;
        end

    // ---- commands and their headers; ACKs read the configuration first
    wire               job_valid, head_taken, job_ackreq, job_inline, payload_valid, payload_ready, payload_error;
    wire [6:0]         job_qp;
    wire [7:0]         job_opcode;
    wire [23:0]        job_psn;
    wire [127:0]       job_extra;
    wire [12:0]        job_length;
    wire [8*BYTES-1:0] payload_data;
    wire               head_valid, head_off, head_v6, ack_cfg_valid, cfg_valid;
    wire [6:0]         head_bytes;
    wire [783:0]       head;
    wire [10:0]        ack_cfg_addr, head_cfg_addr;

    assign cfg_addr = ack_cfg_valid ? ack_cfg_addr : head_cfg_addr;

    roce_tx_commands #(.BYTES(BYTES), .LOG2_WORDS(PAYLOAD)) commands (
        .clk (clk), .rst (rst),
        .cmd_valid (cmd_valid), .cmd_ready (cmd_ready), .cmd_qp (cmd_qp), .cmd_opcode (cmd_opcode), .cmd_psn (cmd_psn),
        .cmd_ackreq (cmd_ackreq), .cmd_va (cmd_va), .cmd_rkey (cmd_rkey), .cmd_dma_length (cmd_dma_length),
        .cmd_inline (cmd_inline), .cmd_data (cmd_data), .cmd_addr (cmd_addr), .cmd_length (cmd_length),
        .job_valid (job_valid), .job_taken (head_taken), .job_qp (job_qp), .job_opcode (job_opcode), .job_psn (job_psn),
        .job_ackreq (job_ackreq), .job_inline (job_inline), .job_extra (job_extra), .job_length (job_length),
        .payload_valid (payload_valid), .payload_ready (payload_ready), .payload_data (payload_data),
        .payload_error (payload_error), .arvalid (top_arvalid), .arready (top_arready), .araddr (top_araddr),
        .arlen (top_arlen), .rvalid (top_rvalid), .rready (top_rready), .rdata (top_rdata), .rresp (top_rresp)
    );
    roce_tx_header header (
        .clk (clk), .rst (rst), .udp_source (udp_source), .mac (mac), .ipv4 (ipv4), .ipv6 (ipv6),
        .job_valid (job_valid), .job_qp (job_qp), .job_opcode (job_opcode), .job_psn (job_psn),
        .job_ackreq (job_ackreq), .job_extra (job_extra), .job_inline (job_inline), .job_length (job_length),
        .cfg_valid (cfg_valid), .cfg_ready (!ack_cfg_valid), .cfg_addr (head_cfg_addr), .cfg_data (cfg_data),
        .head_valid (head_valid), .taken (head_taken), .head_off (head_off), .head_v6 (head_v6),
        .head_bytes (head_bytes), .head (head)
    );

    // ---- their frames
    wire               word_valid, word_v6, word_end, word_last, word_off, word_error;
    wire [8*BYTES-1:0] word_data;
    wire [3:0]         word_number;
    wire [LB-3:0]      word_place;
    wire [INFO-1:0]    word_info;
    wire               whole_valid, whole_last, whole_off, whole_error;
    wire [8*BYTES-1:0] whole_data;
    wire [LB-1:0]      whole_bytes;
    wire [6:0]         whole_qp;
    wire [7:0]         whole_opcode;
    wire [23:0]        whole_psn;
    wire [FRAMES:0]    free;
    wire [6:0]         reports;
    reg                room;
    wire               whole_leaves, skips;
    wire               data_valid, data_ready, data_last, data_wr_ready, data_too_long;
    wire [8*BYTES-1:0] data_data;
    wire [LB-1:0]      data_bytes;

    always @(posedge clk)
        room <= free >= LONGEST[FRAMES:0] && reports < 7'd48 && !rst;

    roce_tx_frame #(.BYTES(BYTES), .INFO(INFO)) frame (
        .clk (clk), .rst (rst), .room (room),
        .head_valid (head_valid), .head_taken (head_taken), .head_off (head_off), .head_v6 (head_v6),
        .head_bytes (head_bytes), .head (head), .head_length (job_inline ? 13'd0 : job_length),
        .head_info ({job_qp, job_opcode, job_psn}), .payload_valid (payload_valid), .payload_ready (payload_ready),
        .payload_data (payload_data), .payload_error (payload_error), .word_valid (word_valid), .word_data (word_data),
        .word_v6 (word_v6), .word_number (word_number), .word_end (word_end), .word_place (word_place),
        .word_last (word_last), .word_off (word_off), .word_error (word_error), .word_info (word_info)
    );
    roce_tx_icrc #(.BYTES(BYTES), .INFO(INFO)) icrc (
        .clk (clk), .rst (rst),
        .word_valid (word_valid), .word_data (word_data), .word_v6 (word_v6), .word_number (word_number),
        .word_end (word_end), .word_place (word_place), .word_last (word_last), .word_off (word_off),
        .word_error (word_error), .word_info (word_info), .out_valid (whole_valid), .out_data (whole_data),
        .out_last (whole_last), .out_bytes (whole_bytes), .out_off (whole_off), .out_error (whole_error),
        .out_info ({whole_qp, whole_opcode, whole_psn})
    );
    roce_tx_fifo #(.BYTES(BYTES), .LOG2_WORDS(FRAMES)) frames (
        .clk (clk), .rst (rst),
        .wr_valid (whole_valid), .wr_ready (data_wr_ready), .wr_data (whole_data), .wr_last (whole_last),
        .wr_bytes (whole_bytes), .wr_drop (!whole_leaves), .room (free), .too_long (data_too_long),
        .out_valid (data_valid), .out_ready (data_ready || skips), .out_data (data_data), .out_last (data_last),
        .out_bytes (data_bytes)
    );

    // ---- ACKs
    wire               acks_valid, acks_ready, acks_shown, acks_last, acks_sent;
    wire [8*BYTES-1:0] acks_data;
    wire [LB-1:0]      acks_bytes;
    wire [6:0]         acks_qp;
    wire [15:0]        acks_psn;
    wire [1:0]         acks_kind;
    assign ack_busy_qp = acks_qp;

    roce_tx_ack #(.BYTES(BYTES)) acks (
        .clk (clk), .rst (rst), .chip_enable (chip_enable),
        .ack_valid (ack_valid), .ack_ready (ack_ready), .ack_qp (ack_qp), .ack_psn (ack_psn),
        .ack_syndrome (ack_syndrome), .ack_msn (ack_msn), .udp_source (udp_source), .mac (mac), .ipv4 (ipv4),
        .ipv6 (ipv6), .cfg_valid (ack_cfg_valid), .cfg_ready (1'b1), .cfg_addr (ack_cfg_addr), .cfg_data (cfg_data),
        .out_valid (acks_valid), .out_ready (acks_ready), .out_shown (acks_shown),
        .out_data (acks_data), .out_last (acks_last), .out_bytes (acks_bytes),
        .busy (ack_busy), .sent (acks_sent), .sent_qp (acks_qp), .sent_psn (acks_psn), .sent_kind (acks_kind)
    );

    // ---- other frames, and the MAC
    wire               other_valid, other_ready, other_last, data_shown;
    wire [8*BYTES-1:0] other_data;
    wire [LB-1:0]      other_bytes;
    wire [OTHERS:0]    other_room;
    reg  [LB-1:0]      kept;         // bytes of the word that arrives
    integer            i;

    always @* begin
        kept = {LB{1'b0}};
        for (i = 0; i < BYTES - 1; i = i + 1)
            if (tx_other_tkeep[i] && !tx_other_tkeep[i+1])
                kept = i[LB-1:0] + {{(LB-1){1'b0}}, 1'b1};
    end

    roce_tx_fifo #(.BYTES(BYTES), .LOG2_WORDS(OTHERS)) others (
        .clk (clk), .rst (rst),
        .wr_valid (tx_other_tvalid), .wr_ready (tx_other_tready), .wr_data (tx_other_tdata), .wr_last (tx_other_tlast),
        .wr_bytes (kept), .wr_drop (1'b0), .room (other_room), .too_long (other_lost),
        .out_valid (other_valid), .out_ready (other_ready), .out_data (other_data), .out_last (other_last),
        .out_bytes (other_bytes)
    );
    roce_tx_mac #(.BYTES(BYTES)) to_mac (
        .clk (clk), .rst (rst),
        .ack_valid (acks_valid), .ack_ready (acks_ready), .ack_shown (acks_shown), .ack_data (acks_data),
        .ack_last (acks_last), .ack_bytes (acks_bytes), .data_valid (data_valid && !skips), .data_ready (data_ready),
        .data_shown (data_shown), .data_data (data_data), .data_last (data_last), .data_bytes (data_bytes),
        .other_valid (other_valid), .other_ready (other_ready), .other_data (other_data), .other_last (other_last),
        .other_bytes (other_bytes),
        .tx_tvalid (tx_tvalid), .tx_tready (tx_tready), .tx_tdata (tx_tdata), .tx_tkeep (tx_tkeep), .tx_tlast (tx_tlast)
    );

    // ---- content when the chip was turned off: commands, frames
    wire            ended        = whole_valid && whole_last;
    reg  [7:0]      commands_here, commands_off;
    reg  [FRAMES:0] frames_here, frames_off;      // whole ones
    reg             shown;                        // the MAC sees the oldest one
    wire            frame_ends   = data_valid && data_last && (data_ready || skips);
    wire            shown_next   = data_shown && !frame_ends;
    wire [7:0]      commands_next = commands_here + {7'd0, cmd_valid && cmd_ready} - {7'd0, ended};
    wire [FRAMES:0] frames_next   = frames_here + {{FRAMES{1'b0}}, whole_leaves && ended}
                                    - {{FRAMES{1'b0}}, frame_ends};
    assign          skips        = frames_off != {FRAMES+1{1'b0}} && !shown;
    assign          whole_leaves = !whole_off && !whole_error && commands_off == 8'd0 && chip_enable;

    always @(posedge clk)
        if (rst) begin
            commands_here <= 8'd0;
            commands_off  <= 8'd0;
            frames_here   <= {FRAMES+1{1'b0}};
            frames_off    <= {FRAMES+1{1'b0}};
            shown         <= 1'b0;
        end else begin
            commands_here <= commands_next;
            frames_here   <= frames_next;
            shown         <= shown_next;
            if (!chip_enable) begin
                commands_off <= commands_next;
                frames_off   <= frames_next - {{FRAMES{1'b0}}, shown_next};
            end else begin
                if (ended && commands_off != 8'd0) commands_off <= commands_off - 8'd1;
                if (frame_ends && skips)           frames_off   <= frames_off - {{FRAMES{1'b0}}, 1'b1};
            end
        end

    // ---- reports of commands whose frames are whole or dropped: the oldest one waits until its frame has left. 48 are
    // enough for a frame to begin; so 64 places are enough for those that are between roce_tx_frame and here, too.
    wire       leaves = ended && whole_leaves;
    wire       report_any, report_leaves, report_error, reports_full, reports_overflow, reports_underflow;
    reg  [6:0] left;                 // frames that have left and are not reported
    wire       report = report_any && (!report_leaves || frame_ends || left != 7'd0);
    fifo_sync #(.WIDTH(2), .LOG2_DEPTH(6)) to_report (
        .clk (clk), .rst (rst), .wr_valid (ended),
        .wr_data ({whole_leaves, whole_error && !whole_off && commands_off == 8'd0 && chip_enable}),
        .full (reports_full), .rd_data ({report_leaves, report_error}), .rd_valid (report_any), .rd_pop (report),
        .count (reports), .overflow (reports_overflow), .underflow (reports_underflow)
    );
    always @(posedge clk)
        if (rst) left <= 7'd0;
        else     left <= left + {6'd0, frame_ends} - {6'd0, report && report_leaves};

    // ---- packets sent: data when their frames are whole, ACKs when the MAC has them
    always @(posedge clk) begin
        sent_valid      <= report && !rst;
        out_send        <= leaves && whole_opcode < 8'h06 && !rst;
        out_read_write  <= leaves && whole_opcode >= 8'h06 && !whole_opcode[6] && !rst;
        out_mad         <= leaves && whole_opcode[6] && !rst;
        out_ack         <= acks_sent && acks_kind == 2'b00 && !rst;
        out_nak         <= acks_sent && acks_kind != 2'b00 && !rst;
        out_rnr         <= acks_sent && acks_kind == 2'b01 && !rst;
        out_last_valid  <= (leaves || acks_sent) && !rst;
        sent_error      <= report_error;
        out_rnr_qp      <= acks_qp;
        out_last_opcode <= leaves ? whole_opcode : 8'h11;
        out_last_qp     <= leaves ? whole_qp : acks_qp;
        out_last_psn    <= leaves ? whole_psn[15:0] : acks_psn[15:0];
    end

    wire unused = &{1'b0, top_rlast, cfg_valid, data_wr_ready, data_too_long, other_room, reports_full,
                    reports_overflow, reports_underflow, whole_psn[23:16]};

    // ---- measuring
    wire probe_busy = job_valid || tx_tvalid;
endmodule
`default_nettype wire
