/* Two connection managers; each keeps its messages in the order of sending until deliver() or take(). */
#ifndef TB_CM_BENCH_H
#define TB_CM_BENCH_H

#include <string.h>

#include "linux_cm.h"
#include "rn_cm.h"
#include "test.h"

enum { FRAME = LINUX_FRAME, MAD_AT = LINUX_MAD_AT, QUEUE = 64, EVENTS = 64 };

typedef struct side side;
struct side {
    rn_cm *cm;
    side *other;
    rn_address own;
    uint8_t mad[QUEUE][256]; /* sent and not delivered */
    unsigned count, sent;
    rn_cm_event events[EVENTS];
    rn_cm_id *id;
    unsigned event_count;
    int refuse; /* on_event: reject the request, or the reply */
    int late;   /* on_event: leave it to the test */
    int bus_fails;
    rn_cm_offer offer;
    unsigned reason;
};

static side a, b; /* b listens */
static uint64_t time_ns;

static inline int send(void *self, const rn_address *to, const uint8_t mad[256])
{
    side *s = self;
    (void)to;
    if (s->bus_fails) return NX_ERROR_BUS;
    ck_assert_uint_lt(s->count, QUEUE);
    memcpy(s->mad[s->count++], mad, 256);
    s->sent++;
    return 0;
}

static inline uint64_t now(void *self)
{
    (void)self;
    return time_ns;
}

static inline int on_event(void *self, rn_cm_id *id, rn_cm_event event)
{
    side *s = self;
    ck_assert_uint_lt(s->event_count, EVENTS);
    s->events[s->event_count++] = event;
    s->id = event == RN_CM_ENDED ? NULL : id;
    if (event == RN_CM_REJECTED) s->reason = id->reason;
    if (event == RN_CM_REQUESTED && !s->late)
        ck_assert_int_eq(s->refuse ? rn_cm_reject(id, RN_REJ_CONSUMER) : rn_cm_accept(id, &s->offer), 0);
    return event == RN_CM_REPLIED && s->refuse;
}

CLEANUP(rn_cm_free);

static inline void make(side *s, side *other, const uint8_t ip[4], const char *guid, uint32_t first_id)
{
    memset(s, 0, sizeof *s);
    s->other = other;
    memcpy(s->own.ip, ip, 4);
    s->own.mac[5] = ip[3];
    rn_cm_params p = rn_cm_params_default();
    p.own = s->own;
    memcpy(p.guid, guid, 8);
    p.connections = 4;
    p.first_id = first_id;
    p.self = s;
    p.send = send;
    p.now = now;
    p.on_event = on_event;
    p.retries = 5;
    s->cm = rn_cm_new(&p);
    after_test(rn_cm_free_cleanup, s->cm);
}

enum { PORT = 7174, SERVICE_PORT = 0x1c06 };

static inline void set_up(void)
{
    time_ns = 1000;
    make(&a, &b, (uint8_t[]){10, 0, 0, 2}, "ACTIVE__", 0x100);
    make(&b, &a, (uint8_t[]){10, 0, 0, 1}, "NICTARGT", 0x4d494e45);
    ck_assert_int_eq(rn_cm_listen(b.cm, RN_CM_TCP_SERVICE(PORT)), 0);
    a.offer = (rn_cm_offer){.qp = 0x11,
                            .psn = 0x7c67ed,
                            .responder_resources = 16,
                            .initiator_depth = 1,
                            .retries = 7,
                            .rnr_retries = 7,
                            .pmtu = 1024,
                            .ack_timeout = 14,
                            .port = 0xb7a9};
    b.offer = (rn_cm_offer){.qp = 2, .psn = 0xfffffa, .responder_resources = 1, .initiator_depth = 1, .rnr_retries = 7};
}

/* The oldest message that s has sent goes away; 1 if there was one. */
static inline int take(side *s, uint8_t mad[256])
{
    if (!s->count) return 0;
    memcpy(mad, s->mad[0], 256);
    memmove(s->mad[0], s->mad[1], --s->count * sizeof s->mad[0]);
    return 1;
}

static inline int deliver(side *s)
{
    uint8_t mad[256];
    return take(s, mad) && (rn_cm_receive(s->other->cm, &s->own, mad), 1);
}

static inline void deliver_all(void)
{
    while (deliver(&a) || deliver(&b)) {
    }
}

static inline void expect_events(const side *s, int count, const rn_cm_event *events)
{
    for (int i = 0; i < count || i < (int)s->event_count; i++)
        ck_assert_msg(i < count && i < (int)s->event_count && s->events[i] == events[i],
                      "event %d of %s is %d of %u, expected %d of %d", i, s == &a ? "a" : "b",
                      i < (int)s->event_count ? (int)s->events[i] : -1, s->event_count, i < count ? (int)events[i] : -1,
                      count);
}
#define EXPECT_EVENTS(side, ...)                                                                                       \
    expect_events(side, COUNT(((rn_cm_event[]){__VA_ARGS__})), (rn_cm_event[]){__VA_ARGS__})

static inline rn_cm_id *connect_a(void)
{
    rn_cm_id *id;
    ck_assert_int_eq(rn_cm_connect(a.cm, &b.own, RN_CM_TCP_SERVICE(PORT), &a.offer, NULL, &id), 0);
    return id;
}

/* Any time may pass. */
static inline void pass(uint64_t ns)
{
    time_ns += ns;
    rn_cm_poll(a.cm);
    rn_cm_poll(b.cm);
}

/* ---- places of fields, by IBA's tables: a byte or some of them each, all else zero */

struct place {
    unsigned at; /* in the datagram; 24 is the first byte of the message */
    const char *bytes;
    unsigned size;
};

static inline void check_places(const uint8_t mad[256], const struct place *p, int count)
{
    uint8_t expected[256] = {1, 7, 2, 3};
    for (; count--; p++) memcpy(expected + p->at, p->bytes, p->size);
    for (int i = 0; i < 256; i++)
        ck_assert_msg(mad[i] == expected[i], "byte %d is %02x, expected %02x", i, mad[i], expected[i]);
}

#endif
