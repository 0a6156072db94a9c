// Ethernet's CRC-32 over a stream of words, one word per clock, frames without a gap between them.
//
// The polynomial is 04C11DB7, reflected; it starts with ones and is inverted at its end (IEEE 802.3 3.2.9): crc32() of
// zlib. Byte 0 of a frame is data[7:0] of its first word. All words are whole but the last one: its first `count` bytes
// are valid, the others are ignored.
//
// For an ICRC (IBA annex A17) the CRC starts with LEAD = 8 bytes of FF that are on no wire, and the SKIPPED first bytes
// of the first word do not belong to it. They are the end of the Ethernet header: 6 with 8 bytes per clock, where its
// first 8 bytes are a word that is not stepped, and 14 with 64. Both cost nothing: the CRC is linear, so there is a
// state from which SKIPPED bytes of zero lead to the state behind LEAD bytes of FF, and `first` starts with it. The
// caller sets fields that count as FF in `data`.
//
//   crc    a number whose byte 7:0 is the first one on the wire, as for FCS and ICRC. Over a frame with its own CRC
//          behind it, it is 2144_DF1C if that CRC is right: so a receiver need not know where the CRC begins.
//
// Latency: data taken in clock n with `last` show as `done` and `crc` in clock n + LATENCY, which is 2 + log2(BYTES): 5
// or 8. One clock sums the remainders of the bits of the word, the next one adds the state before, both as if the word
// were whole with zeros at its end; then each clock takes back a power of two of these zeros, or does not. Words may
// arrive in every clock, with any gaps. It never stalls.
`default_nettype none
module roce_crc32 #(
    // bytes per word, a power of two, 2..64
    parameter BYTES = 8,
    // bytes of FF before the frame, 0..8
    parameter LEAD = 0,
    // first bytes of the first word that do not count, 0..BYTES - 1
    parameter SKIPPED = 0
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     step,    // a word is taken
    input  wire                     first,   // with step: a frame begins with it
    input  wire                     last,    // with step: a frame ends with it
    input  wire [$clog2(BYTES):0]   count,   // with last: 1..BYTES, how many of its bytes
    input  wire [8*BYTES-1:0]       data,
    output wire                     done,    // one clock for each frame
    output wire [31:0]              crc      // of that frame, with done
);
    localparam        BITS       = 8 * BYTES;
    localparam        STAGES     = $clog2(BYTES);
    localparam [31:0] POLYNOMIAL = 32'hEDB8_8320;   // reflected: bit 31 is x^0

    initial
        if (BYTES < 2 || BYTES > 64 || (1 << STAGES) != BYTES || LEAD < 0 || LEAD > 8 || SKIPPED < 0
            || SKIPPED >= BYTES) begin
            $display("%m: BYTES must be a power of two from 2 to 64, is %0d, LEAD 0..8, is %0d, ", BYTES, LEAD,
                     "SKIPPED 0..BYTES-1, is %0d", SKIPPED);
            $finish;
        end

    // the state after a bit 0, and before it
    function [31:0] after;
        input [31:0] state;
        after = {1'b0, state[31:1]} ^ (POLYNOMIAL & {32{state[0]}});
    endfunction
    function [31:0] before;
        input [31:0] state;
        before = {state[30:0] ^ (POLYNOMIAL[30:0] & {31{state[31]}}), state[31]};
    endfunction

    // the state a frame starts with
    function [31:0] started;
        input unused;
        integer i;
        begin
            started = {32{1'b1}} ^ {32{unused}};
            for (i = 0; i < 8 * LEAD; i = i + 1)
                started = after(started ^ 32'd1);
            for (i = 0; i < 8 * SKIPPED; i = i + 1)
                started = before(started);
        end
    endfunction
    localparam [31:0] INITIAL = started(1'b0);

    // the bits of a word whose parity is the bit `chosen` (one-hot) of the state after it
    function [BITS-1:0] taps;
        input [31:0] chosen;
        integer i;
        reg [31:0] power;
        begin
            power = POLYNOMIAL;
            for (i = BITS - 1; i >= 0; i = i - 1) begin
                taps[i] = |(power & chosen);
                power   = after(power);
            end
        end
    endfunction

    // image of each bit of the state, bit 0 first, before this many bytes of zeros
    function [1023:0] back;
        input integer bytes;
        integer i, k;
        reg [31:0] power;
        begin
            back = 1024'd0;
            for (i = 0; i < 32; i = i + 1) begin
                power = 32'd1 << i;
                for (k = 0; k < 8 * bytes; k = k + 1)
                    power = before(power);
                back[32*i +: 32] = power;
            end
        end
    endfunction

    // the bits of the state whose parity is its bit `chosen` before them
    function [31:0] back_taps;
        input [1023:0] images;
        input integer  chosen;
        integer i;
        for (i = 0; i < 32; i = i + 1)
            back_taps[i] = images[32*i + chosen];
    endfunction

    // ---- remainder of the word
    reg  [BITS-1:0]   word;       // with ignored bytes cleared
    reg  [31:0]       sum;
    reg               summed, summed_first, summed_last;
    reg  [STAGES-1:0] summed_zeros;
    integer           b;

    always @* begin
        word = data;
        for (b = 0; b < BYTES; b = b + 1)
            if ((first && b < SKIPPED) || (last && b >= {{(31-STAGES){1'b0}}, count}))
                word[8*b +: 8] = 8'd0;
    end

    always @(posedge clk)
        if (rst) begin
            summed      <= 1'b0;
            summed_last <= 1'b0;
        end else begin
            summed      <= step;
            summed_last <= step && last;
        end
    always @(posedge clk)
        if (step) begin
            summed_first <= first;
            summed_zeros <= {STAGES{1'b0}} - count[STAGES-1:0];
        end

    // ---- the state, and stages that take back zeros: the input of stage s is images 1 << s bytes from its output
    reg  [31:0] state;
    wire [31:0] old = summed_first ? INITIAL : state;
    wire [31:0] staged [0:STAGES];
    reg         ended;
    reg  [STAGES-1:0] zeros;

    assign staged[0] = state;
    always @(posedge clk)
        ended <= summed_last && !rst;
    always @(posedge clk)
        if (summed_last) zeros <= summed_zeros;

    genvar g, s;
    generate
        for (g = 0; g < 32; g = g + 1) begin : state_bit
            localparam [BITS-1:0] TAPS = taps(32'd1 << g);
            always @(posedge clk)
                if (step) sum[g] <= ^(word & TAPS);
            always @(posedge clk)
                if (summed) state[g] <= sum[g] ^ ^(old & TAPS[31:0]);
        end
        for (s = 0; s < STAGES; s = s + 1) begin : stage
            localparam [1023:0] IMAGES = back(1 << s);
            reg                 there;
            reg  [31:0]         held;
            wire                enters;
            wire [STAGES-1-s:0] left;      // zeros still to be taken back, in units of 1 << s
            if (s == 0) begin : begins
                assign enters = ended;
                assign left   = zeros;
            end else begin : follows
                assign enters = stage[s-1].there;
                assign left   = stage[s-1].passed.rest;
            end
            if (s < STAGES - 1) begin : passed
                reg [STAGES-2-s:0] rest;
                always @(posedge clk)
                    if (enters) rest <= left[STAGES-1-s:1];
            end
            always @(posedge clk)
                there <= enters && !rst;
            for (g = 0; g < 32; g = g + 1) begin : held_bit
                localparam [31:0] TAPS = back_taps(IMAGES, g);
                always @(posedge clk)
                    if (enters) held[g] <= left[0] ? ^(staged[s] & TAPS) : staged[s][g];
            end
            assign staged[s+1] = held;
        end
    endgenerate

    assign done = stage[STAGES-1].there;
    assign crc  = ~staged[STAGES];

    // ---- measuring
    wire probe_busy = step;
endmodule
`default_nettype wire
