/* The application at the handshake ports of the RoCE chip (S5 table 2-5, rtl/roce/README.md): takes the doorbells of
 * receive and completion queues, and posts SQPI and RQCI.
 *
 *     axi_doorbells *d = axi_doorbells_new(sim, clock, chip->model, NULL, "application");
 *     axi_doorbells_listen(d, on_receive, on_completion, self);
 *     axi_doorbells_post(d, AXI_SQPI, qp, index);
 *
 * QPs have the numbers of S5: 1 is the one for management datagrams. The chip's outputs must be held until they are
 * taken, else the run ends.
 */
#ifndef SIM_MODEL_AXI_AXI_DOORBELLS_H
#define SIM_MODEL_AXI_AXI_DOORBELLS_H

#include "sim/model/axi/axi_checker.h"
#include "sim/model/axi/axi_cpu.h"

enum { AXI_DOORBELLS_WAITING = 4096 /* posted and not taken, of a kind */ };

typedef struct axi_doorbells_params {
    unsigned stall; /* [percent] of clocks in which a doorbell of the chip is not taken, 0..99; default 0 */
    unsigned gap;   /* [clocks] up to this many between two doorbells posted, at random; default 0 */
    int serial;     /* 1: a single thread, which takes no doorbell while one that it has posted waits, or the processor
                     * given to     axi_doorbells_serial accesses a register; default 0 */
} axi_doorbells_params;

typedef enum axi_doorbell { AXI_SQPI, AXI_RQCI } axi_doorbell;
/* In the drive phase of the clock in which it was taken. */
typedef void (*axi_on_doorbell)(void *self, unsigned qp, uint32_t index);

typedef struct axi_doorbells axi_doorbells;

/* params NULL: the defaults. NULL: a port is missing, a parameter is out of range (sim_fail), or no memory is left. */
axi_doorbells *axi_doorbells_new(sim *s, sim_clock *clock, sim_model *chip, const axi_doorbells_params *params,
                                 const char *name);
void axi_doorbells_free(axi_doorbells *d);
/* Either function may be NULL: taken and counted. */
void axi_doorbells_listen(axi_doorbells *d, axi_on_doorbell receive, axi_on_doorbell completion, void *self);
/* The application's thread is also this processor's (`serial`). */
void axi_doorbells_serial(axi_doorbells *d, const axi_cpu *cpu);
/* Queues a doorbell; those of a kind leave in order. 0, or -1: too many wait, or the QP is not 1..254. From anywhere.
 */
int axi_doorbells_post(axi_doorbells *d, axi_doorbell kind, unsigned qp, uint16_t index);
/* Nothing waits to be taken by the chip. */
int axi_doorbells_idle(const axi_doorbells *d);
/* Where a violation goes instead of ending the run. */
void axi_doorbells_on_violation(axi_doorbells *d, axi_on_violation fn, void *arg);

typedef struct axi_doorbells_stats {
    uint64_t received, completed, posted[2]; /* posted: taken by the chip, by kind */
} axi_doorbells_stats;
const axi_doorbells_stats *axi_doorbells_get_stats(const axi_doorbells *d);

#endif
