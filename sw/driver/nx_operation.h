/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Operation packets (rtl/sync/README.md): the low word of their header, and of the second word of their descriptor, is
 * no address but {object[11:0], operation[3:0], operand[14:0], 1}.
 */
#ifndef NX_OPERATION_H
#define NX_OPERATION_H

#include <stdint.h>

enum nx_operation {
    NX_ENQUEUE = 0,      /* a message into queue `object` */
    NX_ADD = 1,          /* counter `object` += payload[31:0], signed */
    NX_ARM = 2,          /* the same, and payload[63:32] = what it does at zero */
    NX_WRITE = 4,        /* word `object` = payload */
    NX_FETCH_ADD = 5,    /* word `object` += payload; 5 to 7 are answered with the old value */
    NX_SWAP = 6,         /* word `object` = payload */
    NX_COMPARE_SWAP = 7, /* word `object` = second word of the payload, if it is the first one */
    NX_REOPEN = 8,       /* queue `object` takes messages of this source again */
    NX_REFUSED = 14,     /* made by hardware: messages or a request were not taken */
    NX_REPLY = 15        /* made by hardware: an old value, to slot `operand` */
};
enum { NX_OBJECTS = 4096, NX_OPERANDS = 32768, NX_OPERATION_WORDS = 62 /* of a payload, at most */ };

static inline uint32_t nx_operation_word(enum nx_operation kind, unsigned object, unsigned operand)
{
    return (uint32_t)object << 20 | (uint32_t)kind << 16 | (uint32_t)operand << 1 | 1;
}
static inline unsigned nx_operation_object(uint32_t word) { return word >> 20; }
static inline unsigned nx_operation_kind(uint32_t word) { return word >> 16 & 15; }
static inline unsigned nx_operation_operand(uint32_t word) { return word >> 1 & 0x7fff; }

#endif
