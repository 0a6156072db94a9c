/*
 * 8b/10b code (Widmer and Franaszek; tables as in IEEE 802.3 clause 36 and in Xilinx UG024).
 *
 * A code group is ten bits, "abcdei fghj". In this program it sits in the low ten bits of an integer with bit 9 = a,
 * the first bit on the wire, so that K28.5 after negative disparity reads as it is printed: 0011111010.
 *
 * Everything is a table look-up; both tables are built once by code8b10b_init() from the 5b/6b and 3b/4b tables. The
 * running disparity (0 = negative, 1 = positive) belongs to the caller: one per direction of a wire and end.
 */
#ifndef SIM_MODEL_CABLE_CODE8B10B_H
#define SIM_MODEL_CABLE_CODE8B10B_H

#include <stdint.h>

enum {
    CODE_GROUP_MASK = 0x3ff,
    /* flags in a decoded entry; bits 7..0 are the byte */
    CODE_K = 0x0100,            /* control character */
    CODE_NOT_IN_TABLE = 0x0200, /* the group is in neither column of the table */
    CODE_DISPARITY = 0x0400,    /* the group does not fit the running disparity */
    CODE_ERROR = CODE_NOT_IN_TABLE | CODE_DISPARITY,
    CODE_COMMA = 0x0800, /* the group starts with 0011111 or 1100000: K28.1, K28.5, K28.7 and broken groups */
    CODE_SYMBOL_MASK = 0x01ff,
    CODE_K28_5 = CODE_K | 0xbc,
    CODE_K27_7 = CODE_K | 0xfb
};

/* [running disparity before][k << 8 | byte]: code group in the low ten bits, running disparity after in bit 15. */
extern uint16_t code8b10b_encoder[2][512];
/* [running disparity before][code group]: byte and flags, running disparity after in bit 15. */
extern uint16_t code8b10b_decoder[2][1024];

/* Builds the tables. Any number of calls; must have returned once before anything else here is used. */
void code8b10b_init(void);

/* 1 if k << 8 | byte is one of the 256 data characters or the 12 control characters K28.0..7, K23.7, K27.7, K29.7,
 * K30.7. */
int code8b10b_is_character(unsigned symbol);

/*
 * Code group of a character. A control character that does not exist is sent as ten equal bits (the part raises TXKERR
 * and leaves the wire undefined; ten equal bits are in no table, so the other end sees the mistake for certain).
 */
static inline unsigned code8b10b_encode(unsigned symbol, unsigned *disparity)
{
    unsigned entry = code8b10b_encoder[*disparity][symbol & CODE_SYMBOL_MASK];

    *disparity = entry >> 15;
    return entry & CODE_GROUP_MASK;
}

/* 1 if the group of a character turns the running disparity round, 0 if it leaves it: the same in both columns. */
static inline unsigned code8b10b_turns(unsigned symbol)
{
    return code8b10b_encoder[0][symbol & CODE_SYMBOL_MASK] >> 15;
}

/*
 * Byte and flags of a code group. A group that is in the table, but in the other column, gives its byte with
 * CODE_DISPARITY. A group that is in neither gives CODE_NOT_IN_TABLE and the raw bits as the part shows them: CODE_K =
 * a, byte = cdeifghj; CODE_DISPARITY is set as well if one of its two sub-blocks goes past the running disparity.
 */
static inline unsigned code8b10b_decode(unsigned group, unsigned *disparity)
{
    unsigned entry = code8b10b_decoder[*disparity][group & CODE_GROUP_MASK];

    *disparity = entry >> 15;
    return entry & 0x7fff;
}

#endif
