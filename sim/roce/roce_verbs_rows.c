#include "roce_verbs_rows.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "pcap.h"
#include "roce_exchange.h"
#include "roce_targets.h"

enum { ICRC = 4, LANES = 7, STARTS = 3, ROW_NAME = 64 };
#define QUIET 0.02 /* [s] on the wall */
static const uint32_t starts[STARTS] = {0, 0xfffff0, 0x7ffff8};

/* Packets from one end that were on the line, as the NIC in C reads them. */
typedef struct tally {
    uint32_t sent, arrived, good;           /* good: arrived with a right ICRC */
    uint32_t naks, rnr_naks, sequence_naks; /* arrived and good */
    uint32_t rnr_naks_sent, sequence_naks_sent;
} tally;

struct roce_verbs_rows {
    FILE *list; /* names go there, and nothing is run; NULL: rows are run */
    roce_exchange x;
    roce_verbs_rows_params params;
    ethernet_wire *wire;
    tally line[2]; /* by the end that sent them */
    uint64_t seen_at_all;
    roce_end_counters end_from;
    roce_exchange_counters linux_from;
    roce_strike strikes[LANES];
    roce_lane lanes[LANES];
    unsigned lanes_open;
    unsigned rows, bad;
    char row[ROW_NAME];
    const char *detail; /* what it does */
    pcap_writer *pcap;  /* of the row that is recorded */
    /* of the row of single bits */
    int bits_from;
    unsigned bit, bits, seen;
};

roce_verbs_rows_params roce_verbs_rows_defaults(void)
{
    return (roce_verbs_rows_params){.timeout = 8};
}

/* ---- what is on the line */

static int is_answer(const rnic_packet *p, unsigned kind)
{
    return p->opcode == RNIC_ACKNOWLEDGE && (p->syndrome & 0x60) == kind;
}

static void sent(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    roce_verbs_rows *i = self;
    rnic_packet p;
    const char *why;
    (void)bad_fcs;
    if (i->pcap) pcap_write(i->pcap, time, frame, length);
    if (rnic_packet_read(&p, frame, length, &why) != RNIC_GOOD) return;
    i->line[from].sent++;
    i->line[from].rnr_naks_sent += is_answer(&p, RNIC_RNR_NAK);
    i->line[from].sequence_naks_sent += is_answer(&p, RNIC_NAK_SEQUENCE & 0x60) && p.syndrome == RNIC_NAK_SEQUENCE;
}

static void arrived(void *self, int from, sim_time time, const uint8_t *frame, size_t length, int bad_fcs)
{
    roce_verbs_rows *i = self;
    tally *t = &i->line[from];
    rnic_packet p;
    const char *why;
    (void)time, (void)bad_fcs;
    i->seen_at_all++;
    rnic_verdict verdict = rnic_packet_read(&p, frame, length, &why);
    t->arrived += verdict != RNIC_OTHER;
    if (verdict != RNIC_GOOD) return;
    t->good++;
    t->rnr_naks += is_answer(&p, RNIC_RNR_NAK);
    t->naks += is_answer(&p, RNIC_RNR_NAK) || is_answer(&p, RNIC_NAK_SEQUENCE & 0x60);
    t->sequence_naks += p.opcode == RNIC_ACKNOWLEDGE && p.syndrome == RNIC_NAK_SEQUENCE;
}

/* ---- counters of both ends against that */

/* Until nothing more is on its way to Linux or in it, by its clock: the same counters twice, and none moves on the line meanwhile. */
static int settle(roce_verbs_rows *i, roce_exchange_counters *l)
{
    roce_exchange_counters was;
    uint64_t seen;
    if (roce_exchange_count(&i->x, l)) return -1;
    do {
        was = *l;
        seen = i->seen_at_all;
        for (double from = sim_wall(); sim_wall() - from < QUIET; sim_wait_cycles(i->x.clock, 1000))
            if (*sim_error(i->x.sim)) return -1;
        if (roce_exchange_count(&i->x, l)) return -1;
    } while (memcmp(&was, l, sizeof was) || seen != i->seen_at_all);
    return 0;
}

static int count_from_here(roce_verbs_rows *i)
{
    if (settle(i, &i->linux_from)) return -1;
    memset(i->line, 0, sizeof i->line);
    return roce_end_count(i->x.end, &i->end_from);
}

static int same(roce_verbs_rows *i, const char *who, const char *what, uint32_t is, uint32_t on_the_line)
{
    if ((is & 0xffff) == (on_the_line & 0xffff)) return 0;
    return roce_exchange_fails(&i->x, "%s counted %u %s, %u were on the line", who, is & 0xffff, what, on_the_line & 0xffff);
}

static int counters_agree(roce_verbs_rows *i)
{
    roce_end_counters e;
    roce_exchange_counters l;
    const tally *to = &i->line[1], *from = &i->line[0]; /* to and from the end */
    const roce_end_counters *e0 = &i->end_from;
    const roce_exchange_counters *l0 = &i->linux_from;
    if (settle(i, &l) || roce_end_count(i->x.end, &e)) return -1;
    if (same(i, "Linux", "packets out", l.sent - l0->sent, to->sent) ||
        same(i, "Linux", "packets in", l.received - l0->received, from->good) ||
        same(i, "Linux", "NAK-sequence out", l.sequence_naks_out - l0->sequence_naks_out, to->sequence_naks_sent) ||
        same(i, "Linux", "RNR NAKs out", l.rnr_naks_out - l0->rnr_naks_out, to->rnr_naks_sent) ||
        same(i, "Linux", "RNR NAKs in", l.rnr_naks_in - l0->rnr_naks_in, from->rnr_naks) ||
        same(i, "the end", "packets out", (uint32_t)(e.packets_out - e0->packets_out), from->sent) ||
        same(i, "the end", "packets in", (uint32_t)(e.packets_in - e0->packets_in), to->arrived) ||
        same(i, "the end", "NAKs in", (uint32_t)(e.naks_in - e0->naks_in), to->naks) ||
        same(i, "the end", "NAK-sequence out", (uint32_t)(e.sequence_naks_out - e0->sequence_naks_out), from->sequence_naks_sent) ||
        same(i, "the end", "RNR NAKs out", (uint32_t)(e.rnr_naks_out - e0->rnr_naks_out), from->rnr_naks_sent))
        return -1;
    return 0;
}

/* ---- rows */

/* Begins one: 1 if it is to be run. Its name begins with that of the end. */
static int row(roce_verbs_rows *i, const char *detail, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int row(roce_verbs_rows *i, const char *detail, const char *format, ...)
{
    va_list args;
    int n = snprintf(i->row, sizeof i->row, "%s-", i->params.name);
    va_start(args, format);
    vsnprintf(i->row + n, sizeof i->row - (size_t)n, format, args);
    va_end(args);
    if (i->params.only && !strstr(i->row, i->params.only)) return 0;
    if (i->list) {
        fprintf(i->list, "%s\n", i->row);
        return 0;
    }
    i->detail = detail;
    *i->x.why = 0;
    memset(i->lanes, 0, sizeof i->lanes);
    memset(i->strikes, 0, sizeof i->strikes);
    i->lanes_open = 0;
    i->rows++;
    return 1;
}

static int open_lanes(roce_verbs_rows *i, unsigned count)
{
    for (; i->lanes_open < count; i->lanes_open++)
        if (roce_lane_open(&i->x, &i->lanes[i->lanes_open])) {
            i->lanes_open++;
            return -1;
        }
    return count_from_here(i);
}

static void close_lanes(roce_verbs_rows *i)
{
    ethernet_wire_set_tap(i->wire, NULL, NULL);
    while (i->lanes_open) roce_lane_close(&i->x, &i->lanes[--i->lanes_open]);
}

static void end_row(roce_verbs_rows *i, int result)
{
    if (*sim_error(i->x.sim)) return;
    close_lanes(i);
    if (result && !*i->x.why) roce_exchange_fails(&i->x, "it failed, and nobody says why");
    i->bad += *i->x.why != 0;
    if (i->params.verdict) i->params.verdict(i->params.self, i->row, !*i->x.why, *i->x.why ? i->x.why : i->detail);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Every length at which something changes, up to the size of a receive buffer, and a megabyte. */
static void data_rows(roce_verbs_rows *i)
{
    static const roce_message messages[] = {
        {ROCE_SEND_IN, 1},
        {ROCE_WRITE, 1},
        {ROCE_READ, 1},
        {ROCE_SEND_OUT, 1},
        {ROCE_SEND_IN, 2},
        {ROCE_SEND_IN, 3},
        {ROCE_READ, 3},
        {ROCE_WRITE, 2},
        {ROCE_SEND_OUT, 15},
        {ROCE_SEND_OUT, 16},
        {ROCE_SEND_OUT, 17},
        {ROCE_SEND_IN, 255},
        {ROCE_SEND_IN, 256},
        {ROCE_SEND_IN, 257},
        {ROCE_READ, 255},
        {ROCE_READ, 256},
        {ROCE_READ, 257},
        {ROCE_WRITE, 255},
        {ROCE_WRITE, 257},
        {ROCE_SEND_IN, 1023},
        {ROCE_SEND_IN, 1025},
        {ROCE_SEND_IN, 4095},
        {ROCE_SEND_IN, 4096},
        {ROCE_SEND_IN, 4097},
        {ROCE_READ, 4095},
        {ROCE_READ, 4097},
        {ROCE_WRITE, 4096},
        {ROCE_WRITE, 4099},
        {ROCE_SEND_OUT, 4097},
        {ROCE_SEND_OUT, 20001},
        {ROCE_SEND_IN, 16383},
        {ROCE_SEND_IN, 16384},
        {ROCE_READ, 65537},
        {ROCE_WRITE, 65535},
        {ROCE_READ, 1 << 20},
        {ROCE_WRITE, 1 << 20},
        {ROCE_SEND_OUT, 1 << 16},
        {ROCE_READ, (1 << 20) - 1},
        {ROCE_WRITE, (1 << 20) - 3},
    };
    static const struct {
        int ipv6;
        unsigned pmtu;
    } paths[] = {{0, 4096}, {1, 1024}, {0, 256}};
    for (unsigned s = 0; s < STARTS; s++)
        for (unsigned p = 0; p < COUNT(paths); p++) {
            if (!row(i, "SENDs, READs and WRITEs of 1 byte to 1 MB, at all alignments", "data-%u-ipv%d-%06x", paths[p].pmtu,
                     paths[p].ipv6 ? 6 : 4, starts[s]))
                continue;
            i->lanes[0] =
                (roce_lane){.ipv6 = paths[p].ipv6, .psn = starts[s], .pmtu = paths[p].pmtu, .messages = messages, .count = COUNT(messages)};
            end_row(i, open_lanes(i, 1) || roce_exchange_run(&i->x, i->lanes, 1, NULL, NULL) || counters_agree(i));
        }
}

/* ---- faults of the line */

/* Packets of all kinds; with a path MTU of 1024 the numbers of both sides wrap in the middle. */
#define SOME_OF_ALL                                                                                                                        \
    {ROCE_SEND_IN, 3500}, {ROCE_SEND_IN, 100}, {ROCE_WRITE, 3499}, {ROCE_WRITE, 50}, {ROCE_READ, 3501}, {ROCE_READ, 77},                   \
        {ROCE_SEND_OUT, 3503},                                                                                                             \
    {                                                                                                                                      \
        ROCE_SEND_OUT, 90                                                                                                                  \
    }
static const roce_message some[] = {SOME_OF_ALL, SOME_OF_ALL, SOME_OF_ALL, SOME_OF_ALL};

static void some_lanes(roce_verbs_rows *i, unsigned count, uint32_t start)
{
    for (unsigned k = 0; k < count; k++)
        i->lanes[k] = (roce_lane){.ipv6 = (int)(k & 1), .psn = start, .pmtu = 1024, .messages = some, .count = COUNT(some)};
}

static ethernet_fault strike(void *self, int from, uint64_t number, const uint8_t *frame, size_t length)
{
    roce_verbs_rows *i = self;
    roce_header h;
    (void)number;
    for (unsigned k = 0; roce_header_of(frame, length, &h) && k < i->lanes_open; k++)
        if (i->strikes[k].target && h.qp == (from ? roce_end_qp_number(i->lanes[k].qp) : i->lanes[k].guest)) {
            ethernet_fault fault = roce_strike_it(&i->strikes[k], from, &h);
            if (fault.kind == ETHERNET_FLIP) fault.argument = 8 * (length - ICRC - 1); /* the last byte that it covers */
            return fault;
        }
    return (ethernet_fault){ETHERNET_NO_FAULT, 0};
}

/* Each kind of packet on a connection of its own, so many at a time as there are connections. */
static int strike_all(roce_verbs_rows *i, ethernet_fault fault, unsigned count, uint32_t start)
{
    for (unsigned first = 0; first < ROCE_TARGETS; first += LANES) {
        unsigned lanes = ROCE_TARGETS - first < LANES ? ROCE_TARGETS - first : LANES;
        some_lanes(i, lanes, start);
        for (unsigned k = 0; k < lanes; k++)
            i->strikes[k] = (roce_strike){.target = &roce_targets[first + k], .fault = fault, .count = count, .start = start};
        if (open_lanes(i, lanes)) return -1;
        ethernet_wire_set_tap(i->wire, strike, i);
        int result = roce_exchange_run(&i->x, i->lanes, lanes, NULL, NULL) || counters_agree(i);
        for (unsigned k = 0; k < lanes && !result; k++)
            if (!i->strikes[k].struck) result = roce_exchange_fails(&i->x, "%s: no packet was struck", i->strikes[k].target->name);
        if (result) return -1;
        close_lanes(i);
    }
    return 0;
}

static void fault_rows(roce_verbs_rows *i)
{
    static const struct {
        const char *name, *words;
        ethernet_fault fault;
        unsigned count;
    } faults[] = {{"lost", "a packet of each kind lost", {ETHERNET_LOSE, 0}, 1},
                  {"doubled", "a packet of each kind comes twice", {ETHERNET_DUPLICATE, 0}, 1},
                  {"late-1", "a packet of each kind comes behind the next one", {ETHERNET_DELAY, 1}, 1},
                  {"late-4", "a packet of each kind comes behind 4 others", {ETHERNET_DELAY, 4}, 1},
                  {"late-16", "a packet of each kind comes behind 16 others", {ETHERNET_DELAY, 16}, 1},
                  {"damaged", "a bit of a packet of each kind flipped", {ETHERNET_FLIP, 0}, 1},
                  {"lost-8", "a packet of each kind lost, with the 7 after it", {ETHERNET_LOSE, 0}, 8},
                  {"doubled-8", "a packet of each kind comes twice, and so do the 7 after it", {ETHERNET_DUPLICATE, 0}, 8}};
    for (unsigned f = 0; f < COUNT(faults); f++)
        for (unsigned s = 0; s < STARTS; s++)
            if (row(i, faults[f].words, "%s-%06x", faults[f].name, starts[s]))
                end_row(i, strike_all(i, faults[f].fault, faults[f].count, starts[s]));
}

static void cut(void *self)
{
    roce_verbs_rows *i = self;
    if (i->seen < 2 && i->lanes[0].completed > 4) {
        ethernet_wire_cut(i->wire, (int)i->seen);
        sim_wait_time(i->x.sim, 2 * SIM_MS);
        ethernet_wire_reconnect(i->wire, (int)i->seen++);
    }
}

static void cut_rows(roce_verbs_rows *i)
{
    for (unsigned s = 0; s < STARTS; s++) {
        if (!row(i, "everything lost for a while, one way, then the other", "cut-%06x", starts[s])) continue;
        some_lanes(i, 3, starts[s]);
        i->seen = 0;
        end_row(i, open_lanes(i, 3) || roce_exchange_run(&i->x, i->lanes, 3, cut, i) || counters_agree(i));
    }
}

/* ---- one bit after the other, for the ICRC. Behind the UDP header, but for BTH byte 4, which the ICRC leaves out. */

enum { BTH = 14 + 20 + 8, HEADERS = 12 + 16 /* BTH and RETH */, PERIOD = 4 };

static ethernet_fault flip_next(void *self, int from, uint64_t number, const uint8_t *frame, size_t length)
{
    roce_verbs_rows *i = self;
    roce_header h;
    (void)number;
    if (from != i->bits_from || !roce_header_of(frame, length, &h) || i->bit >= i->bits || h.opcode > RNIC_WRITE_ONLY || i->seen++ % PERIOD)
        return (ethernet_fault){ETHERNET_NO_FAULT, 0};
    unsigned bit = i->bit++, headers = 8 * HEADERS;
    return (ethernet_fault){ETHERNET_FLIP, bit < headers ? 8 * BTH + bit : 8 * (length - ICRC) + bit - headers};
}

static void bit_rows(roce_verbs_rows *i)
{
    static const roce_message ins[] = {{ROCE_SEND_IN, 16384}, {ROCE_SEND_IN, 16000}, {ROCE_SEND_IN, 16384}, {ROCE_SEND_IN, 16111}};
    static const roce_message outs[] = {{ROCE_WRITE, 65536}, {ROCE_WRITE, 65111}};
    for (int from = 0; from < 2; from++)
        for (unsigned s = 0; s < STARTS; s++) {
            if (!row(i, "each bit of BTH, the 16 bytes behind it and ICRC flipped in turn", "bits-%s-%06x", from ? "in" : "out", starts[s]))
                continue;
            i->lanes[0] =
                (roce_lane){.psn = starts[s], .pmtu = 256, .messages = from ? ins : outs, .count = from ? COUNT(ins) : COUNT(outs)};
            i->bits_from = from;
            i->bit = i->seen = 0;
            i->bits = 8 * (HEADERS + ICRC);
            int result = open_lanes(i, 1);
            ethernet_wire_set_tap(i->wire, flip_next, i);
            while (!result && i->bit < i->bits) result = roce_exchange_run(&i->x, i->lanes, 1, NULL, NULL);
            end_row(i, result || counters_agree(i));
        }
}

/* ---- receiver not ready */

static void let_go(void *self)
{
    roce_verbs_rows *i = self;
    if (i->line[0].rnr_naks_sent >= 3) i->lanes[0].hold = 0;
}

static void let_take(void *self)
{
    roce_verbs_rows *i = self;
    if (!i->lanes[0].late || i->line[1].rnr_naks_sent < 3) return;
    i->lanes[0].late = 0;
    roce_lane_takes(&i->x, &i->lanes[0]);
}

static void rnr_rows(roce_verbs_rows *i)
{
    static const roce_message ins[] = {{ROCE_SEND_IN, 300},  {ROCE_SEND_IN, 5000}, {ROCE_SEND_IN, 1}, {ROCE_SEND_IN, 4000},
                                       {ROCE_SEND_IN, 9000}, {ROCE_READ, 5000},    {ROCE_WRITE, 3000}};
    static const roce_message outs[] = {{ROCE_WRITE, 3000}, {ROCE_SEND_OUT, 5000}, {ROCE_SEND_OUT, 1},
                                        {ROCE_READ, 5000},  {ROCE_SEND_OUT, 900},  {ROCE_SEND_IN, 5000}};
    static const unsigned codes[] = {1, 6, 8};
    for (unsigned s = 0; s < STARTS; s++) {
        roce_lane *l = &i->lanes[0];
        if (row(i, "RNR NAKs while its receive queue is full", "rnr-out-%06x", starts[s])) {
            *l = (roce_lane){
                .psn = starts[s], .pmtu = 1024, .messages = ins, .count = COUNT(ins), .buffers = 2, .hold = 1, .rnr_timer = codes[s]};
            end_row(i, open_lanes(i, 1) || roce_exchange_run(&i->x, l, 1, let_go, i) || counters_agree(i));
        }
        if (row(i, "RNR NAKs while Linux has no receive", "rnr-in-%06x", starts[s])) {
            *l = (roce_lane){.psn = starts[s], .pmtu = 1024, .messages = outs, .count = COUNT(outs), .late = 1, .rnr_timer = codes[s]};
            end_row(i, open_lanes(i, 1) || roce_exchange_run(&i->x, l, 1, let_take, i) || counters_agree(i));
        }
    }
}

/* ---- access refused */

enum { FATAL_REMOTE_ACCESS = 10 /* 01010 of S5 table 2-4 */ };

/* Three requests, the first of which Linux refuses: all end with an error, and memory stays as it was. */
static int refused(roce_verbs_rows *i, rn_opcode opcode, uint64_t address, uint32_t key, uint32_t start)
{
    enum { AT = 4096, LENGTH = 3000, PATTERN = 0x7777, REQUESTS = 3 };
    roce_exchange *x = &i->x;
    roce_lane *l = &i->lanes[0];
    rn_completion c;
    unsigned syndrome, code, ended = 0;
    uint8_t junk[LENGTH], is[LENGTH];
    memset(junk, 0xa5, sizeof junk);
    some_lanes(i, 1, start);
    if (open_lanes(i, 1) || roce_verbs_call(x->verbs, "fill %x %x %x", AT, LENGTH, PATTERN)) return -1;
    uint64_t local = roce_end_memory(x->end) + AT;
    roce_end_write(x->end, local, junk, LENGTH);
    for (unsigned n = 0; n < REQUESTS; n++) {
        const rn_work w = {.id = (uint16_t)n,
                           .opcode = n ? RN_WRITE : opcode,
                           .length = LENGTH,
                           .local = local,
                           .remote = n ? x->address + AT : address,
                           .rkey = n ? x->key : key};
        if (roce_end_post(l->qp, &w)) return -1;
    }
    for (double from = sim_wall(); ended < REQUESTS; sim_wait_cycles(x->clock, 128)) {
        for (int n; (n = roce_end_poll(l->qp, &c)) != 0; ended++)
            if (n < 0) return -1;
            else if (c.id != ended || !c.error)
                return roce_exchange_fails(x, "request %u ended %s an error, expected number %u with one", c.id,
                                           c.error ? "with" : "without", ended);
        if (*sim_error(x->sim)) return -1;
        if (sim_wall() - from > 30) return roce_exchange_fails(x, "%u of %u requests have ended", ended, REQUESTS);
    }
    int failed = roce_end_failed(l->qp, &syndrome, &code);
    if (failed < 0) return -1;
    if (!failed || syndrome != RNIC_NAK_ACCESS || (code != FATAL_REMOTE_ACCESS && code))
        return roce_exchange_fails(x, "the QP %s, syndrome %02x, code %u, expected one with syndrome %02x and code %u",
                                   failed ? "has failed" : "works", syndrome, code, RNIC_NAK_ACCESS, FATAL_REMOTE_ACCESS);
    roce_end_read(x->end, local, is, LENGTH);
    if (memcmp(is, junk, LENGTH)) return roce_exchange_fails(x, "memory of the end has changed");
    if (roce_verbs_call(x->verbs, "check %x %x %x", AT, LENGTH, PATTERN)) return -1;
    if (strtoul(roce_verbs_answer(x->verbs), NULL, 16) != LENGTH) return roce_exchange_fails(x, "Linux' memory has changed");
    return 0;
}

/* The QP works when it is set up anew. */
static int anew(roce_verbs_rows *i, uint32_t start)
{
    close_lanes(i);
    some_lanes(i, 1, start);
    return open_lanes(i, 1) || roce_exchange_run(&i->x, i->lanes, 1, NULL, NULL) || counters_agree(i);
}

static void refused_rows(roce_verbs_rows *i)
{
    const roce_exchange *x = &i->x;
    for (unsigned s = 0; s < STARTS; s++)
        for (int read = 0; read < 2; read++) {
            const struct {
                const char *name, *words;
                uint64_t address;
                uint32_t key;
            } faults[] = {{"key", "a wrong key: NAK 62, FATAL, all WQEs with ERRFLAG, and anew", x->address + 4096, x->key ^ 0x55},
                          {"rights", "a key without rights: the same", x->address + 4096, x->no_rights},
                          {"beyond", "a byte beyond the region: the same", x->address + x->length - 2999, x->key},
                          {"before", "a byte before the region: the same", x->address - 1, x->key}};
            for (unsigned f = 0; f < COUNT(faults); f++)
                if (row(i, faults[f].words, "%s-%s-%06x", read ? "read" : "write", faults[f].name, starts[s]))
                    end_row(i, refused(i, read ? RN_READ : RN_WRITE, faults[f].address, faults[f].key, starts[s]) || anew(i, starts[s]));
        }
}

/* ---- rows that are recorded: short, for their files lie beside the tests that replay them */

static int begin_recording(roce_verbs_rows *i)
{
    char path[4096], error[ETHERNET_ERROR];
    if ((size_t)snprintf(path, sizeof path, "%s/%s.pcap", i->params.record, i->row) >= sizeof path)
        return roce_exchange_fails(&i->x, "the name of the folder %s is too long", i->params.record);
    i->pcap = pcap_writer_new(path, error);
    return i->pcap ? 0 : roce_exchange_fails(&i->x, "%s", error);
}

static void end_recorded_row(roce_verbs_rows *i, int result)
{
    char error[ETHERNET_ERROR];
    uint64_t frames;
    if (pcap_close(i->pcap, &frames, error)) result = roce_exchange_fails(&i->x, "%s", error);
    i->pcap = NULL;
    end_row(i, result);
}

/* What each side sends begins at PSN FFFFF0 and goes beyond 0, but where a few packets are enough. */
static void recorded_rows(roce_verbs_rows *i)
{
    static const roce_message all[] = {
        {ROCE_SEND_IN, 3500}, {ROCE_WRITE, 3499}, {ROCE_READ, 3501},    {ROCE_SEND_OUT, 3503}, {ROCE_SEND_IN, 1},    {ROCE_SEND_IN, 2},
        {ROCE_WRITE, 50},     {ROCE_READ, 77},    {ROCE_SEND_OUT, 90},  {ROCE_SEND_IN, 3},     {ROCE_SEND_IN, 1024}, {ROCE_READ, 1024},
        {ROCE_SEND_IN, 1025}, {ROCE_READ, 2047},  {ROCE_SEND_IN, 4096}, {ROCE_READ, 3},        {ROCE_SEND_IN, 4097}};
    static const roce_message outs[] = {
        {ROCE_WRITE, 700}, {ROCE_SEND_OUT, 1500}, {ROCE_SEND_OUT, 1}, {ROCE_READ, 1300}, {ROCE_SEND_IN, 1100}};
    static const roce_message writes[] = {{ROCE_WRITE, 5000}, {ROCE_READ, 1300}, {ROCE_SEND_IN, 1100}, {ROCE_WRITE, 90}};
    static const roce_target write_middle = {"WRITE, middle", 0, RNIC_WRITE_MIDDLE, ROCE_NO_AETH};
    const uint32_t start = starts[1];
    roce_lane *l = &i->lanes[0];
    for (int ipv6 = 0; ipv6 < 2; ipv6++)
        if (row(i, "SENDs, READs and WRITEs of 1 byte to 4 KB, packets of all kinds", "ipv%d", ipv6 ? 6 : 4)) {
            *l = (roce_lane){.ipv6 = ipv6, .psn = start, .pmtu = 1024, .messages = all, .count = COUNT(all)};
            end_recorded_row(i, open_lanes(i, 1) || begin_recording(i) || roce_exchange_run(&i->x, l, 1, NULL, NULL) || counters_agree(i));
        }
    if (row(i, "RNR NAKs while Linux has no receive", "rnr")) {
        *l = (roce_lane){.psn = start, .pmtu = 1024, .messages = outs, .count = COUNT(outs), .late = 1, .rnr_timer = 14};
        end_recorded_row(i, open_lanes(i, 1) || begin_recording(i) || roce_exchange_run(&i->x, l, 1, let_take, i) || counters_agree(i));
    }
    if (row(i, "a packet of a WRITE lost: NAK-sequence", "nak-sequence")) {
        *l = (roce_lane){.psn = start, .pmtu = 1024, .messages = writes, .count = COUNT(writes)};
        i->strikes[0] = (roce_strike){.target = &write_middle, .fault = {ETHERNET_LOSE, 0}, .count = 1};
        int result = open_lanes(i, 1) || begin_recording(i);
        ethernet_wire_set_tap(i->wire, strike, i);
        end_recorded_row(i, result || roce_exchange_run(&i->x, l, 1, NULL, NULL) || counters_agree(i));
    }
    if (row(i, "a wrong key: NAK 62", "nak-access")) {
        int result = begin_recording(i);
        end_recorded_row(i, result || refused(i, RN_WRITE, i->x.address + 4096, i->x.key ^ 0x55, start));
    }
}

/* ---- */

static void all_rows(roce_verbs_rows *i)
{
    static void (*const parts[])(roce_verbs_rows *) = {data_rows, fault_rows, cut_rows, bit_rows, rnr_rows, refused_rows};
    if (i->params.record) recorded_rows(i);
    for (unsigned k = 0; !i->params.record && k < COUNT(parts) && (i->list || !*sim_error(i->x.sim)); k++) parts[k](i);
    *i->row = 0;
}

static void run_rows(void *self)
{
    roce_verbs_rows *i = self;
    if (roce_end_open(i->x.end) || roce_verbs_ready(i->x.verbs)) return;
    if (roce_exchange_region(&i->x)) {
        sim_fail(i->x.sim, "%s", i->x.why);
        return;
    }
    all_rows(i);
    if (*sim_error(i->x.sim) || roce_verbs_end(i->x.verbs)) return;
    roce_end_close(i->x.end);
}

void roce_verbs_rows_list(const roce_verbs_rows_params *params, FILE *out)
{
    roce_verbs_rows *i = calloc(1, sizeof *i);
    if (!i) return;
    i->params = *params;
    i->list = out;
    all_rows(i);
    free(i);
}

roce_verbs_rows *roce_verbs_rows_new(roce_end *end, roce_verbs *verbs, sim *s, sim_clock *clock, ethernet_wire *wire,
                                     const roce_verbs_rows_params *params)
{
    roce_verbs_rows *i = calloc(1, sizeof *i);
    if (!i) return NULL;
    i->x = (roce_exchange){.end = end, .verbs = verbs, .sim = s, .clock = clock, .timeout = params->timeout};
    i->params = *params;
    i->wire = wire;
    if (!ethernet_wire_observe(wire, ETHERNET_SENT, sent, i) && !ethernet_wire_observe(wire, ETHERNET_ARRIVED, arrived, i) &&
        sim_task_new(s, "rows", run_rows, i))
        return i;
    free(i);
    return NULL;
}

void roce_verbs_rows_free(roce_verbs_rows *i)
{
    free(i);
}

void roce_verbs_rows_count(const roce_verbs_rows *i, unsigned *rows, unsigned *bad)
{
    *rows = i->rows;
    *bad = i->bad;
}

const char *roce_verbs_rows_row(const roce_verbs_rows *i)
{
    return *i->row ? i->row : NULL;
}
