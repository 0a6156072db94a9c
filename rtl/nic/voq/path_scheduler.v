// Path scheduler, fewest units: over which path the next packet goes, of those that lead to its destination. This is a
// plug-in point: any module with these ports and this contract may replace it (tb/contract/path_scheduler checks a
// candidate alone).
//
//   * `grant` is one-hot among `eligible`, `index` its number; `any` = there is one. With none `any` and `grant` are 0.
//   * The choice is combinational in `lane`, `eligible` and `in_use`, and stays while these do and nothing is taken.
//   * `take` is up for one clock when the packet goes by that path, never without `any`; `take_words` is then its
//     payload. It depends on `grant`: no output may depend on it in the same clock. In the three clocks behind it
//     nothing is taken and the choice is not used: a module may take that long to decide.
//   * No starvation: while a path stays eligible for a lane, at most 4096 words (payload and two more for each packet)
//     go by each other path of that lane, in sum. Packets of other lanes do not count.
//   * A clock of `rst` clears all history, whatever the state after power-up.
//
// A lane is a destination. `eligible`: the path is in use, has credit for the packet, and space in its link FIFO.
// `in_use` includes paths that lack credit or space now. A path that the packet may not take for the sake of order
// (rtl/nic/voq/voq_ahead) is not eligible.
//
// This policy takes the path that has carried the fewest units of this destination (S2 2.6: the load is evenly balanced
// per destination). So alternating long and short packets leave no path idle. Half units are counted, a packet of n
// words as n + 2. A path falls behind the busiest one by 2048 at most: one without credit for long catches up that much
// and no more. The count of a path out of use follows that of the path taken, so it has nothing to catch up. The lower
// number goes first among equals.
//
//     clock      0      1      2      3      4
//     take     /~~~~~\_____________________/~~~~~
//     units    | path | other paths, one     | path        whose units are read
//              | taken| per clock            | taken
//
// The units of each lane and path are kept, modulo 8192, and per lane which of two paths goes first, a bit for each
// pair. The choice is made of those bits alone. The path taken is compared with each other one behind `take`.
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
    localparam LANES     = 1 << LOG2_LANES;
    localparam PATH_BITS = (PATHS > 2) ? 2 : 1;
    localparam [1:0] OTHERS = (PATHS > 2) ? 2'd3 : (PATHS == 2) ? 2'd1 : 2'd0;

    initial
        if (PATHS < 1 || PATHS > 4 || LOG2_LANES < 1 || LOG2_LANES > 4) begin
            $display("%m: PATHS must be 1..4, is %0d; LOG2_LANES 1..4, is %0d", PATHS, LOG2_LANES);
            $finish;
        end

    // ---- the packet that was taken last, and the comparisons behind it
    reg  [1:0]            left;         // comparisons to go; taken ^ left is the other path of the next one
    reg  [1:0]            taken;
    reg  [LOG2_LANES-1:0] taken_lane;
    reg  [PATHS-1:0]      taken_in_use;
    reg  [12:0]           top;          // units of that path, the packet included
    reg                   fresh;        // it was the first one of its lane
    wire                  compare = (left != 2'd0);
    wire [1:0]            at      = compare ? taken ^ left : index;
    wire [LOG2_LANES-1:0] at_lane = compare ? taken_lane : lane;

    // ---- order of the paths
    (* ram_style = "distributed" *) reg [12:0] units [0:(LANES << PATH_BITS)-1];
    (* ram_style = "distributed" *) reg [5:0]  pairs [0:LANES-1];  // higher path first; of 0-1, 2-3, 0-2, 1-3, 0-3, 1-2
    reg  [LANES-1:0]      started;      // these values of this lane are valid
    wire [5:0]            pair = pairs[at_lane] & {6{started[at_lane]}};

    // ---- the choice: the first of 0 and 1, the first of 2 and 3, the first of these
    wire [3:0] open   = {{4-PATHS{1'b0}}, eligible};
    wire       low1   = open[1] && (!open[0] || pair[0]);
    wire       high3  = open[3] && (!open[2] || pair[1]);
    wire       higher = low1 ? (high3 ? pair[3] : pair[5]) : high3 ? pair[4] : pair[2];
    wire       upper  = (|open[3:2]) && (open[1:0] == 2'd0 || higher);
    wire [3:0] one    = 4'd1 << index;

    assign any   = |eligible;
    assign index = {upper, upper ? high3 : low1};
    assign grant = one[PATHS-1:0] & {PATHS{any}};

    // ---- its units, and the comparisons
    wire [12:0] had    = units[{at[PATH_BITS-1:0], at_lane}] & {13{compare ? !fresh : started[at_lane]}};
    wire [12:0] sum    = had + {3'd0, take_words} + 13'd2;
    wire        lower  = !(left[1] ? taken[1] : taken[0]);            // the path taken has the lower number
    wire [13:0] lag    = {top, 1'b0} - {had, lower};                  // [13]: the path taken goes first
    wire        far    = !lag[13] && lag[12];                         // the other one is too far behind
    wire [3:0]  used   = {{4-PATHS{1'b0}}, taken_in_use};
    wire        moves  = fresh || far || !used[at];
    wire [12:0] moved  = {top[12:11] - {1'b0, far && used[at]}, top[10:0]} & {13{!fresh}};
    wire [5:0]  this_pair = {left == 2'd3 && (taken[1] != taken[0]), left == 2'd3 && (taken[1] == taken[0]),
                             left == 2'd2 && taken[0], left == 2'd2 && !taken[0], left == 2'd1 && taken[1], left == 2'd1
                             && !taken[1]};

    always @(posedge clk) begin
        if (compare ? moves : take) units[{at[PATH_BITS-1:0], at_lane}] <= compare ? moved : sum;
        if (compare)                pairs[at_lane] <= (pair & ~this_pair) | (this_pair & {6{lag[13] ^ lower}});
    end

    always @(posedge clk)
        if (rst)       left <= 2'd0;
        else if (take) left <= OTHERS;
        else           left <= left - {1'b0, compare};

    always @(posedge clk)
        if (take) begin
            taken        <= index;
            taken_lane   <= lane;
            taken_in_use <= in_use;
            top          <= sum;
            fresh        <= !started[lane];
        end

    always @(posedge clk)
        if (rst)          started <= {LANES{1'b0}};
        else if (compare) started <= started | ({{LANES-1{1'b0}}, 1'b1} << taken_lane);

    wire unused = &{1'b0, at, one, lag[11:0]};

    // ---- measuring
    wire probe_busy  = |eligible;
    wire probe_start = take;
    wire probe_done  = take;
endmodule
`default_nettype wire
