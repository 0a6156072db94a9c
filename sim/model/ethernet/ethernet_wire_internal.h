/* Shared by the wire and the reader of its plans. */
#ifndef SIM_MODEL_ETHERNET_ETHERNET_WIRE_INTERNAL_H
#define SIM_MODEL_ETHERNET_ETHERNET_WIRE_INTERNAL_H

#include "sim/model/ethernet/ethernet_wire.h"

enum { OBSERVERS = 8 };

/* Frames that are struck, or with `cut` a time in which everything is lost. */
typedef struct strike {
    int from;
    uint64_t first, last; /* numbers of frames, or [ps] with ETHERNET_CUT; both included */
    ethernet_fault fault;
} strike;

typedef struct flying {
    struct flying *next;
    sim_time time;  /* it comes to the middle or to the end */
    sim_time until; /* held at most this long */
    uint64_t later; /* frames it is held for */
    int bad_fcs;
    size_t length;
    uint8_t bytes[];
} flying;

typedef struct line {
    uint64_t busy; /* [1 / rate s], in bits from time 0: when the next frame can start */
    flying *leaving, **leaving_end;
    flying *arriving, **arriving_end;
    flying *held;
    uint64_t number, random;
    int cut;
    ethernet_wire_stats stats;
    ethernet_deliver deliver;
    void *deliver_self;
} line;

struct ethernet_wire {
    ethernet_wire_params params;
    line line[2]; /* by the end that they come from; deliver: of that end */
    strike *strikes;
    size_t strike_count;
    ethernet_tap tap;
    void *tap_self;
    unsigned observers;
    struct {
        ethernet_place place;
        ethernet_observer call;
        void *self;
    } observer[OBSERVERS];
    int calm;
    const char *error;
};

/* Appends to the plan; -1: no memory. */
int ethernet_wire_add(ethernet_wire *w, const strike *strikes, size_t count);

#endif
