/* Plays a clock table of the sheet: drives the cells the host owns, compares the cells the NIC owns, and in every column checks that the
 * NIC drives nothing it does not own.
 *
 * Who owns a cell: FRAME#, REQ64#, IRDY#, C/BE#: the initiator. DEVSEL#, ACK64#, TRDY#, STOP#: the target. AD: the initiator, except D..,
 * `ones` and `x` of a read. PAR: whoever owned AD one clock before (the number in p5 is not read). `z`: nobody.
 * Words: 0 1 z; ADDR A[31:0] A[63:32] ATTR SCADR CATTR CFGAD; D0..; FF BC BE# BE0 BE1, a command; ones; x (driven, any value). */
#ifndef NICXBAR_TB_CORE_PLAYER_H
#define NICXBAR_TB_CORE_PLAYER_H

#include "core_bench.h"

typedef struct {
    const char *table;
    int nic_is_initiator;
    unsigned command;
    uint64_t address;
    uint32_t attribute;     /* AD[31:0] of the attribute phase */
    unsigned attribute_cbe; /* C/BE[3:0]# of it */
    const uint64_t *data;   /* D0, D1 ... as on AD[63:0]; 32-bit transfers use the lower half */
    const uint8_t *enables; /* C/BE[7:0]# for BE0, BE1 */
} player_scene;

/* 0, or -1 with the first difference in `why`. If the NIC is initiator, waits up to 40 clocks for its FRAME#. */
int player_run(bench *b, const player_scene *scene, char *why, unsigned size);

#endif
