// How many packets wait in each crosspoint of a column: one counter per input, up with `arrived`, down with `departed`.
//
// `waiting` is set in the clock after an arrival; it stays low for the packet that has left. Both in one clock do not
// change the count. A count that would pass its maximum stays there and raises `overflow` for a clock: 7 bits hold more
// than the 85 smallest packets of a crosspoint of 512 units. One without a packet is ignored and raises `underflow`.
`default_nettype none
module packet_counts #(
    // inputs, 2..16
    parameter INPUTS = 8
) (
    input  wire              clk,
    input  wire              rst,
    input  wire [INPUTS-1:0] arrived,      // one clock per packet
    input  wire [INPUTS-1:0] departed,     // one clock per packet
    output reg  [INPUTS-1:0] waiting,      // the count is not 0
    output reg               overflow,     // event: a count has reached its maximum
    output reg               underflow     // event: a departure without an arrival
);
    reg  [INPUTS-1:0] full;
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

    reg  [7*INPUTS-1:0] count_of;
    integer             i;

    always @(posedge clk)
        if (rst) begin
            count_of <= {7*INPUTS{1'b0}};
            waiting  <= {INPUTS{1'b0}};
            full     <= {INPUTS{1'b0}};
        end else if (|(up | down))
            for (i = 0; i < INPUTS; i = i + 1)
                if (up[i] || down[i]) begin
                    count_of[7*i +: 7] <= count_of[7*i +: 7] + {{6{down[i]}}, 1'b1};
                    waiting[i]         <= up[i] || (count_of[7*i +: 7] != 7'd1);
                    full[i]            <= up[i] && (count_of[7*i +: 7] == 7'd126);
                end
endmodule
`default_nettype wire
