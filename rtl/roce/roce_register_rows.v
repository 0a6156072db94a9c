// A copy of the registers of all QPs that software writes, for one reader: four registers (16 bytes) are a row.
//
// Registers of one row are written in a clock. A read returns 2**LOG2_WIDE rows at once, aligned, in the next clock,
// and they stay until the next read. A write in the clock of a read is not included.
`default_nettype none
module roce_register_rows #(
    // queue pairs, 8..128
    parameter NUM_QP = 8,
    // log2 of the rows of a read, 0..3
    parameter LOG2_WIDE = 0
) (
    input  wire                                   clk,
    input  wire [3:0]                             write,       // one bit for each register of the row
    input  wire [$clog2(16*NUM_QP)-1:0]           write_at,    // {QP, row}
    input  wire [31:0]                            write_data,
    input  wire                                   read,
    input  wire [$clog2(16*NUM_QP)-LOG2_WIDE-1:0] read_at,
    output reg  [(128<<LOG2_WIDE)-1:0]            read_data
);
    localparam ROWS  = 16 * NUM_QP;
    localparam WORDS = 4 << LOG2_WIDE;

    reg  [32*WORDS-1:0] memory [0:(ROWS>>LOG2_WIDE)-1];
    // among the rows of a read
    wire [31:0]         place = {{32-$clog2(ROWS){1'b0}}, write_at} & ((32'd1 << LOG2_WIDE) - 32'd1);
    integer             i;
    always @(posedge clk) begin
        for (i = 0; i < WORDS; i = i + 1)
            if (write[i & 3] && place == i >> 2) memory[write_at[$clog2(ROWS)-1:LOG2_WIDE]][32*i +: 32] <= write_data;
        if (read) read_data <= memory[read_at];
    end

    // ---- measuring
    wire probe_busy = write != 4'd0;
endmodule
`default_nettype wire
