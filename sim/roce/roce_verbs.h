/* Linux at an end of an Ethernet line, with a program of ours in it that works queue pairs as it is told (scripts/guest/verbs.c): who tells
 * it is a task of the simulation.
 *
 *     roce_verbs *v = roce_verbs_new(sim, clock, wire, &params, error);        starts the guest
 *     if (roce_verbs_ready(v)) return;                                          from a task, as all that follows
 *     if (roce_verbs_call(v, "qp 4 %x %x %x %x %x", dest, sends, takes, pmtu, rnr_timer)) return;
 *     sscanf(roce_verbs_answer(v), "%x", &qp);
 *
 * Commands and answers are datagrams that go beside the line, as do all frames that are no RoCE v2; simulated time goes on meanwhile. Linux
 * has 10.0.0.2, fd00::2 and 52:54:00:00:00:02; it finds 10.0.0.1 and fd00::1 at 02:00:00:00:00:01, which is for the other end to have.
 * What goes wrong with the guest ends the run by sim_fail.
 */
#ifndef SIM_ROCE_ROCE_VERBS_H
#define SIM_ROCE_ROCE_VERBS_H

#include "ethernet_wire.h"
#include "rn_address.h"
#include "roce_guest.h"

enum { ROCE_VERBS_ERROR = 512, ROCE_VERBS_COMMAND = 256 };

typedef struct roce_verbs_params {
    const char *guest;   /* folder that scripts/guest.sh has made; default build/guest */
    const char *console; /* file of what the guest prints; default build/roce-console.log */
    int end;             /* of the line; default 1 */
} roce_verbs_params;
roce_verbs_params roce_verbs_defaults(void);

typedef struct roce_verbs roce_verbs;

/* NULL: error says why. The clock is the one by which it looks for frames. */
roce_verbs *roce_verbs_new(sim *s, sim_clock *clock, ethernet_wire *wire, const roce_verbs_params *params, char error[ROCE_VERBS_ERROR]);
/* Ends the guest, too. NULL is allowed. */
void roce_verbs_free(roce_verbs *v);

/* Returns when the program answers. -1: sim_fail has said why not. */
int roce_verbs_ready(roce_verbs *v);
/* Does one command. -1: the answer is "failed: ...", or sim_fail has said what is wrong. */
int roce_verbs_call(roce_verbs *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The last answer. */
const char *roce_verbs_answer(const roce_verbs *v);
/* The last command said "bye". Ends the program and Linux; returns when both have ended. */
int roce_verbs_end(roce_verbs *v);
/* What Linux has as its address. */
rn_address roce_verbs_address(int ipv6);
/* What is going on, as part of a line; and for a run that failed, the end of the guest's console. */
void roce_verbs_print_progress(const roce_verbs *v, FILE *out);
void roce_verbs_print(const roce_verbs *v, FILE *out);

#endif
