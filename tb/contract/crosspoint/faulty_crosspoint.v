// A crosspoint with one mistake at a time, chosen by `fault`: what the checks of the contract must find.
`default_nettype none
module faulty_crosspoint #(
    parameter LOG2_WORDS = 9,
    parameter SAME_CLOCK = 0,
    parameter FAULT      = 0               // in addition to `fault`
) (
    input  wire [6:0]          fault,      // fault_when.v; 0: none
    input  wire                wr_clk,
    input  wire                wr_rst,
    input  wire                wr_valid,
    input  wire                wr_start,
    input  wire                wr_end,
    input  wire                wr_poisoned,
    input  wire [31:0]         wr_data,
    output wire [LOG2_WORDS:0] wr_space,
    output wire                overflow,
    input  wire                rd_clk,
    input  wire                rd_rst,
    output wire                arrived,
    output wire                rd_valid,
    output wire                rd_end,
    output wire                rd_poisoned,
    output wire [31:0]         rd_data,
    input  wire                rd_pop,
    output wire [LOG2_WORDS:0] occupancy,
    output wire                underflow
);
    localparam [LOG2_WORDS:0] ONE  = 1;
    localparam [LOG2_WORDS:0] SOME = 40;
    localparam [LOG2_WORDS:0] BYTE = {LOG2_WORDS+1{1'b1}} >> (LOG2_WORDS > 7 ? LOG2_WORDS - 7 : 0);    // 8 bits at most

    wire [4:0] now;
    fault_when faults (.clk (rd_clk), .rst (rd_rst), .turn (rd_pop && rd_valid && rd_end), .fault (fault | FAULT[6:0]),
                       .now (now));

    reg  [7:0] words_in, words_out;
    reg  [4:0] packets;
    reg  [5:0] clocks;
    reg  [1:0] arrived_before;
    reg        owed;           // a pop without a word that takes the next one away
    wire       reset = (now != 5'd15);

    wire [LOG2_WORDS:0] space, inside;
    wire                over, arrival, valid, last, poisoned;
    wire [31:0]         data;

    always @(posedge wr_clk)
        if (wr_rst)        words_in <= 8'd0;
        else if (wr_valid) words_in <= words_in + 8'd1;
    always @(posedge rd_clk)
        if (rd_rst) begin
            words_out      <= 8'd0;
            packets        <= 5'd0;
            clocks         <= 6'd0;
            arrived_before <= 2'd0;
            owed           <= 1'b0;
        end else begin
            if (rd_pop && valid) words_out <= words_out + 8'd1;
            if (arrival)         packets <= packets + 5'd1;
            clocks         <= clocks + 6'd1;
            arrived_before <= {arrived_before[0], arrival};
            owed           <= (now == 5'd12) && (owed ? !valid : rd_pop && !valid);
        end

    crosspoint #(.LOG2_WORDS(LOG2_WORDS), .SAME_CLOCK(SAME_CLOCK)) good (
        .wr_clk (wr_clk), .wr_rst (wr_rst && reset), .wr_valid (wr_valid && !(now == 5'd1 && words_in == 8'd97)),
        .wr_start (wr_start), .wr_end (wr_end), .wr_poisoned (wr_poisoned && now != 5'd6), .wr_data (wr_data),
        .wr_space (space), .overflow (over), .rd_clk (rd_clk), .rd_rst (rd_rst && reset), .arrived (arrival),
        .rd_valid (valid), .rd_end (last), .rd_poisoned (poisoned), .rd_data (data),
        .rd_pop ((rd_pop && rd_valid) || owed), .occupancy (inside), .underflow ()
    );

    wire hidden = (now == 5'd8 && (arrived_before != 2'd0 || arrival)) || (now == 5'd14 && clocks == 6'd63);
    reg  empty_popped;
    always @(posedge rd_clk) empty_popped <= rd_pop && !rd_valid && !rd_rst;

    assign wr_space   = (now == 5'd3) ? space + ONE + ONE
                        : (now == 5'd16) ? (space < SOME ? {LOG2_WORDS+1{1'b0}} : space - SOME) : space;
    assign overflow   = over && now != 5'd10;
    assign arrived    = (now == 5'd2) ? arrival && packets != 5'd17 : (now == 5'd7) ? arrived_before[1]
                        : (now == 5'd17) ? arrival || (arrived_before[1] && packets == 5'd9) : arrival;
    assign rd_valid    = valid && !hidden;
    assign rd_end      = last && !hidden && !(now == 5'd5 && packets == 5'd11);
    assign rd_poisoned = poisoned && !hidden;
    assign rd_data     = (hidden ? 32'd0 : data) ^ {31'd0, now == 5'd13 && words_out == 8'd200 && rd_valid}
                        | {32{now == 5'd11 && !rd_valid}};
    assign occupancy  = (now == 5'd4 && inside != {LOG2_WORDS+1{1'b0}}) ? inside + ONE : (now == 5'd18) ? inside & BYTE
                        : inside;
    assign underflow  = empty_popped && now != 5'd9;
endmodule
`default_nettype wire
