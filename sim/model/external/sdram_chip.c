/* Banks, rows and the rules between commands. See sdram_chip.h. */
#include "sim/model/external/sdram_chip.h"

#include <stdio.h>
#include <stdlib.h>

enum { BANKS = 8, LATE = 9 /* refresh periods without a refresh */ };

/* When something happened last; 0: never. Clocks are counted from 1. */
struct bank {
    int open;
    unsigned row;
    uint64_t activated, precharged, written;
};

struct sdram_chip {
    sdram_params p;
    struct bank bank[BANKS];
    uint64_t last, activated, written, read, refreshed;
    char text[160];
};

sdram_params sdram_params_default(void)
{
    return (sdram_params){.bank_bits = 2,
                          .row_bits = 12,
                          .column_bits = 10,
                          .cas_latency = 2,
                          .rcd = 2,
                          .rp = 2,
                          .ras = 5,
                          .rc = 7,
                          .rrd = 2,
                          .rfc = 7,
                          .wr = 2,
                          .write_to_read = 1,
                          .read_to_write = 4,
                          .refi = 1562,
                          .queue = 8,
                          .answer = 1};
}

sdram_params sdram_params_ddr(void)
{
    sdram_params p = sdram_params_default();
    p.row_bits = 13;
    p.rfc = 8;
    p.wr = 4;            /* WRITE latency 1, burst 1, tWR 2 */
    p.write_to_read = 3; /* WRITE latency 1, burst 1, tWTR 1 */
    p.read_to_write = 3; /* CAS latency 2, burst 1; WRITE data come a clock behind their command */
    p.refi = 781;
    p.answer = 2;
    return p;
}

const char *sdram_params_check(const sdram_params *p)
{
    if (p->bank_bits < 1 || p->bank_bits > 3) return "bank_bits must be 1..3";
    if (p->row_bits < 4 || p->row_bits > 14) return "row_bits must be 4..14";
    if (p->column_bits < 4 || p->column_bits > 12) return "column_bits must be 4..12";
    if (p->cas_latency < 1 || p->cas_latency > 8) return "cas_latency must be 1..8";
    if (!p->rcd || !p->rp || !p->ras || !p->rc || !p->rrd || !p->rfc || !p->wr || !p->write_to_read)
        return "rcd, rp, ras, rc, rrd, rfc, wr and write_to_read must be at least 1";
    if (p->ras < p->rcd) return "ras must be at least rcd";
    if (p->rc < p->ras + p->rp) return "rc must be at least ras + rp";
    if (p->read_to_write <= p->cas_latency)
        return "read_to_write must be more than cas_latency: the data pins are in use";
    if (p->refi < 4 * (p->ras + p->rp + p->rfc + p->wr)) return "refi leaves no time for anything but refreshes";
    if (p->queue < 1 || p->queue > 64) return "queue must be 1..64";
    if (p->answer > 8) return "answer must be 0..8";
    return NULL;
}

const char *sdram_command_name(sdram_command c)
{
    static const char *const names[] = {"ACTIVATE", "READ", "WRITE", "PRECHARGE", "PRECHARGE ALL", "REFRESH"};
    return (unsigned)c < sizeof names / sizeof names[0] ? names[c] : "unknown";
}

sdram_chip *sdram_chip_new(const sdram_params *p)
{
    sdram_chip *c = calloc(1, sizeof *c);
    if (c) c->p = *p;
    return c;
}

void sdram_chip_free(sdram_chip *c) { free(c); }

uint64_t sdram_chip_word(const sdram_chip *c, unsigned bank, unsigned column)
{
    return ((uint64_t)c->bank[bank].row << c->p.bank_bits | bank) << c->p.column_bits | column;
}

/* The rule `name`: at least `least` clocks from `since` (0: never) to `clock`. */
static int early(sdram_chip *c, const char *name, uint64_t since, uint64_t clock, unsigned least)
{
    if (!since || clock - since >= least) return 0;
    snprintf(c->text, sizeof c->text, "%s: %llu clocks, expected at least %u", name,
             (unsigned long long)(clock - since), least);
    return 1;
}

static int no(sdram_chip *c, const char *text, unsigned bank)
{
    snprintf(c->text, sizeof c->text, "bank %u %s", bank, text);
    return 1;
}

static int activate(sdram_chip *c, uint64_t t, unsigned bank, unsigned row)
{
    const sdram_params *p = &c->p;
    struct bank *b = &c->bank[bank];
    if (row >> p->row_bits) return no(c, "has no such row", bank);
    if (b->open) return no(c, "is open already", bank);
    if (early(c, "tRP", b->precharged, t, p->rp) || early(c, "tRC", b->activated, t, p->rc) ||
        early(c, "tRRD", c->activated, t, p->rrd) || early(c, "tRFC", c->refreshed, t, p->rfc))
        return 1;
    b->open = 1;
    b->row = row;
    b->activated = c->activated = t;
    return 0;
}

static int column(sdram_chip *c, uint64_t t, unsigned bank, unsigned number, int write)
{
    const sdram_params *p = &c->p;
    struct bank *b = &c->bank[bank];
    if (number >> p->column_bits) return no(c, "has no such column", bank);
    if (!b->open) return no(c, "is not open", bank);
    if (early(c, "tRCD", b->activated, t, p->rcd)) return 1;
    if (write) {
        if (early(c, "read to write", c->read, t, p->read_to_write)) return 1;
        b->written = c->written = t;
    } else {
        if (early(c, "write to read", c->written, t, p->write_to_read)) return 1;
        c->read = t;
    }
    return 0;
}

static int precharge(sdram_chip *c, uint64_t t, unsigned from, unsigned to)
{
    const sdram_params *p = &c->p;
    for (unsigned i = from; i <= to; i++) {
        const struct bank *b = &c->bank[i];
        if (b->open && (early(c, "tRAS", b->activated, t, p->ras) || early(c, "tWR", b->written, t, p->wr))) return 1;
    }
    for (unsigned i = from; i <= to; i++) {
        struct bank *b = &c->bank[i];
        if (b->open) b->precharged = t;
        b->open = 0;
    }
    return 0;
}

static int refresh(sdram_chip *c, uint64_t t)
{
    const sdram_params *p = &c->p;
    for (unsigned i = 0; i >> p->bank_bits == 0; i++) {
        if (c->bank[i].open) return no(c, "is open", i);
        if (early(c, "tRP", c->bank[i].precharged, t, p->rp) || early(c, "tRC", c->bank[i].activated, t, p->rc))
            return 1;
    }
    if (early(c, "tRFC", c->refreshed, t, p->rfc)) return 1;
    c->refreshed = t;
    return 0;
}

const char *sdram_chip_command(sdram_chip *c, uint64_t clock, sdram_command command, unsigned bank, unsigned address)
{
    const sdram_params *p = &c->p;
    int wrong;
    if (clock <= c->last) return "more than one command in a clock";
    if (bank >> p->bank_bits) return "no such bank";
    c->last = clock;
    if (command != SDRAM_REFRESH && clock - c->refreshed > (uint64_t)LATE * p->refi) {
        snprintf(c->text, sizeof c->text,
                 "no refresh for %llu clocks, expected one every %u on average, at most %d late",
                 (unsigned long long)(clock - c->refreshed), p->refi, LATE - 1);
        return c->text;
    }
    switch (command) {
    case SDRAM_ACTIVATE:
        wrong = activate(c, clock, bank, address);
        break;
    case SDRAM_READ:
    case SDRAM_WRITE:
        wrong = column(c, clock, bank, address, command == SDRAM_WRITE);
        break;
    case SDRAM_PRECHARGE:
        wrong = precharge(c, clock, bank, bank);
        break;
    case SDRAM_PRECHARGE_ALL:
        wrong = precharge(c, clock, 0, (1u << p->bank_bits) - 1);
        break;
    case SDRAM_REFRESH:
        wrong = refresh(c, clock);
        break;
    default:
        return "no such command";
    }
    return wrong ? c->text : NULL;
}
