#include "link_traffic.h"

#include <string.h>

void traffic_start(struct traffic dir[2], struct link_bench *b)
{
    for (unsigned i = 0; i < 2; i++) {
        dir[i] = (struct traffic){.from = &b->end[i], .to = &b->end[1 - i], .number = i, .longest = 512};
        b->end[1 - i].packet_sink = traffic_take;
        b->end[1 - i].packet_self = &dir[i];
    }
}

uint64_t traffic_word(const struct traffic *d, unsigned n, unsigned i)
{
    uint64_t x = ((uint64_t)d->number << 60 | (uint64_t)n << 20 | i) * 0x9e3779b97f4a7c15ull;

    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 32;
}

static unsigned length_of(const struct traffic *d, unsigned n)
{
    uint64_t x = traffic_word(d, n, 0xfffff);

    return x % 4 == 0 || d->longest == 62 ? 62 : 1 + (unsigned)(x >> 8) % (x % 4 < 3 ? 8 : (unsigned)d->longest);
}

/* As it is put into H2N; on the wire the flow is the sender's node (DIRECT). */
static uint64_t header(const struct traffic *d, unsigned n, unsigned length)
{
    uint64_t x = traffic_word(d, n, 0xffffe);

    return header_of(x & 7, x >> 3 & 7, n % 512, length, n);
}

void traffic_put(struct traffic *d, unsigned length)
{
    uint64_t words[512];
    int last = traffic_word(d, d->sent, 0xffffd) & 1;

    if (!length) length = length_of(d, d->sent);
    for (unsigned i = 0; i < length; i++) words[i] = traffic_word(d, d->sent, i);
    h2n_packet(d->from, header(d, d->sent, length), words, last);
    d->lasts += (unsigned)last;
    d->sent++;
}

void traffic_feed(void *traffic)
{
    struct traffic *d = traffic;

    while (d->load && h2n_waiting(d->from) < 1500) traffic_put(d, 0);
}

void traffic_take(void *traffic, const struct stored_packet *p)
{
    struct traffic *d = traffic;
    unsigned n = (uint32_t)p->header, length = header_length(p->header);
    uint64_t flow = *d->from->port->cfg_node_id, sent = (header(d, n, length) & ~(0x7full << 56)) | flow << 56;

    ck_must(n >= d->next_expected && n < d->sent, "direction %u: packet %u after %u", d->number, n, d->next_expected);
    for (unsigned i = d->next_expected; i < n; i++) d->lost_units += 2 * length_of(d, i) + 4;
    d->reported += p->header >> 63;
    ck_must(n - d->next_expected < 512 || p->header >> 63,
            "direction %u: packet %u after %u, without a loss indication", d->number, n, d->next_expected);
    /* a record of 0 is taken for one of a sender that was reset: all that the buffer holds may have been lost
     * (rtl/nic/link/link_rx_store.v) */
    ck_must(d->reported * MANY_UNITS <= d->lost_units + d->from->records_of_0 * 2u * (N2H_WORDS + 1),
            "header %016llx: %u units are lost", (unsigned long long)p->header, d->lost_units);
    ck_must(p->header << 1 == sent << 1, "header %016llx, sent %016llx", (unsigned long long)p->header,
            (unsigned long long)sent);
    d->missing += n - d->next_expected;
    d->next_expected = n + 1;
    if (p->bad) {
        d->bad++;
        return;
    }
    d->good++;
    d->good_words += length;
    unsigned right = 0;
    while (right < length && p->payload[right] == traffic_word(d, n, right)) right++;
    d->wrong += right < length;
    ck_must(right == length || d->forged, "direction %u, packet %u, word %u is wrong but called good", d->number, n,
            right);
}

void traffic_settled(const struct traffic *d)
{
    ck_assert_uint_eq(h2n_waiting(d->from), 0);
    ck_assert_uint_eq(n2h_count(d->to), 0);
    ck_assert_int_lt(d->to->packet_words, 0);
    ck_assert_uint_eq(*d->to->port->link_up, 1);
    ck_assert_uint_eq(*d->to->port->rx_units, *d->from->port->view_tx_units);
    ck_assert_uint_eq(*d->to->port->rx_forwarded, *d->from->port->view_tx_units);
    ck_assert_uint_eq(*d->from->port->view_tx_credit, *d->from->port->view_tx_units & ~31u);
    ck_assert_uint_eq(d->lasts, d->from->departed);
    ck_assert_uint_eq(d->from->events.tx_step + d->from->events.tx_discard, 0);
}
