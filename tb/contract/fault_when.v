// When a fault of a broken block is there: the part that all share. `fault` is its number and, above, when it shows.
`default_nettype none
module fault_when (
    input  wire       clk,
    input  wire       rst,
    input  wire       turn,      // one clock: the block has given something away
    input  wire [6:0] fault,     // [4:0] number, 0 = none; [6:5] when
    output wire [4:0] now        // the number, 0 when it does not show
);
    localparam [1:0] ALWAYS = 2'd0;
    localparam [1:0] RARELY = 2'd1;    // for one turn of 8192
    localparam [1:0] LATE   = 2'd2;    // from 4096 turns after reset on
    localparam [1:0] RESETS = 2'd3;    // from the second reset on

    reg  [12:0] turns;
    reg         late, rst_before;
    reg  [1:0]  resets;
    wire [1:0]  when_it_shows = fault[6:5];

    initial begin
        resets     = 2'd0;
        rst_before = 1'b0;
    end
    always @(posedge clk) begin
        rst_before <= rst;
        if (rst && !rst_before && resets != 2'd2) resets <= resets + 2'd1;
        if (rst) begin
            turns <= 13'd0;
            late  <= 1'b0;
        end else if (turn) begin
            turns <= turns + 13'd1;
            late  <= late || turns == 13'd4095;
        end
    end

    assign now = (when_it_shows == ALWAYS || (when_it_shows == RARELY && (&turns)) || (when_it_shows == LATE && late)
                  || (when_it_shows == RESETS && resets == 2'd2)) ? fault[4:0] : 5'd0;
endmodule
`default_nettype wire
