#include "sim/model/far_end/far_end.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/model/cable/frame.h"
#include "sim/model/far_end/far_end_private.h"

far_end_params far_end_params_default(void)
{
    far_end_params p = {
        .destinations = 8,
        .units = 512,
        .longest = 62,
        .nic_units = 2046,
        .start_clocks = 8,
        .record_period = 2048,
        .hold_clocks = 512,
        .refresh_period = 4096,
        .idle_words = 2048,
        .up_clocks = 128,
    };
    return p;
}

static const char *complaint(const far_end_params *p)
{
    if (p->destinations < 1 || p->destinations > FAR_END_DESTINATIONS) return "destinations: expected 1..64";
    if (p->units < 6 || p->units > 4064) return "units: expected 6..4064";
    if (p->longest < 1 || p->longest > FAR_END_LONGEST) return "longest: expected 1..512";
    if (p->units < 2 * p->longest + 4) return "units: expected room for the longest packet, 2 x longest + 4";
    if (p->nic_units < 6 || p->nic_units > 4064) return "nic_units: expected 6..4064";
    if (p->record_period < 2 || p->refresh_period < 2) return "record_period, refresh_period: expected at least 2";
    if (p->idle_words < frame_units(FAR_END_LONGEST) + 4) return "idle_words: expected room for the longest frame";
    return NULL;
}

far_end *far_end_new(const far_end_params *params, far_end_deliver deliver, void *self)
{
    const char *reason = complaint(params);
    far_end *f = reason ? NULL : calloc(1, sizeof *f);
    if (!f) {
        fprintf(stderr, "link partner: %s\n", reason ? reason : "out of memory");
        return NULL;
    }
    f->params = *params;
    f->deliver = deliver;
    f->self = self;
    f->t.hold = params->hold_clocks;
    f->t.since_idle = params->idle_words;
    f->r.excused = 1;
    for (unsigned i = 0; i < FAR_END_DESTINATIONS; i++) {
        f->lane[i].rate = FAR_END_FULL_RATE;
        f->lane[i].forced = i < params->destinations;
    }
    f->pin.tx_data = FRAME_IDLE_DATA;
    f->pin.tx_k = FRAME_IDLE_K;
    f->pins = (gt_pins){&f->pin.rx_data,
                        &f->pin.rx_k,
                        &f->pin.rx_notintable,
                        &f->pin.rx_disperr,
                        &f->pin.rx_loss_of_sync,
                        &f->pin.rx_buf_status,
                        &f->pin.tx_buf_err,
                        &f->pin.tx_data,
                        &f->pin.tx_k,
                        NULL,
                        0};
    return f;
}

static void list_free(list *l)
{
    for (stored *s; (s = far_end_list_take(l));) free(s);
}

void far_end_free(far_end *f)
{
    if (!f) return;
    if (f->on) sim_clock_detach(f->on, f);
    for (unsigned i = 0; i < FAR_END_DESTINATIONS; i++) list_free(&f->lane[i].buffer);
    list_free(&f->t.queue);
    free(f);
}

void far_end_list_add(list *l, stored *s)
{
    s->next = NULL;
    if (l->first) l->last->next = s;
    else l->first = s;
    l->last = s;
    l->count++;
}

stored *far_end_list_take(list *l)
{
    stored *s = l->first;
    if (!s) return NULL;
    l->first = s->next;
    l->count--;
    return s;
}

/* ---- clocks */

void far_end_clock(far_end *f, const far_end_input *in, uint32_t *data, uint8_t *k)
{
    f->clock++;
    far_end_receive(f, in);
    far_end_lanes_clock(f);
    far_end_transmit(f, data, k);
}

void far_end_look(far_end *f, const gt_pins *pins)
{
    uint32_t data;
    uint8_t k;
    far_end_clock(f,
                  &(far_end_input){*pins->rx_data, *pins->rx_k & 15, *pins->rx_notintable & 15, *pins->rx_disperr & 15,
                                   *pins->rx_loss_of_sync & 1, *pins->rx_buf_status >> 1 & 1},
                  &data, &k);
}

static void sample(void *self)
{
    far_end *f = self;
    f->in = (far_end_input){f->pin.rx_data,         f->pin.rx_k,
                            f->pin.rx_notintable,   f->pin.rx_disperr,
                            f->pin.rx_loss_of_sync, f->pin.rx_buf_status >> 1 & 1};
}

static void drive(void *self)
{
    far_end *f = self;
    far_end_clock(f, &f->in, &f->pin.tx_data, &f->pin.tx_k);
}

static void dump(void *self, FILE *out) { far_end_print(self, out); }

void far_end_attach(far_end *f, sim *s, sim_clock *clock)
{
    f->s = s;
    f->on = clock;
    sim_clock_attach(clock, sample, drive, f);
    sim_report(s, NULL, dump, f, "link partner");
}

const gt_pins *far_end_pins(const far_end *f) { return &f->pins; }

/* ---- control */

void far_end_stop(far_end *f, unsigned destination) { f->lane[destination].stopped = 1; }

void far_end_go(far_end *f, unsigned destination) { f->lane[destination].stopped = 0; }

void far_end_rate(far_end *f, unsigned destination, unsigned rate)
{
    f->lane[destination].rate = rate < 1 ? 1 : rate > FAR_END_FULL_RATE ? FAR_END_FULL_RATE : rate;
}

/* ---- results */

void far_end_count(far_end *f, uint64_t *counter, const char *format, ...)
{
    ++*counter;
    if (*f->first_wrong) return;
    va_list arguments;
    va_start(arguments, format);
    size_t n = (size_t)snprintf(f->first_wrong, sizeof f->first_wrong, "clock %" PRIu64 ": ", f->clock);
    vsnprintf(f->first_wrong + n, sizeof f->first_wrong - n, format, arguments);
    va_end(arguments);
}

const far_end_stats *far_end_get_stats(const far_end *f) { return &f->stats; }

static uint64_t sum(const far_end_stats *s)
{
    return s->bad_sop + s->empty + s->header_crc + s->fixed_bits + s->length + s->flow + s->overrun + s->gaps +
           s->body_crc + s->cut_short + s->stray + s->malformed_credits + s->rejected_credits + s->repairs +
           s->code_errors + s->sync_losses;
}

uint64_t far_end_wrong(const far_end *f) { return sum(&f->stats); }

const char *far_end_first_wrong(const far_end *f) { return f->first_wrong; }

void far_end_forgive(far_end *f)
{
    far_end_stats s = f->stats;
    memset(&f->stats, 0, sizeof f->stats);
    f->stats.packets = s.packets;
    f->stats.words = s.words;
    f->stats.delivered = s.delivered;
    f->stats.credit_words = s.credit_words;
    f->stats.records = s.records;
    f->stats.sent_packets = s.sent_packets;
    f->stats.sent_credit_words = s.sent_credit_words;
    f->stats.sent_records = s.sent_records;
    *f->first_wrong = 0;
}

far_end_lane far_end_view(const far_end *f, unsigned destination)
{
    const lane *l = &f->lane[destination];
    return (far_end_lane){l->received, far_end_lane_forwarded(l), l->delivered, l->words, l->buffer.count};
}

unsigned far_end_transmitted(const far_end *f) { return f->t.transmitted; }

unsigned far_end_credit(const far_end *f) { return f->t.credit; }

unsigned far_end_waiting(const far_end *f) { return f->t.queue.count; }

int far_end_is_up(const far_end *f) { return f->t.up; }

void far_end_print(const far_end *f, FILE *out)
{
    const far_end_stats *s = &f->stats;
    fprintf(out,
            "  link %s; %" PRIu64 " packets in, %" PRIu64 " delivered, %" PRIu64
            " sent, %u wait for %u of %u units; %" PRIu64 " wrong%s%s\n",
            f->t.up ? "up" : "down", s->packets, s->delivered, s->sent_packets, f->t.queue.count,
            (f->t.transmitted - f->t.credit) & MASK, f->params.nic_units, far_end_wrong(f),
            *f->first_wrong ? ", first at " : "", f->first_wrong);
    fprintf(out, "  destinations, received/forwarded:");
    for (unsigned i = 0; i < f->params.destinations; i++)
        fprintf(out, " %u/%u%s", f->lane[i].received, far_end_lane_forwarded(&f->lane[i]),
                f->lane[i].stopped ? " (stopped)" : "");
    fprintf(out, "\n");
}
