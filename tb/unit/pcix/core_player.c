/* See core_player.h. */
#include "core_player.h"

#include <stdio.h>
#include <string.h>

/* Rows of tables and lines of the bench. */
static const struct {
    int row, line;
} pairs[] = {{ROW_FRAME, FRAME}, {ROW_REQ64, REQ64}, {ROW_IRDY, IRDY}, {ROW_DEVSEL, DEVSEL}, {ROW_ACK64, ACK64},
             {ROW_TRDY, TRDY},   {ROW_STOP, STOP},   {ROW_PERR, PERR}, {ROW_PAR, PAR},       {LINE_PAR64, PAR64}};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

/* What the NIC drives in the coming clock. */
static void nic_now(const bench *b, table_drive *d)
{
    bus_drive n;
    bench_nic(b, &n);
    *d = (table_drive){.ad = n.ad, .ad_halves = n.ad_on, .cbe = n.cbe, .cbe_halves = n.cbe_on};
    for (int i = 0; i < PAIRS; i++) {
        d->on[pairs[i].row] = n.on[pairs[i].line];
        d->level[pairs[i].row] = n.level[pairs[i].line];
    }
}

static void host_drives(bench *b, const table_drive *d)
{
    if (d->ad_halves) drive_ad(&b->h, d->ad, d->ad_halves);
    if (d->cbe_halves) drive_cbe(&b->h, d->cbe, d->cbe_halves);
    for (int i = 0; i < PAIRS; i++)
        if (d->on[pairs[i].row] && pairs[i].line != PAR && pairs[i].line != PAR64) drive_line(&b->h, pairs[i].line, d->level[pairs[i].row]);
}

int player_run(bench *b, const clock_table *t, enum table_side nic, const table_values *v, char *why, unsigned size)
{
    enum table_side host = nic == TABLE_INITIATOR ? TABLE_TARGET : TABLE_INITIATOR;
    for (int wait = 0; nic == TABLE_INITIATOR && !*b->p.frame_n_oe; wait++) {
        if (wait == 40) {
            snprintf(why, size, "table %s: the NIC does not start", t->name);
            return -1;
        }
        bench_clock(b);
    }
    for (int clock = t->first; clock <= t->last; clock++) {
        table_drive want = {0}, given = {0}, got;
        clock_table_drive(t, v, nic, clock, &want);
        nic_now(b, &got);
        if (clock_table_differ(t, clock, &want, &got, why, size) != 0) return -1;
        clock_table_drive(t, v, host, clock, &given);
        host_drives(b, &given);
        b->h.idsel = strcmp(table_cell(&t->cell, ROW_AD, clock), "CFGAD") == 0 && strcmp(table_cell(&t->cell, ROW_FRAME, clock), "0") == 0;
        bench_clock(b);
        if (b->problem[0]) {
            snprintf(why, size, "table %s, clock %d: %s", t->name, clock, b->problem);
            return -1;
        }
    }
    return 0;
}
