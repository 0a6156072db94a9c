/* Shared by rn_device.c and rn_queue.c only. */
#ifndef RN_INTERNAL_H
#define RN_INTERNAL_H

#include "rn.h"

#include "roce_register_map.h"

enum { RN_WQE = 64, RN_ERROR_ENTRY = 8, RN_DROPPED_ENTRY = 256, RN_QP_STRIDE = 0x100 };

/* Memory of the device for one purpose. */
typedef struct rn_memory {
    uint64_t at; /* 0: none */
    size_t size;
} rn_memory;

struct rn_qp {
    rn_device *dev;
    unsigned number;
    rn_qp_params params;
    rn_memory sends, completions, buffers, lengths, doorbells, mad;
    uint64_t doorbell;     /* of this life, one of two places by turns: receive queue at + 0, completion queue at + 4 */
    int enabled, overlaps; /* overlaps: the former life was not over when this one was enabled */
    uint32_t conf;         /* QPCONF, without ENABLE */
    unsigned posted, completed;          /* positions: next to post, next to complete */
    unsigned received, released, handed; /* positions: behind the last that came, next to release, next to hand out */
};

struct rn_device {
    const struct nx_platform *platform;
    rn_params params;
    rn_qp *qp[RN_QPS + 1];
    rn_memory errors, illegals, dropped;
    unsigned error_at, illegal_at, dropped_at;
    rn_address mad_to; /* what QP 1's registers say */
    int mad_to_known;
    char error[200];
};

int rn_fail(rn_device *dev, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Registers of a QP by their offset in those of QP 1. */
int rn_qp_read(rn_qp *qp, unsigned offset, uint32_t *value);
int rn_qp_write(rn_qp *qp, unsigned offset, uint32_t value);
int rn_allocate(rn_device *dev, rn_memory *m, size_t size, size_t alignment, const char *what);
void rn_free(rn_device *dev, rn_memory *m);
uint32_t rn_memory_word(rn_device *dev, uint64_t address);
/* Allocates, sets and enables a QP's queues; number 1 too. */
int rn_queues_create(rn_device *dev, unsigned number, const rn_qp_params *params, rn_qp **qp);
int rn_qp_enable(rn_qp *qp);
/* Waits until a disabled QP uses no memory any more, QP 1 of a chip that is off also not that of the error queues.
 * TIMEOUT: it still does; a device that cannot be read is gone. */
int rn_wait_quiet(rn_device *dev, unsigned number);
/* Frees all of a QP that is quiet. */
void rn_queues_free(rn_qp *qp);
/* Peer and its QP. */
int rn_qp_point(rn_qp *qp, const rn_address *peer, unsigned number);

#endif
