// Path scheduler, fewest units: over which path the next packet goes, of those that lead to its destination. This is a slot: any module
// with these ports and this contract may stand here (tb/contract/path_scheduler judges a candidate alone).
//
//   * `grant` is one-hot among `eligible`, `index` its number; `any` = there is one. With nothing eligible `any` and `grant` are 0.
//   * The choice is combinational in `lane`, `eligible` and `in_use`, and stays the same while these do and nothing is taken.
//   * `take` is up for one clock when the packet goes by that path, never without `any`; `take_words` is then its payload. It depends on
//     `grant`: no output may depend on it in the same clock.
//   * Nobody starves: while a path stays eligible for a lane, at most 4096 words (payload and two more for each packet) go by each other
//     path of that lane, in sum. What other lanes do does not count.
//   * After a clock of `rst` nothing of what was before matters, nor does power-up.
//
// A lane is a destination. `eligible`: the path is in use, has credit for the packet, and room in its link FIFO. `in_use` has those besides
// that lack credit or room now. What may not go by a path for the sake of order (rtl/voq/voq_ahead) is not eligible.
//
// This one takes the path that has had the fewest units of this destination (S2 2.6: the load is evenly balanced per destination). So long
// and short packets in turn leave no path idle. Per lane and path it keeps by how much the path leads the one that has had least: half
// units, a packet of n words counts n + 2. A lead ends at 2047: a path that had no credit for long makes up for that much and no more. A
// path out of use has no lead, so it begins as one of those that have had least. The lower number goes first among equals.
`default_nettype none
module path_scheduler #(
    // paths, 1..4
    parameter PATHS = 4,
    // log2 of the lanes, 1..4
    parameter LOG2_LANES = 3
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire [LOG2_LANES-1:0] lane,         // destination of the packet
    input  wire [PATHS-1:0]      eligible,     // it may go by these now
    input  wire [PATHS-1:0]      in_use,       // paths in use for this lane; eligible ones among them
    input  wire                  take,         // one clock: it goes
    input  wire [9:0]            take_words,   // its payload, 1..512
    output wire                  any,
    output wire [PATHS-1:0]      grant,
    output wire [1:0]            index
);
    localparam LANES = 1 << LOG2_LANES;

    initial
        if (PATHS < 1 || PATHS > 4 || LOG2_LANES < 1 || LOG2_LANES > 4) begin
            $display("%m: PATHS must be 1..4, is %0d; LOG2_LANES 1..4, is %0d", PATHS, LOG2_LANES);
            $finish;
        end

    (* ram_style = "distributed" *) reg [11*PATHS-1:0] leads [0:LANES-1];
    reg  [LANES-1:0]    started;      // its leads hold something
    wire [11*PATHS-1:0] lead = leads[lane] & {11*PATHS{started[lane]}};

    // ---- the one that leads least: of each pair the lower number, unless the other one is eligible and has less
    wire [3:0]  open  = {{4-PATHS{1'b0}}, eligible};
    wire [43:0] wide  = {{44-11*PATHS{1'b0}}, lead};
    wire        less1 = (wide[21:11] < wide[10:0]);
    wire        less3 = (wide[43:33] < wide[32:22]);
    wire        low1  = open[1] && (!open[0] || less1);
    wire        high1 = open[3] && (!open[2] || less3);
    wire [10:0] low   = low1 ? wide[21:11] : wide[10:0];
    wire [10:0] high  = high1 ? wide[43:33] : wide[32:22];
    wire        upper = (|open[3:2]) && (open[1:0] == 2'd0 || high < low);
    wire [3:0]  one   = 4'd1 << index;

    assign any   = |eligible;
    assign index = {upper, upper ? high1 : low1} & {2{any}};
    assign grant = one[PATHS-1:0] & {PATHS{any}};

    // ---- the leads after it: all in use less the least of them, or less what makes the largest 2047. Only that of the path taken can
    // be above 2047; it is in use.
    wire [3:0]          others    = {{4-PATHS{1'b0}}, in_use} & ~one;    // in use, and not taken
    wire [10:0]         least01   = (others[1] && (!others[0] || less1)) ? wide[21:11] : wide[10:0];
    wire [10:0]         least23   = (others[3] && (!others[2] || less3)) ? wide[43:33] : wide[32:22];
    wire [10:0]         least_of  = ((|others[3:2]) && (others[1:0] == 2'd0 || least23 < least01)) ? least23 : least01;
    wire [11:0]         sum_taken = {1'b0, upper ? high : low} + {2'd0, take_words} + 12'd2;
    wire [11:0]         least     = ((|others) && {1'b0, least_of} < sum_taken) ? {1'b0, least_of} : sum_taken;
    wire [11:0]         over      = sum_taken - least;
    wire [11:0]         base      = over[11] ? sum_taken - 12'd2047 : least;
    reg  [12:0]         rest;
    reg  [11*PATHS-1:0] next;
    integer i;

    always @* begin
        rest = 13'd0;
        next = {11*PATHS{1'b0}};
        for (i = 0; i < PATHS; i = i + 1) begin
            rest = {2'd0, lead[11*i +: 11]} - {1'b0, base};
            if (one[i])                       next[11*i +: 11] = over[10:0] | {11{over[11]}};
            else if (others[i] && !rest[12]) next[11*i +: 11] = rest[10:0];
        end
    end

    always @(posedge clk)
        if (take) leads[lane] <= next;

    always @(posedge clk)
        if (rst)       started <= {LANES{1'b0}};
        else if (take) started <= started | ({{LANES-1{1'b0}}, 1'b1} << lane);

    wire unused = &{1'b0, rest[11]};

    // ---- measuring
    wire probe_busy  = |eligible;
    wire probe_start = take;
    wire probe_done  = take;
endmodule
`default_nettype wire
