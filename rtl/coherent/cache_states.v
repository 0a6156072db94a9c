// States of the lines of a cache, in LUT memory: looked at and changed in one clock, at two places, so a snoop and an
// access of the processor are one before the other and never see half of a change.
//
//     valid  exclusive  dirty
//       0        .        .      I
//       1        0        .      S
//       1        1        0      E
//       1        1        1      M
//
// Valid and exclusive are written at the place of the interconnect, dirty at the place `d_set` (the processor's), so a
// store hit and a snoop of another line need not wait for each other. `recent` is the way that was used last.
`default_nettype none
module cache_states #(
    // log2 of the sets, >= 1
    parameter LOG2_SETS = 8,
    // 1 or 2
    parameter WAYS = 2
) (
    input  wire                 clk,

    // place of the interconnect
    input  wire [LOG2_SETS-1:0] s_set,
    output wire [WAYS-1:0]      s_valid,
    output wire [WAYS-1:0]      s_exclusive,
    output wire [WAYS-1:0]      s_dirty,
    output wire                 s_recent,
    input  wire [WAYS-1:0]      s_write,
    input  wire                 s_to_valid,
    input  wire                 s_to_exclusive,

    // place of the processor
    input  wire [LOG2_SETS-1:0] a_set,
    output wire [WAYS-1:0]      a_valid,
    output wire [WAYS-1:0]      a_exclusive,
    output wire                 a_recent,
    input  wire                 a_use,
    input  wire                 a_way,         // with it

    input  wire [LOG2_SETS-1:0] d_set,
    output wire [WAYS-1:0]      d_dirty,
    input  wire [WAYS-1:0]      d_write,
    input  wire                 d_to_dirty
);
    localparam SETS = 1 << LOG2_SETS;

    genvar i;
    generate
        for (i = 0; i < WAYS; i = i + 1) begin : way
            (* ram_style = "distributed" *) reg valid [0:SETS-1];
            (* ram_style = "distributed" *) reg exclusive [0:SETS-1];
            (* ram_style = "distributed" *) reg dirty [0:SETS-1];
            always @(posedge clk) begin
                if (s_write[i]) valid[s_set]     <= s_to_valid;
                if (s_write[i]) exclusive[s_set] <= s_to_exclusive;
                if (d_write[i]) dirty[d_set]     <= d_to_dirty;
            end
            assign s_valid[i]     = valid[s_set];
            assign s_exclusive[i] = exclusive[s_set];
            assign s_dirty[i]     = dirty[s_set];
            assign a_valid[i]     = valid[a_set];
            assign a_exclusive[i] = exclusive[a_set];
            assign d_dirty[i]     = dirty[d_set];
        end
        if (WAYS == 2) begin : order
            (* ram_style = "distributed" *) reg recent [0:SETS-1];
            always @(posedge clk)
                if (a_use) recent[a_set] <= a_way;
            assign a_recent = recent[a_set];
            assign s_recent = recent[s_set];
        end else begin : one
            assign a_recent = 1'b1;
            assign s_recent = 1'b1;
            wire unused = &{1'b0, a_use, a_way};
        end
    endgenerate
endmodule
`default_nettype wire
