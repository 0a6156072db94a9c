/* Signals that stand in memory: those that have changed are found a line of 64 bytes at a time. Most lines have not
 * changed. */
#include "sim/core/waves/fst_file.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <stdlib.h>

void fst_place(fst_stream *st, uint32_t signal, const void *at, unsigned bytes)
{
    *list_add(&st->log->places) = (place){at, signal, bytes};
}

static int by_address(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* Of a place, from one of its bytes on, those that are in this line. */
static uint64_t bytes_in_line(const place *p, const uint8_t *at)
{
    const size_t from = (uintptr_t)at % LINE, left = (size_t)(p->at + p->bytes - at),
                 to = from + left < LINE ? from + left : LINE;
    return (to < LINE ? (UINT64_C(1) << to) - 1 : UINT64_MAX) & UINT64_MAX << from;
}

static const uint8_t *next_line(const uint8_t *at) { return at + LINE - (uintptr_t)at % LINE; }

/* Lines, and which bytes in them are signals. */
static void find_lines(fst_log *l)
{
    for (size_t i = 0; i < l->places.count; i++) {
        const place *p = &l->places.at[i];
        for (const uint8_t *at = p->at; at < p->at + p->bytes; at = next_line(at)) {
            const uint8_t *begin = next_line(at) - LINE;
            if (!l->lines.count || l->lines.at[l->lines.count - 1] != begin) {
                *list_add(&l->lines) = begin;
                memcpy(list_add(&l->seen), begin, LINE);
                *list_add(&l->inside) = (line_signals){0};
            }
            line_signals *of = &l->inside.at[l->lines.count - 1];
            if (p->bytes > 8) of->wide |= bytes_in_line(p, at);
            else of->begin[__builtin_ctz(p->bytes)] |= UINT64_C(1) << (uintptr_t)at % LINE;
        }
    }
}

/* It is known which signals are recorded. */
static void places_begin(fst_log *l)
{
    size_t count = 0;
    for (size_t i = 0; i < l->places.count; i++)
        if (l->open.numbers[l->places.at[i].signal]) l->places.at[count++] = l->places.at[i];
    l->places.count = count;
    if (count) qsort(l->places.at, count, sizeof l->places.at[0], by_address);
    find_lines(l);
    for (size_t i = 0; i < l->lines.count; i++) {
        line_signals *of = &l->inside.at[i];
        of->heads = l->heads.count;
        of->shift = of->begin[0] ? 0 : of->begin[1] ? 1 : of->begin[2] || of->wide ? 2 : 3;
        for (unsigned k = 0; k < (unsigned)LINE >> of->shift; k++) *list_add(&l->heads) = 0;
    }
    for (size_t i = 0, in = 0; i < count; i++) {
        const place *p = &l->places.at[i];
        for (const uint8_t *at = p->at; at<p->at + p->bytes; at += p->bytes> 8 ? 4 : p->bytes) {
            while (at >= l->lines.at[in] + LINE) in++;
            const line_signals *of = &l->inside.at[in];
            l->heads.at[of->heads + ((uintptr_t)at % LINE >> of->shift)] =
                p->bytes > 8 ? (uint32_t)i : l->open.numbers[p->signal] << FST_SIZE_BITS | p->bytes;
        }
    }
}

void fst_places_end(fst_log *l)
{
    list_free(&l->places);
    list_free(&l->lines);
    list_free(&l->seen);
    list_free(&l->inside);
    list_free(&l->heads);
}

/* A bit for each byte of a line that is not as it was seen. */
static inline uint64_t bytes_that_differ(const uint8_t *at, const line_seen *seen)
{
#ifdef __SSE2__
    const __m128i *now = (const void *)at, *was = (const void *)seen;
    const uint64_t same0 = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(now[0], was[0])),
                   same1 = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(now[1], was[1])),
                   same2 = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(now[2], was[2])),
                   same3 = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(now[3], was[3]));
    return ~(same0 | same1 << 16 | same2 << 32 | same3 << 48);
#else
    uint64_t bytes = 0;
    if (memcmp(at, seen, LINE))
        for (unsigned i = 0; i < LINE; i++) bytes |= (uint64_t)(at[i] != seen->bytes[i]) << i;
    return bytes;
#endif
}

/* Where signals begin of which one of these bytes is a part, those of up to 64 bits. */
static inline uint64_t begins(const line_signals *l, uint64_t bytes)
{
    const uint64_t two = bytes | bytes >> 1, four = two | two >> 2, eight = four | four >> 4;
    return (bytes & l->begin[0]) | (two & l->begin[1]) | (four & l->begin[2]) | (eight & l->begin[3]);
}

/* Those of more, which may stand in several lines: `noted` is the last one. */
static const place *note_wide(fst_log *l, const line_signals *of, uint64_t bytes, const place *noted)
{
    for (bytes &= of->wide; bytes; bytes &= bytes - 1) {
        const place *p = &l->places.at[l->heads.at[of->heads + ((__builtin_ctzll(bytes) & ~3u) >> of->shift)]];
        if (p == noted) continue;
        fst_change_wide(&l->open, p->signal, (const uint32_t *)(const void *)p->at, p->bytes / 4);
        noted = p;
    }
    return noted;
}

void fst_find(fst_stream *st)
{
    enum { MOST = LINE * (4 + 1) + 8 }; /* that a line becomes in the log: all bytes are signals */
    fst_log *l = st->log;
    const uint8_t **lines = l->lines.at;
    line_seen *seen = l->seen.at;
    const size_t count = l->lines.count;
    const place *noted = NULL;
    if (!count) places_begin(l);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = lines[i];
        const uint64_t bytes = bytes_that_differ(at, &seen[i]);
        if (!bytes) continue;
        const line_signals *of = &l->inside.at[i];
        const uint32_t *heads = &l->heads.at[of->heads];
        memcpy(&seen[i], at, LINE);
        if (bytes & of->wide) noted = note_wide(l, of, bytes, noted);
        if (st->end - st->at < MOST) fst_room(st, MOST);
        uint8_t *to = st->at;
        for (uint64_t changed = begins(of, bytes); changed; changed &= changed - 1) {
            const unsigned first = (unsigned)__builtin_ctzll(changed);
            const uint32_t head = heads[first >> of->shift];
            uint64_t value; /* not across a border of eight bytes */
            memcpy(&value, at + (first & ~7u), sizeof value);
            value >>= 8 * (first & 7);
            memcpy(to, &head, sizeof head);
            memcpy(to + sizeof head, &value, sizeof value);
            to += sizeof head + head % (1 << FST_SIZE_BITS);
        }
        st->at = to;
    }
}
