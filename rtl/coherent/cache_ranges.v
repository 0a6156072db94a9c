// Whether a line lies in one of the two ranges whose stores update other caches instead of invalidating them.
`default_nettype none
module cache_ranges #(
    parameter LINE_BITS = 23
) (
    input  wire [LINE_BITS-1:0]   line,
    input  wire [1:0]             enable,   // of range 0, 1
    input  wire [2*LINE_BITS-1:0] base,     // first lines
    input  wire [2*LINE_BITS-1:0] last,     // last lines
    output wire                   inside
);
    wire [1:0] hit;
    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : range
            assign hit[i] = enable[i] && line >= base[LINE_BITS*i +: LINE_BITS] &&
                            line <= last[LINE_BITS*i +: LINE_BITS];
        end
    endgenerate
    assign inside = |hit;
endmodule
`default_nettype wire
