/* The server of rping (librdmacm's ping-pong over RDMA, `rping -c -V` is the client): connections by the connection
 * manager, then for each ping
 *
 *     client --> SEND 16 bytes: address, key and size of its data      server READs them
 *     client <-- SEND 16 bytes: go on
 *     client --> SEND 16 bytes: address, key and size of its sink      server WRITEs the data there
 *     client <-- SEND 16 bytes: they are there                         client compares
 *
 * until the client disconnects. One server has any number of connections, each with a QP of its own.
 *
 *     rn_rping_params p = rn_rping_params_default();
 *     rn_verbs v = rn_verbs_of(dev);
 *     rn_rping_new(&v, &p, &server);
 *     while (...) if (rn_rping_poll(server) == 0) sleep until an interrupt, or a little;
 */
#ifndef RN_RPING_H
#define RN_RPING_H

#include "rn_cm.h"
#include "rn_verbs.h"

enum { RN_RPING_PORT = 7174, RN_RPING_MESSAGE = 16 };

typedef struct rn_rping_params {
    unsigned port;         /* TCP port, by which rdma_cm names the service; default 7174 */
    unsigned largest;      /* data of a ping [bytes]; default 65536 */
    unsigned timeout;      /* 4.096 us * 2^it for an answer of the client; default 0: what its REQ says */
    unsigned rnr_timer;    /* code of the time that a client is asked to wait for a buffer; default 12 */
    int handshake;         /* rn_qp_params.handshake */
    uint32_t seed;         /* of PSNs and communication IDs; default 1 */
    uint64_t time_wait_ns; /* before the QP of a connection that has ended is used again; default 1 ms */
    void (*log)(void *self, const char *line); /* called for connections and errors; NULL: nobody */
    void *self;
} rn_rping_params;

rn_rping_params rn_rping_params_default(void);

typedef struct rn_rping rn_rping;

/* On a device, which is copied. NX_ERROR_NO_MEMORY; *server is NULL then. It takes all datagrams of QP 1. */
int rn_rping_new(const rn_verbs *device, const rn_rping_params *params, rn_rping **server);
/* Ends all connections at once, without a word. Takes NULL. */
void rn_rping_free(rn_rping *server);

/* Does what there is to do: 1 something, 0 nothing, negative: the device failed (rn_last_error). Errors of a client end
 * its connection. */
int rn_rping_poll(rn_rping *server);

typedef struct rn_rping_stats {
    uint64_t connections, ended, pings, bytes; /* bytes: of data, one way */
    uint64_t
        unacknowledged; /* last pings of clients that left, and that are not counted in `pings` for want of an ACK */
    uint64_t failures;  /* connections that the server ended */
    unsigned open;
    unsigned pmtu; /* [bytes] that the newest client asked for */
} rn_rping_stats;
const rn_rping_stats *rn_rping_get_stats(const rn_rping *server);

#endif
