// Header CRC, 32 bits per step: the polynomial, initial value and bit order of crc16_word64 (rtl/common),
// for a path of 32 bits. Two steps make the CRC of a 64-bit word, [63:32] first; they take 57 LUTs, one of 64 bits 170.
//
// A clock with `step` takes the 32 bits of `data`; `crc` shows the CRC over everything taken so far from the next clock
// on and keeps it until the next step. `crc_next` shows it with the `data` of this clock already, step or not, while
// `due`, and else 0. `clear` makes the CRC the initial value, and wins over `step`.
`default_nettype none
module crc16_word32 (
    input  wire        clk,
    input  wire        clear,
    input  wire        step,
    input  wire [31:0] data,
    input  wire        due,
    output wire [15:0] crc_next,
    output reg  [15:0] crc
);
    localparam [15:0] INITIAL    = 16'hFFFF;
    localparam [15:0] POLYNOMIAL = 16'h1021;

    // bit by bit: the bit that leaves is of the quotient, the polynomial is subtracted from the remainder; not `due`:
    // undefined
    reg  [31:0] rest;
    integer i;
    always @* begin
        i    = 0;
        rest = 32'bx;
        if (due || (step && !clear)) begin
            rest = data ^ {crc, 16'd0};
            for (i = 0; i < 32; i = i + 1)
                rest = {rest[30:0], 1'b0} ^ ({POLYNOMIAL, 16'd0} & {32{rest[31]}});
        end
    end
    assign crc_next = rest[31:16] & {16{due}};

    always @(posedge clk)
        if (clear)
            crc <= INITIAL;
        else if (step)
            crc <= rest[31:16];

    // ---- measuring
    wire probe_busy = due || (step && !clear);
endmodule
`default_nettype wire
