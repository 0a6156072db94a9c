// Clock gating: enable of a clock buffer (BUFGCE of Virtex-II Pro) that is instantiated outside the chip's RTL, like
// the transceivers. `run` is its enable; its output `run_clk` clocks the modules that report work through `busy`.
//
//     clk        _/~\_/~\_/~\_/~\_/~\_/~\_ ... _/~\_/~\_/~\_/~\_/~\_
//     busy       ~~~~~~~~\____________________________/~~~~~~~~~~~~~
//     run        ~~~~~~~~~~~~~~~~~~~~~~~~~ ... ~~\____/~~~~~~~~~~~~~
//     run clock  _/~\_/~\_/~\_/~\_/~\_/~\_ ... _/~\____________/~\_
//     slept      0                              0 | 1 | 2  |3 | 0
//
// Contract of the modules: once `busy` has been low for STILL clocks, further clocks change nothing in them but
// free-running counters. An input that wakes a module raises `busy` in the very clock in which the module must see it.
// So gating does not change behaviour. `slept` is the number of missed clocks, modulo 256, in the first clock after the
// gap, and 0 otherwise; a free-running counter adds it. A counter of more than 8 bits must hold `busy` while it has to
// be right (trace_memory).
//
// A buffer that passes more clocks than `run` enables does no harm. `run` comes from registers alone if `busy` does.
`default_nettype none
module clock_gate #(
    // clocks for which `busy` must have been low, 1..255
    parameter STILL = 31
) (
    input  wire       clk,
    input  wire       rst,     // free-running
    input  wire       busy,
    output wire       run,     // enable of the buffer
    input  wire       run_clk, // clk behind the buffer
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

    reg [7:0] clocks, seen;    // all clocks, and those up to the last one that the modules have seen

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
