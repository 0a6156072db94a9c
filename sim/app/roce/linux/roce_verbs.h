/* A program of ours in Linux (scripts/guest/verbs.c) that operates queue pairs by commands from the `talk` of a
 * roce_linux.
 *
 *     roce_verbs *v = roce_verbs_new(linux);
 *     if (roce_linux_boot(linux) || roce_verbs_start(v)) return;                from `talk`, as all that follows
 *     if (roce_verbs_call(v, "qp 4 %x %x %x %x %x", dest, sends, takes, pmtu, rnr_timer)) return;
 *     sscanf(roce_verbs_answer(v), "%x", &qp);
 *
 * Commands and answers are sideband datagrams (roce_sideband.h); simulated time goes on meanwhile. Linux has 10.0.0.2,
 * fd00::2 and 52:54:00:00:00:02.
 */
#ifndef SIM_APP_ROCE_LINUX_ROCE_VERBS_H
#define SIM_APP_ROCE_LINUX_ROCE_VERBS_H

#include "rn_address.h"
#include "sim/app/roce/linux/roce_linux.h"

enum { ROCE_VERBS_COMMAND = 256 };

typedef struct roce_verbs roce_verbs;

/* NULL: no memory. */
roce_verbs *roce_verbs_new(sim *s, roce_linux *l);
/* Before the Linux. NULL is allowed. */
void roce_verbs_free(roce_verbs *v);

/* An MTU for all path MTUs, and the program. 0, or -1 after sim_fail. */
int roce_verbs_start(roce_verbs *v);
/* Executes one command. -1: the answer is "failed: ...", or sim_fail has been called. */
int roce_verbs_call(roce_verbs *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The last answer. */
const char *roce_verbs_answer(const roce_verbs *v);
/* Ends the program; returns when it has ended. */
int roce_verbs_end(roce_verbs *v);
/* Linux' address. */
rn_address roce_verbs_address(int ipv6);
/* For a run that failed: the last command, and its answer. */
void roce_verbs_print(const roce_verbs *v, FILE *out);

#endif
