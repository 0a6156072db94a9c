/* Interface of an RDMA device for a program that makes connections: the chip by its driver (rn_verbs_of), or another
 * one that can the same. Words and rules are those of rn.h. A `qp` is the device's own; 0 or a negative number is
 * returned where nothing else is said.
 */
#ifndef RN_VERBS_H
#define RN_VERBS_H

#include "rn.h"

typedef struct rn_verbs {
    void *self;
    uint8_t mac[6], ipv4[4];
    uint64_t (*now)(void *self); /* [ns] */
    /* Memory for data, by the address that work calls it; 0: there is none left. */
    uint64_t (*alloc)(void *self, size_t size);
    void (*release)(void *self, uint64_t address, size_t size);
    int (*create)(void *self, const rn_qp_params *params, void **qp); /* *qp is NULL if it fails */
    void (*destroy)(void *qp); /* one that still uses its memory stays, disabled, until the device is closed */
    unsigned (*number)(const void *qp);
    int (*connect)(void *qp, const rn_connection *connection);
    int (*disable)(void *qp);
    int (*post)(void *qp, const rn_work *work);
    int (*poll)(void *qp, rn_completion *completions, unsigned most);
    /* The next message, at most `size` bytes of it, whose buffer is given back: 1, 0: none, or negative. */
    int (*receive)(void *qp, uint8_t *to, size_t size, uint32_t *length);
    int (*syndrome)(void *qp, unsigned *syndrome); /* of the last NAK */
    int (*mad_send)(void *self, const rn_address *to, const uint8_t mad[RN_MAD]);
    /* The next datagram of QP 1: 1, 0: none, NX_ERROR_PROTOCOL: it is none, *why says so, or another negative number.
     */
    int (*mad_receive)(void *self, rn_address *from, uint8_t mad[RN_MAD], const char **why);
    const char *(*error)(void *self); /* text of the last one */
} rn_verbs;

rn_verbs rn_verbs_of(rn_device *dev);

#endif
