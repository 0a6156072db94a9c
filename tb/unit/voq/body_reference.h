/* Behaviour of the VOQs' bodies, independent of their implementation: the words of each VOQ in order, and the blocks of
 * external memory in use, derived only from the addresses and data at the memory port.
 *
 * A word names its VOQ in bits [63:56]. Each call states an event; the first one that breaks a rule is kept as a text.
 */
#ifndef TB_VOQ_BODY_REFERENCE_H
#define TB_VOQ_BODY_REFERENCE_H

#include <stdint.h>

typedef struct body_word {
    uint64_t data;
    uint8_t flags; /* bits [66:64] */
} body_word;

/* The words of a VOQ. */
struct body_queue {
    body_word *words;
    unsigned size, committed, end;  /* words[committed .. end - 1] belong to the piece under way */
    unsigned written, read, handed; /* handed <= read <= written <= committed */
    unsigned promised;              /* words fetched into the ring that have not come */
    unsigned pieces;                /* reserved, not ended */
    uint32_t head, tail;
    unsigned blocks, place; /* place: next word to read in the head */
};

struct body_block {
    int owner; /* VOQ, -1: free */
    unsigned fill;
    uint32_t next;
};

/* To be looked at; changed by the calls only. */
typedef struct body_reference {
    unsigned voqs, block_words, blocks, free_blocks, segment_words;
    struct body_queue q[16];
    struct body_block *block;
    struct {
        unsigned voq, words, written; /* words: its reservation; written: so far */
    } piece[16];                      /* reserved and not ended, the oldest first */
    unsigned pieces;
    uint64_t handed, rolled_back; /* words, all in all */
    char error[200];              /* the first rule broken, "" if none */
} body_reference;

/* It goes after the test. */
body_reference *body_reference_new(unsigned voqs, unsigned block_words, unsigned blocks, unsigned segment_words);
/* A flush: no words, no pieces, all blocks free. */
void body_reference_clear(body_reference *);

/* ---- towards external memory; words, commits and rollbacks belong to the oldest piece that has not ended */
void body_reference_reserve(body_reference *, unsigned voq, unsigned words);
void body_reference_word(body_reference *, body_word);
void body_reference_commit(body_reference *);
void body_reference_rollback(body_reference *);
void body_reference_piece_end(body_reference *); /* uncommitted words are gone */

/* ---- at the memory port; address in words */
void body_reference_write(body_reference *, uint32_t address, body_word);
void body_reference_read(body_reference *, uint32_t address);

/* ---- back into the rings */
void body_reference_fetch(body_reference *, unsigned voq, unsigned words, unsigned ring_free);
void body_reference_out(body_reference *, unsigned voq, body_word);

/* Pieces reserved, or committed words not handed over. */
int body_reference_has_body(const body_reference *, unsigned voq);

#endif
