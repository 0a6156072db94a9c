// Fixture of test_design: types, parameters, instances in generate loops, an inout port, loops, files. The reports beside it are of this file.
package types;
    typedef struct packed { logic head; logic [1:0] kind; } flit;
    typedef enum logic [1:0] { IDLE, WORK, LAST } state;
endpackage

module leaf #(parameter WIDTH = 4) (input wire clk, input wire rst_n, input wire [WIDTH-1:0] in, output reg [WIDTH-1:0] out);
    wire probe_busy = in[0];
    always @(posedge clk or negedge rst_n)
        if (!rst_n) out <= 0;
        else        out <= in;
endmodule

module sample import types::*; #(parameter COUNT = 2, parameter FILE = "rom.hex") (
    input wire clk, input wire rst_n, input flit [1:0] flits, input wire [0:8] in, output wire [64:0] out, output state now, inout wire [1:0] pad,
    input wire \a.b );
    reg [7:0] rom [0:15];
    reg [3:0] ones;
    integer i, file;
    initial begin
        $readmemh(FILE, rom);
        file = $fopen("log.txt", "w");
        file = $fopen("in.txt", "r");
    end
    always @* begin
        ones = 0;
        for (i = 0; i < 9; i = i + 1) ones = ones + {3'd0, in[i]};
        i = 0;
        while (rom[i[3:0]] == 8'd0 && i < 15) i = i + 1;
    end
    wire again = clk;
    wire opposite = ~clk;
    reg fallen;
    always @(posedge opposite or negedge rst_n)
        if (!rst_n) fallen <= 0;
        else        fallen <= !fallen;
    genvar g;
    generate
        for (g = 0; g < COUNT; g = g + 1) begin : each
            wire inner;
            wire [g:0] left;
            if (g == 0) begin : first
                assign inner = clk;
            end else begin : other
                assign inner = again;
            end
            leaf #(.WIDTH(g + 1)) unit (.clk(inner), .rst_n(rst_n), .in(in[0:g]), .out(left));
            assign pad[g] = in[g] ? left[0] : 1'bz;
        end
    endgenerate
    assign now = state'({1'b0, \a.b });
    assign out = {55'd0, flits, i[3:0]} ^ {61'd0, ones} ^ {57'd0, rom[in[0:3]]} ^ {64'd0, fallen};
endmodule
