// How many packets wait in each crosspoint of a column: one counter per input, up with `arrived`, down with `departed`.
//
// `waiting` tells in the clock after an arrival that there is something; it stays low for the packet that has left. Both in one
// clock leave the count alone. A count that would pass its end stays there and raises `overflow` for a clock: 7 bits hold more than
// the 102 smallest packets that a crosspoint of 512 words can. A departure of nothing is ignored and raises `underflow`.
`default_nettype none
module packet_counts #(
    // inputs, 2..16
    parameter INPUTS = 8
) (
    input  wire              clk,
    input  wire              rst,
    input  wire [INPUTS-1:0] arrived,      // one clock per packet
    input  wire [INPUTS-1:0] departed,     // one clock per packet
    output wire [INPUTS-1:0] waiting,      // there is one
    output reg               overflow,     // event: a count has reached its end
    output reg               underflow     // event: one has departed that had not arrived
);
    wire [INPUTS-1:0] full;
    wire [INPUTS-1:0] up   = arrived & ~departed & ~full;
    wire [INPUTS-1:0] down = departed & ~arrived & waiting;

    always @(posedge clk)
        if (rst) begin
            overflow  <= 1'b0;
            underflow <= 1'b0;
        end else begin
            overflow  <= |(arrived & ~departed & full);
            underflow <= |(departed & ~arrived & ~waiting);
        end

    genvar i;
    generate
        for (i = 0; i < INPUTS; i = i + 1) begin : input_of
            reg [6:0] count;
            always @(posedge clk)
                if (rst)
                    count <= 7'd0;
                else if (up[i] || down[i])
                    count <= count + {{6{down[i]}}, 1'b1};
            assign waiting[i] = (count != 7'd0);
            assign full[i]    = (count == 7'd127);
        end
    endgenerate
endmodule
`default_nettype wire
