// module commented (input x); endmodule
module two_modules (input clk, input [7:0] a, output reg [7:0] q);
    wire [7:0] b; /* module hidden */
    below the_other (.a(a), .b(b));
    initial $display("module text");
    always @(posedge clk) q <= b;
endmodule
module below (input [7:0] a, output [7:0] b); assign b = ~a; endmodule
