// Body CRC, 32 bits per step: the polynomial, initial value and bit order of crc32_word64 (rtl/common),
// for a path of 32 bits. Two steps take a 64-bit word, [63:32] first.
//
// A clock with `step` takes the 32 bits of `data`; `crc` shows the CRC over everything taken so far from the next clock
// on and keeps it until the next step. `crc_next` shows it with the `data` of this clock already, step or not, while
// `due`, and else 0. `clear` makes the CRC the initial value, and wins over `step`.
//
// The step is written twice, because what a simulator does fastest takes many LUTs: as a division for simulation, and
// as the sums of crc32_sums32 for synthesis. tb/unit/switch compares the two.
`default_nettype none
module crc32_word32 (
    input  wire        clk,
    input  wire        clear,
    input  wire        step,
    input  wire [31:0] data,
    input  wire        due,
    output wire [31:0] crc_next,
    output reg  [31:0] crc
);
    localparam [31:0] INITIAL = 32'hFFFF_FFFF;

`ifdef SYNTHESIS
    wire [31:0] rest;
    crc32_sums32 sums (.sum (data ^ crc), .rest (rest));
`else
    localparam [31:0] POLYNOMIAL = 32'h04C1_1DB7;
    localparam [31:0] INVERSE    = 32'h04D1_01DF;    // of x^64 divided by x^32 + POLYNOMIAL, without x^32

    // data and CRC times x^32, divided by the polynomial: quotient and remainder; not `due`: undefined
    reg  [31:0] sum, quotient, rest;
    integer i;
    always @* begin
        i        = 0;
        sum      = data ^ crc;
        quotient = 32'bx;
        rest     = 32'bx;
        if (due || (step && !clear)) begin
            quotient = sum;
            for (i = 0; i < 32; i = i + 1)
                if (INVERSE[i]) quotient = quotient ^ (sum >> (32 - i));
            rest = 32'd0;
            for (i = 0; i < 32; i = i + 1)
                if (POLYNOMIAL[i]) rest = rest ^ (quotient << i);
        end
    end
`endif
    assign crc_next = rest & {32{due}};

    always @(posedge clk)
        if (clear)
            crc <= INITIAL;
        else if (step)
            crc <= rest;

    // ---- measuring
    wire probe_busy = due || (step && !clear);
endmodule
`default_nettype wire
