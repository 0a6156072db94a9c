// Proof of credit_choice with link_lane_pick: `bad` is never high, whatever changes, is refreshed and taken. Of a lane:
//
//   reported  what the last word with it said is its count, unless it is modified, or in a place that has the count
//   fair      while it is modified, LANES - 1 words at most are taken without it: no lane starves
//   form      a word has two credits of lanes that there are, with their parities
//
// (A lane that is only due waits for as long as others are modified.) Assumed: `take` comes only with `request`, and a
// count changes only in the clock after `changed` (credit_scheduler).
`default_nettype none
module prove_credit_choice #(
    parameter LANES = 4,
    parameter LL    = $clog2(LANES)
) (
    input  wire               clk,
    input  wire [LANES-1:0]   any_changed,
    input  wire               any_refresh,
    input  wire               any_take,
    input  wire [6:0]         any_count,
    input  wire [7*LANES-1:0] any_others,
    input  wire [LL-1:0]      any_mine,      // in the first clock: the lane that is followed
    output wire               bad
);
    localparam [31:0] MOST = LANES - 1;
    reg running;                             // 0 in the first clock
    initial running = 1'b0;

    reg  [LL-1:0]      mine;
    reg  [6:0]         count, reported;
    wire [7*LANES-1:0] whole = {{7*LANES-7{1'b0}}, 7'h7f} << (7 * mine);
    wire [7*LANES-1:0] here  = {{7*LANES-7{1'b0}}, count} << (7 * mine);
    wire               request;
    wire [31:0]        word;
    wire               take = any_take && request && running;
    credit_choice #(.LANES(LANES)) dut (
        .clk (clk), .rst (!running), .units ((any_others & ~whole) | here), .changed (any_changed),
        .refresh (any_refresh), .request (request), .word (word), .take (take)
    );

    (* hierconn *) wire [LANES-1:0] \dut.modified ;
    (* hierconn *) wire [LL-1:0]    \dut.place_lane_0 , \dut.place_lane_1 ;
    (* hierconn *) wire [6:0]       \dut.place_units_0 , \dut.place_units_1 ;
    (* hierconn *) wire             \dut.place_full_0 , \dut.place_full_1 ;
    wire        in_0 = \dut.place_full_0 && \dut.place_lane_0 == mine;
    wire        in_1 = \dut.place_full_1 && \dut.place_lane_1 == mine;
    wire        first = word[29:23] == {{7-LL{1'b0}}, mine}, second = word[13:7] == {{7-LL{1'b0}}, mine};
    reg         has_reported;
    reg  [LL:0] passed;                      // words without it since it is modified
    always @(posedge clk) begin
        running <= 1'b1;
        mine    <= running ? mine : any_mine < LANES ? any_mine : {LL{1'b0}};
        if (!running || any_changed[mine]) count <= any_count;
        has_reported <= running && (has_reported || (take && (first || second)));
        if (take && (first || second)) reported <= first ? word[22:16] : word[6:0];
        passed  <= !running || !\dut.modified [mine] || (take && (first || second)) ? {LL+1{1'b0}}
                   : passed + {{LL{1'b0}}, take && !(&passed)};
    end

    wire said = \dut.modified [mine] || (in_0 && \dut.place_units_0 == count) || (in_1 && \dut.place_units_1 == count)
                || (has_reported && reported == count && !in_0 && !in_1);
    wire form = word[31] && word[15] && word[30] == ^word[29:16] && word[14] == ^word[13:0] && word[29:23] < LANES
                && word[13:7] < LANES;
    assign bad = running && (!said || (request && !form) || passed > MOST[LL:0]);
endmodule
`default_nettype wire
