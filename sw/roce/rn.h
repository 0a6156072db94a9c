/* rn: driver of the RoCE v2 chip (rtl/roce, S5): device, queue pairs, work and completions.
 *
 *     rn_params p = rn_params_default();                       fill in the addresses
 *     if (rn_open(&platform, &p, &dev)) fail(rn_last_error(dev));
 *     rn_qp_params q = rn_qp_params_default();
 *     if (rn_qp_create(dev, &q, &qp)) ...                      memory for its queues; its number is known
 *     if (rn_qp_modify(qp, &connection)) ...                   who is at the other end: it sends and takes packets from
 * now on rn_post(qp, &(rn_work){.id = 1, .opcode = RN_WRITE, .local = at, .length = n, .remote = there, .rkey = key});
 *     rn_poll(qp, &completion, 1);
 *
 * The platform is that of sw/driver (nx_platform.h): read32, write32, mem_read, mem_write, alloc, release, wait and now
 * are used, and wait_interrupt if there is one; the registers are at window_base. Nothing waits in here but
 * rn_mad_send, and who waits until the device uses some memory no more: rn_open, rn_qp_destroy, rn_close. The chip is a
 * target: no peer reads or writes this host's memory, so there is nothing to register; addresses and keys of work are
 * those of the remote host.
 *
 * Functions return 0 or a negative NX_ERROR_ (nx_error.h); the text is in rn_last_error. One thread of control, or
 * coroutines that switch in functions of the platform and do not share a QP.
 */
#ifndef RN_H
#define RN_H

#include "nx_error.h"
#include "nx_platform.h"
#include "rn_address.h"

typedef struct rn_device rn_device;
typedef struct rn_qp rn_qp;

enum { RN_QPS = 128 /* at most, QP 1 among them */, RN_INLINE = 16, RN_MAD = 256, RN_MAD_FRAME = 512 };

typedef struct rn_params {
    uint8_t mac[6], ipv4[4], ipv6[16]; /* own; no default */
    unsigned qps;                      /* QP 1 for management and the others, 2..128; default 8 */
    unsigned clock_khz;                /* of the chip; default 156250 */
    unsigned udp_source;               /* of packets out; default 0xc001 */
    unsigned ack_mode;                 /* XRNICCONF.ACK; default 0: when asked for, or late */
    int all_errors;     /* 1: the header of every packet that fails a check is kept (rn_dropped_next); default 0 */
    int any_source_mac; /* 1: packets of a connection may come from any MAC address, as behind two routers; default 0 */
    int retry_for_ever; /* 1: a QP whose retries are out goes on; default 0 */
    unsigned interrupts;               /* INTEN; default 0 */
    unsigned errors;                   /* entries of each queue for errors, 2..65535; default 64 */
    unsigned mads;                     /* receive buffers of QP 1, 2..1024; default 32 */
    unsigned traffic_class, ttl, pkey; /* of QP 1; default 0, 64, 0xffff */
    uint64_t timeout_ns;               /* of what waits; default 10 ms */
} rn_params;

rn_params rn_params_default(void);

/* Resets what an earlier owner left, sets the chip up, and enables QP 1. On failure *dev still has the error text (NULL
 * only when malloc failed): rn_close it in any case. NO_DEVICE: there is no such chip at window_base; ARGUMENT: it has
 * fewer QPs, or a parameter is out of range. */
int rn_open(const struct nx_platform *platform, const rn_params *params, rn_device **dev);
/* Disables everything, waits until the device uses no memory any more, and frees it, QPs too. TIMEOUT: it still does;
 * nothing is freed, and rn_close may be called again. NULL is allowed. */
int rn_close(rn_device *dev);
const char *rn_last_error(const rn_device *dev);
const rn_params *rn_parameters(const rn_device *dev);
const struct nx_platform *rn_platform(const rn_device *dev);

/* Registers by their offset (roce_register_map.h, made of rtl/roce/registers.map). */
int rn_register_read(rn_device *dev, unsigned offset, uint32_t *value);
int rn_register_write(rn_device *dev, unsigned offset, uint32_t value);

/* ---- queue pairs */

typedef struct rn_qp_params {
    unsigned send_depth;    /* WQEs, 2..65535; one less may be under way; default 16 */
    unsigned receive_depth; /* buffers, 2..65535; one less may be full; default 16 */
    unsigned receive_bytes; /* of a buffer, a multiple of 256 up to 65535 * 256; default 4096 */
    int handshake; /* 1: doorbells of the chip appear at its handshake ports, 0: written to memory; default 0 */
    int receive_interrupt, completion_interrupt; /* 1: RQINTSTS, CQINTSTS and their pins; default 0 */
    unsigned traffic_class, ttl, pkey;           /* default 0 (0..63), 64, 0xffff */
} rn_qp_params;

rn_qp_params rn_qp_params_default(void);

/* Memory for the queues, and the lowest number that is free, 2 .. qps. NO_SPACE: no number or no memory is left. */
int rn_qp_create(rn_device *dev, const rn_qp_params *params, rn_qp **qp);
/* Disables it, waits until the device uses its memory no more, and frees that. TIMEOUT: it still does; the QP stays,
 * disabled. */
int rn_qp_destroy(rn_qp *qp);
unsigned rn_qp_number(const rn_qp *qp);
rn_device *rn_qp_device(const rn_qp *qp);
rn_qp *rn_qp_of(rn_device *dev, unsigned number); /* NULL: there is none */

/* The peer, and its parameters. */
typedef struct rn_connection {
    rn_address peer;
    unsigned qp;                /* its number there, 24 bits */
    uint32_t send_psn;          /* of our first packet */
    uint32_t receive_psn;       /* of its first request */
    unsigned pmtu;              /* path MTU [bytes]: 256, 512, 1024, 2048 or 4096 */
    unsigned timeout;           /* 4.096 us * 2^timeout for an answer, 0..31; 0 = for ever */
    unsigned retries;           /* after that, 0..7 */
    unsigned rnr_retries;       /* after "receiver not ready", 0..7; 7 = for ever */
    unsigned rnr_timer;         /* code of the time that the peer is asked to wait, 0..31 */
    unsigned reads_outstanding; /* READs that may wait for their data, 1..16 */
} rn_connection;

/* Sets the QP up and enables it. Earlier posts and received messages that were not taken are lost. Of a QP that has not
 * started yet it waits until its former life is quiet: NX_ERROR_TIMEOUT after timeout_ns, and the QP is disabled. */
int rn_qp_modify(rn_qp *qp, const rn_connection *connection);
/* Nothing is sent or taken any more. */
int rn_qp_disable(rn_qp *qp);

typedef struct rn_qp_status {
    int fatal;                     /* it needs rn_qp_modify */
    unsigned syndrome;             /* of the last negative acknowledgement */
    unsigned retries, rnr_retries; /* since something new was acknowledged */
    int sends_empty, outstanding_empty, retried;
} rn_qp_status;
int rn_qp_get_status(rn_qp *qp, rn_qp_status *status);

/* ---- sending */

typedef enum rn_opcode { RN_WRITE = 0, RN_SEND = 2, RN_READ = 4 } rn_opcode;

typedef struct rn_work {
    uint16_t id; /* comes back with the completion */
    rn_opcode opcode;
    uint32_t length;    /* [bytes] of RN_SEND 1 or more */
    uint64_t local;     /* bus address of the data, below 4 GB */
    const void *inside; /* RN_SEND of up to RN_INLINE bytes: the data, which are copied; NULL: they are at `local` */
    uint64_t remote;    /* RN_WRITE, RN_READ: address and key of the remote memory */
    uint32_t rkey;
} rn_work;

/* How many may be posted now. */
unsigned rn_qp_room(const rn_qp *qp);
/* Posts and rings. NO_SPACE: the send queue is full, poll first; ARGUMENT: the chip would refuse it, or the QP is not
 * enabled. */
int rn_post(rn_qp *qp, const rn_work *work);

typedef struct rn_completion {
    uint16_t id;
    rn_opcode opcode;
    int error; /* 1: it failed, the QP is fatal */
} rn_completion;

/* Completions in the order of posting, at most `most` of them: how many there were, or negative. */
int rn_poll(rn_qp *qp, rn_completion *completions, unsigned most);

/* ---- receiving */

typedef struct rn_message {
    uint64_t address; /* of the data */
    uint32_t length;  /* [bytes] */
} rn_message;

/* The next SEND that came: 1, 0 if there is none, or negative. Its buffer is the caller's until rn_release, in the same
 * order. */
int rn_receive(rn_qp *qp, rn_message *message);
/* The oldest buffer that rn_receive gave may be used again. */
int rn_release(rn_qp *qp);

/* ---- management datagrams, QP 1 (rn_mad.h makes and reads them) */

/* Sends one from QP 1 to QP 1 of that host; returns when it has left. TIMEOUT: it has not. */
int rn_mad_send(rn_device *dev, const rn_address *to, const uint8_t mad[RN_MAD]);
/* The next frame that came for QP 1, from its Ethernet header on, without ICRC: its bytes, at most `size` of them; 0:
 * none; or negative. */
int rn_mad_receive(rn_device *dev, uint8_t *frame, unsigned size);

/* ---- what went wrong, and interrupts */

typedef struct rn_error {
    unsigned qp, code /* S5 table 2-4 */, opcode, syndrome;
    uint32_t psn;
} rn_error;
/* The next entry of the queue of error status: 1, 0 or negative. */
int rn_error_next(rn_device *dev, rn_error *error);

typedef struct rn_illegal {
    unsigned qp, id, opcode, reason;
} rn_illegal;
/* The same of illegal WQEs. */
int rn_illegal_next(rn_device *dev, rn_illegal *illegal);
/* The same of packets that failed a check: bits of S5 table 2-3, then the packet's headers, at most `size` bytes of
 * them. */
enum { RN_DROPPED_BYTES = 252 };
int rn_dropped_next(rn_device *dev, uint32_t *checks, uint8_t *headers, unsigned size);

/* Interrupts that came (bits of INTSTS), which are cleared. */
int rn_interrupts(rn_device *dev, uint32_t *sources);
/* QPs that these were for, bit n % 32 of word n / 32 for QP n, which are cleared. */
int rn_receive_interrupts(rn_device *dev, uint32_t qps[8]);
int rn_completion_interrupts(rn_device *dev, uint32_t qps[8]);

#endif
