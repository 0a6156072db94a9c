// The CRC engines of 64 bits per step with faults that a test switches on one at a time.
`default_nettype none
module faulty_crc_word64 #(
    // 16: crc16_word64, 32: crc32_word64
    parameter WIDTH = 16
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             first,
    input  wire             step,
    input  wire [63:0]      data,
    output wire [WIDTH-1:0] crc,
    input  wire [6:0]       fault     // fault_when.v; 0: none
);
    localparam [4:0] LOSES_A_BIT    = 5'd1;    // data[17] counts as 0
    localparam [4:0] GOES_ON        = 5'd2;    // ignores `first`
    localparam [4:0] ALWAYS_STEPS   = 5'd3;
    localparam [4:0] ALWAYS_FIRST   = 5'd4;    // `first` counts without step
    localparam [4:0] IGNORES_RESET  = 5'd5;
    localparam [4:0] INVERTED       = 5'd6;
    localparam [4:0] AHEAD          = 5'd7;    // shows the CRC with the data of this clock
    localparam [4:0] OTHER_ORDER    = 5'd8;    // last bit first

    wire [4:0]  now;
    fault_when faults (.clk (clk), .rst (rst), .turn (step), .fault (fault), .now (now));

    reg         began;
    wire [63:0] turned;
    wire        takes = step || (now == ALWAYS_STEPS);
    wire [63:0] used  = (now == LOSES_A_BIT) ? data & ~(64'd1 << 17)
                        : (now == OTHER_ORDER) ? turned : data;
    wire        start = (now == GOES_ON) ? !began : first;
    wire        clear = (now == IGNORES_RESET) ? !began : rst || (now == ALWAYS_FIRST && first && !step);
    wire [WIDTH-1:0] good;

    genvar i;
    generate
        for (i = 0; i < 64; i = i + 1) begin : bit_of
            assign turned[i] = data[63-i];
        end
        if (WIDTH == 16) begin : header
            crc16_word64 engine (.clk (clk), .rst (clear), .first (start), .step (takes), .data (used), .crc (good));
        end else begin : body
            crc32_word64 engine (.clk (clk), .rst (clear), .first (start), .step (takes), .data (used), .crc (good));
        end
    endgenerate

    initial began = 1'b0;
    always @(posedge clk) began <= began || !rst;

    assign crc = (now == INVERTED) ? ~good : (now == AHEAD && step) ? good ^ data[WIDTH-1:0] : good;
endmodule
`default_nettype wire
