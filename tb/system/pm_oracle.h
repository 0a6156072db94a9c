/* The switches of S3's appendix a second time, in C: when each packet leaves, to the clock. Written from S3, from issue
 * and README, not from the Verilog; it shares no line with the checked code.
 *
 * What S3 leaves open about single clocks (how long a word is in a card, when a credit counts) is the table "Clock by
 * clock" in rtl/packet_mode/clocks.md. The choice between two candidates is S3's. */
#ifndef TB_SYSTEM_PM_ORACLE_H
#define TB_SYSTEM_PM_ORACLE_H

#include <stddef.h>
#include <stdint.h>

typedef enum { ORACLE_SM, ORACLE_PPM, ORACLE_DPM, ORACLE_VPS, ORACLE_IQ } pm_oracle_kind;

typedef struct pm_oracle_params {
    pm_oracle_kind kind;
    unsigned ports;
    unsigned segment, crosspoint; /* [words]; segment: cell of IQ */
    unsigned forward, back;       /* [clocks] the halves of the round trip */
    unsigned credit;              /* [clocks] */
    unsigned scheduling; /* [clocks] of a decision, from its inputs to the word that leaves; 2 or more; not of IQ, where
                            it is a cell */
    unsigned look_back;  /* PPM: 0 never, 1 after a distance too long, 2 after each unit outside packet mode */
    unsigned looks;      /* PPM: this many times in a row, then the others are served */
    unsigned period;     /* DPM [words sent]: a packet that was there in part at two ends of it is waited for */
    int lock_release;    /* DPM: 1: the lock falls free when the packet has been sent */
    uint64_t cell;       /* IQ: a clock in which a cell begins; the first one behind reset is 5 for pm_run */
} pm_oracle_params;

/* S3's table I [VI-B], in words of 8 bytes. */
pm_oracle_params pm_oracle_default(pm_oracle_kind kind, unsigned ports);

/* A packet: when its first word is on the line in; the answer: when its first and last word are on the line out, 0: not
 * at all. */
typedef struct pm_journey {
    uint64_t came, first, last;
    unsigned words, input, output;
} pm_journey;

/* Journeys in order of `came`, within an input without overlap. Simulates until all have left. NULL, or an error text:
 * the schemes of S3 should never let it. Valid until the next call. */
const char *pm_oracle_run(const pm_oracle_params *params, pm_journey *journeys, size_t count);

#endif
