/* Faults of a run with guests, by plan (sim/traffic/faults/plan.h): cables are cut, guests are killed and started
 * again. Times are those of the guests' clock. */
#ifndef SIM_APP_LINUX_LINUX_FAULTS_H
#define SIM_APP_LINUX_LINUX_FAULTS_H

#include <stdint.h>
#include <stdio.h>

#include "sim/traffic/faults/plan.h"

struct linux_world;

typedef enum linux_fault_kind { LINUX_CUT, LINUX_KILL, LINUX_START, LINUX_PULL } linux_fault_kind;

typedef struct linux_fault {
    linux_fault_kind kind;
    unsigned guest;      /* from 0 */
    uint64_t at, length; /* [ns]; 0: for ever */
    int begun, over;
    const char *wrong; /* why it did nothing; NULL: it did */
    char text[FAULT_TEXT];
} linux_fault;

typedef struct linux_faults {
    linux_fault fault[FAULT_PLAN_MOST];
    unsigned count;
    sim_time struck; /* simulated time at which one began or ended last */
} linux_faults;

/* NULL: no faults. -1: the text is wrong, the error (of 400 characters) begins with the option's name. */
int linux_faults_read(const char *text, unsigned guests, linux_faults *faults, char *error);
/* When the next one begins or ends [ns]; UINT64_MAX: none does. */
uint64_t linux_faults_next(const linux_faults *faults);
/* Those that are due begin or end. */
void linux_faults_strike(struct linux_world *w);
/* A guest that has ended is to be started again. */
int linux_faults_restart(const linux_faults *faults, unsigned guest);
void linux_faults_print(const linux_faults *faults, FILE *out);
struct json_t *linux_faults_json(const linux_faults *faults);

#endif
