#include <stdlib.h>
#include <string.h>

#include "sim/app/roce/linux/roce_verbs_rows_internal.h"
#include "sim/model/rnic/rnic_packet.h"

/* ---- receiver not ready */

static void let_go(void *self)
{
    roce_verbs_rows *i = self;
    if (i->line[0].rnr_naks_sent >= 3) i->connections[0].hold = 0;
}

void verbs_let_take(void *self)
{
    roce_verbs_rows *i = self;
    if (!i->connections[0].late || i->line[1].rnr_naks_sent < 3) return;
    i->connections[0].late = 0;
    roce_connection_takes(&i->x, &i->connections[0]);
}

void verbs_rnr_rows(roce_verbs_rows *i)
{
    static const roce_message ins[] = {{ROCE_SEND_IN, 300},  {ROCE_SEND_IN, 5000}, {ROCE_SEND_IN, 1},
                                       {ROCE_SEND_IN, 4000}, {ROCE_SEND_IN, 9000}, {ROCE_READ, 5000},
                                       {ROCE_WRITE, 3000}};
    static const roce_message outs[] = {{ROCE_WRITE, 3000}, {ROCE_SEND_OUT, 5000}, {ROCE_SEND_OUT, 1},
                                        {ROCE_READ, 5000},  {ROCE_SEND_OUT, 900},  {ROCE_SEND_IN, 5000}};
    static const unsigned codes[] = {1, 6, 8};
    for (unsigned s = 0; s < STARTS; s++) {
        roce_connection *l = &i->connections[0];
        if (verbs_row(i, "RNR NAKs while its receive queue is full", "rnr-out-%06x", verbs_starts[s])) {
            *l = (roce_connection){.psn = verbs_starts[s],
                                   .pmtu = 1024,
                                   .messages = ins,
                                   .count = COUNT(ins),
                                   .buffers = 2,
                                   .hold = 1,
                                   .rnr_timer = codes[s]};
            verbs_row_end(i, verbs_connections_open(i, 1) || roce_exchange_run(&i->x, l, 1, let_go, i) ||
                                 verbs_counters_agree(i));
        }
        if (verbs_row(i, "RNR NAKs while Linux has no receive", "rnr-in-%06x", verbs_starts[s])) {
            *l = (roce_connection){.psn = verbs_starts[s],
                                   .pmtu = 1024,
                                   .messages = outs,
                                   .count = COUNT(outs),
                                   .late = 1,
                                   .rnr_timer = codes[s]};
            verbs_row_end(i, verbs_connections_open(i, 1) || roce_exchange_run(&i->x, l, 1, verbs_let_take, i) ||
                                 verbs_counters_agree(i));
        }
    }
}

/* ---- access refused */

enum { FATAL_REMOTE_ACCESS = 10 /* 01010 of S5 table 2-4 */ };

/* Three requests, the first of which Linux refuses: all end with an error, and memory stays as it was. */
int verbs_refused(roce_verbs_rows *i, rn_opcode opcode, uint64_t address, uint32_t key, uint32_t start)
{
    enum { AT = 4096, LENGTH = 3000, PATTERN = 0x7777, REQUESTS = 3 };
    roce_exchange *x = &i->x;
    roce_connection *l = &i->connections[0];
    rn_completion c;
    unsigned syndrome, code, ended = 0;
    uint8_t junk[LENGTH], is[LENGTH];
    memset(junk, 0xa5, sizeof junk);
    verbs_some_connections(i, 1, start);
    if (verbs_connections_open(i, 1) || roce_verbs_call(x->verbs, "fill %x %x %x", AT, LENGTH, PATTERN)) return -1;
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
                                   failed ? "has failed" : "works", syndrome, code, RNIC_NAK_ACCESS,
                                   FATAL_REMOTE_ACCESS);
    roce_end_read(x->end, local, is, LENGTH);
    if (memcmp(is, junk, LENGTH)) return roce_exchange_fails(x, "memory of the end has changed");
    if (roce_verbs_call(x->verbs, "check %x %x %x", AT, LENGTH, PATTERN)) return -1;
    if (strtoul(roce_verbs_answer(x->verbs), NULL, 16) != LENGTH)
        return roce_exchange_fails(x, "Linux' memory has changed");
    return 0;
}

/* The QP works after it is set up again. */
static int restart(roce_verbs_rows *i, uint32_t start)
{
    verbs_connections_close(i);
    verbs_some_connections(i, 1, start);
    return verbs_connections_open(i, 1) || roce_exchange_run(&i->x, i->connections, 1, NULL, NULL) ||
           verbs_counters_agree(i);
}

void verbs_refused_rows(roce_verbs_rows *i)
{
    const roce_exchange *x = &i->x;
    for (unsigned s = 0; s < STARTS; s++)
        for (int read = 0; read < 2; read++) {
            const struct {
                const char *name, *words;
                uint64_t address;
                uint32_t key;
            } faults[] = {{"key", "a wrong key: NAK 62, FATAL, all WQEs with ERRFLAG, and restart", x->address + 4096,
                           x->key ^ 0x55},
                          {"rights", "a key without rights: the same", x->address + 4096, x->no_rights},
                          {"beyond", "a byte beyond the region: the same", x->address + x->length - 2999, x->key},
                          {"before", "a byte before the region: the same", x->address - 1, x->key}};
            for (unsigned f = 0; f < COUNT(faults); f++)
                if (verbs_row(i, faults[f].words, "%s-%s-%06x", read ? "read" : "write", faults[f].name,
                              verbs_starts[s]))
                    verbs_row_end(i, verbs_refused(i, read ? RN_READ : RN_WRITE, faults[f].address, faults[f].key,
                                                   verbs_starts[s]) ||
                                         restart(i, verbs_starts[s]));
        }
}
