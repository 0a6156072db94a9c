/*
 * Packet sniffer: turns the words of a direction, as the chip sent them (before the cable's faults), into one record
 * per frame.
 *
 *     sniffer *s = sniffer_new(sniffer_print_frame, stdout);     one line per frame, or a callback of your own
 *     sniffer_attach(s, cable, 0);                               both directions of link 0
 *     ... run ...
 *     sniffer_finish(s); sniffer_free(s);
 *
 * Its CRCs are those of frame.h, computed byte by byte. One sniffer follows both directions of one link, or of all
 * links of a cable if these share the bytes of each frame (by_byte of cable.h): then it shows the one credit word that
 * all have, and counts words of 32 bits.
 *
 *     12.3456 us a>b   1042 data flow 3 seq 17 496 bytes to 00012340 notify remote, credit 0:12 0:12
 *     12.4480 us b>a    310 credit 0:13 0:13
 *     13.7000 us a>b   1043 check flow 0 T 1f4
 *     13.8000 us a>b   1044 data flow 3 seq 19 8 bytes enqueue object 5 operand 0
 *     14.0000 us a>b   1045 data flow 3 seq 18 496 bytes to 00012530, BAD BODY CRC
 */
#ifndef SIM_MODEL_CABLE_SNIFFER_H
#define SIM_MODEL_CABLE_SNIFFER_H

#include <stdint.h>
#include <stdio.h>

#include "sim/model/cable/frame.h"

struct cable;

typedef enum {
    SNIFFER_COMPLETE,  /* all words the header names were there, or a frame with credits only */
    SNIFFER_EMPTY,     /* nothing between SOP and the next K character */
    SNIFFER_CUT_SHORT, /* a K character, or sniffer_finish, before the end */
    SNIFFER_UNTRUSTED  /* wrong header CRC: the words up to the next K character count as payload */
} sniffer_end;

typedef struct sniffer_frame {
    int from;                   /* 0 = a, 1 = b */
    uint64_t number;            /* frames of this direction before this one */
    uint64_t time, clock, word; /* SOP on the tx port: [ps], edge of that end's clock, word of that direction */
    unsigned words;             /* link words, SOP and credits included */
    sniffer_end end;

    unsigned credits; /* 0 or 2 */
    uint64_t credit_time, credit_clock;
    frame_credit_fields credit[2];

    int has_header, is_check; /* both header words were there; a check record (length 0) */
    uint64_t header;
    int fixed_bits_ok;               /* frame_header_fixed_bits_ok */
    unsigned flow, sequence, length; /* length in 64-bit words */
    int remote_notify, local_notify, remote_interrupt;
    int stamps;          /* the payload begins with time stamps */
    uint32_t address;    /* destination, or T of a check record */
    uint32_t header_crc; /* the whole word as sent */
    int header_crc_ok;

    unsigned payload_bytes;  /* seen */
    const uint32_t *payload; /* valid during the callback, payload_bytes / 4 words */
    uint32_t body_crc;
    int body_crc_ok; /* always 0 if the body CRC was not reached */
} sniffer_frame;

typedef void (*sniffer_callback)(void *self, const sniffer_frame *frame);

typedef struct sniffer sniffer;

/* A sniffer that calls back at the last word of each frame (credits only: at the word after it). NULL if there is no
 * memory. */
sniffer *sniffer_new(sniffer_callback callback, void *self);
void sniffer_free(sniffer *sniffer);
/* Calls back too as soon as both words of a header are there: later fields of the record are not known yet. NULL: no
 * more. */
void sniffer_on_header(sniffer *sniffer, sniffer_callback callback);

/* Feeds it from one link of a cable; any stands for all of links by byte. -1 if the cable has no such link or no room
 * for an observer. It must live as long as the cable. */
int sniffer_attach(sniffer *sniffer, struct cable *cable, unsigned link);

/* Feeds it one word by hand. */
void sniffer_word(sniffer *sniffer, int from, uint64_t word, uint64_t time, uint64_t clock, uint32_t data, unsigned k);

/* Reports frames that have begun and not ended. */
void sniffer_finish(sniffer *sniffer);

/* Words outside of frames that are not idle: surplus behind a body CRC, K characters that are neither idle nor SOP. */
uint64_t sniffer_stray_words(const sniffer *sniffer, int from);

/* 1 if nothing is wrong with the frame: complete, CRCs, fixed bits, credit marks and parity. */
int sniffer_frame_is_good(const sniffer_frame *frame);

/* Callback that prints one line per frame; `file` is a FILE *. */
void sniffer_print_frame(void *file, const sniffer_frame *frame);

#endif
