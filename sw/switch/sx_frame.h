/* Frames of a link (rtl/design.md 3) out of the entries of a capture point of the switch. */
#ifndef SX_FRAME_H
#define SX_FRAME_H

#include "nx_trace.h"

enum { SX_FRAME_WORDS = 2 * NX_TRACE_ENTRIES };

typedef enum sx_frame_kind {
    SX_CREDITS,    /* nothing else */
    SX_BROKEN,     /* it ends before its header CRC */
    SX_BAD_HEADER, /* words behind a header with a wrong CRC are unknown */
    SX_RECORD,
    SX_PACKET
} sx_frame_kind;

typedef struct sx_frame {
    unsigned at, end; /* its first and last entry */
    int sop, ended;   /* it begins with a SOP; it has an end */
    int cut;          /* the trace ends within it */
    unsigned count, stalls;
    int error; /* entry with a code error, -1: none */
    sx_frame_kind kind;
    int credits;         /* its first word holds two */
    unsigned header_at;  /* of the words */
    uint64_t header;     /* where there is one */
    uint32_t header_crc; /* what it should be */
    unsigned doubled;    /* of a bad header: the word without which it is right with its CRC; 0: none */
    unsigned body, due;  /* words behind the header CRC that are there; that should be, with their CRC */
    uint32_t word[SX_FRAME_WORDS];
    uint16_t entry[SX_FRAME_WORDS]; /* of each word */
} sx_frame;

/* The next frame from entry *at on; *at is then behind it. 0: there is none. Events are passed over. */
int sx_frame_next(const nx_trace *trace, unsigned point, unsigned *at, sx_frame *frame);

/* Kind of an entry that is no word, enum nx_trace_kind; 0: it is a word. */
unsigned sx_entry_kind(const nx_trace_entry *entry);

/* CRC-32/MPEG-2 over words, [31:24] first, less `left_out` of them from word `from` on. */
uint32_t sx_body_crc(const uint32_t *word, unsigned count, unsigned from, unsigned left_out);

/* The words of a packet behind its header CRC: whether the last one is the CRC of those before it. */
int sx_body_good(const sx_frame *frame);

#endif
