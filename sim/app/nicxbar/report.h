/* The table at the end of `make sim`, and the same figures as JSON. */
#ifndef SIM_APP_NICXBAR_REPORT_H
#define SIM_APP_NICXBAR_REPORT_H

#include <stdio.h>

#include "sim/traffic/scenario/exchange.h"
#include "sim/traffic/scenario/meter.h"

typedef struct report {
    const exchange *x;
    const meter *meter;
    const paths_report *carried;
    const char *bridge;
    unsigned payload; /* [64-bit words] */
    double wall;      /* [s] */
    int result, good;
    const char *faulty; /* "": nothing is wrong with the account of the faults */
} report;

/* Prints the table. */
void report_print(const report *r, FILE *out);

/* The results as JSON. */
struct json_t *report_json(const report *r);

#endif
