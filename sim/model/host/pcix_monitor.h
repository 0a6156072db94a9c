/* Protocol monitor: watches the pins of a bus and checks every clock by the rules of pcix_rules.h.
 *
 * It sees the driven values, not those changed by electrical faults (pcix_fault); those it knows and expects PERR# and
 * SERR# for. From configuration writes it learns the devices' numbers, their Latency Timers, their Bus Master, parity
 * and SERR# enables, and the limits in their PCI-X Command register.
 *
 * Each violation goes to one function. After one, the monitor is quiet until the next transaction starts, since the
 * rest of a broken transaction means nothing. A test that provokes a violation announces it with pcix_monitor_expect.
 */
#ifndef SIM_MODEL_HOST_PCIX_MONITOR_H
#define SIM_MODEL_HOST_PCIX_MONITOR_H

#include "sim/model/host/pcix_bus.h"
#include "sim/model/host/pcix_rules.h"

typedef struct pcix_violation {
    uint64_t clock;
    int rule;            /* enum pcix_rule */
    const char *name;    /* "WAIT_PAIR" */
    const char *section; /* of pcix.md */
    const char *text;    /* the violation */
    char detail[160];    /* who and which, may be empty */
} pcix_violation;

typedef struct pcix_monitor pcix_monitor;

/* Becomes a watcher of `bus`. Frees nothing of the bus; free it before the bus. */
pcix_monitor *pcix_monitor_new(pcix_bus *bus);
void pcix_monitor_free(pcix_monitor *m);
/* Without a function violations are only counted. */
void pcix_monitor_on_violation(pcix_monitor *m, void (*fn)(void *arg, const pcix_violation *v), void *arg);

/* `agent` is the bridge: device 0 of bus `bus_number`; it may give Retry and disconnects to completions and is always
 * master. */
void pcix_monitor_set_bridge(pcix_monitor *m, int agent, int bus_number, bool parity_response);
/* Offset of the PCI-X capability of a device; 0 = its limits are not checked. */
void pcix_monitor_set_capability(pcix_monitor *m, int agent, int offset);
/* Settings by configuration writes, for agents that have no configuration space. id: PCIX_ID; command: bits of register
 * 04h. */
void pcix_monitor_set_agent(pcix_monitor *m, int agent, unsigned id, unsigned command);

/* The completer says that it will fail the read whose Split Response is under way (pcix_bridge_fail_completion): its
 * completions may be wrong, or never come; the requester may give it up and ask for other reads meanwhile, under other
 * Tags. */
void pcix_monitor_failing(pcix_monitor *m, unsigned requester, unsigned tag);

/* Switches one rule off or on (all are on at first). */
void pcix_monitor_enable(pcix_monitor *m, int rule, bool on);
/* The next violation of this rule is expected: it is swallowed. May be called several times. */
void pcix_monitor_expect(pcix_monitor *m, int rule);
/* Expected violations that have not come yet. */
unsigned pcix_monitor_missing(const pcix_monitor *m);
/* Violations so far, expected ones not counted. */
uint64_t pcix_monitor_violations(const pcix_monitor *m);

const char *pcix_rule_name(int rule);
const char *pcix_rule_section(int rule);
const char *pcix_rule_text(int rule);

#endif
