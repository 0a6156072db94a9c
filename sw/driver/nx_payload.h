/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* A payload whose words hold their position, for tests of the path (S4 3.5 puts credits into payloads for the same
 * purpose): of which node it is, and where in its message each word has to stand. From words that have come out of
 * order, once too often or not at all, it follows what happened to them, without the message as it was. */
#ifndef NX_PAYLOAD_H
#define NX_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

enum { NX_PAYLOAD_WORDS = 1023 /* of a packet, at most */ };

/* The 64-bit word at an offset [bytes, a multiple of 8] of a message of that rank, 0..255. */
uint64_t nx_payload_word(unsigned rank, uint32_t offset);

/* Facts learned from good packets: at which address messages begin, and of which rank, plus 1, those of a flow are.
 * Starts as zeros.
 */
typedef struct nx_payload_base {
    int known;
    uint32_t address;
    uint16_t rank[128];
} nx_payload_base;

/* A packet that came whole; it need not be such a payload, and less than two words of one teach nothing. */
void nx_payload_learn(nx_payload_base *base, uint64_t header, const uint64_t *words, unsigned count);
/* Finds the errors in the `count` words of one whose body is bad: the bug by its name in S4 3.3 to 3.5 and its place in
 * halves of words, which are the words of the link, into `text`. Of several links by byte (`links` 2, 4): whether all
 * wrong bytes are those of one link, and what happened to its words. Returns the word of the packet, from 0 on, at
 * which it shows; -1: it is no such payload. */
int nx_payload_explain(const nx_payload_base *base, uint64_t header, const uint64_t *words, unsigned count,
                       unsigned links, char *text, size_t size);

#endif
