/* The clock tables of the PCI-X sheet, read and given values: what the initiator and the target of a table drive in
 * each clock.
 *
 * The texts are in clock_tables.c, as printed in pcix.md section 12. Two benches play them: tb/unit/host/stage.h puts
 * tables on the bus model of sim/model/host, tb/unit/pcix/test_tables.c plays one side of a table to the pins of the
 * RTL core. Each turns table_drive into pins of its own kind; reading, symbols, owners, parity and the comparison are
 * here. Nothing here is shared with the code under test.
 *
 *     clock_table t;
 *     table_drive want = {0};
 *     clock_table_get(&t, "a");
 *     clock_table_drive(&t, &values, TABLE_TARGET, 5, &want);      what the target drives in clock 5
 *     clock_table_differ(&t, 5, &want, &got, why, sizeof why);     and what it does drive
 *
 * Who drives a cell: FRAME#, REQ64#, IRDY#, C/BE#: the initiator. DEVSEL#, ACK64#, TRDY#, STOP#: the target. AD: the
 * initiator; on a read the target from the clock after the attribute phase on. PAR: whoever has AD in the clock that
 * the cell names (p7: clock 7). `z`: nobody. Words: 0 1 z; ADDR A[31:0] A[63:32] ATTR SCADR CATTR CFGAD; D0..; FF BC
 * BE# BE0 BE1, a command; ones; x (driven, any value); p0.. A changed table may also hold =hex in AD and C/BE#, !p7 in
 * PAR (inverted; !p7L only PAR, !p7H only PAR64), and 0 1 in PERR#, SERR#, which the target drives then.
 */
#ifndef NICXBAR_TB_CLOCK_TABLE_H
#define NICXBAR_TB_CLOCK_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "clock_tables.h"

/* Up to ROW_PAR the rows of the sheet, which every table has; the others are empty unless a test puts something there.
 */
enum table_row {
    ROW_FRAME,
    ROW_REQ64,
    ROW_IRDY,
    ROW_AD,
    ROW_CBE,
    ROW_DEVSEL,
    ROW_ACK64,
    ROW_TRDY,
    ROW_STOP,
    ROW_PAR,
    ROW_PERR,
    ROW_SERR,
    ROW_GNT,
    ROW_REQ,
    ROWS,
    LINE_PAR64 = ROWS, /* in table_drive only: the cell of PAR means both */
    TABLE_LINES
};
enum { TABLE_COLUMNS = 64, TABLE_BEFORE = 16 /* columns kept before clock 0 */, TABLE_CELL = 20 };
enum table_side { TABLE_NOBODY, TABLE_INITIATOR, TABLE_TARGET };

typedef char table_cells[ROWS][TABLE_COLUMNS][TABLE_CELL]; /* column = clock + TABLE_BEFORE */

typedef struct clock_table {
    const char *name;
    int first, last; /* clocks of the table as printed, -4 .. for configuration */
    int command;     /* in C/BE#, the second one of a dual address cycle */
    bool read, dual;
    bool wide, acked; /* REQ64# and ACK64# are low somewhere: the initiator and the target drive both halves */
    table_cells cell;
} clock_table;

/* What the symbols stand for. */
typedef struct table_values {
    uint64_t address;
    uint32_t attribute;     /* AD[31:0] of the attribute phase */
    uint8_t attribute_cbe;  /* C/BE[3:0]# of it */
    const uint64_t *data;   /* D0, D1 ... as on AD[63:0]; 32-bit transfers use the lower half */
    const uint8_t *enables; /* C/BE[7:0]# for BE0, BE1 */
} table_values;

/* What one side drives in one clock; all 0: nothing. Halves: bit 0 = lower. */
typedef struct table_drive {
    uint64_t ad;
    uint8_t ad_halves, cbe, cbe_halves;
    uint8_t on[TABLE_LINES], level[TABLE_LINES]; /* one-bit lines, by row */
    bool any_ad, any_parity;                     /* the value is not compared: AD is x, PAR belongs to x */
} table_drive;

/* The table of that name. Fails the test if there is none. */
void clock_table_get(clock_table *t, const char *name);
/* A text in the form of the sheet. Fails the test if a row is missing or has another number of cells than `clock`, or
 * if a cell of PAR is not the clock before it (z where AD was z). `name` is kept, not copied. */
void clock_table_read(clock_table *t, const char *name, const char *text);

extern const char *const table_row_names[ROWS];
int table_row_of(const char *name); /* -1: no such row */
/* "z" outside of what is kept. */
const char *table_cell(const table_cells *cells, int row, int clock);

/* Adds to `out` what that side drives in a clock. */
void clock_table_drive(const clock_table *t, const table_values *v, enum table_side side, int clock, table_drive *out);
/* Adds one word to `out` as if it stood in that row, whoever drives it; AD and C/BE# on those halves. */
void clock_table_put(const clock_table *t, const table_values *v, int row, const char *word, int halves,
                     table_drive *out);

/* 0, or -1 with table, clock, row and cell of the first difference in `why`: a line that is driven and should not be,
 * or the other way round, or has another level. Rows GNT# and REQ# are not compared. */
int clock_table_differ(const clock_table *t, int clock, const table_drive *want, const table_drive *got, char *why,
                       unsigned size);

/* Puts another word into a cell, for tests of those who compare: 0 1 z turn into each other, a value into another one,
 * nothing into a value, parity into its opposite. */
void clock_table_bad_parity(clock_table *t, int row, int clock);

#endif
