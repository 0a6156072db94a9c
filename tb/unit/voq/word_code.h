/* The tag byte of a word of a body in external memory, worked out from the text in rtl/nic/voq/voq_encode.v: by tables
 * and bit by bit. */
#ifndef TB_VOQ_WORD_CODE_H
#define TB_VOQ_WORD_CODE_H

#include <stdint.h>

/* The byte for a word. `flags` as in bits [66:64]: 0, HEADER 1, last word 2, ABORT 4. `address` in words. */
uint8_t word_code_tag(uint64_t data, unsigned flags, uint32_t address);
/* Reads one: its flags; whether its data or parity are damaged, whether a bit of its kind is wrong. */
unsigned word_code_read(uint64_t data, uint8_t tag, uint32_t address, int *damaged, int *fixed);

/* Writes the bytes of a word that are enabled, bit 0 for [7:0]. */
void word_write(uint64_t *word, uint64_t data, unsigned enables);

#endif
