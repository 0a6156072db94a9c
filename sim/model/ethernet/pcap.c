/* pcap files; the manual is in the header. */
#include "sim/model/ethernet/pcap.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NANOSECONDS 0xa1b23c4du
#define MICROSECONDS 0xa1b2c3d4u
enum {
    ETHERNET = 1,
    FILE_HEAD = 24,
    RECORD_HEAD = 16,
    ROOM = 1 << 18 /* [bytes] written at once */
};

/* ---- writing ---- */

struct pcap_writer {
    int fd, error; /* errno of the first write that failed */
    uint64_t frames;
    off_t written;
    size_t used;
    char *path;
    unsigned char room[ROOM + RECORD_HEAD + PCAP_LONGEST];
};

static void put32(pcap_writer *p, uint32_t value)
{
    memcpy(p->room + p->used, &value, 4);
    p->used += 4;
}

/* The buffer goes to the file; after a failure nothing does, and the file ends with a whole record. */
static void flush(pcap_writer *p)
{
    size_t done = 0, whole = 0;

    while (!p->error && done < p->used) {
        ssize_t n = write(p->fd, p->room + done, p->used - done);

        if (n > 0) done += (size_t)n;
        else if (errno != EINTR) p->error = n ? errno : EIO;
    }
    if (!p->written && done >= FILE_HEAD) whole = FILE_HEAD;
    while ((p->written || whole) && whole + RECORD_HEAD <= done) {
        uint32_t length;

        memcpy(&length, p->room + whole + 8, 4);
        if (whole + RECORD_HEAD + length > done) break;
        whole += RECORD_HEAD + length;
        p->frames++;
    }
    p->written += (off_t)whole;
    if (whole < done && ftruncate(p->fd, p->written)) lseek(p->fd, p->written, SEEK_SET);
    p->used = 0;
}

pcap_writer *pcap_writer_new(const char *path, char error[ETHERNET_ERROR])
{
    pcap_writer *p = malloc(sizeof *p);
    char *name = strdup(path);

    if (!p || !name) errno = ENOMEM;
    else {
        memset(p, 0, offsetof(pcap_writer, room));
        p->path = name;
        p->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (!p || !name || p->fd < 0) {
        snprintf(error, ETHERNET_ERROR, "%.160s: cannot be written: %s", path, strerror(errno));
        free(p);
        free(name);
        return NULL;
    }
    put32(p, NANOSECONDS);
    put32(p, 4u << 16 | 2); /* version 2.4 */
    put32(p, 0);
    put32(p, 0);
    put32(p, PCAP_LONGEST);
    put32(p, ETHERNET);
    return p;
}

void pcap_write(pcap_writer *p, sim_time time, const uint8_t *frame, size_t length)
{
    const uint64_t second = 1000 * SIM_MS;
    size_t kept = length < PCAP_LONGEST ? length : PCAP_LONGEST;

    if (p->error) return;
    put32(p, (uint32_t)(time / second));
    put32(p, (uint32_t)(time % second / SIM_NS));
    put32(p, (uint32_t)kept);
    put32(p, (uint32_t)length);
    memcpy(p->room + p->used, frame, kept);
    p->used += kept;
    if (p->used >= ROOM) flush(p);
}

static void passes(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    (void)from;
    (void)bad_fcs;
    pcap_write(self, time, frame, length);
}

int pcap_attach(pcap_writer *p, ethernet_wire *w, ethernet_place place)
{
    return ethernet_wire_observe(w, place, passes, p);
}

int pcap_close(pcap_writer *p, uint64_t *frames, char error[ETHERNET_ERROR])
{
    int wrong;

    if (!p) return 0;
    flush(p);
    *frames = p->frames;
    if (close(p->fd) && !p->error) p->error = errno;
    wrong = p->error;
    if (wrong)
        snprintf(error, ETHERNET_ERROR, "%.120s: %s; it has %" PRIu64 " whole frames, the later ones are lost", p->path,
                 strerror(wrong), p->frames);
    free(p->path);
    free(p);
    return wrong ? -1 : 0;
}

/* ---- reading ---- */

struct pcap_reader {
    FILE *file;
    char *path;
    int swapped, nanoseconds;
    uint64_t frames;
    uint8_t bytes[PCAP_LONGEST];
};

static uint32_t word(const pcap_reader *r, const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, 4);
    return r->swapped ? bswap_32(value) : value;
}

pcap_reader *pcap_reader_new(const char *path, char error[ETHERNET_ERROR])
{
    pcap_reader *r = calloc(1, sizeof *r);
    uint8_t head[FILE_HEAD];
    const char *wrong = NULL;
    uint32_t magic;

    if (r) r->path = strdup(path);
    if (r && r->path) r->file = fopen(path, "rb");
    if (!r || !r->path || !r->file) wrong = strerror(r && r->path ? errno : ENOMEM);
    else if (fread(head, 1, sizeof head, r->file) != sizeof head)
        wrong = "shorter than the head of a pcap file, expected 24 bytes or more";
    else {
        memcpy(&magic, head, 4);
        r->swapped = magic == bswap_32(NANOSECONDS) || magic == bswap_32(MICROSECONDS);
        magic = word(r, head);
        r->nanoseconds = magic == NANOSECONDS;
        if (!r->nanoseconds && magic != MICROSECONDS)
            wrong = "expected a pcap file, with a1b23c4d or a1b2c3d4 at its begin";
        else if ((word(r, head + 20) & 0xffff) != ETHERNET) wrong = "expected Ethernet frames, link type 1";
    }
    if (!wrong) return r;
    snprintf(error, ETHERNET_ERROR, "%.160s: %s", path, wrong);
    pcap_reader_free(r);
    return NULL;
}

int pcap_read(pcap_reader *r, pcap_frame *frame, char error[ETHERNET_ERROR])
{
    uint8_t head[RECORD_HEAD];
    size_t got = fread(head, 1, sizeof head, r->file);
    const char *expected = NULL;

    if (!got && feof(r->file)) return 0;
    if (got != sizeof head) expected = "16 bytes of head";
    else {
        frame->length = word(r, head + 8);
        frame->sent = word(r, head + 12);
        frame->time = word(r, head) * (uint64_t)1000000000 + word(r, head + 4) * (uint64_t)(r->nanoseconds ? 1 : 1000);
        frame->bytes = r->bytes;
        if (frame->length > PCAP_LONGEST) expected = "at most 65535 bytes";
        else if (fread(r->bytes, 1, frame->length, r->file) != frame->length)
            expected = "as many bytes as its head says";
    }
    r->frames++;
    if (!expected) return 1;
    snprintf(error, ETHERNET_ERROR, "%.120s: frame %" PRIu64 ": expected %s%s", r->path, r->frames, expected,
             ferror(r->file) ? ", but reading failed" : "");
    return -1;
}

void pcap_reader_free(pcap_reader *r)
{
    if (!r) return;
    if (r->file) fclose(r->file);
    free(r->path);
    free(r);
}
