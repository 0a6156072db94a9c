/* Puts clock tables (tb/pcix_tables) on a bus of sim/model/host: players drive both sides, or an agent under test
 * replaces one and is compared.
 *
 * A cell of a play can be edited: "IRDY# 7 1" puts 1 into row IRDY#, column 7; "GNT# 5..20 1" into several. Edits are
 * separated by ';'. A prefix adds a driver to the table: "x:AD 3 =12" an intruder, "i:" the initiator, "t:" the target.
 * GNT# and REQ# are rows as well: GNT# of the initiator is low from 12 clocks before to the end, unless edited. So can
 * the values: "address + 2000", "attribute | 20", with = | & + and a number in hex; "enables = f" is C/BE[7:0]# of BE0.
 */
#ifndef NICXBAR_TB_STAGE_H
#define NICXBAR_TB_STAGE_H

#include "sim/model/host/pcix_bus.h"
#include "tb/pcix_tables/clock_table.h"

/* Agents: 0 "bridge", 1 "device", 2 "intruder", also the arbiter. */
enum { STAGE_PLAYS = 4, STAGE_DATA = 16 };
enum stage_layer { LAYER_INITIATOR, LAYER_TARGET, LAYER_INTRUDER, LAYERS };

typedef struct play {
    clock_table table;
    table_cells addition[LAYERS]; /* additional drives by edits */
    table_values values;
    uint8_t enables[2];    /* values.enables */
    uint64_t at;           /* clock of column 0 */
    int initiator, target; /* agents */
} play;
typedef struct stage {
    pcix_bus *bus;
    play plays[STAGE_PLAYS];
    int count;
    struct {
        pcix_step step;
        void *self;
    } instead[2];         /* an agent under test in place of player 0 or 1 */
    bool compare;         /* agents under test with the one play there is */
    char difference[300]; /* the first one: table, clock, row, cell */
    bool keep_difference; /* do not fail the test for it */
} stage;

/* RST# has been high for 20 clocks when it returns. */
void stage_init(stage *s);
/* Adds a table with column 0 at clock `at` and the values that its text in section 12 gives. Returns it for changes; it
 * stays in the stage.
 */
play *stage_add(stage *s, const char *name, uint64_t at, int initiator, int target);
/* Fails the test if an edit names no row, column or value. */
void stage_edit(play *p, const char *edits);
/* Fails the test at the first difference. */
void stage_run(stage *s, unsigned clocks);

#endif
