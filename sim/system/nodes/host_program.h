/* A host program (nx_host.h) on all hosts of a fabric at once. It comes as a shared object; every host gets a copy of
 * its own, so that hosts share no variables. A crash or exit() of a program ends the process with a line that names
 * program, host and time.
 *
 *     host_program *h = host_program_new(f, "build/programs/pingpong.so", argc, argv, &calls);
 *     host_program_start(h);                   the task that starts the nodes, runs the program and stops the nodes
 *     sim_run(f->s, SIM_FOREVER);              fails if it returns other than 0 on a host
 *     host_program_free(h);
 */
#ifndef SIM_SYSTEM_NODES_HOST_PROGRAM_H
#define SIM_SYSTEM_NODES_HOST_PROGRAM_H

#include "sim/system/nodes/fabric.h"

/* Its output. */
typedef struct host_program_calls {
    void *self;
    void (*began)(void *self); /* all nodes are up, no program runs yet; NULL: not reported */
    void (*ended)(void *self); /* it has returned on all hosts; NULL: the same */
    void (*print)(void *self, unsigned rank, const char *line);
    void (*figure)(void *self, unsigned rank, const char *name, double value, const char *unit);
} host_program_calls;

/* Of one host. */
typedef struct host_program_end {
    int returned, value; /* whether nx_main has returned, and what */
    sim_time when;
} host_program_end;

typedef struct host_program host_program;

/* With these arguments; they must stay. One program runs at a time. NULL: it is none, or memory is exhausted; the
 * reason is on stderr. */
host_program *host_program_new(fabric *f, const char *path, int argc, char *const *argv,
                               const host_program_calls *calls);
void host_program_start(host_program *h);
void host_program_free(host_program *h);
/* The file without folder and ".so". */
const char *host_program_name(const host_program *h);
/* When all nodes were up. */
sim_time host_program_began(const host_program *h);
host_program_end host_program_get_end(const host_program *h, unsigned rank);
/* Where the memory is that lies at the same address in every host (nx_host.shared). */
uint64_t host_program_shared(const host_program *h);

#endif
