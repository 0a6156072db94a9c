/* Messages between all nodes of a fabric, each node to itself, too, while something is switched off or reset: whenever
 * a good notification is written, all messages up to it are in memory; what is missing in the end is reported by the
 * next notification of its flow. A node that is reset forgets what has been sent: its flows owe what is sent from then
 * on.
 */
#ifndef TB_SYSTEM_FABRIC_FLOWS_H
#define TB_SYSTEM_FABRIC_FLOWS_H

#include "scenario_bench.h"

enum { FLOW_NODES = 3, FLOW_MESSAGES = 4000, FLOW_WORDS = 62 /* at most */, FLOW_BYTES = 8 /* of a small packet */ };

typedef struct fabric_flow {
    scenario_bench *b;
    unsigned from, to, messages /* that are to be sent */, sent, notified, good;
    int stopped; /* its sender has no driver */
    struct {
        uint64_t source, destination;
        unsigned words;
    } message[FLOW_MESSAGES];
    sim_task *sender;
} fabric_flow;

extern fabric_flow fabric_flows[FLOW_NODES][FLOW_NODES];

/* From a task. */
void fabric_flows_begin(scenario_bench *b, unsigned messages);
/* Waits until each flow has sent as many as it should, or already this many. */
void fabric_flows_sent(unsigned messages);
/* Without anything switched any more: after `us` what must hold in the end. */
void fabric_flows_end(scenario_bench *b, sim_time us);

/* A transfer with a notification; returns the result of waiting for it, OK or FLAGGED. With OK the data are in memory.
 */
int fabric_flow_notified(const scenario_bench *b, unsigned from, unsigned to);
void fabric_flows_are_good(const scenario_bench *b);

/* RST# of the switch of this path, for some microseconds. */
void fabric_reset_switch(scenario_bench *b, unsigned path);
/* RST# of a node; its driver restarts with these parameters. Other nodes go on sending to it. */
void fabric_reset_node(scenario_bench *b, unsigned node, const nx_params *driver);

#endif
