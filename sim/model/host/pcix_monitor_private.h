/* Shared by the parts of the monitor. Only for pcix_monitor*.c.
 *
 *   pcix_monitor.c              life, reports, one clock
 *   pcix_monitor_drive.c        who drives what, idle bus, arbitration, start
 *   pcix_monitor_initiator.c    FRAME#, IRDY#, REQ64#, AD and C/BE# of the running transaction
 *   pcix_monitor_target.c       the target's answer
 *   pcix_monitor_parity.c       PAR, PERR#, SERR#
 *   pcix_monitor_address.c      address and attribute formats
 *   pcix_monitor_sequence.c     what spans transactions: retries, sequences, splits, configuration writes
 */
#ifndef SIM_MODEL_HOST_PCIX_MONITOR_PRIVATE_H
#define SIM_MODEL_HOST_PCIX_MONITOR_PRIVATE_H

#include "sim/model/host/pcix_monitor.h"

#define MON_STS                                                                                                        \
    (PCIX_OE_TARGET | PCIX_BIT(PCIX_FRAME) | PCIX_BIT(PCIX_IRDY) | PCIX_BIT(PCIX_REQ64) | PCIX_BIT(PCIX_ACK64) |       \
     PCIX_BIT(PCIX_PERR))
#define MON_INITIATOR (PCIX_BIT(PCIX_FRAME) | PCIX_BIT(PCIX_IRDY) | PCIX_BIT(PCIX_REQ64))
#define MON_TARGET (PCIX_OE_TARGET | PCIX_BIT(PCIX_ACK64))

/* a read answered with Split Response */
struct mon_split {
    bool used, relaxed;
    int command, completer;
    uint64_t address;
    unsigned total, done;
    bool failing;   /* its completer fails it, see pcix_monitor_failing */
    uint32_t since; /* a failing one: other Tags used after it */
};

/* a request that must come again */
struct mon_pending {
    bool used, continued; /* continued: after a disconnect, else after a Retry */
    int command;
    uint64_t address, clock;
    uint32_t attribute;
    unsigned count;
};

struct mon_agent {
    bool bridge, id_known, command_known, limits_known;
    unsigned id, command; /* PCIX_ID; register 04h */
    int capability;
    unsigned latency_timer; /* [clocks], if timer_known */
    bool timer_known;
    unsigned pcix_command; /* of the PCI-X capability */
    unsigned outstanding;  /* those that fail not counted */
    uint32_t failing;      /* bit per Tag: the read under way with it will fail */
    struct mon_split splits[32];
    struct mon_pending write;     /* memory writes stay in order: one at a time */
    struct mon_pending reads[32]; /* by Tag */
};

struct pcix_monitor {
    pcix_bus *bus;
    const pcix_transaction *t; /* the running one */
    const pcix_tracker *tracker;
    void (*report)(void *arg, const pcix_violation *v);
    void *report_arg;
    uint64_t violations;
    uint8_t expected[PCIX_RULES];
    bool off[PCIX_RULES];
    unsigned missing;
    bool muted;
    unsigned quiet; /* idle clocks since */
    int bus_number, agent_count;
    struct mon_agent agents[PCIX_AGENTS];

    pcix_sample now, before; /* as driven: faults taken out */
    uint64_t reset_low, reset_rise;

    /* the running transaction */
    bool running;
    bool frame_up;
    uint64_t frame_latest, irdy_due; /* 0 = not known yet */
    uint64_t target_end; /* last clock of the target's answer: last data phase or termination; 0 = not yet */
    bool stop_seen;
    unsigned seen_plan; /* planned index at the last look */
    uint64_t timer_due; /* clock in which the initiator's Latency Timer expires */
    uint64_t timer_out; /* GNT# has been high since, with the timer expired; 0 = it is not so */
    uint64_t d0, d1;
    uint8_t c0, c1;

    /* signals still to be released after a transaction */
    int tail_initiator, tail_target;
    uint64_t tail_frame, tail_irdy, tail_target_end;

    /* parity: bit k of a history = k clocks ago */
    uint32_t bad_data, bad_address;
    int8_t receiver[4]; /* of the data of the last clocks; -1 none */
    uint64_t last_error;

    uint64_t gnt_since;
    int gnt_owner;
    uint64_t next_look; /* for forgotten retries */
};

void mon_violate(pcix_monitor *m, int rule, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *mon_name(const pcix_monitor *m, int agent);
static inline bool mon_drives(const pcix_sample *s, int agent, unsigned mask)
{
    return agent >= 0 && (s->oe[agent] & mask) != 0;
}
static inline unsigned mon_width(const pcix_monitor *m) { return m->t->req64 && m->t->ack64 ? 8 : 4; }
/* Data goes from the initiator to the target. */
static inline bool mon_writes(const pcix_monitor *m) { return !pcix_is_read(m->t->command); }

void mon_drive(pcix_monitor *m);
void mon_idle(pcix_monitor *m);
void mon_tail(pcix_monitor *m);
void mon_grants(pcix_monitor *m);
void mon_start(pcix_monitor *m);
void mon_initiator(pcix_monitor *m);
void mon_enables(pcix_monitor *m); /* C/BE# of this clock */
void mon_timer(pcix_monitor *m);   /* the Latency Timer in this data phase */
void mon_end(pcix_monitor *m);
void mon_target(pcix_monitor *m);
void mon_parity(pcix_monitor *m);
void mon_address(pcix_monitor *m);
void mon_attribute(pcix_monitor *m);
void mon_sequence_attribute(pcix_monitor *m);
void mon_completion_attribute(pcix_monitor *m);
void mon_completion_claim(pcix_monitor *m);
void mon_sequence_end(pcix_monitor *m);
void mon_sequence_look(pcix_monitor *m);
void mon_sequence_reset(pcix_monitor *m);

#endif
