/* A point of a curve: a run whose result is a file, so that it is made once. A point that is the ideal switch alone has
 * the architecture "ideal". The file's name has the setup and a hash of everything that the numbers depend on: the
 * model, the setup, what drives it. */
#ifndef SIM_APP_PACKET_MODE_PM_POINT_H
#define SIM_APP_PACKET_MODE_PM_POINT_H

#include "sim/app/packet_mode/pm_setup.h"

typedef struct json_t json_t;

typedef struct pm_point {
    pm_setup run;
    double half_width; /* [%] see pm_run_params */
    unsigned needed;
    uint64_t ideal_clocks; /* of the ideal in the long run */
} pm_point;

/* Location of points, and the inputs that a point depends on. */
typedef struct pm_store {
    const char *folder;                   /* exists */
    const pm_architecture *architectures; /* behind the last one: one without a name */
    char *const *libraries;               /* paths of the models' libraries, NULL behind the last one */
    const char *sources;                  /* a text that changes with the C that drives the models */
    const char *memory; /* path of what make synth says of memories; NULL, or no such file: it has not said */
} pm_store;

enum { PM_PATH = 1000 };

/* A few words of it: "dpm bimodal 0.8", for progress. Returns text. */
const char *pm_point_words(const pm_point *p, char *text, size_t size);
/* The ideal switch in the long run that p is compared with. 0, or -1: there is none. */
int pm_point_ideal(const pm_store *s, const pm_point *p, pm_point *ideal);
/* Where its result is, or will be. Two points with the same path are the same. 0, or -1: it cannot be, why is in
 * `error`. */
int pm_point_path(const pm_store *s, const pm_point *p, char path[PM_PATH], char error[OPTION_ERROR]);
/* NULL: there is none, or it is no whole one. */
json_t *pm_point_load(const pm_store *s, const pm_point *p);
/* Makes it; the ideal's must be there. 0, or 1: failed, which is said on stderr; 130: interrupted. */
int pm_point_make(const pm_store *s, const pm_point *p);
/* Clocks that it costs, before any prolonging; the ideal's are of other worth. */
double pm_point_clocks(const pm_point *p);

/* ---- contents of a result ---- */

typedef struct pm_value {
    double mean, half_width; /* NAN: none */
    int hollow;              /* the interval is wider than it is to be, or its few batches depend on each other */
    int unstable;
} pm_value;

/* Of a result with two priorities delays are those of high priority: the part of it that contains them. */
const json_t *pm_point_part(const json_t *result, pm_measure m);
pm_value pm_point_value(const json_t *result, pm_measure m);
/* Of the ideal switch on the arrivals of a point, in the long run. */
double pm_point_ideal_value(const json_t *result, pm_measure m);
double pm_point_ideal_half_width(const json_t *result, pm_measure m);
/* By how much the mean of m lies below the ideal's: 0: not by more than its interval, or there is no ideal; 1: by more;
 * 2: by more than twice its interval, which chance does not explain, even among hundreds of means. */
int pm_point_below_ideal(const json_t *result, pm_measure m);
/* The mean of a - factor * b, batch by batch, with the ideal as control. NAN without them. */
pm_value pm_point_difference(const json_t *a, const json_t *b, pm_measure m, double factor);
/* 1 - a / b, with its interval, as a part. */
pm_value pm_point_reduction(const json_t *a, const json_t *b, pm_measure m);

#endif
