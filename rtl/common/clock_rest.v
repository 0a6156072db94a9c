// When a clock may stop: the other half of a clock buffer with an enable (BUFGCE of Virtex-II Pro), which stands outside, like the
// transceiver: `run` is its enable, and its output clocks the blocks that say through `busy` what they have to do.
//
//     clk        _/~\_/~\_/~\_/~\_/~\_/~\_ ... _/~\_/~\_/~\_/~\_/~\_
//     busy       ~~~~~~~~\____________________________/~~~~~~~~~~~~~
//     run        ~~~~~~~~~~~~~~~~~~~~~~~~~ ... ~~\____/~~~~~~~~~~~~~
//     run clock  _/~\_/~\_/~\_/~\_/~\_/~\_ ... _/~\____________/~\_
//     slept      0                              0 | 1 | 2  |3 | 0
//
// The contract of the blocks: once `busy` has been low for STILL clocks, another clock would change nothing in them but counters that run
// freely; and what wakes them holds `busy` high in the very clock in which they have to see it. So stopping their clock changes nothing
// that they do. `slept` is how many clocks they have missed, modulo 256, in the first clock that they see again, and 0 otherwise: a
// counter that runs freely adds it and is where it would be (it matters in the next clock only: at rest all its values do the same). A
// counter of more than 8 bits must hold `busy` as long as it has to be right (trace_memory).
//
// A buffer that passes more than it must does no harm. `run` comes from registers alone if `busy` does.
`default_nettype none
module clock_rest #(
    // clocks for which `busy` must have been low, 1..255
    parameter STILL = 31
) (
    input  wire       clk,
    input  wire       rst,     // runs
    input  wire       busy,
    output wire       run,     // enable of the buffer
    input  wire       run_clk, // what it lets through
    output wire [7:0] slept
);
    localparam [31:0] FULL = STILL;

    initial
        if (STILL < 1 || STILL > 255) begin
            $display("%m: STILL must be 1..255, is %0d", STILL);
            $finish;
        end

    reg [7:0] left;            // clocks to go

    assign run = rst || busy || (left != 8'd0);

    always @(posedge clk)
        if (rst || busy)       left <= FULL[7:0];
        else if (left != 8'd0) left <= left - 8'd1;

    reg [7:0] clocks, seen;    // all clocks, and those up to the last one that the blocks have seen

    assign slept = clocks - seen;

    always @(posedge clk)
        if (rst) clocks <= 8'd0;
        else     clocks <= clocks + 8'd1;

    always @(posedge run_clk)
        if (rst) seen <= 8'd0;
        else     seen <= clocks + 8'd1;

    wire unused = &{1'b0, FULL[31:8]};
endmodule
`default_nettype wire
