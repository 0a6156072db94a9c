/* pcapng; the manual is in the header. Blocks: draft-ietf-opsawg-pcapng, section 4. */
#include "sim/model/cable/capture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/model/cable/cable.h"
#include "sim/model/cable/frame.h"

enum {
    SECTION = 0x0a0d0d0a,
    BYTE_ORDER_MAGIC = 0x1a2b3c4d,
    INTERFACE = 1,
    ENHANCED_PACKET = 6,
    OPTION_END = 0,
    OPTION_APPLICATION = 4,
    OPTION_NAME = 2,
    OPTION_DESCRIPTION = 3,
    OPTION_SPEED = 8,
    OPTION_RESOLUTION = 9,
    OPTION_FLAGS = 2,
    NANOSECONDS = 9, /* 10^-9 s */
    FLAG_OUTBOUND = 2,
    ROOM = 1 << 18, /* [bytes] written at once */
    BLOCK = 4 * CAPTURE_WORDS + 128
};
#define FLAG_SYMBOL_ERROR 0x80000000u
#define LATEST (100 * SIM_NS)  /* what another clock reports now began at most this long ago */
#define LINK_SPEED 2500000000u /* [bit/s] */

/* A frame that has ended and waits for others that began before it. */
typedef struct frame {
    struct frame *next;
    uint64_t time; /* [ns] */
    uint32_t interface, flags, words;
    uint32_t word[];
} frame;

/* One direction of a cable. */
typedef struct direction {
    unsigned interface, words; /* 0: outside of a frame */
    int symbol_error;
    uint64_t time;       /* [ns] */
    frame_reader reader; /* of links by byte: where the frame ends */
    uint32_t word[CAPTURE_WORDS];
} direction;

typedef struct attached {
    struct attached *next;
    struct capture *c;
    struct cable *wire;
    unsigned link, links; /* links: by byte; else 1 */
    direction from[2];
} attached;

struct capture {
    int fd, error; /* errno of the first write that failed */
    unsigned interfaces;
    uint64_t frames;
    off_t written;
    attached *cables;
    frame *waiting;     /* in the order of time */
    size_t used, block; /* where the block under way begins */
    unsigned char room[ROOM + BLOCK];
};

/* The buffer goes to the file; after a failure nothing does, and the file ends with a whole block. */
static void flush(capture *c)
{
    size_t done = 0, whole = 0;
    while (!c->error && done < c->used) {
        ssize_t n = write(c->fd, c->room + done, c->used - done);
        if (n > 0) done += (size_t)n;
        else if (errno != EINTR) c->error = n ? errno : EIO;
    }
    while (whole < done) {
        uint32_t head[2]; /* type and length */
        memcpy(head, c->room + whole, sizeof head);
        if (whole + head[1] > done) break;
        whole += head[1];
        c->frames += head[0] == ENHANCED_PACKET;
    }
    c->written += (off_t)whole;
    if (whole < done && ftruncate(c->fd, c->written)) lseek(c->fd, c->written, SEEK_SET);
    c->used = 0;
}

static void put(capture *c, const void *bytes, size_t size)
{
    memcpy(c->room + c->used, bytes, size);
    memset(c->room + c->used + size, 0, -size & 3);
    c->used += size + (-size & 3);
}

static void put32(capture *c, uint32_t value) { put(c, &value, 4); }

static void option(capture *c, uint16_t code, const void *value, uint16_t size)
{
    put32(c, (uint32_t)size << 16 | code);
    put(c, value, size);
}

static void begin(capture *c, uint32_t type)
{
    c->block = c->used;
    put32(c, type);
    put32(c, 0);
}

static void end(capture *c)
{
    put32(c, OPTION_END);
    uint32_t length = (uint32_t)(c->used + 4 - c->block);
    put32(c, length);
    memcpy(c->room + c->block + 4, &length, 4);
    if (c->used >= ROOM) flush(c);
}

static void write_frame(capture *c, const frame *f)
{
    begin(c, ENHANCED_PACKET);
    put32(c, f->interface);
    put32(c, (uint32_t)(f->time >> 32));
    put32(c, (uint32_t)f->time);
    put32(c, 4 * f->words);
    put32(c, 4 * f->words);
    for (unsigned i = 0; i < f->words; i++) put32(c, htonl(f->word[i]));
    option(c, OPTION_FLAGS, &f->flags, sizeof f->flags);
    end(c);
}

/* Those that began before this time and before all frames under way. */
static void write_frames(capture *c, uint64_t before)
{
    for (const attached *a = c->cables; a; a = a->next)
        for (int from = 0; from < 2; from++)
            if (a->from[from].words && a->from[from].time < before) before = a->from[from].time;
    for (frame *f; (f = c->waiting) != NULL && f->time < before;) {
        c->waiting = f->next;
        if (!c->error) write_frame(c, f);
        free(f);
    }
}

static void end_frame(capture *c, direction *d, uint64_t before)
{
    frame *f = malloc(sizeof *f + 4 * d->words), **place = &c->waiting;
    if (!f) {
        if (!c->error) c->error = ENOMEM;
    } else {
        *f = (frame){.time = d->time,
                     .interface = d->interface,
                     .flags = FLAG_OUTBOUND | (d->symbol_error ? FLAG_SYMBOL_ERROR : 0),
                     .words = d->words};
        memcpy(f->word, d->word, 4 * d->words);
        while (*place && (*place)->time <= f->time) place = &(*place)->next;
        f->next = *place;
        *place = f;
    }
    d->words = 0;
    write_frames(c, before);
}

static void put_word(direction *d, uint32_t word)
{
    if (d->words < CAPTURE_WORDS) d->word[d->words++] = word;
}

/* One clock of links by byte. */
static void put_words(direction *d, const uint32_t *data, unsigned links)
{
    uint32_t w[CABLE_LINKS];
    frame_of_links(w, data, links);
    int credit = d->reader.due == FRAME_FIRST && frame_is_credit(w[0]);
    for (unsigned i = 0; i < (credit ? 1 : links); i++) {
        int behind = d->reader.due == FRAME_OUTSIDE || d->reader.due == FRAME_ENDED;
        if (behind && i && !w[i]) continue;
        if (!behind) frame_reader_word(&d->reader, w[i]);
        put_word(d, w[i]);
    }
}

static void witness(void *self, int from, uint64_t word, sim_time time, const uint32_t *data, const uint8_t *k,
                    const uint64_t *flip)
{
    (void)word;
    attached *a = self;
    direction *d = &a->from[from];
    int sop = frame_is_sop(data[a->link], k[a->link]), any_k = 0;
    for (unsigned l = a->link; l < a->link + a->links; l++) any_k |= k[l];
    if (!d->words && !sop) return;
    if (d->words && any_k) end_frame(a->c, d, time > LATEST ? (time - LATEST) / SIM_NS : 0);
    if (sop) {
        d->time = time / SIM_NS;
        d->symbol_error = 0;
        frame_reader_begin(&d->reader);
    } else if (!d->words) {
        return;
    }
    for (unsigned l = a->link; l < a->link + a->links; l++) d->symbol_error |= flip[l] != 0;
    if (sop || a->links == 1) put_word(d, data[a->link]);
    else put_words(d, data, a->links);
}

capture *capture_new(const char *path)
{
    static const uint64_t unknown = UINT64_MAX;
    capture *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (c->fd < 0) {
        free(c);
        return NULL;
    }
    begin(c, SECTION);
    put32(c, BYTE_ORDER_MAGIC);
    put32(c, 1); /* version 1.0 */
    put(c, &unknown, 8);
    option(c, OPTION_APPLICATION, "nicxbar", 7);
    end(c);
    return c;
}

int capture_attach(capture *c, struct cable *wire, unsigned link, const char *a, const char *b)
{
    static const char by_packet[] = "links by packet: sequence numbers have ten bits";
    const uint64_t speed = LINK_SPEED;
    attached *at = calloc(1, sizeof *at);
    char name[64];
    if (!at) return -1;
    *at = (attached){
        .next = c->cables, .c = c, .wire = wire, .link = link, .links = cable_by_byte(wire) ? cable_links(wire) : 1};
    c->cables = at;
    for (int from = 0; from < 2; from++) {
        int length = snprintf(name, sizeof name, "%.31s>%.31s", from ? b : a, from ? a : b);
        at->from[from].interface = c->interfaces++;
        begin(c, INTERFACE);
        put32(c, CAPTURE_LINK_TYPE);
        put32(c, 0); /* as many bytes as there are */
        option(c, OPTION_NAME, name, (uint16_t)length);
        if (cable_by_packet(wire)) option(c, OPTION_DESCRIPTION, by_packet, sizeof by_packet - 1);
        option(c, OPTION_SPEED, &speed, sizeof speed);
        option(c, OPTION_RESOLUTION, &(const uint8_t){NANOSECONDS}, 1);
        end(c);
    }
    return cable_add_witness(wire, witness, at);
}

int capture_close(capture *c, uint64_t *frames)
{
    if (!c) return 0;
    for (attached *a = c->cables; a; a = a->next)
        for (int from = 0; from < 2; from++)
            if (a->from[from].words) end_frame(c, &a->from[from], 0);
    write_frames(c, UINT64_MAX);
    for (attached *a = c->cables, *next; a; a = next) {
        next = a->next;
        free(a);
    }
    flush(c);
    int error = c->error;
    *frames = c->frames;
    if (close(c->fd) && !error) error = errno;
    free(c);
    errno = error;
    return error ? -1 : 0;
}
