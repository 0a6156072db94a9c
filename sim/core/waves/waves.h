/* Recording of waves, for the files of sim/core. */
#ifndef SIM_CORE_WAVES_WAVES_H
#define SIM_CORE_WAVES_WAVES_H

#include "sim/core/kernel/kernel.h"

/* waves.c */
void waves_show(sim_model *m);               /* while it is settled before an edge; only with a recorder */
void waves_edge(sim_clock *c, sim_time now); /* only with a stream; the edge after this one is known */
void waves_keep_up(sim *s); /* now and then, while waves are recorded and all groups are at the same time */
void waves_help(const sim *s, unsigned thread);    /* something to do for a thread of the pool that waits for others */
void waves_window(sim *s, sim_time next);          /* starts and stops recording, before what happens at `next` */
sim_time waves_limit(const sim *s, sim_time next); /* after that no edge may happen without waves_window */
void waves_ended(sim *s);                          /* the end of a run: waves_close, and says if nothing is recorded */
void waves_close(sim *s, bool ended);              /* ended: models will not be used any more */

#endif
