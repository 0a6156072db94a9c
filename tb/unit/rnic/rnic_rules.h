/* Common to the tests of the RDMA peer's rules: one queue pair, whose packets the test makes and checks. */
#ifndef TB_RNIC_RULES_H
#define TB_RNIC_RULES_H

#include <string.h>

#include "sim/model/rnic/rnic.h"
#include "test.h"

enum { PMTU = 256, MEMORY = 8192, OWN_QP = 5, PEER_QP = 9 };
#define BASE UINT64_C(0x10000)
#define US UINT64_C(1000000)

static struct {
    rnic *r;
    rnic_qp *qp;
    uint64_t now;
    uint8_t memory[MEMORY], data[4096 + 512];
    uint32_t key;
    rnic_packet out; /* the last one given; its payload is in frame */
    uint8_t frame[RNIC_FRAME];
} b;

static inline uint64_t clock_of(void *self)
{
    (void)self;
    return b.now;
}

CLEANUP(rnic_free);

/* PSNs: 100 is expected, and 200 is sent first. */
static inline rnic_connection defaults(void)
{
    rnic_connection c;

    rnic_connection_default(&c);
    c.peer.mac[5] = 2;
    rnic_set_ipv4(c.peer.ip, 0x0a000002);
    c.qp = PEER_QP;
    c.pmtu = PMTU;
    c.send_psn = 200;
    c.receive_psn = 100;
    c.rnr_timer = 5;
    c.answers = 3;
    c.timeout = 10;
    return c;
}

/* Its connection, or a new one in the place of it. */
static inline void connect(rnic_connection c)
{
    char error[RNIC_ERROR];

    rnic_reset(b.qp);
    ck_assert_msg(!rnic_connect(b.qp, &c, error), "%s", error);
}

static inline void start(void)
{
    rnic_params np = {.mac = {2, 0, 0, 0, 0, 1}, .clock = clock_of};
    char error[RNIC_ERROR];

    memset(&b, 0, sizeof b);
    for (unsigned i = 0; i < sizeof b.data; i++) b.data[i] = (uint8_t)(i * 7 + (i >> 8));
    rnic_set_ipv4(np.ip[0], 0x0a000001);
    b.r = rnic_new(&np, error);
    after_test(rnic_free_cleanup, b.r);
    b.key = rnic_register(b.r, 1, b.memory, BASE, MEMORY, RNIC_LOCAL_WRITE | RNIC_REMOTE_WRITE | RNIC_REMOTE_READ);
    b.qp = rnic_qp_new(b.r, &(rnic_qp_params){.number = OWN_QP, .domain = 1}, error);
    connect(defaults());
}

static inline rnic_packet packet(uint8_t opcode, uint32_t psn, unsigned length)
{
    rnic_packet p = {.from = {.mac = {2, 0, 0, 0, 0, 2}},
                     .to = {.mac = {2, 0, 0, 0, 0, 1}},
                     .udp_source = 0xc009,
                     .opcode = opcode,
                     .migrated = 1,
                     .pkey = 0xffff,
                     .qp = OWN_QP,
                     .psn = psn,
                     .address = BASE,
                     .rkey = b.key,
                     .dma_length = length,
                     .ack_request = 1,
                     .syndrome = RNIC_ACK,
                     .payload = b.data,
                     .length = opcode == RNIC_READ_REQUEST || opcode == RNIC_ACKNOWLEDGE ? 0 : length};

    rnic_set_ipv4(p.from.ip, 0x0a000002);
    rnic_set_ipv4(p.to.ip, 0x0a000001);
    return p;
}

static inline void take(const rnic_packet *p)
{
    uint8_t frame[RNIC_FRAME];

    rnic_take(b.r, frame, rnic_packet_write(p, frame));
}

static inline void come(uint8_t opcode, uint32_t psn, unsigned length)
{
    rnic_packet p = packet(opcode, psn, length);

    take(&p);
}

/* Its next packet; 0: none. */
static inline int goes(void)
{
    size_t length = rnic_give(b.r, b.frame);
    const char *why;

    return length && rnic_packet_read(&b.out, b.frame, length, &why) == RNIC_GOOD;
}

static inline void expect(uint8_t opcode, uint32_t psn)
{
    ck_assert(goes());
    ck_assert_uint_eq(b.out.opcode, opcode);
    ck_assert_uint_eq(b.out.psn, psn);
    ck_assert_uint_eq(b.out.qp, PEER_QP);
}

static inline void expect_silence(void)
{
    ck_assert_msg(!goes(), "%s PSN %u syndrome %x, expected nothing", rnic_opcode_name(b.out.opcode), b.out.psn,
                  b.out.syndrome);
}

static inline void expect_completion(int receive, rnic_status status, uint32_t length)
{
    rnic_completion c;

    ck_assert(rnic_poll(b.r, &c));
    ck_assert_int_eq(c.receive, receive);
    ck_assert_msg(c.status == status, "%s, expected %s", rnic_status_name(c.status), rnic_status_name(status));
    ck_assert_uint_eq(c.length, length);
}

#endif
