/* Plays clock tables in the form of pcix.md section 12 on a bus, and compares what an agent under test drives with them.
 *
 * A table says what one initiator and one target drive in each clock; symbols (ADDR, D3, BC, p7 ...) get their values from table_values.
 * A cell can be edited: "IRDY# 7 1" puts 1 into row IRDY#, column 7. Several edits are separated by ';'. A prefix lets somebody drive in
 * addition to the table: "x:AD 3 =12" an intruder, "i:" the initiator, "t:" the target. AD and C/BE# take =hex, PAR takes !p7 (inverted).
 * GNT# is a row too.
 */
#ifndef NICXBAR_TB_CLOCK_TABLE_H
#define NICXBAR_TB_CLOCK_TABLE_H

#include "clock_tables.h"
#include "sim/host/pcix_bus.h"

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
    ROWS
};
enum { TABLE_COLUMNS = 64, TABLE_BEFORE = 16 /* columns kept before the first one, for edits */, TABLE_CELL = 20 };
enum table_layer { LAYER_TABLE, LAYER_INITIATOR, LAYER_TARGET, LAYER_INTRUDER, LAYERS };

typedef struct table_values {
    int command;
    uint64_t address;
    uint32_t attribute; /* AD[7:0] of the count included */
    uint8_t attribute_cbe;
    uint64_t data[16];  /* D0 ... */
    uint8_t enables[2]; /* BE0, BE1: C/BE# as on the bus */
} table_values;

typedef struct clock_table {
    int first, last; /* columns of the table as printed, -4 .. for configuration */
    bool wide, acked, read;
    char cell[LAYERS][ROWS][TABLE_COLUMNS][TABLE_CELL]; /* index = column + TABLE_BEFORE */
} clock_table;

/* The table of that name with the values that its text in section 12 gives; fails the test if there is none. */
void clock_table_get(const char *name, clock_table *t, table_values *v);
void clock_table_edit(clock_table *t, const char *edits);
/* What one side drives in a column. */
void clock_table_drive(const clock_table *t, const table_values *v, int column, int layer, pcix_drive *out);

/* --- a bus with tables on it: agent 0 "bridge", 1 "device", 2 "intruder" --- */

enum { STAGE_PLAYS = 4 };
typedef struct play {
    clock_table table;
    table_values values;
    uint64_t at;           /* clock of column 0 */
    int initiator, target; /* agents */
    bool grant;            /* GNT# from 12 clocks before to the end, unless edited */
} play;
typedef struct stage {
    pcix_bus *bus;
    play plays[STAGE_PLAYS];
    int count;
    struct {
        pcix_step step;
        void *self;
    } instead[2];         /* an agent under test in place of player 0 or 1 */
    pcix_drive wanted[2]; /* what the tables say for agents that are under test */
    bool compare;         /* fail the test when an agent under test drives something else */
    bool ignore_grant;    /* GNT# comes from somebody else */
} stage;

/* RST# has been high for 20 clocks when it returns. */
void stage_init(stage *s);
void stage_free(stage *s);
/* Adds a table with column 0 at clock `at`. Returns it for changes of its values. */
play *stage_add(stage *s, const char *name, uint64_t at, int initiator, int target);
void stage_run(stage *s, unsigned clocks);

#endif
