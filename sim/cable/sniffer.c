/* Packet sniffer; the manual is in the header. */
#include "sniffer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cable.h"
#include "frame.h"

typedef enum { BETWEEN, FIRST, AFTER_CREDIT, HEADER_LOW, HEADER_CRC, PAYLOAD, BODY_CRC } place;

typedef struct direction {
    place place;
    sniffer_frame frame;
    uint16_t header_crc;
    uint32_t body_crc;
    uint64_t frames, strays;
    uint32_t payload[2 * FRAME_LENGTH_MAX];
} direction;

struct sniffer {
    sniffer_callback callback;
    void *self;
    unsigned link;
    direction direction[2];
};

sniffer *sniffer_new(sniffer_callback callback, void *self)
{
    sniffer *s = calloc(1, sizeof *s);

    if (s) {
        s->callback = callback;
        s->self = self;
    }
    return s;
}

void sniffer_free(sniffer *sniffer)
{
    free(sniffer);
}

static void end_frame(sniffer *s, direction *d, sniffer_end end)
{
    d->frame.end = end;
    d->frame.payload = d->payload;
    d->place = BETWEEN;
    d->frames++;
    if (s->callback) s->callback(s->self, &d->frame);
}

/* The frame ends because a K character, or the end of the run, has come. */
static void break_off(sniffer *s, direction *d)
{
    switch (d->place) {
    case BETWEEN:
        break;
    case FIRST:
        end_frame(s, d, SNIFFER_EMPTY);
        break;
    case AFTER_CREDIT:
        end_frame(s, d, SNIFFER_COMPLETE);
        break;
    default:
        end_frame(s, d, d->place == PAYLOAD && !d->frame.header_crc_ok ? SNIFFER_UNTRUSTED : SNIFFER_CUT_SHORT);
    }
}

static void begin_frame(direction *d, int from, uint64_t word, uint64_t time, uint64_t clock)
{
    d->frame = (sniffer_frame){.from = from, .number = d->frames, .time = time, .clock = clock, .word = word, .words = 1};
    d->header_crc = FRAME_HEADER_CRC_START;
    d->body_crc = FRAME_BODY_CRC_START;
    d->place = FIRST;
}

static void read_credits(sniffer_frame *frame, uint64_t time, uint64_t clock, uint32_t data)
{
    int i;

    frame->credits = 2;
    frame->credit_time = time;
    frame->credit_clock = clock;
    for (i = 0; i < 2; i++) {
        unsigned half = i ? data & 0xffff : data >> 16;

        frame->credit[i].flow = half >> 7 & 0x7f;
        frame->credit[i].counter = half & 0x7f;
        frame->credit[i].marked = half >> 15 & 1;
        frame->credit[i].parity_ok = (__builtin_popcount(half & 0x7fff) & 1) == 0;
    }
}

static void read_header(sniffer_frame *frame)
{
    uint64_t header = frame->header;

    frame->has_header = 1;
    frame->flow = header >> 56 & 0x7f;
    frame->remote_notify = header >> 54 & 1;
    frame->local_notify = header >> 53 & 1;
    frame->remote_interrupt = header >> 52 & 1;
    frame->sequence = header >> 42 & 0x1ff;
    frame->length = header >> 32 & 0x3ff;
    frame->address = (uint32_t)header;
    frame->is_check = frame->length == 0;
    frame->fixed_bits_ok = (header >> 63) == 0 && (header >> 55 & 1) == 0 && (frame->is_check || (header >> 51 & 1));
}

static void data_word(sniffer *s, direction *d, uint64_t time, uint64_t clock, uint32_t data)
{
    sniffer_frame *frame = &d->frame;

    if (d->place == BETWEEN) {
        d->strays++;
        return;
    }
    frame->words++;
    switch (d->place) {
    case FIRST:
        if (data >> 31) {
            read_credits(frame, time, clock, data);
            d->place = AFTER_CREDIT;
            break;
        }
        /* fall through */
    case AFTER_CREDIT:
        frame->header = (uint64_t)data << 32;
        d->header_crc = frame_crc16_word(d->header_crc, data);
        d->place = HEADER_LOW;
        break;
    case HEADER_LOW:
        frame->header |= data;
        d->header_crc = frame_crc16_word(d->header_crc, data);
        read_header(frame);
        d->place = HEADER_CRC;
        break;
    case HEADER_CRC:
        frame->header_crc = data;
        frame->header_crc_ok = data == d->header_crc;
        d->place = PAYLOAD;
        if (frame->header_crc_ok && frame->is_check) end_frame(s, d, SNIFFER_COMPLETE);
        break;
    case PAYLOAD:
        if (frame->payload_bytes / 4 < 2 * FRAME_LENGTH_MAX) {
            d->payload[frame->payload_bytes / 4] = data;
            frame->payload_bytes += 4;
            d->body_crc = frame_crc32_word(d->body_crc, data);
        }
        if (frame->header_crc_ok && frame->payload_bytes == 8 * frame->length) d->place = BODY_CRC;
        break;
    case BODY_CRC:
        frame->body_crc = data;
        frame->body_crc_ok = data == d->body_crc;
        end_frame(s, d, SNIFFER_COMPLETE);
        break;
    case BETWEEN:
        break;
    }
}

void sniffer_word(sniffer *sniffer, int from, uint64_t word, uint64_t time, uint64_t clock, uint32_t data, unsigned k)
{
    direction *d = &sniffer->direction[from];

    if (!k) {
        data_word(sniffer, d, time, clock, data);
        return;
    }
    break_off(sniffer, d);
    if (k == FRAME_SOP_K && data == FRAME_SOP_DATA) begin_frame(d, from, word, time, clock);
    else d->strays += k != FRAME_IDLE_K || data != FRAME_IDLE_DATA;
}

void sniffer_finish(sniffer *sniffer)
{
    break_off(sniffer, &sniffer->direction[0]);
    break_off(sniffer, &sniffer->direction[1]);
}

uint64_t sniffer_stray_words(const sniffer *sniffer, int from)
{
    return sniffer->direction[from].strays;
}

static void observe(void *self, int from, uint64_t word, sim_time time, uint64_t clock, const uint32_t *data, const uint8_t *k)
{
    sniffer *s = self;

    sniffer_word(s, from, word, time, clock, data[s->link], k[s->link]);
}

int sniffer_attach(sniffer *sniffer, struct cable *cable, unsigned link)
{
    if (link >= cable_links(cable)) return -1;
    sniffer->link = link;
    return cable_add_observer(cable, observe, sniffer);
}

/* ---- judging and printing ---- */

static int credits_are_good(const sniffer_frame *frame)
{
    unsigned i;

    for (i = 0; i < frame->credits; i++)
        if (!frame->credit[i].marked || !frame->credit[i].parity_ok) return 0;
    return 1;
}

int sniffer_frame_is_good(const sniffer_frame *frame)
{
    if (frame->end != SNIFFER_COMPLETE || !credits_are_good(frame)) return 0;
    if (!frame->has_header) return 1;
    return frame->fixed_bits_ok && frame->header_crc_ok && (frame->is_check || frame->body_crc_ok);
}

static void print_header(FILE *file, const sniffer_frame *frame)
{
    if (frame->is_check) fprintf(file, " check flow %u T %x", frame->flow, frame->address);
    else fprintf(file, " data flow %u seq %u %u bytes to %08" PRIx32, frame->flow, frame->sequence, 8 * frame->length, frame->address);
    if (frame->remote_notify || frame->local_notify || frame->remote_interrupt)
        fprintf(file, " notify%s%s%s", frame->remote_notify ? " remote" : "", frame->local_notify ? " local" : "",
                frame->remote_interrupt ? " interrupt" : "");
}

static void print_errors(FILE *file, const sniffer_frame *frame)
{
    static const char *const end[] = {"", ", EMPTY", ", CUT SHORT", ""};

    if (!credits_are_good(frame)) fprintf(file, ", BAD CREDIT");
    if (frame->has_header && !frame->fixed_bits_ok) fprintf(file, ", BAD FIXED BITS");
    if (frame->has_header && !frame->header_crc_ok && frame->words > frame->credits / 2 + 3) fprintf(file, ", BAD HEADER CRC");
    if (frame->end == SNIFFER_COMPLETE && frame->has_header && !frame->is_check && !frame->body_crc_ok) fprintf(file, ", BAD BODY CRC");
    fprintf(file, "%s", end[frame->end]);
    if (frame->end == SNIFFER_CUT_SHORT || frame->end == SNIFFER_UNTRUSTED) fprintf(file, " (%u bytes seen)", frame->payload_bytes);
}

void sniffer_print_frame(void *file, const sniffer_frame *frame)
{
    unsigned i;

    fprintf(file, "%12.4f us %s %6" PRIu64, (double)frame->time / 1e6, frame->from ? "b>a" : "a>b", frame->number);
    if (frame->has_header) print_header(file, frame);
    for (i = 0; i < frame->credits; i++)
        fprintf(file, "%s%u:%x", i ? " " : frame->has_header ? ", credit " : " credit ", frame->credit[i].flow, frame->credit[i].counter);
    print_errors(file, frame);
    fprintf(file, "\n");
}
