/* The controller. See sdram.h. */
#include "sim/model/external/sdram.h"

#include <stdlib.h>

#include "sim/model/external/external_private.h"

enum { BANKS = 8, QUEUE = 64 };

/* First clocks in which something may be done. */
struct bank {
    int open;
    unsigned row;
    uint64_t activate, column, precharge;
};

struct sdram {
    sim *s;
    external *port;
    sdram_params p;
    sdram_chip *chip;
    struct bank bank[BANKS];
    uint64_t activate, read, write; /* any bank */
    external_request queue[QUEUE];
    unsigned first, count;
    int checked; /* the oldest request has been counted as hit, open or miss */
    uint64_t refresh_at;
    int refreshing;
    sdram_stats stats;
    sdram_on_command on_command;
    void *arg;
};

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void command(sdram *d, uint64_t now, sdram_command c, unsigned bank, unsigned address)
{
    const char *wrong = sdram_chip_command(d->chip, now, c, bank, address);
    if (wrong)
        sim_fail(d->s, "SDRAM: clock %llu: %s of bank %u: %s", (unsigned long long)now, sdram_command_name(c), bank,
                 wrong);
    if (d->on_command) d->on_command(d->arg, now, c, bank, address);
}

static void closed(sdram *d, struct bank *b, uint64_t now)
{
    b->open = 0;
    b->activate = later(b->activate, now + d->p.rp);
}

static void open_row(sdram *d, uint64_t now, unsigned bank, unsigned row)
{
    struct bank *b = &d->bank[bank];
    command(d, now, SDRAM_ACTIVATE, bank, row);
    b->open = 1;
    b->row = row;
    b->column = now + d->p.rcd;
    b->precharge = now + d->p.ras;
    b->activate = now + d->p.rc;
    d->activate = now + d->p.rrd;
}

static void access_column(sdram *d, uint64_t now, unsigned bank, unsigned column, const external_request *r)
{
    const sdram_params *p = &d->p;
    struct bank *b = &d->bank[bank];
    command(d, now, r->write ? SDRAM_WRITE : SDRAM_READ, bank, column);
    if (r->write) {
        b->precharge = later(b->precharge, now + p->wr);
        d->read = now + p->write_to_read;
    } else {
        b->precharge = later(b->precharge, now + 1);
        d->write = now + p->read_to_write;
    }
    external_access(d->port, r, sdram_chip_word(d->chip, bank, column), p->cas_latency + p->answer);
}

/* One step on the way to a refresh. */
static void refresh(sdram *d, uint64_t now)
{
    int open = 0;
    uint64_t from = 0, idle = 0;
    for (unsigned i = 0; i >> d->p.bank_bits == 0; i++) {
        struct bank *b = &d->bank[i];
        open |= b->open;
        if (b->open) from = later(from, b->precharge);
        else idle = later(idle, b->activate);
    }
    if (open) {
        if (now < from) return;
        command(d, now, SDRAM_PRECHARGE_ALL, 0, 0);
        for (unsigned i = 0; i >> d->p.bank_bits == 0; i++)
            if (d->bank[i].open) closed(d, &d->bank[i], now);
        return;
    }
    if (now < idle) return;
    command(d, now, SDRAM_REFRESH, 0, 0);
    d->activate = later(d->activate, now + d->p.rfc);
    d->stats.refreshes++;
    d->refreshing = 0;
}

/* One step for the oldest request. */
static void serve(sdram *d, uint64_t now)
{
    const sdram_params *p = &d->p;
    external_request *r = &d->queue[d->first];
    unsigned column = (unsigned)(r->word & ((1u << p->column_bits) - 1));
    unsigned bank = (unsigned)(r->word >> p->column_bits & ((1u << p->bank_bits) - 1));
    unsigned row = (unsigned)(r->word >> (p->column_bits + p->bank_bits) & ((1u << p->row_bits) - 1));
    struct bank *b = &d->bank[bank];
    if (!d->checked) {
        d->checked = 1;
        if (!b->open) d->stats.row_opens++;
        else if (b->row == row) d->stats.row_hits++;
        else d->stats.row_misses++;
    }
    if (!b->open) {
        if (now >= b->activate && now >= d->activate) open_row(d, now, bank, row);
    } else if (b->row != row) {
        if (now < b->precharge) return;
        command(d, now, SDRAM_PRECHARGE, bank, 0);
        closed(d, b, now);
    } else if (now >= b->column && now >= (r->write ? d->write : d->read)) {
        access_column(d, now, bank, column, r);
        d->first = (d->first + 1) % QUEUE;
        d->count--;
        d->checked = 0;
    }
}

static void sdram_clock(void *self, uint64_t now, const external_request *taken)
{
    sdram *d = self;
    if (taken) d->queue[(d->first + d->count++) % QUEUE] = *taken;
    d->stats.busy += d->count != 0;
    if (now >= d->refresh_at) {
        d->refresh_at += d->p.refi;
        d->refreshing = 1;
    }
    if (d->refreshing) refresh(d, now);
    else if (d->count) serve(d, now);
}

static int sdram_room(const void *self)
{
    const sdram *d = self;
    return d->count < d->p.queue;
}

static void sdram_free(void *self)
{
    sdram *d = self;
    sdram_chip_free(d->chip);
    free(d);
}

sdram *sdram_new(sim *s, external *m, const sdram_params *p)
{
    sdram *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->s = s;
    d->port = m;
    d->p = *p;
    d->refresh_at = p->refi;
    d->chip = sdram_chip_new(p);
    if (!d->chip) {
        free(d);
        return NULL;
    }
    return d;
}

sdram_chip *sdram_get_chip(sdram *d) { return d->chip; }

void sdram_set_on_command(sdram *d, sdram_on_command fn, void *arg)
{
    d->on_command = fn;
    d->arg = arg;
}

const sdram_stats *sdram_get_stats(const sdram *d) { return &d->stats; }

const external_ops sdram_ops = {.clock = sdram_clock, .every_clock = 1, .room = sdram_room, .free = sdram_free};
