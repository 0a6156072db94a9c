/* Figures of make curves, their curves and points, as tables. No other file knows a figure by name. */
#ifndef SIM_APP_PACKET_MODE_PM_FIGURES_H
#define SIM_APP_PACKET_MODE_PM_FIGURES_H

#include "sim/app/packet_mode/pm_point.h"

enum { PM_X = 12 /* points of a curve at most */, PM_CURVES = 8 /* of a figure */ };

/* The same thing at several loads, or several exponents of Zipf's law. */
typedef struct pm_series {
    const char *name; /* no two have the same */
    const char *label;
    const char *arch, *sizes, *arrivals, *cells;
    enum {
        PM_LOADS,
        PM_FEW_LOADS,
        PM_EXPONENTS,
        PM_NONE /* one point */,
        PM_HIGH_LOADS,
        PM_HIGH_LOADS_FROM_0,
        PM_SET_LOADS
    } x;
    unsigned ports;
    int dashed; /* as drawn */
    enum { PM_SETS, PM_COPIES, PM_SPLIT } way;
    unsigned fanout; /* PM_SET_LOADS: outputs of each packet, by `way` */
} pm_series;
extern const pm_series pm_all_series[]; /* behind the last: one without a name */
const pm_series *pm_series_find(const char *name);

typedef struct pm_figure {
    const char *name, *title, *caption;
    pm_measure measure;
    const char *series[PM_CURVES]; /* NULL behind the last one */
} pm_figure;
extern const pm_figure pm_all_figures[]; /* behind the last: one without a name */
/* Its points are made only when it is asked for by its name: switches with lanes or sets, no part of S3's pictures. */
int pm_figure_apart(const pm_figure *f);

/* How long the points are, and how exact. */
typedef struct pm_effort {
    int quick;
    uint64_t seed;
} pm_effort;

/* Places on the x axis; returns how many. */
unsigned pm_series_x(const pm_series *s, const pm_effort *e, double x[PM_X]);
/* The point there; its texts live for ever. */
pm_point pm_series_point(const pm_series *s, const pm_effort *e, double x);

#endif
