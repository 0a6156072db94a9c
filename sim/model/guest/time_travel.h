/* One guest's connection to the calendar: the protocol of "time-travel=ext" of User-mode Linux
 * (include/uapi/linux/um_timetravel.h). The guest says when it wants to run and waits; its clock is what it is told.
 *
 * A guest may be left alone up to a time: it goes on without asking, which makes short steps cheap (each reading of its
 * clock is one of 256 ns). It says its time, UPDATE, before it does anything to the device, and is alone no more then.
 *
 * A guest that is told to run must get the very time it has asked for, or else it panics; who calls time_travel_run
 * sees to that. */
#ifndef SIM_MODEL_GUEST_TIME_TRAVEL_H
#define SIM_MODEL_GUEST_TIME_TRAVEL_H

#include <stdint.h>

#include "sim/model/guest/guest_memory.h"

#define TIME_TRAVEL_NEVER ((uint64_t)INT64_MAX) /* [ns] asked for by a guest that sleeps for ever */
#define TIME_TRAVEL_DAY                                                                                                \
    ((uint64_t)2000000000 * 1000000000) /* [ns since 1970] time of day at 0: 2033-05-18, behind files' times */

typedef struct time_travel_message {
    uint32_t operation, sequence;
    uint64_t time; /* [ns] */
} time_travel_message;

typedef struct time_travel {
    int fd; /* the owner's; -1: answers are dropped */
    int started, asks, waits;
    uint64_t asked;   /* [ns] valid with `asks` */
    uint64_t alone;   /* [ns] up to here it does not ask; 0: it does */
    uint64_t updated; /* [ns] its clock when it has said so last */
    uint32_t sequence;
    time_travel_message in; /* coming in */
    unsigned got;           /* bytes of it */
    char error[GUEST_ERROR];
} time_travel;

/* Reads what is there without waiting; `now` [ns] answers questions. 0; 1: the socket is closed; -1: refused. */
int time_travel_receive(time_travel *t, uint64_t now);
/* One message. 0, or -1: refused. */
int time_travel_take(time_travel *t, const time_travel_message *m, uint64_t now);
/* The guest, which waits, runs; it is `now`. It is left alone up to `alone`, if that is later. 0, or -1: refused. */
int time_travel_run(time_travel *t, uint64_t now, uint64_t alone);

#endif
