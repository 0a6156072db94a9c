// Time base that all ports of one clock domain share, so that each needs no long counter of its own.
//
// Time is divided into windows of IDLE_WORDS / 2 clocks. A port that has sent no idle word in a window starts no frame
// while `window_late` is high, in its last clocks: the longest frame and some. So there is an idle word in every
// window, and no more than IDLE_WORDS - 2 words between two.
//
// Once per REFRESH_PERIOD all credits are due, changed or not.
`default_nettype none
module switch_timer #(
    // at least one idle word is sent in this many words, 512..8192
    parameter IDLE_WORDS = 2048,
    // longest payload [64-bit words], 1..64
    parameter MAX_WORDS = 62,
    // clocks between two rounds of unchanged credits, 2..65535
    parameter REFRESH_PERIOD = 4096
) (
    input  wire clk,
    input  wire rst,
    output reg  window_start,   // one clock
    output reg  window_late,    // level
    output reg  tick,           // one clock in 64
    output reg  refresh         // one clock in REFRESH_PERIOD
);
    // SOP, credit word, header and its CRC, payload, body CRC; and the clocks of the registers here
    localparam LONGEST_FRAME = 1 + 1 + 3 + 2 * MAX_WORDS + 1;
    localparam WINDOW        = IDLE_WORDS / 2;
    localparam LATE_FROM     = WINDOW - LONGEST_FRAME - 6;
    localparam [12:0] LAST   = WINDOW - 1;
    localparam [12:0] LATE   = LATE_FROM[12:0];
    localparam [31:0] REFRESH_LAST = REFRESH_PERIOD - 1;
    localparam [31:0] REFRESH_NEXT = REFRESH_PERIOD - 2;

    initial
        if (IDLE_WORDS < 512 || IDLE_WORDS > 8192 || MAX_WORDS < 1 || MAX_WORDS > 64) begin
            $display("%m: IDLE_WORDS must be 512..8192, is %0d; MAX_WORDS 1..64, is %0d", IDLE_WORDS, MAX_WORDS);
            $finish;
        end

    initial
        if (REFRESH_PERIOD < 2 || REFRESH_PERIOD > 65535) begin
            $display("%m: REFRESH_PERIOD must be 2..65535, is %0d", REFRESH_PERIOD);
            $finish;
        end

    reg [12:0] count;
    reg [5:0]  ticks;
    reg [15:0] refresh_count;

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

    always @(posedge clk)
        if (rst) begin
            refresh_count <= 16'd0;
            refresh       <= 1'b0;
        end else begin
            refresh_count <= (refresh_count == REFRESH_LAST[15:0]) ? 16'd0 : refresh_count + 16'd1;
            refresh       <= (refresh_count == REFRESH_NEXT[15:0]);
        end

    wire unused = &{1'b0, REFRESH_LAST[31:16], REFRESH_NEXT[31:16]};
endmodule
`default_nettype wire
