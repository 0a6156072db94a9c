/* What the bodies of the VOQs must do, kept apart from how they do it: the words of each VOQ in order, and the blocks of external memory in
 * use, found out from nothing but the addresses and data at the memory port.
 *
 * A word names its VOQ in bits [63:56]. Each call states an event; the first one that breaks a rule is kept as a text. */
#ifndef TB_VOQ_BODY_REFERENCE_H
#define TB_VOQ_BODY_REFERENCE_H

#include <stdint.h>

typedef struct body_word {
    uint64_t data;
    uint8_t flags; /* bits [66:64] */
} body_word;

typedef struct body_reference body_reference;

body_reference *body_reference_new(unsigned voqs, unsigned block_words, unsigned blocks, unsigned segment_words);
void body_reference_free(body_reference *);
/* A flush: no words, no pieces, all blocks free. */
void body_reference_clear(body_reference *);
/* The first rule broken, "" if none. */
const char *body_reference_error(const body_reference *);

/* ---- towards external memory; words, commits and rollbacks belong to the oldest piece that has not ended */
void body_reference_reserve(body_reference *, unsigned voq, unsigned words);
void body_reference_word(body_reference *, body_word);
void body_reference_commit(body_reference *);
void body_reference_rollback(body_reference *);
void body_reference_piece_end(body_reference *);               /* uncommitted words are gone */
unsigned body_reference_pieces(const body_reference *);        /* reserved and not ended */
unsigned body_reference_piece_voq(const body_reference *);     /* of the oldest one */
unsigned body_reference_piece_words(const body_reference *);   /* its reservation */
unsigned body_reference_piece_written(const body_reference *); /* words of it so far */

/* ---- at the memory port; address in words */
void body_reference_write(body_reference *, uint32_t address, body_word);
void body_reference_read(body_reference *, uint32_t address);

/* ---- back into the rings */
void body_reference_fetch(body_reference *, unsigned voq, unsigned words, unsigned ring_free);
void body_reference_out(body_reference *, unsigned voq, body_word);

/* ---- state */
int body_reference_has_body(const body_reference *, unsigned voq); /* pieces reserved, or committed words not handed over */
unsigned body_reference_blocks(const body_reference *, unsigned voq);
unsigned body_reference_free_blocks(const body_reference *);
unsigned body_reference_outside(const body_reference *, unsigned voq);  /* words in memory not yet asked for */
unsigned body_reference_promised(const body_reference *, unsigned voq); /* words fetched into the ring that have not come */
uint64_t body_reference_handed(const body_reference *);                 /* words handed over, all in all */
uint64_t body_reference_rolled_back(const body_reference *);

#endif
