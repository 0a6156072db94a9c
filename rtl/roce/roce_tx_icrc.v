// Inserts the ICRC into frames: words of roce_tx_frame in, words for roce_tx_fifo out, LATENCY clocks later.
//
// While roce_crc32 works, the words wait in a ring. When the word that has the last byte before the ICRC leaves it,
// the CRC is ready in the same clock. It is added there; the two bytes that may not fit go into the next word, which
// follows at once.
//
// Fields that count as FF for the ICRC (IBA annex A17): type of service, time to live and checksum of IPv4, traffic
// class, flow label and hop limit of IPv6, the checksum of UDP, and byte 4 of the BTH.
`default_nettype none
module roce_tx_icrc #(
    // bytes per word, 8 or 64
    parameter BYTES = 8,
    // bits of `info`
    parameter INFO = 39
) (
    input  wire                     clk,
    input  wire                     rst,
    // words, as roce_tx_frame gives them
    input  wire                     word_valid,
    input  wire [8*BYTES-1:0]       word_data,
    input  wire                     word_v6,
    input  wire [3:0]               word_number,
    input  wire                     word_end,
    input  wire [$clog2(BYTES)-3:0] word_place,
    input  wire                     word_last,
    input  wire                     word_off,
    input  wire                     word_error,
    input  wire [INFO-1:0]          word_info,
    // words with ICRC
    output wire                     out_valid,
    output wire [8*BYTES-1:0]       out_data,
    output wire                     out_last,
    output wire [$clog2(BYTES)-1:0] out_bytes,   // with out_last: bytes of this word
    output wire                     out_off,     // with out_last: the frame must not leave
    output wire                     out_error,
    output wire [INFO-1:0]          out_info
);
    localparam LB      = $clog2(BYTES);
    localparam BITS    = 8 * BYTES;
    localparam FIRST   = (BYTES == 8) ? 1 : 0;        // the word in which the IP packet begins
    localparam SKIPPED = (BYTES == 8) ? 6 : 14;       // bytes of Ethernet in it
    localparam LATENCY = 2 + LB;                      // of roce_crc32
    localparam MASKED  = (BYTES == 8) ? 9 : 2;        // words with bytes that count as FF

    initial
        if (BYTES != 8 && BYTES != 64) begin
            $display("%m: BYTES must be 8 or 64, is %0d", BYTES);
            $finish;
        end

    // one bit for each byte of the headers, bit 0 = the first one; for half of byte 14 see below
    localparam [127:0] BYTES_4 = 128'd1 << 15 | 128'd1 << 22 | 128'd3 << 24 | 128'd3 << 40 | 128'd1 << 46;
    localparam [127:0] BYTES_6 = 128'd7 << 15 | 128'd1 << 21 | 128'd3 << 60 | 128'd1 << 66;

    reg  [BITS-1:0]  counted;
    wire [BYTES-1:0] ff = (word_number >= MASKED[3:0]) ? {BYTES{1'b0}}
                        : word_v6 ? BYTES_6[word_number * BYTES +: BYTES] : BYTES_4[word_number * BYTES +: BYTES];
    wire             nibble = word_v6 && word_number == FIRST[3:0];   // the low half of byte 14 is of the traffic class
    integer          i;

    always @* begin
        for (i = 0; i < BYTES; i = i + 1)
            counted[8*i +: 8] = word_data[8*i +: 8] | {8{ff[i]}};
        counted[8*SKIPPED +: 4] = counted[8*SKIPPED +: 4] | {4{nibble}};
    end

    wire        before_end;          // words up to word_end
    wire        ready;
    wire [31:0] crc;
    reg         ended;               // the word before was the end

    always @(posedge clk)
        if (rst)             ended <= 1'b0;
        else if (word_valid) ended <= word_end && !word_last;
    assign before_end = word_valid && !ended;

    roce_crc32 #(.BYTES(BYTES), .LEAD(8), .SKIPPED(SKIPPED)) icrc (
        .clk (clk), .rst (rst),
        .step (before_end && (FIRST == 0 || word_number != 4'd0)), .first (word_number == FIRST[3:0]), .last (word_end),
        .count ({1'b0, word_place, 2'b10}), .data (counted), .done (ready), .crc (crc)
    );

    // ---- words wait; valid bits move along, the rest stays in a ring
    localparam ENTRY = BITS + LB + 1 + INFO;
    (* ram_style = "distributed" *) reg [ENTRY-1:0] ring [0:15];
    reg  [3:0]         at;
    wire [3:0]         behind = at - LATENCY[3:0];
    reg  [LATENCY-1:0] valid;
    wire [LB-3:0]      place;
    wire [BITS-1:0]    data;
    reg  [BITS+15:0]   placed;       // the ICRC, from this word on
    reg  [15:0]        rest;         // its remainder for the next word
    integer            g;

    always @(posedge clk)
        if (word_valid) ring[at] <= {word_info, word_error, word_off, word_last, word_place, word_data};
    always @(posedge clk)
        if (rst) begin
            at    <= 4'd0;
            valid <= {LATENCY{1'b0}};
        end else begin
            at    <= at + 4'd1;
            valid <= {valid[LATENCY-2:0], word_valid};
        end
    assign {out_info, out_error, out_off, out_last, place, data} = ring[behind];
    assign out_valid = valid[LATENCY-1];
    assign out_bytes = {place + {{(LB-3){1'b0}}, 1'b1}, 2'b10};

    always @* begin
        placed = {{BITS{1'b0}}, rest};
        for (g = 0; g < BYTES / 4; g = g + 1)
            if (ready && place == g[LB-3:0])
                placed[32*g + 16 +: 32] = crc;
    end
    assign out_data = data | placed[BITS-1:0];
    always @(posedge clk)
        if (rst) rest <= 16'd0;
        else     rest <= placed[BITS +: 16];

    // ---- measuring
    wire probe_busy = word_valid || valid != {LATENCY{1'b0}};
endmodule
`default_nettype wire
