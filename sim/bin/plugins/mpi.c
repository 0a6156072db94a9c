/* Ranks by MPI: what sim_transport asks for. A library of its own, which is loaded with --ranks only
 * (sim/app/nicxbar/ranks.c). */
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/app/nicxbar/ranks.h"

/* While one waits for a message: it looks again and again, for as long as it costs to be woken; then it lets others run
 * between two looks, for about as long as a window takes; then it sleeps, longer and longer. Where ranks share
 * processors the first is left out. */
enum { SPIN_US = 20, YIELD_US = 300, NAP_NS = 20000, LONGEST_NAP_NS = 200000 };

static sim_transport transport;
static double spin; /* [s] */

typedef struct {
    void *at;
    size_t room;
    MPI_Request request; /* of what is being sent */
} buffer;
static buffer *out, in;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void make_room(buffer *b, size_t size)
{
    if (b->room >= size) return;
    b->room = 2 * size;
    b->at = realloc(b->at, b->room);
    if (!b->at) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Until done(arg), or so many seconds have passed; 1: it is. */
static int wait_for(int (*done)(void *arg), void *arg, double seconds)
{
    double since = 0;
    struct timespec nap = {.tv_nsec = NAP_NS};
    for (;;) {
        for (int i = 0; i < 20; i++)
            if (done(arg)) return 1;
        double t = now();
        if (!since) since = t;
        if (t - since > seconds) return 0;
        if (t - since < spin) continue;
        if (t - since < 1e-6 * YIELD_US) {
            sched_yield();
            continue;
        }
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < LONGEST_NAP_NS) nap.tv_nsec *= 2;
    }
}

static int sent(void *arg)
{
    int done;
    MPI_Test(arg, &done, MPI_STATUS_IGNORE);
    return done;
}

static int send(unsigned to, const void *data, size_t size, double seconds)
{
    buffer *b = &out[to];
    if (!wait_for(sent, &b->request, seconds)) return 0;
    make_room(b, size);
    memcpy(b->at, data, size);
    MPI_Isend(b->at, (int)size, MPI_BYTE, (int)to, 0, MPI_COMM_WORLD, &b->request);
    return 1;
}

struct arrival {
    unsigned from;
    MPI_Status status;
};

static int arrived(void *arg)
{
    struct arrival *a = arg;
    int there;
    MPI_Iprobe((int)a->from, 0, MPI_COMM_WORLD, &there, &a->status);
    return there;
}

static const void *receive(unsigned from, size_t *size, double seconds)
{
    struct arrival a = {.from = from};
    int count;
    if (!wait_for(arrived, &a, seconds)) return NULL;
    MPI_Get_count(&a.status, MPI_BYTE, &count);
    make_room(&in, (size_t)count + 1);
    MPI_Recv(in.at, count, MPI_BYTE, (int)from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *size = (size_t)count;
    return in.at;
}

const sim_transport *ranks_mpi_begin(void)
{
    int rank, count, here;
    MPI_Comm machine;
    if (MPI_Init(NULL, NULL)) return NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &here);
    MPI_Comm_free(&machine);
    spin = here <= sysconf(_SC_NPROCESSORS_ONLN) ? 1e-6 * SPIN_US : 0;
    out = calloc((size_t)count, sizeof *out);
    if (!out) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < count; i++) out[i].request = MPI_REQUEST_NULL;
    transport = (sim_transport){(unsigned)rank, (unsigned)count, send, receive};
    return &transport;
}

void ranks_mpi_end(void)
{
    for (unsigned i = 0; i < transport.count; i++) {
        while (!wait_for(sent, &out[i].request, 1))
            ;
        free(out[i].at);
    }
    free(out);
    free(in.at);
    MPI_Finalize();
}
