// One step of the body CRC for synthesis (crc32_word32): `sum` times x^32, modulo 04C1_1DB7. Combinational.
//
// Each bit is the parity of some bits of `sum`. Sums common to several bits are built once: `s`. A search found them:
// it repeatedly takes the two to four terms that save the most four-input LUTs, 90 in all. Synthesis finds 140.
`default_nettype none
module crc32_sums32 (
    input  wire [31:0] sum,
    output reg  [31:0] rest
);
    reg [30:0] s;

    always @* begin
        s[0] = sum[0] ^ sum[9] ^ sum[16] ^ sum[31];
        s[1] = sum[8] ^ sum[11] ^ sum[15] ^ sum[29];
        s[2] = sum[3] ^ sum[4] ^ sum[20] ^ sum[24];
        s[3] = sum[1] ^ sum[2] ^ sum[7] ^ sum[14];
        s[4] = sum[23] ^ sum[26] ^ sum[27] ^ sum[29];
        s[5] = sum[3] ^ sum[22] ^ sum[28] ^ sum[31];
        s[6] = sum[5] ^ sum[8] ^ sum[21] ^ sum[30];
        s[7] = sum[9] ^ sum[18] ^ sum[27] ^ sum[31];
        s[8] = sum[12] ^ sum[25] ^ sum[26] ^ sum[28];
        s[9] = sum[0] ^ sum[4] ^ sum[12] ^ sum[17];
        s[10] = sum[2] ^ sum[14] ^ sum[19] ^ sum[26];
        s[11] = sum[7] ^ sum[10] ^ sum[24] ^ sum[28];
        s[12] = sum[0] ^ sum[6] ^ sum[19] ^ s[2];
        s[13] = sum[6] ^ sum[13];
        s[14] = sum[13] ^ sum[22] ^ sum[24] ^ sum[29];
        s[15] = sum[1] ^ sum[5] ^ sum[30] ^ s[7];
        s[16] = sum[15] ^ sum[21] ^ sum[23] ^ s[11];
        s[17] = sum[16] ^ sum[17] ^ sum[21] ^ sum[30];
        s[18] = sum[11] ^ sum[19] ^ sum[24] ^ s[4];
        s[19] = sum[3] ^ sum[16] ^ sum[22] ^ sum[25];
        s[20] = sum[5] ^ sum[9] ^ sum[23] ^ sum[24];
        s[21] = sum[1] ^ sum[15] ^ sum[17] ^ s[0];
        s[22] = sum[18] ^ sum[25] ^ sum[31] ^ s[12];
        s[23] = sum[7] ^ sum[9] ^ sum[12] ^ sum[27];
        s[24] = sum[6] ^ sum[20] ^ sum[22] ^ s[6];
        s[25] = sum[5] ^ sum[13] ^ sum[28] ^ sum[29];
        s[26] = sum[10] ^ sum[19] ^ sum[25] ^ s[3];
        s[27] = sum[7] ^ sum[20] ^ s[1];
        s[28] = sum[1] ^ sum[7] ^ sum[21];
        s[29] = sum[17] ^ sum[24] ^ s[13];
        s[30] = sum[4] ^ sum[11] ^ sum[29];

        rest[0] = sum[6] ^ sum[10] ^ sum[24] ^ sum[29] ^ sum[30] ^ s[0] ^ s[8];
        rest[1] = sum[0] ^ sum[1] ^ sum[11] ^ sum[16] ^ sum[28] ^ s[23] ^ s[29];
        rest[2] = sum[8] ^ sum[18] ^ sum[26] ^ sum[30] ^ s[0] ^ s[3] ^ s[29];
        rest[3] = sum[3] ^ sum[8] ^ sum[15] ^ sum[17] ^ s[7] ^ s[26];
        rest[4] = sum[2] ^ sum[12] ^ sum[30] ^ s[1] ^ s[22];
        rest[5] = sum[10] ^ s[12] ^ s[25] ^ s[28];
        rest[6] = sum[25] ^ s[3] ^ s[24] ^ s[30];
        rest[7] = sum[0] ^ sum[2] ^ sum[5] ^ sum[8] ^ sum[29] ^ s[16] ^ s[19];
        rest[8] = sum[1] ^ sum[8] ^ sum[10] ^ sum[11] ^ sum[23] ^ s[5] ^ s[9];
        rest[9] = sum[1] ^ sum[2] ^ sum[12] ^ sum[13] ^ sum[18] ^ s[20] ^ s[30];
        rest[10] = sum[3] ^ s[0] ^ s[10] ^ s[25];
        rest[11] = sum[14] ^ sum[27] ^ s[2] ^ s[8] ^ s[21];
        rest[12] = sum[2] ^ sum[15] ^ sum[21] ^ sum[24] ^ s[9] ^ s[13] ^ s[15];
        rest[13] = sum[5] ^ sum[16] ^ sum[18] ^ s[5] ^ s[13] ^ s[26];
        rest[14] = sum[3] ^ sum[4] ^ sum[6] ^ sum[17] ^ sum[23] ^ s[10] ^ s[27];
        rest[15] = sum[15] ^ sum[16] ^ sum[18] ^ s[2] ^ s[6] ^ s[23];
        rest[16] = sum[19] ^ sum[26] ^ s[6] ^ s[9] ^ s[14];
        rest[17] = sum[14] ^ sum[20] ^ sum[22] ^ sum[23] ^ sum[25] ^ s[13] ^ s[15];
        rest[18] = sum[6] ^ sum[31] ^ s[10] ^ s[16];
        rest[19] = sum[24] ^ sum[27] ^ s[19] ^ s[27];
        rest[20] = sum[4] ^ sum[8] ^ sum[9] ^ sum[23] ^ s[8] ^ s[17];
        rest[21] = sum[5] ^ sum[10] ^ sum[17] ^ sum[26] ^ s[7] ^ s[14];
        rest[22] = sum[12] ^ sum[14] ^ sum[18] ^ s[0] ^ s[18];
        rest[23] = sum[19] ^ sum[20] ^ sum[26] ^ sum[27] ^ sum[29] ^ s[13] ^ s[21];
        rest[24] = sum[10] ^ sum[18] ^ sum[20] ^ sum[27] ^ sum[28] ^ s[3] ^ s[17];
        rest[25] = sum[2] ^ sum[17] ^ sum[18] ^ sum[19] ^ sum[21] ^ s[1] ^ s[5];
        rest[26] = sum[10] ^ sum[22] ^ sum[23] ^ sum[26] ^ sum[28] ^ s[22];
        rest[27] = sum[4] ^ sum[5] ^ sum[20] ^ sum[25] ^ s[18] ^ s[28];
        rest[28] = sum[2] ^ sum[24] ^ sum[27] ^ s[8] ^ s[24];
        rest[29] = sum[7] ^ sum[9] ^ sum[21] ^ sum[25] ^ s[4] ^ s[5] ^ s[13];
        rest[30] = sum[4] ^ sum[8] ^ sum[14] ^ sum[22] ^ sum[30] ^ s[4] ^ s[11];
        rest[31] = sum[25] ^ sum[27] ^ sum[28] ^ sum[30] ^ sum[31] ^ s[1] ^ s[20];
    end
endmodule
`default_nettype wire
