// Input of frames: separates RoCE v2 from other frames, extracts the headers and checks the ICRC while the frames pass.
//
// RoCE v2 is UDP to port 4791 over IPv4 (IHL counts: with options the port is further back) or IPv6 without extension
// headers. Such a frame gives two descriptions, each into a queue: its headers as soon as they have arrived, and a
// verdict when the ICRC is known. So the check can look up its QP while the payload is still arriving. Every
// description of headers is followed by one verdict. A frame that finds no space is dropped and reported by `lost`
// only: at most 513 frames are described and not checked (`waiting`), which is what the queue of verdicts holds. The
// queue of headers needs space as well.
//
// A frame of 16 KB or more counts as one with a bad FCS, and its length as 16383. After reset, words are ignored up to
// the end of a frame, or until 16 clocks in a row had none: the remainder of a frame cut by a reset is no frame, and a
// MAC does not pause in one.
//
// The ICRC covers the length of the IP header, or the whole frame if that is too small; then that length is the error.
// It is ignored in packets with IP options, which are dropped for these. The headers are the first 96 bytes; a frame
// truncated before the end of the BTH is flagged `short`; its fields are undefined.
//
// Layout of `head`, from bit 0 on, as the localparams of roce_rx_check name it: flags 9, IP length 16, UDP length 16,
// IPv4 checksum 4 x 19 partial sums, source MAC 48, source IP 128, BTH 96, what follows the BTH 64; numbers as on the
// wire, first byte highest. Layout of `verdict`: lost (it has no place in the ring), bad FCS, bad ICRC, length of the
// frame, first word, word behind its last one.
//
// Latency: word in to ring 1 clock, last header word to head_valid 2, last word to verdict_valid 4 + log2(BYTES).
`default_nettype none
module roce_rx_entry #(
    // bytes per word, 8 or 64
    parameter BYTES = 8,
    // log2 of the words of the ring that frames go to
    parameter LOG2_WORDS = 12
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire                    chip_enable,
    input  wire [47:0]             mac,
    input  wire [31:0]             ipv4,
    input  wire [127:0]            ipv6,
    // from the MAC
    input  wire                    rx_tvalid,
    input  wire [8*BYTES-1:0]      rx_tdata,
    input  wire [BYTES-1:0]        rx_tkeep,
    input  wire                    rx_tlast,
    input  wire                    rx_tuser,     // with tlast: bad FCS
    // to the rings: every word a clock later
    output reg                     word_valid,
    output reg                     word_last,
    output reg  [$clog2(BYTES):0]  word_count,
    output reg  [8*BYTES-1:0]      word_data,
    output wire                    roce_keep,    // with word_last: RoCE v2, and described
    output wire                    other_keep,   // with word_last: not RoCE v2, good FCS
    output wire                    lost,         // one clock: a frame was dropped here
    input  wire                    ring_fits,
    input  wire [LOG2_WORDS-1:0]   ring_start,
    input  wire [LOG2_WORDS-1:0]   ring_next,
    // descriptions
    output wire                    head_valid,
    input  wire                    head_ready,
    output wire [452:0]            head,
    output wire                    verdict_valid,
    input  wire                    verdict_ready,
    output wire [16+2*LOG2_WORDS:0] verdict
);
    localparam L      = $clog2(BYTES);
    localparam WORDS  = (95 + BYTES) / BYTES;    // that hold headers
    localparam KEPT   = 8 * BYTES * WORDS;
    localparam INDEX  = 14 - L;                            // bits of a word's number in a frame of 16 KB
    localparam DELAY  = 2 + L;                             // of the ICRC
    localparam NOTE   = 17 + 2 * LOG2_WORDS;
    localparam LOG2_PACKETS = 9;                           // packets that may wait

    // ---- words with their numbers, and the headers
    reg [INDEX-1:0] index;        // of the word that arrives
    reg [INDEX-1:0] word_index;
    reg             too_long;     // the frame does not end within 16 KB
    reg             word_bad;     // with word_last: bad FCS, or 16 KB or more
    reg             skips;        // it may be the remainder of a frame from before the reset
    reg [3:0]       pause;        // clocks without a word
    reg [KEPT-1:0]  kept;
    reg [L:0]       count;
    integer         c, w;

    always @* begin
        count = {L+1{1'b0}};
        for (c = 0; c < BYTES; c = c + 1)
            if (rx_tkeep[c]) count = c[L:0] + {{L{1'b0}}, 1'b1};
    end

    always @(posedge clk)
        if (rst) begin
            index      <= {INDEX{1'b0}};
            word_valid <= 1'b0;
            too_long   <= 1'b0;
            skips      <= 1'b1;
            pause      <= 4'd0;
        end else begin
            word_valid <= rx_tvalid && !skips;
            pause      <= rx_tvalid ? 4'd0 : pause + 4'd1;
            if (rx_tvalid ? rx_tlast : &pause) skips <= 1'b0;
            if (rx_tvalid && !skips) begin
                index    <= rx_tlast ? {INDEX{1'b0}} : (&index) ? index : index + {{INDEX-1{1'b0}}, 1'b1};
                too_long <= !rx_tlast && (too_long || (&index));
            end
        end
    always @(posedge clk)
        if (rx_tvalid) begin
            word_index <= index;
            word_last  <= rx_tlast;
            word_bad   <= rx_tlast && (rx_tuser || too_long || ((&index) && count[L]));
            word_count <= rx_tlast ? count : BYTES[L:0];
            word_data  <= rx_tdata;
            for (w = 0; w < WORDS; w = w + 1)
                if (index == w[INDEX-1:0]) kept[8*BYTES*w +: 8*BYTES] <= rx_tdata;
        end

    // ---- kind of the frame
    wire [767:0] line;      // the headers as on the wire: byte 0 highest
    genvar g;
    generate
        for (g = 0; g < 96; g = g + 1) begin : byte_of
            assign line[767-8*g -: 8] = kept[8*g +: 8];
        end
    endgenerate
    // bytes of the frame up to this word's end
    wire [14:0] here      = {1'b0, word_index, {L{1'b0}}} + {{14-L{1'b0}}, word_count};
    wire        v4        = line[671 -: 16] == 16'h0800;
    wire        v6        = line[671 -: 16] == 16'h86DD;
    wire [3:0]  ihl       = line[651 -: 4];
    wire        options   = v4 && ihl != 4'd5;
    wire [6:0]  port_at   = v6 ? 7'd56 : ihl > 4'd5 ? {1'b0, ihl, 2'b00} + 7'd16 : 7'd36;
    reg  [15:0] port;
    integer     n;
    always @* begin
        port = v6 ? line[319 -: 16] : line[479 -: 16];
        for (n = 6; n < 16; n = n + 1)
            if (!v6 && ihl == n[3:0]) port = line[639-32*n -: 16];
    end
    wire [6:0]  needed    = v4 && ihl <= 4'd5 ? 7'd62 : 7'd82;
    wire        udp       = v4 ? line[583 -: 8] == 8'd17 : v6 && line[607 -: 8] == 8'd17;
    wire        roce      = udp && port == 16'd4791 && here >= {8'd0, port_at} + 15'd2;
    reg         decided;           // the headers of this frame are passed on, or will not be
    reg         kept_head;         // ... are
    wire        complete  = word_valid && !decided && (word_last || here >= {8'd0, needed});
    wire        describe  = complete && roce && chip_enable;
    wire        heads_room;
    reg  [9:0]  waiting;           // descriptions whose verdict has not been taken
    wire        room      = heads_room && waiting != 10'd513;
    wire        described = decided ? kept_head : describe && room;
    reg         was_roce;
    wire        is_roce   = decided ? was_roce : roce;

    always @(posedge clk)
        if (rst) begin
            decided   <= 1'b0;
            kept_head <= 1'b0;
            was_roce  <= 1'b0;
        end else if (word_valid) begin
            decided <= !word_last && (decided || complete);
            if (complete) begin
                kept_head <= describe && room;
                was_roce  <= roce;
            end
        end

    assign roce_keep  = described;
    assign other_keep = !is_roce && !word_bad;
    assign lost       = word_valid && ((describe && !room) || (word_last && !is_roce && word_bad));

    // ---- headers
    wire [15:0]  ip_length  = v6 ? line[623 -: 16] + 16'd40 : line[639 -: 16];    // with its header
    wire [15:0]  udp_length = v6 ? line[303 -: 16] : line[463 -: 16];
    wire [127:0] source     = v6 ? line[591 -: 128]
                                 : {96'd0, line[559 -: 32]};
    wire         to_us      = v6 ? line[463 -: 128] == ipv6
                                 : line[527 -: 32] == ipv4;
    wire [95:0]  bth        = v6 ? line[271 -: 96] : line[431 -: 96];
    wire [63:0]  behind     = v6 ? line[175 -: 64] : line[335 -: 64];
    wire [511:0] parts;      // the 16-bit words of an IPv4 header, zeros behind its end
    wire [75:0]  sums;       // of eight of them each
    generate
        for (g = 0; g < 32; g = g + 1) begin : part
            if (g < 10) begin : fixed
                assign parts[16*g +: 16] = line[655-16*g -: 16];
            end else if (g < 30) begin : options
                assign parts[16*g +: 16] = {28'd0, ihl} > g / 2 ? line[655-16*g -: 16] : 16'd0;
            end else begin : none
                assign parts[16*g +: 16] = 16'd0;
            end
        end
        for (g = 0; g < 4; g = g + 1) begin : sum
            assign sums[19*g +: 19] = {3'd0, parts[128*g      +: 16]} + {3'd0, parts[128*g + 16 +: 16]}
                                    + {3'd0, parts[128*g + 32 +: 16]} + {3'd0, parts[128*g + 48 +: 16]}
                                    + {3'd0, parts[128*g + 64 +: 16]} + {3'd0, parts[128*g + 80 +: 16]}
                                    + {3'd0, parts[128*g + 96 +: 16]} + {3'd0, parts[128*g + 112 +: 16]};
        end
    endgenerate
    wire [8:0] flags = {here < (v6 ? 15'd74 : 15'd54),                             // 8 short
                        !to_us,                                                    // 7 other IP address
                        line[767 -: 48] != mac,               // 6 other MAC address
                        v6 ? line[645 -: 2] == 2'b11 : line[641 -: 2] == 2'b11,            // 5 congestion experienced
                        v4 && line[604 -: 13] != 13'd0,                        // 4 fragment offset
                        v4 && line[607 -: 3] != 3'b010,                                // 3 flags
                        options,                                                   // 2 header length
                        line[655 -: 4] != (v6 ? 4'd6 : 4'd4),                          // 1 version
                        v6};                                                       // 0 IPv6

    roce_block_queue #(.WIDTH(453), .LOG2_DEPTH(LOG2_PACKETS)) heads (
        .clk (clk), .rst (rst),
        .in_valid (describe && room), .in_ready (heads_room),
        .in_data ({behind, bth, source, line[719 -: 48], sums, udp_length, ip_length, flags}),
        .out_valid (head_valid), .out_ready (head_ready), .out_data (head)
    );

    // ---- ICRC: fields that may change on the way count as ones
    localparam [127:0] ONES_4 = 128'd1 << 15 | 128'd1 << 22 | 128'd3 << 24 | 128'd3 << 40 | 128'd1 << 46;
    localparam [127:0] ONES_6 = 128'd7 << 15 | 128'd1 << 21 | 128'd3 << 60 | 128'd1 << 66;
    wire [127:0]       ones   = (v6 ? ONES_6 : ONES_4) >> {word_index[6-L:0], {L{1'b0}}};
    wire               front  = word_index < WORDS[INDEX-1:0];
    reg  [8*BYTES-1:0] masked;
    integer            m;
    always @* begin
        masked = word_data;
        for (m = 0; m < BYTES; m = m + 1)
            if (front && ones[m]) masked[8*m +: 8] = 8'hFF;
        if (v6 && word_index == (BYTES == 8 ? {{INDEX-1{1'b0}}, 1'b1} : {INDEX{1'b0}}))
            masked[8*(14 % BYTES) +: 4] = 4'hF;
    end

    // the word that the ICRC begins in
    localparam [INDEX-1:0] FIRST = (BYTES == 8) ? {{INDEX-1{1'b0}}, 1'b1} : {INDEX{1'b0}};
    reg                covered;    // the words up to its end have been taken
    wire               enough  = ip_length >= (v6 ? 16'd64 : 16'd44);
    wire [16:0]        covers  = {1'b0, ip_length} + 17'd14;                  // bytes of the frame up to the ICRC's end
    wire               closes  = here >= 15'd24 && enough && covers <= {2'b00, here};
    wire [14:0]        begun   = {1'b0, word_index, {L{1'b0}}};
    wire [16:0]        in_word = covers - {2'b00, begun};
    wire               step    = word_valid && !covered && (BYTES == 64 || word_index != {INDEX{1'b0}});
    wire               icrc_done;
    wire [31:0]        icrc;
    always @(posedge clk)
        if (rst)
            covered <= 1'b0;
        else if (word_valid)
            covered <= !word_last && (covered || closes);

    roce_crc32 #(.BYTES(BYTES), .LEAD(8), .SKIPPED(BYTES == 8 ? 6 : 14)) icrc_engine (
        .clk (clk), .rst (rst),
        .step (step), .first (word_index == FIRST), .last (word_last || closes),
        .count (closes ? in_word[L:0] : word_count), .data (masked), .done (icrc_done), .crc (icrc)
    );

    // ---- the verdict waits for the ICRC
    reg              good;         // the last ICRC
    reg  [DELAY-1:0] delayed;
    reg  [NOTE*DELAY-1:0] notes;
    wire [NOTE-1:0]  note     = notes[NOTE*DELAY-1 -: NOTE];
    wire             is_good  = icrc_done ? icrc == 32'h2144_DF1C : good;
    wire             verdicts_room;          // always, see `waiting`
    always @(posedge clk)
        if (rst) begin
            delayed <= {DELAY{1'b0}};
            waiting <= 10'd0;
        end else begin
            delayed <= {delayed[DELAY-2:0], word_valid && word_last && described};
            waiting <= waiting + {9'd0, describe && room} - {9'd0, verdict_valid && verdict_ready};
        end
    always @(posedge clk) begin
        notes <= {notes[NOTE*(DELAY-1)-1:0], ring_next, ring_start, here[14] ? 14'h3FFF : here[13:0], options, word_bad,
                  !ring_fits};
        if (icrc_done) good <= icrc == 32'h2144_DF1C;
    end

    roce_block_queue #(.WIDTH(NOTE), .LOG2_DEPTH(LOG2_PACKETS)) verdicts (
        .clk (clk), .rst (rst),
        .in_valid (delayed[DELAY-1]), .in_ready (verdicts_room),
        .in_data ({note[NOTE-1:3], !note[2] && !is_good, note[1:0]}),
        .out_valid (verdict_valid), .out_ready (verdict_ready), .out_data (verdict)
    );

    wire unused_bits = &{1'b0, in_word[16:L+1], kept, verdicts_room, ones[127:BYTES]};

    // ---- measuring
    wire probe_busy        = word_valid || (|delayed);
    wire probe_stall_heads = describe && !room;
    wire probe_done        = delayed[DELAY-1];
endmodule
`default_nettype wire
