#include "body_reference.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#define NONE 0xffffffffu

__attribute__((format(printf, 2, 3))) static void wrong(body_reference *r, const char *fmt, ...)
{
    if (*r->error) return;
    va_list a;
    va_start(a, fmt);
    vsnprintf(r->error, sizeof r->error, fmt, a);
    va_end(a);
}

static void free_words(void *reference)
{
    body_reference *r = reference;
    for (unsigned v = 0; v < 16; v++) free(r->q[v].words);
}

body_reference *body_reference_new(unsigned voqs, unsigned block_words, unsigned blocks, unsigned segment_words)
{
    body_reference *r = test_memory(sizeof *r);
    after_test(free_words, r);
    r->voqs = voqs;
    r->block_words = block_words;
    r->blocks = blocks;
    r->segment_words = segment_words;
    r->block = test_memory(blocks * sizeof *r->block);
    body_reference_clear(r);
    return r;
}

void body_reference_clear(body_reference *r)
{
    for (unsigned v = 0; v < 16; v++) r->q[v] = (struct body_queue){.words = r->q[v].words, .size = r->q[v].size};
    for (unsigned b = 0; b < r->blocks; b++) r->block[b] = (struct body_block){.owner = -1};
    r->pieces = 0;
    r->free_blocks = r->blocks;
}

/* ---- pieces ---- */

void body_reference_reserve(body_reference *r, unsigned voq, unsigned words)
{
    if (r->pieces == 16) {
        wrong(r, "more than 16 pieces");
        return;
    }
    r->piece[r->pieces].voq = voq;
    r->piece[r->pieces].words = words;
    r->piece[r->pieces++].written = 0;
    r->q[voq].pieces++;
}

void body_reference_word(body_reference *r, body_word w)
{
    struct body_queue *q = &r->q[r->piece[0].voq];
    if (q->handed > 4096 && q->handed > q->end / 2) { /* words handed over are dropped */
        memmove(q->words, q->words + q->handed, (q->end - q->handed) * sizeof *q->words);
        q->end -= q->handed, q->committed -= q->handed, q->written -= q->handed, q->read -= q->handed;
        q->handed = 0;
    }
    if (q->end == q->size) {
        q->size = q->size ? 2 * q->size : 1024;
        q->words = realloc(q->words, q->size * sizeof *q->words);
    }
    q->words[q->end++] = w;
    r->piece[0].written++;
}

void body_reference_commit(body_reference *r)
{
    struct body_queue *q = &r->q[r->piece[0].voq];
    q->committed = q->end;
}

void body_reference_rollback(body_reference *r)
{
    struct body_queue *q = &r->q[r->piece[0].voq];
    r->rolled_back += q->end - q->committed;
    r->piece[0].written -= q->end - q->committed;
    q->end = q->committed;
}

void body_reference_piece_end(body_reference *r)
{
    body_reference_rollback(r);
    r->q[r->piece[0].voq].pieces--;
    r->pieces--;
    memmove(&r->piece[0], &r->piece[1], r->pieces * sizeof r->piece[0]);
}

/* ---- memory port ---- */

void body_reference_write(body_reference *r, uint32_t address, body_word w)
{
    unsigned v = (unsigned)(w.data >> 56), b = address / r->block_words, place = address % r->block_words;
    if (b >= r->blocks) {
        wrong(r, "write: there is no block %u", b);
        return;
    }
    if (v >= r->voqs) {
        wrong(r, "write: a word of VOQ %u", v);
        return;
    }
    struct body_queue *q = &r->q[v];
    struct body_block *block = &r->block[b];
    if (q->written == q->committed) wrong(r, "write: VOQ %u has no committed word left", v);
    else if (q->words[q->written].data != w.data || q->words[q->written].flags != w.flags)
        wrong(r, "write: not the next word of VOQ %u", v);
    if (place == 0) {
        if (block->owner >= 0) wrong(r, "write: block %u of VOQ %d goes to VOQ %u", b, block->owner, v);
        else if (q->blocks && r->block[q->tail].fill < r->block_words)
            wrong(r, "write: VOQ %u opens a block with its tail not full", v);
        *block = (struct body_block){.owner = (int)v, .fill = 1, .next = NONE};
        if (q->blocks++) r->block[q->tail].next = b;
        else q->head = b, q->place = 0;
        q->tail = b;
        r->free_blocks--;
    } else {
        if (block->owner != (int)v || q->tail != b) wrong(r, "write: block %u is not the tail of VOQ %u", b, v);
        else if (block->fill != place)
            wrong(r, "write: word %u of block %u, the next one is %u", place, b, block->fill);
        block->fill++;
    }
    q->written++;
}

void body_reference_read(body_reference *r, uint32_t address)
{
    unsigned b = address / r->block_words, place = address % r->block_words;
    if (b >= r->blocks || r->block[b].owner < 0) {
        wrong(r, "read: block %u is free", b);
        return;
    }
    struct body_block *block = &r->block[b];
    struct body_queue *q = &r->q[block->owner];
    if (q->head != b) wrong(r, "read: block %u is not the head of VOQ %d", b, block->owner);
    else if (q->place != place) wrong(r, "read: word %u of block %u, the next one is %u", place, b, q->place);
    q->place = place + 1;
    q->read++;
    if (q->place >= r->block_words || q->read == q->written) { /* the block is empty */
        q->head = block->next;
        q->place = 0;
        q->blocks--;
        block->owner = -1;
        r->free_blocks++;
    }
}

/* ---- rings ---- */

void body_reference_fetch(body_reference *r, unsigned voq, unsigned words, unsigned ring_free)
{
    if (voq >= r->voqs || words == 0) {
        wrong(r, "fetch: %u words for VOQ %u", words, voq);
        return;
    }
    struct body_queue *q = &r->q[voq];
    if (words > r->segment_words) wrong(r, "fetch: a segment of %u words", words);
    else if (words > q->written - q->read)
        wrong(r, "fetch: %u words of VOQ %u, outside are %u", words, voq, q->written - q->read);
    else if (words > ring_free) wrong(r, "fetch: %u words for a ring with room for %u", words, ring_free);
    q->promised += words;
}

void body_reference_out(body_reference *r, unsigned voq, body_word w)
{
    if (voq >= r->voqs) {
        wrong(r, "out: VOQ %u", voq);
        return;
    }
    struct body_queue *q = &r->q[voq];
    if (q->handed == q->read) {
        wrong(r, "out: a word of VOQ %u that was not read", voq);
        return;
    }
    if (q->promised == 0) wrong(r, "out: a word of VOQ %u without a place in its ring", voq);
    else q->promised--;
    body_word expected = q->words[q->handed++];
    if (expected.data != w.data || expected.flags != w.flags)
        wrong(r, "out: VOQ %u %x %016lx, expected %x %016lx", voq, w.flags, (long)w.data, expected.flags,
              (long)expected.data);
    r->handed++;
}

int body_reference_has_body(const body_reference *r, unsigned voq)
{
    return r->q[voq].pieces || r->q[voq].handed < r->q[voq].committed;
}
