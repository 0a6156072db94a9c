/* The simulator's runtime: clocks, the order of things at an edge, host software as coroutines, waves, and how a run
 * ends.
 *
 * Time is in picoseconds. The scheduler jumps from clock edge to clock edge; nothing happens in between. At the rising
 * edge of a clock
 *
 *   1. the models on it settle: the inputs driven since their last edge have passed through their combinational logic;
 *   2. every `sample` attached to the clock runs, in the order of attachment, and sees all values from before the edge;
 *   3. the models' clock inputs rise and the models are evaluated;
 *   4. every `drive` attached to the clock runs: it sees the values after the edge and sets inputs;
 *   5. tasks whose condition has come true go on, until each waits again.
 *
 * Edges of several clocks at the same picosecond are one step: all samples, then all models, then all drives. So no C
 * block races with the RTL or with another C block that keeps to "look in sample, set in drive". Blocks that meet on
 * wires in one phase (a resolved bus) depend on the order of attachment and must state it.
 *
 * Falling edges are events only where they matter. A clock falls halfway to its next rise if a model on it has
 * something that works on falling edges (the binding knows that); values driven up to then are seen there. Else a clock
 * input is low again when its model settles before the next edge of any of its clocks; in waves it falls halfway, too.
 *
 * Clocks may be put into groups, one for each part of a system that sees the others after a minimum latency only:
 * sim_lookahead().
 *
 * A sim and everything made for it belong to one thread (but see sim_threads). Free in the reverse order: blocks,
 * bindings, then sim_free. A result other than SIM_OK, SIM_STOPPED and SIM_TIME_LIMIT closes the waves file, so it is
 * readable. */
#ifndef SIM_CORE_KERNEL_SIM_H
#define SIM_CORE_KERNEL_SIM_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sim sim;
typedef struct sim_clock sim_clock;
typedef struct sim_group sim_group;
typedef struct sim_task sim_task;
typedef struct sim_model sim_model;
typedef uint64_t sim_time; /* [ps] */

#define SIM_NS ((sim_time)1000)
#define SIM_US ((sim_time)1000000)
#define SIM_MS ((sim_time)1000000000)
#define SIM_FOREVER UINT64_MAX

/* ---- a simulation ---- */

enum { SIM_LANES_OFF, SIM_LANES_ON, SIM_LANES_CHECK };

typedef struct {
    uint64_t seed;     /* everything random follows from it. Default: environment SIM_SEED, else 1 */
    sim_time watchdog; /* [ps] without sim_progress() after which the run ends; 0 = never. Default 1 ms */
    double patience;   /* [s] of processor time that one evaluation of a model may take: more is a loop without end.
                          Default 10 */
    const char
        *waves; /* FST file, NULL = none; NAME.part while it is recorded. Default: environment SIM_WAVES, to which
                   ".fst" (first sim of the process) or "-2.fst", "-3.fst" ... is appended. Must outlive the sim */
    const char *waves_scopes; /* what is recorded, names with commas between: "nic0" (all of a model), "nic0.dma" (an
                                 instance in it with all below), "node0" (a group of clocks). NULL = all. Default:
                                 environment SIM_WAVES_SCOPES */
    sim_time waves_from;      /* [ps] when recording starts. Default 0; SIM_FOREVER = only at sim_waves_start() */
    sim_time waves_to;        /* [ps] when it stops. Default SIM_FOREVER */
    const char *waves_from_event; /* NULL, the default; else recording starts as soon as this is so after waves_from
                                     (event.h) */
    const char *waves_to_event;   /* ... and stops as soon as this is so after that */
    sim_time waves_before;        /* [ps] length recorded before waves_from_event. Default 0 */
    uint64_t waves_size; /* [bytes] 0, the default: all; else about the last so many, in up to four files: NAME.fst, and
                            from before it NAME-1.fst, NAME-2.fst, NAME-3.fst */
    uint64_t waves_free; /* [bytes] to leave free on the disk: with less, recording ends, is readable up to there, and
                            the run goes on. Default 64 MB, more than the recorder writes at once */
    const char *pins;    /* folder that exists, NULL = none, the default: each model's pins are written to INSTANCE.pins
                            there (pins.c). Must    outlive the sim */
    sim_time pins_to;    /* [ps] when that stops. Default SIM_FOREVER */
    int lanes; /* SIM_LANES_ON: models that were built as lanes are evaluated together (lanes.c), but not with waves or
                  pins; SIM_LANES_CHECK: each alone, too, and compared. Default SIM_LANES_OFF */
    int initial_zero; /* 1: registers start at 0, whatever the seed. Default 0: at random values, drawn from the seed in
                         an order that depends on the version of Verilator */
    int buffers_open; /* clock buffers pass all edges, whatever their enables say: nothing else may change by that.
                         Default 0 */
    const char *cycles; /* a folder that exists, NULL = nothing, the default: what the probes of all models have counted
                           (cycles.h) is written to a new file there, NUMBER.json, before the first model goes */
    const char *cycles_name; /* the name in it. Both must outlive the sim */
    const struct sim_ranks
        *ranks; /* processes that share the work; NULL, the default: this one alone. Must outlive the sim */
    int quiet;  /* 1: no progress line, nothing on stderr when a run ends badly. Default 0 */
} sim_params;

/* Fills in the defaults named above. A SIM_SEED that is no number ends the program with a message. */
void sim_params_default(sim_params *p);

/* NULL only when memory is exhausted. The params are copied. */
sim *sim_new(const sim_params *p);
/* Closes the waves, frees clocks and tasks (finished or not; what an unfinished task had allocated itself is lost).
 * NULL is allowed. */
void sim_free(sim *s);

sim_time sim_now(const sim *s);
uint64_t sim_seed(const sim *s);
/* The one random source of a simulation, xoshiro256**. _below: 0 .. n-1 without bias, n >= 1. chance: 1 in this
 * percentage of the calls, else 0; 0 percent takes no random number. */
uint64_t sim_random(sim *s);
uint64_t sim_random_below(sim *s, uint64_t n);
int sim_chance(sim *s, unsigned percent);

enum { SIM_OK, SIM_STOPPED, SIM_TIME_LIMIT, SIM_WATCHDOG, SIM_FAILED, SIM_INTERRUPTED };

/* Runs until: the last unfinished task ends (SIM_OK), sim_stop (SIM_STOPPED), the absolute time `limit` is passed
 * (SIM_TIME_LIMIT: every edge up to and including `limit` has been run), no progress (SIM_WATCHDOG), sim_fail or a
 * model's $finish, $stop or $error (SIM_FAILED), a model that does not come back from an evaluation (SIM_FAILED),
 * Ctrl-C, SIGTERM or SIGHUP (SIM_INTERRUPTED; another one more than half a second later kills). May be called again
 * after the first three. */
int sim_run(sim *s, sim_time limit);
/* Whether a signal has ended the last run. */
int sim_interrupted(void);
/* The name of a result, "watchdog" for instance. */
const char *sim_result_name(int result);
/* Seconds of a clock on the wall, from any moment. */
double sim_wall(void);
/* Ends the run after the current edge. */
void sim_stop(sim *s);
/* Ends the run after the current edge with SIM_FAILED. The first text stands, later ones are dropped. */
void sim_fail(sim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The error, "" if there was none. Valid until sim_free. */
const char *sim_error(const sim *s);

/* Tells the watchdog that something useful happened (a packet arrived, a word was read). */
void sim_progress(sim *s);
/* A function that prints the state of a block, which is on this clock (NULL: on any); a name of NULL: it goes on with
 * the one before. All of them run when the watchdog or a failure ends a run that is not quiet. */
void sim_report(sim *s, const sim_clock *at, void (*dump)(void *self, FILE *f), void *self, const char *name);
/* Function that prints a line of what waits in a block and where, or nothing: before all reports, the last one made
 * first. */
void sim_report_waiting(sim *s, const sim_clock *at, void (*print)(void *self, FILE *f), void *self);
/* A function that prints the front part of the progress line, which a run that is not quiet shows on a terminal some
 * times a second. NULL takes it off. */
void sim_status(sim *s, void (*print)(void *self, FILE *f), void *self);
/* Runs the functions of sim_report by hand. */
void sim_report_print(sim *s, FILE *f);

/* ---- clocks ---- */

typedef struct {
    const char *name; /* copied */
    sim_time period;  /* [ps] nominal, >= 4 */
    double ppm;      /* frequency offset, positive = faster: the long-term average is period / (1 + ppm / 1e6), |ppm| <=
                        10000 */
    sim_time jitter; /* [ps] each edge is off its ideal place by up to this, seeded; must be less than period / 2. Does
                        not add up */
    int64_t phase;   /* [ps] of the first rising edge after now; -1: seeded random within a period */
    sim_group *group; /* NULL, the default: none */
} sim_clock_params;

/* NULL if a parameter is out of range; the reason is in sim_error() and the next run fails with it. */
sim_clock *sim_clock_new(sim *s, const sim_clock_params *p);
uint64_t
sim_clock_cycles(const sim_clock *c); /* rising edges so far; in sample, the one that is happening is not yet counted */
sim_time sim_clock_period(const sim_clock *c); /* nominal [ps] */
const char *sim_clock_name(const sim_clock *c);

/* Attaches a C block to a clock; either function may be NULL. Allowed at any time, from the next edge on. */
void sim_clock_attach(sim_clock *c, void (*sample)(void *), void (*drive)(void *), void *self);
/* Takes it off again (every attachment with this self). Not from within sample or drive. */
void sim_clock_detach(sim_clock *c, void *self);

/* Connects a clock input of a model (port: the member of the binding). */
void sim_model_clock(sim_model *m, sim_clock *c, uint8_t *port);
/* The same through a clock buffer with an enable (BUFGCE): only edges before which `enable`, an output of the model, is
 * 1 arrive. */
void sim_model_clock_buffered(sim_model *m, sim_clock *c, uint8_t *port, const uint8_t *enable);
/* Evaluates a model once by hand, for modules without a clock. A change of a clock input counts as an edge. */
void sim_model_eval(sim_model *m);

/* ---- groups of clocks: logical processes, which may run in windows ----
 *
 * A group is a part of a system with all its clocks, models, blocks and tasks. Where two groups meet, one sees the
 * actions of the other after a minimum latency only, the lookahead. So each may run alone for a window of that time,
 * and its code stays in the processor's cache. The results are the same to the bit as without windows: groups are
 * synchronised whenever a task of no group runs, so that it may access everything.
 *
 * Enabling windows requires that no block or task in a group calls sim_random(), and that zero-latency communication
 * between groups uses sim_post() / sim_deliver(). There are no windows while any clock is in no group, while a task of
 * no group waits in sim_block, or tasks of no group in sim_join for tasks of several groups, and in a run with recorded
 * pins, or with waves that sim_waves_start may begin at any time. A run that ends by sim_fail or sim_stop out of a
 * group ends at that moment for this group, and up to a window later for others. */

/* NULL only when memory is exhausted. Freed with the sim. */
sim_group *sim_group_new(sim *s, const char *name);
/* Latency between two clocks: an action at an edge of one is seen by the other `after` [ps] at the earliest. Ignored
 * within a group. */
void sim_latency(sim *s, const sim_clock *a, const sim_clock *b, sim_time after);
/* From now on windows have this length, or the least latency between groups if shorter; 0, the default: no windows. Not
 * from a group. */
void sim_lookahead(sim *s, sim_time window);
/* Number of threads that run the groups of a window, this one included; no more than there are groups. 1, the default:
 * this one alone. 0: one for each processor that the program may use, if a trial of some windows shows that to be
 * faster. Results do not depend on it. Different groups then run at the same time: they share changing data only by
 * sim_post. */
void sim_threads(sim *s, unsigned threads);
/* Processors that the program may use. */
unsigned sim_processors(void);
/* Posts an event: calls deliver(self, event) with a copy of it, at once or, in a window, before another group's
 * sim_deliver returns or a task of no group runs, with the time and in the order of posting. The order of two groups'
 * tasks that post in the same picosecond is undefined. */
void sim_post(sim *s, void (*deliver)(void *self, const void *event), void *self, const void *event, size_t size);
/* From a task of a group: returns when all events posted up to now are delivered. This synchronises all groups. A task
 * for which no event since sim_delivered() matters need not call it. */
void sim_deliver(sim *s);
/* Time up to which all events have been delivered: the begin of the window, or of a sim_deliver in it. */
sim_time sim_delivered(const sim *s);
/* How often all groups have been synchronised: in windows, and in these each time that one has waited for the others.
 */
typedef struct sim_window_counts {
    uint64_t windows, rounds;
} sim_window_counts;
sim_window_counts sim_windows(const sim *s);

/* ---- ranks: processes that share the work, each on a processor or a machine of its own ----
 *
 * Each of them makes the whole simulation, all in the same order. A group, with its clocks' blocks and models and its
 * tasks, runs in one rank only; tasks of no group run in all of them, with the same results. So messages between ranks
 * carry
 *
 *   - data on their way from group to group: sim_carry;
 *   - events posted by sim_post: they are delivered in each rank;
 *   - requests of a task of no group to a group: sim_do_in, sim_same.
 *
 * All results are those of one process. There is no clock without a group, and no task of no group waits in sim_block.
 */

/* How ranks reach each other (sim/bin/plugins). Messages from one to another arrive in order. */
typedef struct sim_transport {
    unsigned rank, count;
    /* The data may change as soon as it returns. 0: not sent, because the one before has not left for this many
     * seconds. */
    int (*send)(unsigned to, const void *data, size_t size, double seconds);
    /* The next message from there, which stands until the next call; NULL: none has arrived for this many seconds. */
    const void *(*receive)(unsigned from, size_t *size, double seconds);
} sim_transport;

typedef struct sim_ranks {
    const sim_transport *transport;
    const unsigned char *rank; /* in which each group runs, in the order of their making */
} sim_ranks;

/* Costs of this rank: messages to each other one, bytes of all to all, seconds spent waiting for theirs. */
typedef struct sim_rank_costs {
    uint64_t messages, bytes;
    double waited;
} sim_rank_costs;
sim_rank_costs sim_ranks_cost(const sim *s);
/* 1: it runs in this process. */
int sim_group_here(const sim_group *g);
/* 1: there are other ranks. */
int sim_has_others(const sim *s);
/* From a task of no group: fn(arg) as a task of the group; without ranks a call. Then `result` is what it is there. */
void sim_do_in(sim_group *g, void (*fn)(void *arg), void *arg, void *result, size_t size);
/* From a task of no group: the memory there gets the content that it has where the group runs. */
void sim_same(sim_group *g, void *at, size_t size);
/* This memory is the same thing in all ranks, as the n-th that is made known: the receiver of an event (`self`) must be
 * in such. */
void sim_known(sim *s, void *at, size_t size);
/* From a group, like sim_post, but only for ranks other than that of the group, where it has happened already. */
void sim_post_others(sim *s, void (*deliver)(void *self, const void *event), void *self, const void *event,
                     size_t size);
/* From the group of a clock to that of another one, each in its rank: after a window take() writes new data to `to`, at
 * most `room` bytes, and returns how many; put() gets them. */
typedef struct sim_carrier {
    const sim_clock *from, *to;
    size_t (*take)(void *self, void *to, size_t room);
    void (*put)(void *self, const void *data, size_t size);
    void *self;
} sim_carrier;
void sim_carry(sim *s, const sim_carrier *c);

/* ---- host software: coroutines, plain blocking C ---- */

/* The task starts in the next drive phase of any clock. Its stack is 256 KB with a guard page. */
sim_task *sim_task_new(sim *s, const char *name, void (*fn)(void *), void *arg);
/* One of a group: it may wait for clocks of this group, for a time, and for other tasks of the group. Made while groups
 * are together. */
sim_task *sim_task_new_in(sim_group *g, const char *name, void (*fn)(void *), void *arg);
int sim_task_done(const sim_task *t);
const char *sim_task_name(const sim_task *t);
/* The running task, NULL outside of tasks. */
sim_task *sim_task_current(sim *s);

/* Only inside a task: */
void sim_wait_cycles(sim_clock *c, uint64_t n); /* until the n-th edge from now; 0 returns at once */
void sim_wait_until(sim_clock *c, int (*ready)(void *arg),
                    void *arg);          /* tried at once, then after all drives of each edge of c */
void sim_wait_time(sim *s, sim_time ps); /* the first edge of any clock that much later */
void sim_join(sim_task *t);              /* until t has ended */
/* Explicit: sleep until sim_wake. The wake of a task that does not sleep in sim_block is remembered and ends its next
 * sim_block at once. */
void sim_block(sim *s);
/* The same, and the wake comes from the group of this clock. */
void sim_block_on(const sim_clock *c);
/* Takes effect in the current drive phase, or in the next one if none is going on. */
void sim_wake(sim_task *t);

/* ---- waves ---- */

/* Starts and stops recording by hand, to catch an event. Every start after the first writes a new file: name-b.fst,
 * name-c.fst ... Return 0, or -1 if there is no file name in the params or the file cannot be opened (sim_error). */
int sim_waves_start(sim *s);
/* Before the first run, all models made: whether the scopes and events of the params are there; if not, -1 (sim_error).
 * Records nothing. */
int sim_waves_check(sim *s);
void sim_waves_stop(sim *s);
/* After sim_recorded: recording should have begun by itself, and nothing is recorded (said on stderr). */
int sim_waves_missing(const sim *s);
/* Ends all recording, of waves and of pins. Returns the result of the run, SIM_FAILED if pins could not be written to
 * their end (reported as other failures are); waves that could not have said so. */
int sim_recorded(sim *s, int result);

#ifdef __cplusplus
}
#endif
#endif
