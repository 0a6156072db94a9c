/* See rn_rping.h. */
#include "rn_rping.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUEUE = 16, BUFFER = 256 };
enum { WAITS_FOR_SOURCE, READS, WAITS_FOR_SINK, WRITES };
enum { ID_READ = 1, ID_GO, ID_WRITE, ID_DONE };

struct connection {
    rn_cm_id *id; /* NULL: free */
    void *qp;
    uint64_t data;
    unsigned state, outstanding, size;
    int over; /* no work is posted or taken any more */
};

struct rn_rping {
    rn_verbs dev;
    rn_rping_params params;
    rn_cm *cm;
    struct connection connections[RN_QPS];
    uint32_t random;
    int error; /* of the device, seen in an event */
    rn_rping_stats stats;
};

rn_rping_params rn_rping_params_default(void)
{
    return (rn_rping_params){
        .port = RN_RPING_PORT, .largest = 65536, .rnr_timer = 12, .seed = 1, .time_wait_ns = 1000000};
}

const rn_rping_stats *rn_rping_get_stats(const rn_rping *r) { return &r->stats; }

static void say(rn_rping *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(rn_rping *r, const char *format, ...)
{
    char line[256];
    va_list list;
    if (!r->params.log) return;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    r->params.log(r->params.self, line);
}

static uint32_t draw(rn_rping *r)
{
    r->random = r->random * 1664525u + 1013904223u;
    return r->random >> 8;
}

/* ---- connections */

static void forget(rn_rping *r, struct connection *c)
{
    if (c->qp) r->dev.destroy(c->qp);
    if (c->data) r->dev.release(r->dev.self, c->data, r->params.largest);
    *c = (struct connection){0};
}

/* A QP and a buffer, connected to who asks. 0, or the reason to refuse. */
static unsigned set_up(rn_rping *r, struct connection *c, rn_cm_id *id, rn_cm_offer *offer)
{
    rn_qp_params q = rn_qp_params_default();
    rn_connection connection;
    q.send_depth = q.receive_depth = QUEUE;
    q.receive_bytes = BUFFER;
    q.handshake = r->params.handshake;
    q.receive_interrupt = q.completion_interrupt = 1;
    *c = (struct connection){.id = id};
    if (r->dev.create(r->dev.self, &q, &c->qp)) return RN_REJ_NO_QP;
    c->data = r->dev.alloc(r->dev.self, r->params.largest);
    if (!c->data) return RN_REJ_NO_RESOURCES;
    *offer =
        (rn_cm_offer){.qp = r->dev.number(c->qp), .psn = draw(r) & 0xffffff, .initiator_depth = 16, .rnr_retries = 7};
    rn_cm_connection(id, offer, &connection);
    if (connection.reads_outstanding == 0) return RN_REJ_RESPONDER_RESOURCES; /* a ping begins with a READ */
    offer->initiator_depth = connection.reads_outstanding;
    connection.rnr_timer = r->params.rnr_timer;
    if (r->params.timeout) connection.timeout = r->params.timeout;
    return r->dev.connect(c->qp, &connection) ? RN_REJ_NO_RESOURCES : 0;
}

static void take_request(rn_rping *r, rn_cm_id *id)
{
    rn_cm_offer offer;
    struct connection *c = r->connections;
    while (c->id) c++; /* one for each possible QP */
    unsigned reason = set_up(r, c, id, &offer);
    if (reason) {
        const char *detail =
            reason == RN_REJ_RESPONDER_RESOURCES ? "the client answers no READ" : r->dev.error(r->dev.self);
        say(r, "a connection is refused: %s: %s", rn_reject_text(reason), detail);
        forget(r, c);
        r->stats.failures++;
        int result = rn_cm_reject(id, reason);
        if (result && !r->error) r->error = result;
        return;
    }
    id->user = c;
    r->stats.connections++;
    r->stats.open++;
    r->stats.pmtu = 128u << id->request.pmtu_code;
    say(r, "QP %u: connection with QP 0x%x, PSN 0x%06x out, 0x%06x in", offer.qp, id->request.qp, id->request.psn,
        offer.psn);
    int result = rn_cm_accept(id, &offer);
    if (result && !r->error) r->error = result;
}

static int complete(rn_rping *r, struct connection *c);

static int on_event(void *self, rn_cm_id *id, rn_cm_event event)
{
    rn_rping *r = self;
    struct connection *c = id->user;
    if (event == RN_CM_REQUESTED) take_request(r, id);
    if (!c) return 0;
    if (event == RN_CM_DISCONNECTED || event == RN_CM_REJECTED || event == RN_CM_UNREACHABLE) {
        int result =
            c->over ? 0 : complete(r, c); /* a client that has what it wants may say so before we have looked */
        if (!c->over && c->state == WRITES) r->stats.unacknowledged++;
        c->over = 1;
        if (result >= 0) result = r->dev.disable(c->qp);
        if (result && !r->error) r->error = result;
        say(r, "QP %u: %s", r->dev.number(c->qp),
            event == RN_CM_DISCONNECTED ? "disconnected"
            : event == RN_CM_REJECTED   ? rn_reject_text(id->reason)
                                        : "the client does not answer");
    }
    if (event == RN_CM_ENDED) {
        r->stats.ended++;
        r->stats.open--;
        forget(r, c);
    }
    return 0;
}

/* Errors of a client, or its QP: the connection ends. */
static void fail(rn_rping *r, struct connection *c)
{
    c->over = 1;
    r->stats.failures++;
    rn_cm_disconnect(c->id);
}

/* ---- pings */

static int post(rn_rping *r, struct connection *c, rn_work work)
{
    static const uint8_t message[RN_RPING_MESSAGE];
    if (work.opcode == RN_SEND) {
        work.inside = message;
        work.length = sizeof message;
    }
    int result = r->dev.post(c->qp, &work);
    if (!result) c->outstanding++;
    return result;
}

static int complete(rn_rping *r, struct connection *c)
{
    rn_completion done[QUEUE];
    int count = r->dev.poll(c->qp, done, QUEUE), result = 0;
    for (int i = 0; i < count && !result; i++) {
        c->outstanding--;
        if (done[i].error) {
            unsigned syndrome;
            if ((result = r->dev.syndrome(c->qp, &syndrome))) return result;
            say(r, "QP %u: work %u failed, syndrome 0x%02x", r->dev.number(c->qp), done[i].id, syndrome);
            fail(r, c);
            return 1;
        }
        if (done[i].id == ID_READ) {
            c->state = WAITS_FOR_SINK;
            result = post(r, c, (rn_work){.id = ID_GO, .opcode = RN_SEND});
        } else if (done[i].id == ID_DONE) {
            c->state = WAITS_FOR_SOURCE;
            r->stats.pings++;
            r->stats.bytes += c->size;
        }
    }
    return result ? result : count;
}

/* The next message, when there may be one. */
static int take_message(rn_rping *r, struct connection *c)
{
    uint8_t m[RN_RPING_MESSAGE];
    uint32_t length;
    if (c->state == READS || c->state == WRITES || (c->state == WAITS_FOR_SOURCE && c->outstanding)) return 0;
    int result = r->dev.receive(c->qp, m, sizeof m, &length);
    if (result <= 0) return result;
    rn_cm_heard(c->id);
    if (length != sizeof m) {
        say(r, "QP %u: a message of %u bytes, expected %d", r->dev.number(c->qp), length, RN_RPING_MESSAGE);
        fail(r, c);
        return 1;
    }
    rn_work work = {.local = c->data, .remote = rn_get64(m), .rkey = rn_get32(m + 8), .length = rn_get32(m + 12)};
    int source = c->state == WAITS_FOR_SOURCE;
    if (work.length == 0 || work.length > r->params.largest || (!source && work.length > c->size)) {
        say(r, "QP %u: a %s of %u bytes, expected 1..%u", r->dev.number(c->qp), source ? "source" : "sink", work.length,
            source ? r->params.largest : c->size);
        fail(r, c);
        return 1;
    }
    c->state = source ? READS : WRITES;
    c->size = work.length;
    work.id = source ? ID_READ : ID_WRITE;
    work.opcode = source ? RN_READ : RN_WRITE;
    result = post(r, c, work);
    if (!result && !source) result = post(r, c, (rn_work){.id = ID_DONE, .opcode = RN_SEND});
    return result ? result : 1;
}

int rn_rping_poll(rn_rping *r)
{
    rn_address from;
    uint8_t mad[RN_MAD];
    const char *why = "";
    int moved = 0, result;
    while ((result = r->dev.mad_receive(r->dev.self, &from, mad, &why)) > 0 || result == NX_ERROR_PROTOCOL) {
        moved = 1;
        if (result > 0 && (result = rn_cm_receive(r->cm, &from, mad)) == NX_ERROR_PROTOCOL) why = rn_cm_error(r->cm);
        if (result == NX_ERROR_PROTOCOL) say(r, "a datagram is left alone: %s", why);
        else if (result) return result;
    }
    if (result || (result = rn_cm_poll(r->cm))) return result;
    for (unsigned i = 0; i < RN_QPS; i++) {
        struct connection *c = &r->connections[i];
        if (!c->id || c->over) continue;
        if ((result = complete(r, c)) < 0) return result;
        moved |= result;
        if (c->over) continue;
        if ((result = take_message(r, c)) < 0) return result;
        moved |= result;
    }
    result = r->error;
    r->error = 0;
    return result ? result : moved != 0;
}

/* ---- life */

static int send(void *self, const rn_address *to, const uint8_t mad[RN_MAD_BYTES])
{
    const rn_rping *r = self;
    return r->dev.mad_send(r->dev.self, to, mad);
}

static uint64_t now(void *self)
{
    const rn_rping *r = self;
    return r->dev.now(r->dev.self);
}

int rn_rping_new(const rn_verbs *d, const rn_rping_params *params, rn_rping **server)
{
    rn_rping *r = *server = calloc(1, sizeof *r);
    if (!r) return NX_ERROR_NO_MEMORY;
    r->dev = *d;
    r->params = *params;
    r->random = params->seed;
    rn_cm_params p = rn_cm_params_default();
    memcpy(p.own.mac, d->mac, 6);
    memcpy(p.own.ip, d->ipv4, 4);
    /* as an EUI-64 is made of a MAC address */
    memcpy(p.guid, (const uint8_t[]){d->mac[0] ^ 2, d->mac[1], d->mac[2], 0xff, 0xfe, d->mac[3], d->mac[4], d->mac[5]},
           8);
    p.connections = RN_QPS;
    p.time_wait_ns = params->time_wait_ns;
    p.first_id = draw(r) << 8;
    p.self = r;
    p.send = send;
    p.now = now;
    p.on_event = on_event;
    r->cm = rn_cm_new(&p);
    if (r->cm) return rn_cm_listen(r->cm, RN_CM_TCP_SERVICE(params->port));
    free(r);
    *server = NULL;
    return NX_ERROR_NO_MEMORY;
}

void rn_rping_free(rn_rping *r)
{
    if (!r) return;
    for (unsigned i = 0; i < RN_QPS; i++)
        if (r->connections[i].id) forget(r, &r->connections[i]);
    rn_cm_free(r->cm);
    free(r);
}
