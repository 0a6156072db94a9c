// Reads pieces of memory by AXI4, at any byte address, and delivers each as words that begin with its first byte.
//
// A command is 1..4096 bytes. It becomes INCR bursts of whole words, aligned to BYTES, that end at multiples of BURST
// words and so never cross 4 KB nor have more than 256 beats (AXI4 A3.4.1). Space for a burst is reserved in the buffer
// before it is requested, so RREADY is always high, and memory of any latency is read at full rate as long as latency
// and burst fit into the buffer. Up to OUTSTANDING commands are in progress; data leave in order, a word per clock.
//
//   out_data    bytes 0.. of the piece in [7:0]..; in the last word zeros behind its end
//   out_last    the last word of the piece
//   out_error   with out_last: a beat of it had SLVERR or DECERR. All words of the piece are then invalid.
//
// A piece takes as many clocks as it has beats, one more than words at most. From a command to its ARVALID: 2 clocks.
// From a beat to its word: 4 clocks; a word that may have bytes of the next beat is valid 3 clocks after that one at
// the earliest. All bursts have ID 0, so that answers arrive in order.
`default_nettype none
module roce_axi_read #(
    // bytes per word, a power of two, 8..64
    parameter BYTES = 8,
    // outstanding commands, a power of two, 2..256
    parameter OUTSTANDING = 8,
    // log2 of the words in the buffer, 2..12. For full rate those that arrive during the latency, and two bursts
    parameter LOG2_WORDS = 9
) (
    input  wire                clk,
    input  wire                rst,
    // commands
    input  wire                cmd_valid,
    output wire                cmd_ready,
    input  wire [31:0]         cmd_addr,
    input  wire [12:0]         cmd_length,   // 1..4096 bytes
    // AXI4: read addresses and data. Size is BYTES, burst INCR, ID 0
    output reg                 arvalid,
    input  wire                arready,
    output wire [31:0]         araddr,
    output reg  [7:0]          arlen,
    input  wire                rvalid,
    output wire                rready,
    input  wire [8*BYTES-1:0]  rdata,
    input  wire [1:0]          rresp,
    // data read
    output wire                out_valid,
    input  wire                out_ready,
    output wire [8*BYTES-1:0]  out_data,
    output wire                out_last,
    output wire                out_error,
    // a command is in progress
    output wire                busy
);
    localparam LB   = $clog2(BYTES);
    localparam BITS = 8 * BYTES;
    // log2 of the words of the longest burst: 256, 4 KB, or half of the buffer
    localparam PAGE  = (12 - LB < 8) ? 12 - LB : 8;
    localparam BURST = (LOG2_WORDS - 1 < PAGE) ? LOG2_WORDS - 1 : PAGE;
    localparam [8:0]          LONGEST = 9'd1 << BURST;
    localparam [LOG2_WORDS:0] ONE     = {{LOG2_WORDS{1'b0}}, 1'b1};

    initial
        if (BYTES < 8 || BYTES > 64 || (1 << LB) != BYTES || OUTSTANDING < 2 || OUTSTANDING > 256
            || (1 << $clog2(OUTSTANDING)) != OUTSTANDING || LOG2_WORDS < 2 || LOG2_WORDS > 12) begin
            $display("%m: BYTES must be 8, 16, 32 or 64, is %0d, OUTSTANDING a power of two, 2..256, is %0d, ", BYTES,
                     OUTSTANDING, "LOG2_WORDS 2..12, is %0d", LOG2_WORDS);
            $finish;
        end

    // ---- commands become bursts
    wire                infos_full;
    reg                 cutting;       // a command has beats that are not requested yet:
    reg  [31-LB:0]      at;            // the first of them
    reg  [10:0]         left;          // how many
    reg  [12:0]         room;          // words of the buffer that no burst has reserved
    reg  [31-LB:0]      ar_word;

    wire [LB-1:0]  cmd_shift = cmd_addr[LB-1:0];
    wire [13:0]    cmd_round = {1'b0, cmd_length} + (BYTES[13:0] - 14'd1);
    wire [13:0]    cmd_end   = cmd_round + {{(14-LB){1'b0}}, cmd_shift};
    wire [13:0]    cmd_words = cmd_round >> LB;
    wire [13:0]    cmd_beats = cmd_end >> LB;

    wire [8:0]     to_cut    = LONGEST - (at[8:0] & (LONGEST - 9'd1));
    wire           few       = left <= {2'd0, to_cut};
    wire [8:0]     beats     = few ? left[8:0] : to_cut;
    wire [8:0]     ar_last   = beats - 9'd1;
    wire           ask       = cutting && {4'd0, beats} <= room && (!arvalid || arready);
    wire           accept    = cmd_valid && cmd_ready;

    assign cmd_ready = !infos_full && (!cutting || (ask && few));
    assign araddr    = {ar_word, {LB{1'b0}}};

    always @(posedge clk)
        if (rst)                cutting <= 1'b0;
        else if (accept)        cutting <= 1'b1;
        else if (ask && few)    cutting <= 1'b0;
    always @(posedge clk)
        if (accept) begin
            at   <= cmd_addr[31:LB];
            left <= cmd_beats[10:0];
        end else if (ask) begin
            at   <= at + {{(23-LB){1'b0}}, beats};
            left <= left - {2'd0, beats};
        end
    always @(posedge clk)
        if (rst)          arvalid <= 1'b0;
        else if (ask)     arvalid <= 1'b1;
        else if (arready) arvalid <= 1'b0;
    always @(posedge clk)
        if (ask) begin
            ar_word <= at;
            arlen   <= ar_last[7:0];
        end

    // ---- output data of each command: its shift, its beats, the bytes in its last word (0 = all), and whether its
    // last beat has no word of its own
    wire          info_valid, info_pop, info_spill, infos_overflow, infos_underflow;
    wire [LB-1:0] info_shift, info_tail;
    wire [10:0]   info_beats;
    wire [$clog2(OUTSTANDING):0] infos;
    fifo_sync #(.WIDTH(2 * LB + 12), .LOG2_DEPTH($clog2(OUTSTANDING))) commands (
        .clk (clk), .rst (rst),
        .wr_valid (accept), .wr_data ({cmd_shift, cmd_beats[10:0], cmd_length[LB-1:0], cmd_beats != cmd_words}),
        .full (infos_full), .rd_data ({info_shift, info_beats, info_tail, info_spill}), .rd_valid (info_valid),
        .rd_pop (info_pop), .count (infos), .overflow (infos_overflow), .underflow (infos_underflow)
    );

    // ---- the buffer, and the beat that leaves it
    (* ram_style = "block" *) reg [BITS:0] memory [0:(1 << LOG2_WORDS)-1];   // error, data
    reg  [LOG2_WORDS-1:0] wr_pointer, rd_pointer;
    reg  [LOG2_WORDS:0]   level;
    reg                   q_valid;
    reg  [BITS:0]         q;
    wire                  q_taken;
    wire                  read = level != {(LOG2_WORDS+1){1'b0}} && (!q_valid || q_taken);

    assign rready = 1'b1;

    always @(posedge clk)
        if (rvalid) memory[wr_pointer] <= {rresp[1], rdata};
    always @(posedge clk)
        if (read) q <= memory[rd_pointer];
    always @(posedge clk)
        if (rst) begin
            wr_pointer <= {LOG2_WORDS{1'b0}};
            rd_pointer <= {LOG2_WORDS{1'b0}};
            level      <= {(LOG2_WORDS+1){1'b0}};
            room       <= 13'd1 << LOG2_WORDS;
            q_valid    <= 1'b0;
        end else begin
            if (rvalid) wr_pointer <= wr_pointer + ONE[LOG2_WORDS-1:0];
            if (read)   rd_pointer <= rd_pointer + ONE[LOG2_WORDS-1:0];
            if (rvalid && !read) level <= level + ONE;
            if (read && !rvalid) level <= level - ONE;
            room <= room - (ask ? {4'd0, beats} : 13'd0) + {12'd0, read};
            if (read)         q_valid <= 1'b1;
            else if (q_taken) q_valid <= 1'b0;
        end

    // ---- rotated: byte i of what leaves is byte i + shift of the beat
    reg  [10:0]     seen;              // beats of this command before the one in q
    wire            q_last = seen + 11'd1 == info_beats;
    reg  [BITS-1:0] rotated;
    reg             r_valid, r_last, r_spill, r_error;
    reg  [LB-1:0]   r_shift, r_tail;
    reg  [BITS-1:0] r_data;
    wire            r_taken;
    integer         k;

    assign q_taken  = q_valid && info_valid && (!r_valid || r_taken);
    assign info_pop = q_taken && q_last;

    always @* begin
        rotated = q[BITS-1:0];
        for (k = 0; k < LB; k = k + 1)
            if (info_shift[k])
                rotated = (rotated >> (8 << k)) | (rotated << (BITS - (8 << k)));
    end
    always @(posedge clk)
        if (rst) begin
            seen    <= 11'd0;
            r_valid <= 1'b0;
        end else if (q_taken) begin
            seen    <= q_last ? 11'd0 : seen + 11'd1;
            r_valid <= 1'b1;
        end else if (r_taken)
            r_valid <= 1'b0;
    always @(posedge clk)
        if (q_taken) begin
            r_data  <= rotated;
            r_last  <= q_last;
            r_spill <= info_spill;
            r_shift <= info_shift;
            r_tail  <= info_tail;
            r_error <= q[BITS];
        end

    // ---- a word: the beat that is held, and bytes of the next one
    reg             h_valid, h_last, h_error;
    reg  [LB-1:0]   h_shift, h_tail;
    reg  [BITS-1:0] h_data;
    reg  [BITS-1:0] word;
    wire            spills = !h_last && r_last && r_spill;   // all remaining bytes of the next beat are in this word
    wire            emit   = out_valid && out_ready;
    integer         i;

    assign out_valid = h_valid && (h_last || r_valid);
    assign out_last  = h_last || spills;
    assign out_error = out_last && (h_error || (spills && r_error));
    assign out_data  = word;
    assign r_taken   = r_valid && (!h_valid || emit);
    assign busy      = cutting || info_valid || r_valid || h_valid;

    always @*
        for (i = 0; i < BYTES; i = i + 1)
            if (out_last && h_tail != {LB{1'b0}} && i[LB-1:0] >= h_tail)
                word[8*i +: 8] = 8'd0;
            else if ({1'b0, i[LB-1:0]} + {1'b0, h_shift} < BYTES[LB:0])
                word[8*i +: 8] = h_data[8*i +: 8];
            else
                word[8*i +: 8] = r_data[8*i +: 8];
    always @(posedge clk)
        if (rst)          h_valid <= 1'b0;
        else if (r_taken) h_valid <= !(h_valid && spills);
        else if (emit)    h_valid <= 1'b0;
    always @(posedge clk)
        if (r_taken) begin
            h_data  <= r_data;
            h_last  <= r_last;
            h_shift <= r_shift;
            h_tail  <= r_tail;
            h_error <= r_error || (h_valid && !h_last && h_error);
        end

    wire unused = &{1'b0, infos, infos_overflow, infos_underflow, rresp[0], cmd_words, cmd_beats[13:11], ar_last[8]};

    // ---- measuring
    wire                probe_busy         = busy;
    wire                probe_stall_room   = cutting && !ask && !(arvalid && !arready);
    wire                probe_stall_memory = info_valid && level == {(LOG2_WORDS+1){1'b0}} && !q_valid;
    wire [LOG2_WORDS:0] probe_level        = level;
endmodule
`default_nettype wire
