/* Shared by the files of sim/observe/trace. */
#ifndef SIM_OBSERVE_TRACE_TRACE_PRIVATE_H
#define SIM_OBSERVE_TRACE_TRACE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/model/cable/sniffer.h"
#include "sim/observe/trace/trace.h"
#include "sim/observe/trace/trace_file.h"

/* Processes of the file: what the tracks stand below, in this order. Each link by packet has a switch, and cables:
 * P_LINK and up from the second one on. */
enum {
    P_RUN = 1,
    P_LIVES = 2,
    P_HOST = 10,
    P_NIC = 30,
    P_CABLE = 50,
    P_SWITCH = 70,
    P_NIC_MODULES = 80,
    P_SWITCH_MODULES = 100,
    P_LINK = 120
};

enum {
    QUEUES = 16,
    DESCRIPTORS = 1024, /* slots of all queues of a NIC */
    TAGS = 32,          /* of outstanding reads */
    BUS_CLOCKS = 8192,  /* longer than a transaction; a power of two */
    FLIGHT = 64,        /* frames on a wire; a power of two */
    FLIGHT_TRACKS = 8,  /* ... that are shown side by side */
    TOUCHES = 16,       /* slices that an arrow goes through */
    NAME_ROOM = 64
};

/* Spans of a track do not overlap: what begins before the one in front of it has ended waits for that. */
typedef struct track {
    unsigned process, number;
    sim_time free_at;
    bool named;
} track;

/* Where an arrow touches a slice; process 0: there is none. */
typedef struct touch {
    unsigned process, track;
    sim_time at;
} touch;

/* Stages of a packet, as in trace.h. */
enum stage { HOST, QUEUE, READ, VOQ, CABLE, SWITCH, CABLE_IN, RECEIVE, WRITE, NOTIFY, STAGES };

typedef struct descriptor {
    struct descriptor *next; /* in its queue */
    unsigned from, to, words;
    unsigned users; /* its queue and its packets */
    bool remote, local;
    uint64_t source;
    uint32_t destination;
    uint64_t ordinal; /* in its queue, from 1 */
    sim_time posted;
    touch post;
    unsigned requested; /* [bytes] */
    unsigned sent;      /* [words] */
    struct part {
        unsigned end;         /* of the descriptor's bytes */
        sim_time begin, done; /* done 0: not yet */
        touch touch;
    } * part; /* reads, in their order */
    unsigned parts;
} descriptor;

typedef struct packet {
    struct packet *next;
    descriptor *d;
    uint64_t number;         /* in its flow, from 0 */
    unsigned words, written; /* written: [bytes] */
    bool remote;
    unsigned link;
    uint32_t address;
    uint64_t header;                                  /* as the receiver sees it */
    sim_time begin[STAGES], landed, notified, latest; /* 0: not yet; latest: when it was seen last */
    touch touch[TOUCHES];
    unsigned touches;
} packet;

/* One direction of a link. */
typedef struct lane {
    unsigned from; /* end */
    packet *now;   /* whose frame is on the pins */
    track link, flight[FLIGHT_TRACKS];
    /* the frame on the wire, behind the faults: its SOP, its words so far (0: none), the upper half of its header */
    uint64_t sop;
    unsigned words;
    uint32_t high;
    struct flying {
        uint64_t word;
        packet *p;
    } flying[FLIGHT];
    unsigned first, count;
    unsigned sent[QUEUES], credit[QUEUES]; /* units, 12 bits; of each flow */
} lane;

/* A link of a node, or of a cable without a switch; by byte all of these. */
typedef struct wire {
    struct trace *t;
    unsigned node, link, process;
    unsigned at, bundle; /* its first one in the cable, and how many */
    sniffer *sniffer;
    lane lane[2];
} wire;

typedef struct local {
    struct local *next;
    uint64_t ordinal;
    touch departed;
} local;

/* A node. */
typedef struct seat {
    struct trace *t;
    node *n;
    unsigned i, depth; /* descriptors in a queue */
    uint64_t bar;      /* of BAR1; 0: not known */
    uint64_t locals;   /* where local notifications go */
    sim_time clock_at[BUS_CLOCKS];
    uint64_t first_word; /* of the transaction under way */
    uint32_t word[4 * DESCRIPTORS];
    uint8_t written[DESCRIPTORS];
    descriptor *queue[QUEUES], *fresh[DESCRIPTORS];
    unsigned fresh_count;
    uint64_t ordinal[QUEUES];
    struct {
        descriptor *d;
        unsigned part, left;
    } tag[TAGS];
    long waiting, voq[FABRIC_NODES], received; /* descriptors, [bytes], [bytes] */
    packet *notified, *done;                   /* landed packets: with a notification to come, and without */
    local *local[QUEUES];
    track bus, reads[TAGS], voq_head[FABRIC_NODES], buffer;
    unsigned clocks, data_clocks, other_clocks; /* since the last value of the curve */
    unsigned shown_data, shown_other;
} seat;

typedef struct modules modules;

struct trace {
    trace_params p;
    trace_file *file;
    fabric *f;
    sim *s;
    bool over;  /* nothing is recorded any more */
    char *part; /* the file's name up to `from`; NULL: it has its own */
    unsigned nodes, wires;
    seat *seat[FABRIC_NODES];
    wire *wire[FABRIC_NODES * FABRIC_LINKS];
    packet *flight[FABRIC_NODES][FABRIC_NODES]; /* sent, not landed, the oldest first */
    uint64_t number[FABRIC_NODES][FABRIC_NODES], ids;
    track cross[FABRIC_LINKS][FABRIC_NODES][FABRIC_NODES], window;
    long held[FABRIC_LINKS][FABRIC_NODES][FABRIC_NODES]; /* units in crosspoints */
    modules *modules;
    trace_result result;
};

/* ---- trace.c ---- */

/* calloc that ends the program with a message when memory is exhausted. */
void *trace_memory(size_t size);
/* Whether what begins and ends so is recorded. */
bool trace_takes(const trace *t, sim_time begin, sim_time end);
/* On a track that is called so; the arrow may touch its begin. */
touch trace_slice(trace *t, track *k, sim_time begin, sim_time end, const char *name, const char *args,
                  const char *track_name);
/* A curve has this value from now on. */
void trace_value(trace *t, unsigned process, const char *name, long value);
/* Ends the recording, if it is time to. */
void trace_look(trace *t);

/* ---- life.c: what happens to packets, each when it happens ---- */

/* All 16 bytes of a slot have been written. */
void life_posted(seat *h, unsigned slot);
/* Owner of the data read here. NULL: unknown. */
descriptor *life_read(seat *h, uint64_t address);
/* A header is on the pins of a NIC; of an output of the switch. */
void life_sent(wire *w, lane *l, const sniffer_frame *f);
void life_switched(wire *w, lane *l, const sniffer_frame *f);
void life_frame_ended(wire *w, lane *l, const sniffer_frame *f);
/* Its header is on the wire, behind the faults. */
void life_flies(wire *w, lane *l, uint64_t header);
/* The first byte of a frame is on the pins behind the cable. */
void life_arrived(wire *w, lane *l, uint64_t word, sim_time when);
/* The NIC has written to memory: what it was, as a name; the packet or NULL; of a local notification the queue, else
 * -1. */
packet *life_written(seat *h, uint64_t address, unsigned bytes, sim_time begin, sim_time end, char name[NAME_ROOM],
                     int *queue);
void life_touches(packet *p, touch at);
void life_local(seat *h, int queue, touch at);
/* Packets that have come to their end, and of which nothing more is written. */
void life_flush(seat *h);
/* When host software had made a packet that has just landed. */
void life_made(void *self, unsigned from, unsigned to, sim_time created, sim_time landed);
/* Packets on their way are written as they are; frees all. */
void life_end(trace *t);
void life_name(const descriptor *d, const char *what, uint64_t number, char name[NAME_ROOM]);

/* ---- bus.c ---- */

/* 0, or -1: too many watch the bus. */
int bus_watch(seat *h);

/* ---- modules.c ---- */

/* NULL: sim_error says why. */
modules *modules_new(trace *t);
void modules_end(modules *m);
void modules_free(modules *m);

#endif
