/* 8b/10b tables; the manual is in the header. */
#include "sim/model/cable/code8b10b.h"

enum { NEGATIVE, POSITIVE };

uint16_t code8b10b_encoder[2][512];
uint16_t code8b10b_decoder[2][1024];

/* abcdei after negative disparity; the other column is the complement where the block is unbalanced, and for D.7. */
static const uint8_t data_6b[32] = {
    047, 035, 055, 061, 065, 051, 031, 070, /* D0 100111 .. D7 111000 (octal digits: abc dei) */
    071, 045, 025, 064, 015, 054, 034, 027, 033, 043, 023, 062,
    013, 052, 032, 072, 063, 046, 026, 066, 016, 056, 036, 053,
};

/* fghj of data characters after negative disparity; [7] is the primary one, 0111 (alternate) where it would make a run
 * of five. */
static const uint8_t data_4b[8] = {0xb, 0x9, 0x5, 0xc, 0xd, 0xa, 0x6, 0xe};

/* fghj of K28.y; here every block is complemented with the disparity, so that none looks like another in the other
 * column. */
static const uint8_t control_4b[8] = {0x4, 0x9, 0x5, 0x3, 0x2, 0xa, 0x6, 0x8};

enum { K28_6B = 017, ALTERNATE_4B = 0x7 };

static int ones(unsigned value) { return __builtin_popcount(value); }

static int is_control(unsigned byte)
{
    unsigned x = byte & 31, y = byte >> 5;

    return x == 28 || (y == 7 && (x == 23 || x == 27 || x == 29 || x == 30));
}

int code8b10b_is_character(unsigned symbol) { return !(symbol & CODE_K) || is_control(symbol & 0xff); }

/* Disparity after a sub-block (IEEE 802.3 36.2.4.4): the sign of an unbalanced one; 000111 and 0011 count as positive,
 * their complements as negative; any other balanced one leaves it. *misfit is set if the block may not stand after
 * `disparity`. */
static unsigned after_block(unsigned block, unsigned bits, unsigned disparity, int *misfit)
{
    unsigned half = bits / 2;
    unsigned low_ones = (1u << half) - 1; /* 000111 or 0011 */
    int excess = 2 * ones(block) - (int)bits;
    unsigned sign;

    if (excess == 0 && block != low_ones && block != low_ones << half) return disparity;
    if (excess == 0) sign = block == low_ones ? POSITIVE : NEGATIVE;
    else sign = excess > 0 ? POSITIVE : NEGATIVE;
    /* 000111 and 0011 stand after positive disparity only, 111000 and 1100 after negative only; a block with more ones
     * needs negative */
    if (excess == 0 ? sign != disparity : sign == disparity) *misfit = 1;
    return sign;
}

static unsigned after_group(unsigned group, unsigned disparity, int *misfit)
{
    *misfit = 0;
    disparity = after_block(group >> 4, 6, disparity, misfit);
    return after_block(group & 15, 4, disparity, misfit);
}

static unsigned group_of(unsigned symbol, unsigned disparity)
{
    unsigned x = symbol & 31, y = symbol >> 5 & 7;
    int ignored = 0;
    unsigned block6, block4, between;

    if (!code8b10b_is_character(symbol)) return disparity == NEGATIVE ? CODE_GROUP_MASK : 0;

    if ((symbol & CODE_K) && x == 28) {
        block6 = disparity == NEGATIVE ? K28_6B : ~K28_6B & 077;
        block4 = disparity == NEGATIVE ? control_4b[y] : ~control_4b[y] & 15u;
        return block6 << 4 | block4;
    }
    block6 = data_6b[x];
    if (disparity == POSITIVE && (ones(block6) != 3 || x == 7)) block6 = ~block6 & 077;
    between = after_block(block6, 6, disparity, &ignored);
    block4 = data_4b[y];
    if (y == 7 && ((symbol & CODE_K) || (between == NEGATIVE && (x == 17 || x == 18 || x == 20)) ||
                   (between == POSITIVE && (x == 11 || x == 13 || x == 14))))
        block4 = ALTERNATE_4B;
    if (between == POSITIVE && (ones(block4) != 2 || y == 3)) block4 = ~block4 & 15;
    return block6 << 4 | block4;
}

static int starts_with_comma(unsigned group) { return group >> 3 == 0x1f || group >> 3 == 0x60; }

void code8b10b_init(void)
{
    unsigned disparity, symbol, group;
    int misfit;

    for (disparity = 0; disparity < 2; disparity++)
        for (group = 0; group < 1024; group++) {
            unsigned after = after_group(group, disparity, &misfit);

            code8b10b_decoder[disparity][group] =
                (uint16_t)((group & 0xff) | (group & 0x200 ? CODE_K : 0) | CODE_NOT_IN_TABLE |
                           (misfit ? CODE_DISPARITY : 0) | (starts_with_comma(group) ? CODE_COMMA : 0) | after << 15);
        }
    for (disparity = 0; disparity < 2; disparity++)
        for (symbol = 0; symbol < 512; symbol++) {
            unsigned after;

            group = group_of(symbol, disparity);
            after = after_group(group, disparity, &misfit);
            code8b10b_encoder[disparity][symbol] = (uint16_t)(group | after << 15);
        }
    /* the other column first: where both columns hold the same group, the right one then overwrites the error */
    for (disparity = 0; disparity < 2; disparity++)
        for (symbol = 0; symbol < 512; symbol++)
            if (code8b10b_is_character(symbol)) {
                group = group_of(symbol, !disparity);
                code8b10b_decoder[disparity][group] =
                    (uint16_t)(symbol | CODE_DISPARITY | (starts_with_comma(group) ? CODE_COMMA : 0) |
                               after_group(group, disparity, &misfit) << 15);
            }
    for (disparity = 0; disparity < 2; disparity++)
        for (symbol = 0; symbol < 512; symbol++)
            if (code8b10b_is_character(symbol)) {
                group = group_of(symbol, disparity);
                code8b10b_decoder[disparity][group] = (uint16_t)(symbol | (starts_with_comma(group) ? CODE_COMMA : 0) |
                                                                 after_group(group, disparity, &misfit) << 15);
            }
}
