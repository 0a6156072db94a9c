// The CRC engines of 32 bits per step with faults that a test switches on one at a time.
`default_nettype none
module faulty_crc_word32 #(
    // 16: crc16_word32, 32: crc32_word32
    parameter WIDTH = 16
) (
    input  wire             clk,
    input  wire             clear,
    input  wire             step,
    input  wire [31:0]      data,
    input  wire             due,
    output wire [WIDTH-1:0] crc_next,
    output wire [WIDTH-1:0] crc,
    input  wire [6:0]       fault     // fault_when.v; 0: none
);
    localparam [4:0] LOSES_A_BIT  = 5'd1;    // data[17] counts as 0
    localparam [4:0] STEP_WINS    = 5'd2;    // over clear
    localparam [4:0] ALWAYS_STEPS = 5'd3;
    localparam [4:0] ALWAYS_DUE   = 5'd4;
    localparam [4:0] NEXT_STEPS   = 5'd5;    // crc_next wants a step
    localparam [4:0] INVERTED     = 5'd6;
    localparam [4:0] NEXT_LATE    = 5'd7;    // crc_next is the CRC without this clock's data
    localparam [4:0] NEVER_DUE    = 5'd8;
    localparam [4:0] AHEAD        = 5'd9;    // crc shows the data of its clock

    wire [4:0]  now;
    fault_when faults (.clk (clk), .rst (clear), .turn (step), .fault (fault), .now (now));

    wire [31:0] used  = (now == LOSES_A_BIT) ? data & ~(32'd1 << 17) : data;
    wire        takes = step || (now == ALWAYS_STEPS);
    wire        wipes = clear && !(now == STEP_WINS && step);
    wire        shown = ((due || now == ALWAYS_DUE) && (step || now != NEXT_STEPS)) && now != NEVER_DUE;
    wire [WIDTH-1:0] good, next;

    generate
        if (WIDTH == 16) begin : header
            crc16_word32 engine (.clk (clk), .clear (wipes), .step (takes), .data (used), .due (shown),
                                 .crc_next (next), .crc (good));
        end else begin : body
            crc32_word32 engine (.clk (clk), .clear (wipes), .step (takes), .data (used), .due (shown),
                                 .crc_next (next), .crc (good));
        end
    endgenerate

    assign crc      = (now == INVERTED) ? ~good : (now == AHEAD && step) ? good ^ data[WIDTH-1:0] : good;
    assign crc_next = (now == NEXT_LATE) ? good & {WIDTH{due}} : next;
endmodule
`default_nettype wire
