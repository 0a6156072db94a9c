// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* A payload that contains its own place; see nx_payload.h. A word is {rank, offset} times an odd constant: no two are
 * the same. */
#include "nx_payload.h"

#include <inttypes.h>
#include <stdio.h>

#define FACTOR 0x9e3779b97f4a7c15u
#define INVERSE 0xf1de83e19937733du /* FACTOR * INVERSE = 1 modulo 2^64 */

enum { RANKS = 256, LARGEST = 1 << 28 /* [bytes] */ };

uint64_t nx_payload_word(unsigned rank, uint32_t offset) { return ((uint64_t)rank << 32 | offset) * FACTOR; }

static int is_ours(uint64_t word, unsigned *rank, uint32_t *offset)
{
    uint64_t place = word * INVERSE;
    *rank = (unsigned)(place >> 32);
    *offset = (uint32_t)place;
    return *rank < RANKS && *offset < LARGEST && *offset % 8 == 0;
}

void nx_payload_learn(nx_payload_base *base, uint64_t header, const uint64_t *words, unsigned count)
{
    unsigned rank;
    uint32_t offset;
    if (count < 2 || !is_ours(words[0], &rank, &offset) || words[1] != nx_payload_word(rank, offset + 8)) return;
    base->known = 1;
    base->address = (uint32_t)header - offset;
    base->rank[header >> 56 & 0x7f] = (uint16_t)(rank + 1);
}

/* A payload as link words, as it came and as it should have been. */
typedef struct message {
    const uint64_t *words;
    unsigned count; /* link words */
    unsigned rank;
    uint32_t offset; /* of the first one */
} message;

static uint32_t came(const message *m, unsigned i) { return (uint32_t)(m->words[i / 2] >> (i % 2 ? 0 : 32)); }

static uint64_t pair(const message *m, unsigned i) { return (uint64_t)came(m, i) << 32 | came(m, i + 1); }

static uint32_t due(const message *m, unsigned i)
{
    return (uint32_t)(nx_payload_word(m->rank, m->offset + i / 2 * 8) >> (i % 2 ? 0 : 32));
}

/* Link word i and those behind it are those that should stand `later` words on; the last of a packet are looked at as
 * far as there are any.
 */
static int goes_on(const message *m, unsigned i, int later)
{
    for (unsigned n = 0; n < 4 && i + n < m->count; n++)
        if ((int)(i + n) + later >= (int)m->count) break;
        else if (came(m, i + n) != due(m, i + n + (unsigned)later)) return 0;
    return 1;
}

/* The last `n` link words are zeros, as those of a packet that broke off. */
static int filled_up(const message *m, unsigned n)
{
    while (n && !came(m, m->count - n)) n--;
    return !n;
}

/* ---- several links by byte: byte i of the payload, from 0 on, goes by link i mod `links` (header and its CRC are 12
 * bytes before it), and four bytes of a link are a word of it ---- */

static uint8_t byte_came(const message *m, unsigned i) { return (uint8_t)(came(m, i / 4) >> (24 - i % 4 * 8)); }
static uint8_t byte_due(const message *m, unsigned i) { return (uint8_t)(due(m, i / 4) >> (24 - i % 4 * 8)); }

/* Its bytes from i on, up to `end`, are those due `later` words of the link on. */
static int link_goes_on(const message *m, unsigned links, unsigned i, unsigned end, int later)
{
    for (unsigned n = 0; n < 12 && i < end; n++, i += links) {
        int64_t to = (int64_t)i + (int64_t)links * 4 * later;
        if (to < 0 || to >= 4 * (int64_t)m->count) break;
        if (byte_came(m, i) != byte_due(m, (unsigned)to)) return 0;
    }
    return 1;
}

/* What happened on one link; -1: wrong bytes are those of several. A packet that ended early is filled up with zeros.
 */
static int explain_link(const message *m, unsigned links, char *text, size_t size)
{
    unsigned end = 4 * m->count, first = 0;
    while (end && !byte_came(m, end - 1)) end--;
    while (first < end && byte_came(m, first) == byte_due(m, first)) first++;
    if (first >= end) return -1;
    unsigned link = first % links, behind = first + links * 4;
    for (unsigned i = first; i < end; i++)
        if (i % links != link && byte_came(m, i) != byte_due(m, i)) return -1;
    const char *what = link_goes_on(m, links, first, end, 1) ? "word lost: the following ones arrive one position early"
                       : link_goes_on(m, links, behind, end, -1) ? "word doubled: the following ones arrive later"
                       : link_goes_on(m, links, behind, end, 0)
                           ? "word changed, or an empty FIFO repeated its last word"
                           : "words that were not sent";
    snprintf(text, size, "link %u of %u: %s, from byte %u of word %u on; the bytes of the other links are right", link,
             links, what, first % 8, first / 8);
    return (int)(first / 8);
}

int nx_payload_explain(const nx_payload_base *base, uint64_t header, const uint64_t *words, unsigned count,
                       unsigned links, char *text, size_t size)
{
    message m = {.words = words, .count = 2 * count};
    unsigned found = 0, i = 0, rank, known = base->rank[header >> 56 & 0x7f];
    uint32_t offset = 0, next = 0;
    /* two words of ours, one behind the other, are no chance */
    while (found + 3 < m.count && !(is_ours(pair(&m, found), &m.rank, &offset) &&
                                    is_ours(pair(&m, found + 2), &rank, &next) && rank == m.rank && next == offset + 8))
        found++;
    if (found + 3 >= m.count) {
        if (!known) return -1;
        m.rank = known - 1;
    }
    m.offset = base->known ? (uint32_t)header - base->address : offset - found / 2 * 8;
    while (i < m.count && came(&m, i) == due(&m, i)) i++;
    if (i == m.count) {
        snprintf(text, size, "its %u words are right: the CRC behind them is wrong or missing", count);
        return (int)count - 1;
    }
    int one = links > 1 ? explain_link(&m, links, text, size) : -1;
    if (one >= 0) return one;
    uint32_t is = came(&m, i), expected = due(&m, i);
    int again = i && is == came(&m, i - 1);
    const char *where = i % 2 ? "lower" : "upper";
    if (again && goes_on(&m, i + 1, -1))
        snprintf(text, size,
                 "word doubled on the link: %08" PRIx32
                 " comes once more before the %s half of word %u, the rest later",
                 is, where, i / 2);
    else if (again && goes_on(&m, i + 1, 0))
        snprintf(text, size,
                 "empty FIFO repeated its last word on the link: %08" PRIx32 " comes again in place of %08" PRIx32
                 ", the %s half of word %u",
                 is, expected, where, i / 2);
    else if (i + 1 < m.count && goes_on(&m, i, 1))
        snprintf(text, size,
                 "word lost on the link: %08" PRIx32 " (%s half of word %u); following words arrive one position early",
                 expected, where, i / 2);
    else if (filled_up(&m, m.count - i))
        snprintf(text, size,
                 "words omitted on the link: the packet ends before the %s half of word %u, the rest is filled up",
                 where, i / 2);
    else if (goes_on(&m, i + 1, 0))
        snprintf(text, size, "word changed on the link: %08" PRIx32 ", the %s half of word %u, comes as %08" PRIx32,
                 expected, where, i / 2, is);
    else
        snprintf(text, size,
                 "from the %s half of word %u on it is not what was sent: %08" PRIx32 " instead of %08" PRIx32, where,
                 i / 2, is, expected);
    return (int)(i / 2);
}
