/* Packet sniffer; the manual is in the header. */
#include "sim/model/cable/sniffer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "sim/model/cable/cable.h"

typedef struct direction {
    frame_reader reader;
    sniffer_frame frame;
    uint64_t frames, strays;
    uint32_t payload[2 * FRAME_LENGTH_MAX];
} direction;

struct sniffer {
    sniffer_callback callback, on_header;
    void *self;
    unsigned link, links; /* links: by byte; else 1 */
    int by_packet;
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

void sniffer_free(sniffer *sniffer) { free(sniffer); }

void sniffer_on_header(sniffer *sniffer, sniffer_callback callback) { sniffer->on_header = callback; }

static void end_frame(sniffer *s, direction *d, sniffer_end end)
{
    d->frame.end = end;
    d->frame.payload = d->payload;
    d->reader.due = FRAME_OUTSIDE;
    d->frames++;
    if (s->callback) s->callback(s->self, &d->frame);
}

/* The frame ends because a K character, or the end of the run, has come. */
static void break_off(sniffer *s, direction *d)
{
    switch (d->reader.due) {
    case FRAME_OUTSIDE:
        break;
    case FRAME_FIRST:
        end_frame(s, d, SNIFFER_EMPTY);
        break;
    case FRAME_SECOND:
        end_frame(s, d, SNIFFER_COMPLETE);
        break;
    case FRAME_UNTRUSTED:
        end_frame(s, d, SNIFFER_UNTRUSTED);
        break;
    default:
        end_frame(s, d, SNIFFER_CUT_SHORT);
    }
}

static void begin_frame(direction *d, int from, uint64_t word, uint64_t time, uint64_t clock)
{
    d->frame =
        (sniffer_frame){.from = from, .number = d->frames, .time = time, .clock = clock, .word = word, .words = 1};
    frame_reader_begin(&d->reader);
}

static void read_credits(sniffer_frame *frame, uint64_t time, uint64_t clock, uint32_t data)
{
    frame->credits = 2;
    frame->credit_time = time;
    frame->credit_clock = clock;
    frame->credit[0] = frame_credit_read((uint16_t)(data >> 16));
    frame->credit[1] = frame_credit_read((uint16_t)data);
}

/* Of links by packet a sequence number has the bit [51], too, which is 1 else. */
static void read_header(const sniffer *s, sniffer_frame *frame, uint64_t header)
{
    frame_header h = frame_header_read(header);
    uint64_t always = s->by_packet && h.length ? FRAME_TENTH_BIT : 0;

    frame->header = header;
    frame->has_header = 1;
    frame->flow = h.flow;
    frame->remote_notify = h.remote_notify;
    frame->local_notify = h.local_notify;
    frame->remote_interrupt = h.remote_interrupt;
    frame->stamps = h.stamps;
    frame->sequence = h.sequence + (header & always ? FRAME_SEQUENCES : 0);
    frame->length = h.length;
    frame->address = h.address;
    frame->is_check = h.length == 0;
    frame->fixed_bits_ok = frame_header_fixed_bits_ok(header | always);
}

static void payload_word(direction *d, uint32_t data)
{
    sniffer_frame *frame = &d->frame;

    if (frame->payload_bytes / 4 == 2 * FRAME_LENGTH_MAX) return;
    d->payload[frame->payload_bytes / 4] = data;
    frame->payload_bytes += 4;
}

static void data_word(sniffer *s, direction *d, uint64_t time, uint64_t clock, uint32_t data)
{
    sniffer_frame *frame = &d->frame;

    if (d->reader.due == FRAME_OUTSIDE) {
        d->strays++;
        return;
    }
    frame->words++;
    switch (frame_reader_word(&d->reader, data)) {
    case FRAME_FIRST:
        read_credits(frame, time, clock, data);
        break;
    case FRAME_HEADER_LOW:
        read_header(s, frame, d->reader.header);
        if (s->on_header) s->on_header(s->self, frame);
        break;
    case FRAME_HEADER_CHECK:
        frame->header_crc = data;
        frame->header_crc_ok = d->reader.header_ok;
        if (d->reader.due == FRAME_ENDED) end_frame(s, d, SNIFFER_COMPLETE);
        break;
    case FRAME_PAYLOAD:
    case FRAME_UNTRUSTED:
        payload_word(d, data);
        break;
    case FRAME_BODY_CHECK:
        frame->body_crc = data;
        frame->body_crc_ok = d->reader.body_ok;
        end_frame(s, d, SNIFFER_COMPLETE);
        break;
    default:
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
    if (frame_is_sop(data, k)) begin_frame(d, from, word, time, clock);
    else d->strays += !frame_is_idle(data, k) && !frame_is_fault(data, k);
}

void sniffer_finish(sniffer *sniffer)
{
    break_off(sniffer, &sniffer->direction[0]);
    break_off(sniffer, &sniffer->direction[1]);
}

uint64_t sniffer_stray_words(const sniffer *sniffer, int from) { return sniffer->direction[from].strays; }

/* One clock of links by byte. */
static void bundle_word(sniffer *s, int from, uint64_t word, uint64_t time, uint64_t clock, const uint32_t *data,
                        const uint8_t *k)
{
    direction *d = &s->direction[from];
    uint32_t w[CABLE_LINKS];
    unsigned links = s->links, any_k = 0;

    for (unsigned l = 0; l < links; l++) any_k |= k[l];
    if (any_k) {
        for (unsigned l = 1; l < links; l++) d->strays += k[l] != k[0] || data[l] != data[0];
        sniffer_word(s, from, word, time, clock, data[0], any_k);
        return;
    }
    frame_of_links(w, data, links);
    int credit = d->reader.due == FRAME_FIRST && w[0] >> 31;
    for (unsigned i = 0; i < links; i++) {
        if (i && credit) d->strays += w[i] != w[0];
        else if (i && d->reader.due == FRAME_OUTSIDE) d->strays += w[i] != 0;
        else data_word(s, d, time, clock, w[i]);
    }
}

static void observe(void *self, int from, uint64_t word, sim_time time, uint64_t clock, const uint32_t *data,
                    const uint8_t *k)
{
    sniffer *s = self;

    if (s->links > 1) bundle_word(s, from, word, time, clock, data, k);
    else sniffer_word(s, from, word, time, clock, data[s->link], k[s->link]);
}

int sniffer_attach(sniffer *sniffer, struct cable *cable, unsigned link)
{
    if (link >= cable_links(cable)) return -1;
    sniffer->link = link;
    sniffer->by_packet = cable_by_packet(cable);
    sniffer->links = cable_by_byte(cable) ? cable_links(cable) : 1;
    return cable_add_observer(cable, observe, sniffer);
}

/* ---- checking and printing ---- */

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

/* An operation (rtl/sync) has {object, operation, operand, 1} in place of an address. */
static void print_operation(FILE *file, uint32_t word)
{
    static const char *const names[16] = {"enqueue",     "add",  "arm",          NULL,     "write",
                                          "fetch-add",   "swap", "compare-swap", "reopen", [14] = "refused",
                                          [15] = "reply"};
    const char *name = names[word >> 16 & 15];
    fprintf(file, " %s object %u operand %u", name ? name : "UNKNOWN OPERATION", word >> 20, word >> 1 & 0x7fff);
}

static void print_header(FILE *file, const sniffer_frame *frame)
{
    if (frame->is_check) fprintf(file, " check flow %u T %x", frame->flow, frame->address);
    else if (frame->address & 1) {
        fprintf(file, " data flow %u seq %u %u bytes", frame->flow, frame->sequence, 8 * frame->length);
        print_operation(file, frame->address);
    } else
        fprintf(file, " data flow %u seq %u %u bytes to %08" PRIx32, frame->flow, frame->sequence, 8 * frame->length,
                frame->address);
    if (frame->remote_notify || frame->local_notify || frame->remote_interrupt)
        fprintf(file, " notify%s%s%s", frame->remote_notify ? " remote" : "", frame->local_notify ? " local" : "",
                frame->remote_interrupt ? " interrupt" : "");
    if (frame->stamps) fprintf(file, " stamps");
}

static void print_errors(FILE *file, const sniffer_frame *frame)
{
    static const char *const end[] = {"", ", EMPTY", ", CUT SHORT", ""};

    if (!credits_are_good(frame)) fprintf(file, ", BAD CREDIT");
    if (frame->has_header && !frame->fixed_bits_ok) fprintf(file, ", BAD FIXED BITS");
    if (frame->has_header && !frame->header_crc_ok && frame->words > frame->credits / 2 + 3)
        fprintf(file, ", BAD HEADER CRC");
    if (frame->end == SNIFFER_COMPLETE && frame->has_header && !frame->is_check && !frame->body_crc_ok)
        fprintf(file, ", BAD BODY CRC");
    fprintf(file, "%s", end[frame->end]);
    if (frame->end == SNIFFER_CUT_SHORT || frame->end == SNIFFER_UNTRUSTED)
        fprintf(file, " (%u bytes seen)", frame->payload_bytes);
}

void sniffer_print_frame(void *file, const sniffer_frame *frame)
{
    unsigned i;

    fprintf(file, "%12.4f us %s %6" PRIu64, (double)frame->time / 1e6, frame->from ? "b>a" : "a>b", frame->number);
    if (frame->has_header) print_header(file, frame);
    for (i = 0; i < frame->credits; i++)
        fprintf(file, "%s%u:%x",
                i                   ? " "
                : frame->has_header ? ", credit "
                                    : " credit ",
                frame->credit[i].flow, frame->credit[i].counter);
    print_errors(file, frame);
    fprintf(file, "\n");
}
