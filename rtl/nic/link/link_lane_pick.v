// Round-robin choice of a lane (virtual channel) in two classes, combinational: the first lane after `last`, in cyclic
// order, that is in `urgent`; if that is empty, in `relaxed`. With both empty `any` is 0 and `index` is `last`, or 0 if
// there is only one lane.
//
// Unlike round_robin of rtl/common it accepts a single lane, and has two sets.
`default_nettype none
module link_lane_pick #(
    // lanes, 1..64
    parameter LANES = 1
) (
    input  wire [LANES-1:0]                         urgent,
    input  wire [LANES-1:0]                         relaxed,   // used if none is urgent
    input  wire [$clog2(LANES > 1 ? LANES : 2)-1:0] last,      // picked last
    output wire                                     any,
    output reg  [$clog2(LANES > 1 ? LANES : 2)-1:0] index
);
    localparam LANE_BITS = $clog2(LANES > 1 ? LANES : 2);

    wire [LANES-1:0] wanted = (|urgent) ? urgent : relaxed;
    reg  [LANES-1:0] above;
    integer i;

    assign any = |wanted;

    always @* begin
        for (i = 0; i < LANES; i = i + 1)
            above[i] = wanted[i] && (i[LANE_BITS-1:0] > last);
        index = (LANES == 1) ? {LANE_BITS{1'b0}} : last;
        for (i = LANES - 1; i >= 0; i = i - 1)
            if ((|above) ? above[i] : wanted[i])
                index = i[LANE_BITS-1:0];
    end
endmodule
`default_nettype wire
