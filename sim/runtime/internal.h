/* What the files of the runtime share. Not for anybody else: include sim.h or model.h. */
#ifndef SIM_RUNTIME_INTERNAL_H
#define SIM_RUNTIME_INTERNAL_H

#include "sim/runtime/model.h"
#include "sim/runtime/sim.h"
#include "sim/runtime/splitmix64.h"

#include <stdbool.h>

/* A growing array: LIST(type) l; *list_add(&l) = x. Memory exhaustion ends the program: a simulation cannot go on without. */
#define LIST(type)                                                                                                                         \
    struct {                                                                                                                               \
        type *at;                                                                                                                          \
        size_t count, room;                                                                                                                \
    }
#define list_add(l) ((l)->at = list_grow((l)->at, (l)->count, &(l)->room, sizeof *(l)->at), (l)->at + (l)->count++)
#define list_free(l) (free((l)->at), (l)->at = NULL, (l)->count = (l)->room = 0)
void *list_grow(void *at, size_t count, size_t *room, size_t size);
/* calloc that ends the program with a message when memory is exhausted. */
void *new_zeroed(size_t size);
char *new_string(const char *text);

typedef struct {
    void (*sample)(void *), (*drive)(void *);
    void *self;
} attachment;

typedef struct {
    sim_model *model;
    uint8_t *port;
} clocked_port;

struct sim_clock {
    sim *s;
    char *name;
    sim_time period, jitter;
    uint64_t step_whole, step_frac;   /* true period [ps], 64.64 fixed point */
    uint64_t ideal_whole, ideal_frac; /* next edge without jitter */
    size_t index;                     /* in sim.clocks and sim.edges */
    sim_time fall;                    /* next falling edge while waves are written, else SIM_FOREVER */
    uint64_t cycles;
    uint64_t random; /* state of the jitter's own stream */
    LIST(attachment) attachments;
    LIST(clocked_port) ports;
    LIST(sim_task *) waiting;
};

typedef struct {
    sim_clock *clock;
    uint8_t *port;
} connection;

typedef struct {
    void (*dump)(void *self, FILE *f);
    void *self;
    const char *name;
} report;

struct sim_model {
    sim *s;
    const sim_config *config;
    void *impl;
    char *name;
    bool settled; /* nothing has happened to it since its last evaluation with clocks low */
    LIST(connection) clocks;
    void *binding;
    LIST(sim_port) ports;
    LIST(void *) views; /* sim_model_as, sim_model_ports_as */
    FILE *pins;         /* where they are recorded, NULL: nowhere yet */
    bool pins_ended;    /* ... nor later */
};

struct sim {
    sim_params params;
    char *error; /* NULL: none */
    sim_time now, last_progress;
    uint64_t random[4];
    bool stop;

    LIST(sim_clock *) clocks;
    LIST(sim_time) edges;     /* next rising edge of each clock: apart from the clocks, because every step looks at all of them */
    LIST(sim_clock *) rising; /* clocks with an edge now */
    LIST(report) reports;
    report status; /* dump may be NULL */

    /* model.c */
    LIST(sim_model *) models;
    const sim_engine *engine;
    void *context;
    char *waves_base; /* file name without .fst, NULL: no waves */
    void *waves;      /* not NULL: recording */
    unsigned waves_files;
    unsigned waves_dumps; /* in this file */
    bool waves_started;   /* the automatic start has happened */
    sim_time waves_last;

    /* task.c */
    LIST(sim_task *) tasks, ready, timed;
    size_t ready_next;
    sim_task *current;
    size_t live;
    void *scheduler; /* where a task switches back to */
};

uint64_t random_hash(uint64_t seed, const char *name);

/* clock.c */
void clock_advance(sim_clock *c);
void clock_free(sim_clock *c);

/* model.c */
void models_settle(sim_clock *c);
void models_rise(sim_clock *c);
void models_fall(sim_clock *c);
void models_propagate(sim_clock *c);
void models_time(sim *s);
bool waves_open(sim *s);
void waves_dump(sim *s);
void waves_close(sim *s);
void waves_window(sim *s);
void models_free(sim *s);

/* pins.c */
void pins_record(sim_model *m); /* before an edge, its inputs have passed through, its clocks are low */
void pins_close(sim_model *m);

/* task.c */
void tasks_run(sim *s); /* phase 5 of an edge */
sim_time tasks_next(const sim *s);
void tasks_free(sim *s);

#endif
