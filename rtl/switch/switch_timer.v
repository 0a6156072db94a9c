// Time base that all ports of one clock domain share, so that each needs no long counter of its own.
//
// Time is cut into windows of IDLE_WORDS / 2 clocks. A port that has sent no idle word in a window starts no frame while `window_late` is
// high, in the last clocks of it: as many as the longest frame has words, and some. So there is an idle word in every window,
// and no more than IDLE_WORDS - 2 words between two.
`default_nettype none
module switch_timer #(
    // one idle word is sent at least in so many words, 512..8192
    parameter IDLE_WORDS = 2048,
    // longest payload [64-bit words], 1..64
    parameter MAX_WORDS = 62
) (
    input  wire clk,
    input  wire rst,
    output reg  window_start,   // one clock
    output reg  window_late,    // level
    output reg  tick            // one clock in 64
);
    // SOP, credit word, header and its CRC, payload, body CRC; and the clocks of the registers here
    localparam LONGEST_FRAME = 1 + 1 + 3 + 2 * MAX_WORDS + 1;
    localparam WINDOW        = IDLE_WORDS / 2;
    localparam LATE_FROM     = WINDOW - LONGEST_FRAME - 6;
    localparam [12:0] LAST   = WINDOW - 1;
    localparam [12:0] LATE   = LATE_FROM[12:0];

    initial
        if (IDLE_WORDS < 512 || IDLE_WORDS > 8192 || MAX_WORDS < 1 || MAX_WORDS > 64) begin
            $display("%m: IDLE_WORDS must be 512..8192, is %0d; MAX_WORDS 1..64, is %0d", IDLE_WORDS, MAX_WORDS);
            $finish;
        end

    reg [12:0] count;
    reg [5:0]  ticks;

    always @(posedge clk)
        if (rst) begin
            count        <= 13'd0;
            ticks        <= 6'd0;
            window_start <= 1'b1;
            window_late  <= 1'b0;
            tick         <= 1'b0;
        end else begin
            count        <= (count == LAST) ? 13'd0 : count + 13'd1;
            window_start <= (count == LAST);
            window_late  <= (count >= LATE) && (count != LAST);
            ticks        <= ticks + 6'd1;
            tick         <= (ticks == 6'd63);
        end
endmodule
`default_nettype wire
