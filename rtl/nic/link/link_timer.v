// Raises `due` once in PERIOD clocks, for the first time PERIOD - 1 clocks after `rst`. Its clock is never gated.
// Several links by packet share one of each kind: they are reset together.
`default_nettype none
module link_timer #(
    // clocks, 2..1048576
    parameter PERIOD = 2048
) (
    input  wire                      clk,
    input  wire                      rst,
    output reg  [$clog2(PERIOD)-1:0] count,   // 0 .. PERIOD - 1
    output reg                       due      // one clock: it is PERIOD - 1
);
    localparam BITS = $clog2(PERIOD);
    localparam [31:0] BEFORE = PERIOD - 2;

    initial
        if (PERIOD < 2 || PERIOD > 1048576) begin
            $display("%m: PERIOD must be 2..1048576, is %0d", PERIOD);
            $finish;
        end

    always @(posedge clk)
        if (rst || due) count <= {BITS{1'b0}};
        else            count <= count + 1'b1;

    // a register: gated logic that waits for it does not follow the count
    always @(posedge clk) due <= !rst && count == BEFORE[BITS-1:0];

    // ---- measuring
    wire probe_busy = due;
endmodule
`default_nettype wire
