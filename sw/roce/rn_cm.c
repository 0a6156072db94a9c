/* See rn_cm.h. */
#include "rn_cm.h"

#include <stdlib.h>

enum {
    SERVICES = 16,
    HOP_LIMIT = 64,
    RATE = 2 /* 2.5 Gb/s, the code that all accept */,
    ABOUT_REQ = 0,
    ABOUT_REP = 1,
    ABOUT_NONE = 2
};

struct rn_cm {
    rn_cm_params p;
    uint64_t services[SERVICES];
    unsigned service_count;
    rn_cm_id *ids; /* p.connections of them */
    uint32_t next_id;
    const char *error;
    rn_cm_stats stats;
};

rn_cm_params rn_cm_params_default(void)
{
    return (rn_cm_params){.connections = 128,
                          .response_timeout = 18,
                          .longest_timeout = 20,
                          .longest_wait_ns = UINT64_C(75000000000),
                          .retries = 15,
                          .time_wait_ns = 1000000,
                          .first_id = 1};
}

rn_cm *rn_cm_new(const rn_cm_params *params)
{
    rn_cm *cm = params->send && params->now && params->on_event ? calloc(1, sizeof *cm) : NULL;
    if (!cm) return NULL;
    cm->p = *params;
    cm->ids = calloc(params->connections ? params->connections : 1, sizeof *cm->ids);
    cm->next_id = params->first_id;
    cm->error = "";
    if (cm->ids) return cm;
    free(cm);
    return NULL;
}

void rn_cm_free(rn_cm *cm)
{
    if (cm) free(cm->ids);
    free(cm);
}

const char *rn_cm_error(const rn_cm *cm) { return cm->error; }

const rn_cm_stats *rn_cm_get_stats(const rn_cm *cm) { return &cm->stats; }

int rn_cm_listen(rn_cm *cm, uint64_t service)
{
    if (cm->service_count == SERVICES) return NX_ERROR_NO_SPACE;
    cm->services[cm->service_count++] = service;
    return NX_OK;
}

/* ---- sending */

static uint64_t time_of(unsigned code) { return UINT64_C(4096) << (code < 31 ? code : 31); }

static uint64_t now(const rn_cm *cm) { return cm->p.now(cm->p.self); }

static int send_to(rn_cm *cm, const rn_address *to, const rn_cm_message *m)
{
    uint8_t mad[RN_MAD_BYTES];
    rn_cm_encode(m, mad);
    cm->stats.sent++;
    return cm->p.send(cm->p.self, to, mad);
}

/* A message of this connection. */
static rn_cm_message message(const rn_cm_id *id, rn_cm_kind kind)
{
    return (rn_cm_message){
        .kind = kind, .transaction = id->request.transaction, .local_id = id->local_id, .remote_id = id->remote_id};
}

/* It is sent again after this time, but for what a peer says never later than allowed. */
static void wait_for_answer(rn_cm_id *id, uint64_t ns)
{
    const uint64_t end = id->since + id->cm->p.longest_wait_ns;
    id->deadline = now(id->cm) + ns;
    if (id->deadline > end) id->deadline = end;
}

/* Values of the other side, within our limits. */
static uint64_t allowed(const rn_cm *cm, unsigned code)
{
    return time_of(code < cm->p.longest_timeout ? code : cm->p.longest_timeout);
}

/* ... that is repeated until something else is sent, or the state changes. */
static int send_again_and_again(rn_cm_id *id, const rn_cm_message *m, uint64_t ns)
{
    id->last = *m;
    id->sends = 1;
    id->since = now(id->cm);
    wait_for_answer(id, ns);
    return send_to(id->cm, &id->peer, m);
}

static int refuse(rn_cm *cm, const rn_address *to, const rn_cm_message *what, unsigned about, uint32_t own_id,
                  unsigned reason)
{
    rn_cm_message m = {.kind = RN_CM_REJ,
                       .transaction = what->transaction,
                       .local_id = own_id,
                       .remote_id = what->local_id,
                       .about = about,
                       .reason = reason};
    cm->stats.rejects++;
    return send_to(cm, to, &m);
}

static int post_event(rn_cm_id *id, rn_cm_event event) { return id->cm->p.on_event(id->cm->p.self, id, event); }

/* The connection is over for us; what may still come for it is answered or dropped until the time is up. */
static void wait_out(rn_cm_id *id, rn_cm_event event)
{
    id->state = RN_CM_TIME_WAIT;
    id->deadline = now(id->cm) + id->cm->p.time_wait_ns;
    post_event(id, event);
}

/* ---- connections */

static rn_cm_id *new_id(rn_cm *cm, const rn_address *peer, int active)
{
    for (unsigned i = 0; i < cm->p.connections; i++)
        if (cm->ids[i].state == RN_CM_FREE) {
            cm->ids[i] = (rn_cm_id){.cm = cm, .active = active, .peer = *peer, .local_id = cm->next_id++};
            return &cm->ids[i];
        }
    return NULL;
}

static int same_host(const rn_address *a, const rn_address *b)
{
    return a->ipv6 == b->ipv6 && !memcmp(a->ip, b->ip, 16);
}

/* The connection that a message is about: by our ID and by its sender, whose ID must fit if it is known. */
static rn_cm_id *find(rn_cm *cm, const rn_address *from, const rn_cm_message *m)
{
    for (unsigned i = 0; i < cm->p.connections; i++) {
        rn_cm_id *id = &cm->ids[i];
        int knows_other = id->state != RN_CM_REQ_SENT;
        if (id->state != RN_CM_FREE && id->local_id == m->remote_id && same_host(&id->peer, from) &&
            (!knows_other || id->remote_id == m->local_id || (m->kind == RN_CM_REJ && m->local_id == 0)))
            return id;
    }
    return NULL;
}

static int is_listened_to(const rn_cm *cm, uint64_t service)
{
    for (unsigned i = 0; i < cm->service_count; i++)
        if (cm->services[i] == service) return 1;
    return 0;
}

static int ignore(rn_cm *cm, const char *why)
{
    cm->error = why;
    cm->stats.ignored++;
    return NX_ERROR_PROTOCOL;
}

/* ---- REQ: a new one, or one that we have */

static int receive_req(rn_cm *cm, const rn_address *from, const rn_cm_message *m)
{
    for (unsigned i = 0; i < cm->p.connections; i++) {
        rn_cm_id *id = &cm->ids[i];
        if (id->state == RN_CM_FREE || id->active || id->remote_id != m->local_id || !same_host(&id->peer, from) ||
            memcmp(id->request.guid, m->guid, 8))
            continue;
        if (id->state == RN_CM_TIME_WAIT) return refuse(cm, from, m, ABOUT_REQ, id->local_id, RN_REJ_STALE);
        if (id->state != RN_CM_REP_SENT) return NX_OK; /* it is being decided, or was answered */
        cm->stats.repeated++;
        return send_to(cm, from, &id->last);
    }
    if (!is_listened_to(cm, m->service)) return refuse(cm, from, m, ABOUT_REQ, 0, RN_REJ_SERVICE);
    if (m->transport != 0) return refuse(cm, from, m, ABOUT_REQ, 0, RN_REJ_TRANSPORT);
    if (m->pmtu_code < 1 || m->pmtu_code > 5) return refuse(cm, from, m, ABOUT_REQ, 0, RN_REJ_MTU);
    rn_cm_id *id = new_id(cm, from, 0);
    if (!id) return refuse(cm, from, m, ABOUT_REQ, 0, RN_REJ_NO_RESOURCES);
    id->request = *m;
    id->remote_id = m->local_id;
    id->state = RN_CM_REQ_RECEIVED;
    post_event(id, RN_CM_REQUESTED);
    return NX_OK;
}

int rn_cm_accept(rn_cm_id *id, const rn_cm_offer *o)
{
    if (id->state != RN_CM_REQ_RECEIVED || o->qp > 0xffffff || o->psn > 0xffffff || o->responder_resources > 255 ||
        o->initiator_depth > 255 || o->rnr_retries > 7 || o->private_size > rn_cm_private_size(RN_CM_REP))
        return NX_ERROR_ARGUMENT;
    rn_cm_message m = message(id, RN_CM_REP);
    m.qp = o->qp;
    m.psn = o->psn;
    m.responder_resources = o->responder_resources;
    m.initiator_depth = o->initiator_depth;
    m.rnr_retries = o->rnr_retries;
    memcpy(m.guid, id->cm->p.guid, 8);
    if (o->private_size) memcpy(m.private_data, o->private_data, o->private_size);
    id->reply = m;
    id->state = RN_CM_REP_SENT;
    return send_again_and_again(id, &m, allowed(id->cm, id->request.local_timeout));
}

int rn_cm_reject(rn_cm_id *id, unsigned reason)
{
    if (id->state != RN_CM_REQ_RECEIVED) return NX_ERROR_ARGUMENT;
    id->reason = reason;
    int result = refuse(id->cm, &id->peer, &id->request, ABOUT_REQ, id->local_id, reason);
    wait_out(id, RN_CM_REJECTED);
    return result;
}

static void establish(rn_cm_id *id)
{
    id->state = RN_CM_CONNECTED;
    id->sends = 0;
    post_event(id, RN_CM_ESTABLISHED);
}

void rn_cm_heard(rn_cm_id *id)
{
    if (id->state == RN_CM_REP_SENT) establish(id);
}

/* ---- the active side */

int rn_cm_connect(rn_cm *cm, const rn_address *peer, uint64_t service, const rn_cm_offer *o, void *user, rn_cm_id **out)
{
    unsigned code = 1;
    *out = NULL;
    while (code <= 5 && 128u << code != o->pmtu) code++;
    if (code > 5 || o->qp > 0xffffff || o->psn > 0xffffff || o->responder_resources > 255 || o->initiator_depth > 255 ||
        o->retries > 7 || o->rnr_retries > 7 || o->ack_timeout > 31 || o->port > 0xffff ||
        o->private_size > rn_cm_private_size(RN_CM_REQ) - RN_CM_IP_HEADER)
        return NX_ERROR_ARGUMENT;
    rn_cm_id *id = new_id(cm, peer, 1);
    if (!id) return NX_ERROR_NO_SPACE;
    id->user = user;
    rn_cm_message m = {.kind = RN_CM_REQ,
                       .transaction = id->local_id,
                       .local_id = id->local_id,
                       .service = service,
                       .qp = o->qp,
                       .psn = o->psn,
                       .responder_resources = o->responder_resources,
                       .initiator_depth = o->initiator_depth,
                       .remote_timeout = cm->p.response_timeout,
                       .local_timeout = cm->p.response_timeout,
                       .retries = o->retries,
                       .rnr_retries = o->rnr_retries,
                       .cm_retries = cm->p.retries,
                       .pkey = 0xffff,
                       .pmtu_code = code,
                       .packet_rate = RATE,
                       .hop_limit = HOP_LIMIT,
                       .ack_timeout = o->ack_timeout};
    memcpy(m.guid, cm->p.guid, 8);
    rn_address own = cm->p.own;
    own.ipv6 = peer->ipv6;
    rn_cm_gid(m.local_gid, &own);
    rn_cm_gid(m.remote_gid, peer);
    rn_cm_put_ip_header(m.private_data, &own, o->port, peer);
    if (o->private_size) memcpy(m.private_data + RN_CM_IP_HEADER, o->private_data, o->private_size);
    id->request = m;
    id->state = RN_CM_REQ_SENT;
    *out = id;
    return send_again_and_again(id, &m, time_of(cm->p.response_timeout));
}

static int receive_rep(rn_cm *cm, const rn_address *from, const rn_cm_message *m)
{
    rn_cm_id *id = find(cm, from, m);
    if (!id || !id->active) return refuse(cm, from, m, ABOUT_REP, 0, RN_REJ_COMM_ID);
    rn_cm_message rtu = message(id, RN_CM_RTU);
    if (id->state == RN_CM_CONNECTED) { /* our RTU was lost */
        cm->stats.repeated++;
        return send_to(cm, from, &rtu);
    }
    if (id->state != RN_CM_REQ_SENT) return NX_OK;
    id->remote_id = rtu.remote_id = m->local_id;
    id->reply = *m;
    if (post_event(id, RN_CM_REPLIED)) {
        int result = refuse(cm, from, m, ABOUT_REP, id->local_id, id->reason ? id->reason : RN_REJ_CONSUMER);
        wait_out(id, RN_CM_REJECTED);
        return result;
    }
    int result = send_to(cm, from, &rtu);
    establish(id);
    return result;
}

/* ---- the end */

int rn_cm_disconnect(rn_cm_id *id)
{
    if (id->state != RN_CM_CONNECTED && id->state != RN_CM_REP_SENT) return NX_ERROR_ARGUMENT;
    rn_cm_message m = message(id, RN_CM_DREQ);
    m.qp = id->active ? id->reply.qp : id->request.qp;
    id->state = RN_CM_DREQ_SENT;
    return send_again_and_again(id, &m, time_of(id->cm->p.response_timeout));
}

static int receive_dreq(rn_cm *cm, const rn_address *from, const rn_cm_message *m)
{
    rn_cm_id *id = find(cm, from, m);
    rn_cm_message drep = {
        .kind = RN_CM_DREP, .transaction = m->transaction, .local_id = m->remote_id, .remote_id = m->local_id};
    if (id && id->state != RN_CM_CONNECTED && id->state != RN_CM_REP_SENT && id->state != RN_CM_DREQ_SENT &&
        id->state != RN_CM_TIME_WAIT)
        return ignore(cm, "DREQ before a connection is made");
    if (id && m->qp != (id->active ? id->request.qp : id->reply.qp)) return ignore(cm, "DREQ with another QP");
    int result = send_to(cm, from, &drep); /* also if we know nothing of it: then we have forgotten it */
    if (id && id->state != RN_CM_TIME_WAIT) wait_out(id, RN_CM_DISCONNECTED);
    return result;
}

static int receive_rej(rn_cm *cm, const rn_address *from, const rn_cm_message *m)
{
    rn_cm_id *id = find(cm, from, m);
    if (!id) return ignore(cm, "REJ of no connection of ours");
    if (id->state == RN_CM_TIME_WAIT) return NX_OK;
    id->reason = m->reason;
    wait_out(id, id->state == RN_CM_CONNECTED || id->state == RN_CM_DREQ_SENT ? RN_CM_DISCONNECTED : RN_CM_REJECTED);
    return NX_OK;
}

/* ---- all of them */

int rn_cm_receive(rn_cm *cm, const rn_address *from, const uint8_t mad[RN_MAD_BYTES])
{
    rn_cm_message m;
    const char *why;
    rn_cm_id *id;
    if (rn_cm_decode(mad, &m, &why)) return ignore(cm, why);
    cm->stats.received++;
    switch (m.kind) {
    case RN_CM_REQ:
        return receive_req(cm, from, &m);
    case RN_CM_REP:
        return receive_rep(cm, from, &m);
    case RN_CM_REJ:
        return receive_rej(cm, from, &m);
    case RN_CM_DREQ:
        return receive_dreq(cm, from, &m);
    default:
        break;
    }
    if (!(id = find(cm, from, &m))) return ignore(cm, "about no connection of ours");
    if (m.kind == RN_CM_RTU) rn_cm_heard(id);
    if (m.kind == RN_CM_DREP && id->state == RN_CM_DREQ_SENT) wait_out(id, RN_CM_DISCONNECTED);
    if (m.kind == RN_CM_MRA &&
        (id->state == RN_CM_REQ_SENT || id->state == RN_CM_REP_SENT || id->state == RN_CM_DREQ_SENT))
        wait_for_answer(id, allowed(cm, m.service_timeout) + time_of(cm->p.response_timeout));
    return NX_OK;
}

int rn_cm_receive_frame(rn_cm *cm, const uint8_t *frame, size_t size)
{
    rn_mad_frame f;
    const char *why;
    if (rn_mad_frame_parse(frame, size, &f, &why)) return ignore(cm, why);
    return rn_cm_receive(cm, &f.from, f.mad);
}

static int time_is_up(rn_cm *cm, rn_cm_id *id, int give_up)
{
    unsigned retries = id->active || id->state == RN_CM_DREQ_SENT ? cm->p.retries : id->request.cm_retries;
    if (id->state == RN_CM_TIME_WAIT) {
        post_event(id, RN_CM_ENDED);
        id->state = RN_CM_FREE;
        return NX_OK;
    }
    if (id->sends <= retries && !give_up) {
        id->sends++;
        wait_for_answer(id, id->state == RN_CM_REP_SENT ? allowed(cm, id->request.local_timeout)
                                                        : time_of(cm->p.response_timeout));
        cm->stats.repeated++;
        return send_to(cm, &id->peer, &id->last);
    }
    if (id->state == RN_CM_DREQ_SENT) { /* without an answer */
        wait_out(id, RN_CM_DISCONNECTED);
        return NX_OK;
    }
    rn_cm_message rej = message(id, RN_CM_REJ);
    rej.about = ABOUT_NONE;
    rej.reason = RN_REJ_TIMEOUT;
    rej.info_size = sizeof cm->p.guid; /* by which who does not have our ID may find the connection */
    memcpy(rej.info, cm->p.guid, sizeof cm->p.guid);
    cm->stats.rejects++;
    int result = send_to(cm, &id->peer, &rej);
    wait_out(id, RN_CM_UNREACHABLE);
    return result;
}

int rn_cm_poll(rn_cm *cm)
{
    int result = NX_OK;
    unsigned half_open = 0;
    for (unsigned i = 0; i < cm->p.connections; i++) half_open += cm->ids[i].state == RN_CM_REP_SENT;
    for (unsigned i = 0; i < cm->p.connections; i++) {
        rn_cm_id *id = &cm->ids[i];
        const int in_the_way = id->state == RN_CM_REP_SENT && half_open > cm->p.connections / 2;
        const uint64_t longest = in_the_way ? time_of(cm->p.response_timeout) : cm->p.longest_wait_ns;
        int timed = id->state == RN_CM_TIME_WAIT || id->state == RN_CM_REQ_SENT || id->state == RN_CM_REP_SENT ||
                    id->state == RN_CM_DREQ_SENT;
        const int give_up = timed && id->state != RN_CM_TIME_WAIT && now(cm) - id->since >= longest;
        if (!timed || (now(cm) < id->deadline && !give_up)) continue;
        half_open -= in_the_way && give_up;
        int one = time_is_up(cm, id, give_up);
        if (!result) result = one;
    }
    return result;
}

void rn_cm_connection(const rn_cm_id *id, const rn_cm_offer *offer, rn_connection *c)
{
    const rn_cm_message *q = &id->request, *p = &id->reply;
    uint32_t own_psn = id->active ? q->psn : offer ? offer->psn : p->psn;
    unsigned depth = id->active ? q->initiator_depth : offer ? offer->initiator_depth : p->initiator_depth;
    unsigned answered = id->active ? p->responder_resources : q->responder_resources;
    if (depth > 16) depth = 16;
    *c = (rn_connection){.peer = id->peer,
                         .qp = id->active ? p->qp : q->qp,
                         .send_psn = id->active ? p->psn : q->psn,
                         .receive_psn = own_psn,
                         .pmtu = 128u << q->pmtu_code,
                         .timeout = q->ack_timeout,
                         .retries = q->retries,
                         .rnr_retries = id->active ? p->rnr_retries : q->rnr_retries,
                         .reads_outstanding = answered < depth ? answered : depth};
}
