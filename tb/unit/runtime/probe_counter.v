// Fixture: takes a job of `length` clocks when `start` and reports with probes; `hold` stalls it, for a reason without
// a name at 255.
//
// In clock n: start is seen. Clocks n+1 .. n+length (stalled ones not counted): busy. The last shows probe_done.
`default_nettype none
module probe_counter (
    input  wire       clk,
    input  wire       rst,
    input  wire       start,
    input  wire [7:0] length,
    input  wire       hold,
    output reg  [7:0] left
);
    localparam [1:0] NONE = 2'd0, LAST = 2'd1, MORE = 2'd2;

    wire       probe_busy       = left != 8'd0;
    wire       probe_stall      = probe_busy && hold;
    wire       probe_stall_hold = probe_busy && hold && left != 8'd255;
    wire       probe_start      = start && !probe_busy;
    wire       probe_done       = left == 8'd1 && !hold;
    wire [7:0] probe_level      = left;
    wire [1:0] probe_state      = left > 8'd1 ? MORE : left == 8'd1 ? LAST : NONE;

    always @(posedge clk)
        if (rst)
            left <= 8'd0;
        else if (probe_start)
            left <= length;
        else if (probe_busy && !hold)
            left <= left - 8'd1;
endmodule
`default_nettype wire
