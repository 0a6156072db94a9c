// What becomes of a word by a store or an atomic load: bytes of the mask change. Combinational.
//
// Of the two halves of a word (big-endian: the upper one is at the lower address) fetch-and-increment adds to that in
// the mask. Test-and-set sets all bits of the bytes in the mask. A word of one byte (proofs) is one half.
`default_nettype none
module cache_modify #(
    parameter BYTES = 8
) (
    input  wire [8*BYTES-1:0] old,
    input  wire [8*BYTES-1:0] data,
    input  wire [BYTES-1:0]   mask,
    input  wire [1:0]         atomic,   // 0: data, 1: test-and-set, 2: fetch-and-increment
    output wire [8*BYTES-1:0] word
);
    localparam HALF = (BYTES == 1) ? 8 : 4 * BYTES;

    wire [HALF-1:0]    half = mask[BYTES-1] ? old[8*BYTES-1 -: HALF] : old[HALF-1:0];
    wire [HALF-1:0]    more = half + {{HALF-1{1'b0}}, 1'b1};
    wire [8*BYTES-1:0] now  = atomic[1] ? {8*BYTES/HALF{more}} : data | {8*BYTES{atomic[0]}};

    genvar i;
    generate
        for (i = 0; i < BYTES; i = i + 1) begin : lane
            assign word[8*i +: 8] = mask[i] ? now[8*i +: 8] : old[8*i +: 8];
        end
    endgenerate
endmodule
`default_nettype wire
