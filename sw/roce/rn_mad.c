/* See rn_mad.h. Places of fields: IBA tables 99 (REQ) to 106 (DREP), as offsets from the end of the datagram's header.
 */
#include "rn_mad.h"

#include <string.h>

enum { ETHERNET = 14, UDP = 8, BTH = 12, DETH = 8, ICRC = 4, ROCE_PORT = 4791, UD_SEND_ONLY = 0x64 };
enum { CM_BASE_VERSION = 1, CM_CLASS = 7, CM_CLASS_VERSION = 2, CM_SEND = 3 };
#define QP1_KEY 0x80010000u

/* ---- the frame */

static int wrong(const char **why, const char *text)
{
    *why = text;
    return NX_ERROR_PROTOCOL;
}

int rn_mad_frame_parse(const uint8_t *frame, size_t size, rn_mad_frame *f, const char **why)
{
    memset(f, 0, sizeof *f);
    if (size < ETHERNET + 20) return wrong(why, "shorter than its headers");
    const uint8_t *ip = frame + ETHERNET;
    unsigned type = rn_get16(frame + 12);
    size_t header = type == 0x86dd ? 40 : 20, total;
    if (type != 0x0800 && type != 0x86dd) return wrong(why, "neither IPv4 nor IPv6");
    if (size < ETHERNET + header + UDP + BTH + DETH) return wrong(why, "shorter than its headers");
    int ipv6 = type == 0x86dd;
    if (ip[0] >> 4 != (ipv6 ? 6 : 4) || (!ipv6 && (ip[0] & 15) != 5))
        return wrong(why, "wrong IP version or header length");
    if (ip[ipv6 ? 6 : 9] != 17) return wrong(why, "no UDP");
    total = ipv6 ? 40u + rn_get16(ip + 4) : rn_get16(ip + 2);
    if (total != header + UDP + BTH + DETH + RN_MAD_BYTES + ICRC) return wrong(why, "the datagram has not 256 bytes");
    if (size < ETHERNET + total - ICRC) return wrong(why, "shorter than its IP header says");
    const uint8_t *udp = ip + header, *bth = udp + UDP, *deth = bth + BTH;
    if (rn_get16(udp + 2) != ROCE_PORT) return wrong(why, "not to UDP port 4791");
    if (rn_get16(udp + 4) != total - header) return wrong(why, "the UDP length is not that of IP");
    if (bth[0] != UD_SEND_ONLY || bth[1] & 0x3f) return wrong(why, "no UD SEND only without padding");
    if (rn_get24(bth + 5) != 1) return wrong(why, "not for QP 1");
    if (rn_get32(deth) != QP1_KEY) return wrong(why, "the Q_Key is not 80010000");
    memcpy(f->from.mac, frame + 6, 6);
    memcpy(f->to.mac, frame, 6);
    f->from.ipv6 = f->to.ipv6 = (uint8_t)ipv6;
    memcpy(f->from.ip, ip + (ipv6 ? 8 : 12), ipv6 ? 16 : 4);
    memcpy(f->to.ip, ip + (ipv6 ? 24 : 16), ipv6 ? 16 : 4);
    f->pkey = rn_get16(bth + 2);
    f->psn = rn_get24(bth + 9);
    f->source_qp = rn_get24(deth + 5);
    f->mad = deth + DETH;
    return NX_OK;
}

/* ---- messages */

static const struct {
    rn_cm_kind kind;
    unsigned at, size; /* of the private data */
} private_data[] = {{RN_CM_REQ, 140, 92}, {RN_CM_MRA, 10, 222},  {RN_CM_REJ, 84, 148}, {RN_CM_REP, 36, 196},
                    {RN_CM_RTU, 8, 224},  {RN_CM_DREQ, 12, 220}, {RN_CM_DREP, 8, 224}};

static int index_of(unsigned kind)
{
    for (unsigned i = 0; i < sizeof private_data / sizeof private_data[0]; i++)
        if (private_data[i].kind == kind) return (int)i;
    return -1;
}

unsigned rn_cm_private_size(rn_cm_kind kind)
{
    int i = index_of(kind);
    return i < 0 ? 0 : private_data[i].size;
}

static void decode_req(const uint8_t *b, rn_cm_message *m)
{
    m->service = rn_get64(b + 8);
    memcpy(m->guid, b + 16, 8);
    m->qp = rn_get24(b + 32);
    m->responder_resources = b[35];
    m->initiator_depth = b[39];
    m->remote_timeout = b[43] >> 3;
    m->transport = b[43] >> 1 & 3;
    m->flow_control = b[43] & 1;
    m->psn = rn_get24(b + 44);
    m->local_timeout = b[47] >> 3;
    m->retries = b[47] & 7;
    m->pkey = rn_get16(b + 48);
    m->pmtu_code = b[50] >> 4;
    m->rnr_retries = b[50] & 7;
    m->cm_retries = b[51] >> 4;
    m->srq = b[51] >> 3 & 1;
    memcpy(m->local_gid, b + 56, 16);
    memcpy(m->remote_gid, b + 72, 16);
    m->flow_label = rn_get32(b + 88) >> 12;
    m->packet_rate = b[91] & 63;
    m->traffic_class = b[92];
    m->hop_limit = b[93];
    m->ack_timeout = b[95] >> 3;
}

static void encode_req(const rn_cm_message *m, uint8_t *b)
{
    rn_put64(b + 8, m->service);
    memcpy(b + 16, m->guid, 8);
    rn_put24(b + 32, m->qp);
    b[35] = (uint8_t)m->responder_resources;
    b[39] = (uint8_t)m->initiator_depth;
    b[43] = (uint8_t)(m->remote_timeout << 3 | m->transport << 1 | m->flow_control);
    rn_put24(b + 44, m->psn);
    b[47] = (uint8_t)(m->local_timeout << 3 | m->retries);
    rn_put16(b + 48, m->pkey);
    b[50] = (uint8_t)(m->pmtu_code << 4 | m->rnr_retries);
    b[51] = (uint8_t)(m->cm_retries << 4 | m->srq << 3);
    rn_put32(b + 52, 0xffffffff); /* LIDs, which RoCE does not have */
    memcpy(b + 56, m->local_gid, 16);
    memcpy(b + 72, m->remote_gid, 16);
    rn_put32(b + 88, m->flow_label << 12 | m->packet_rate);
    b[92] = (uint8_t)m->traffic_class;
    b[93] = (uint8_t)m->hop_limit;
    b[95] = (uint8_t)(m->ack_timeout << 3);
}

static void decode_rep(const uint8_t *b, rn_cm_message *m)
{
    m->qp = rn_get24(b + 12);
    m->psn = rn_get24(b + 20);
    m->responder_resources = b[24];
    m->initiator_depth = b[25];
    m->target_ack_delay = b[26] >> 3;
    m->flow_control = b[26] & 1;
    m->rnr_retries = b[27] >> 5;
    m->srq = b[27] >> 4 & 1;
    memcpy(m->guid, b + 28, 8);
}

static void encode_rep(const rn_cm_message *m, uint8_t *b)
{
    rn_put24(b + 12, m->qp);
    rn_put24(b + 20, m->psn);
    b[24] = (uint8_t)m->responder_resources;
    b[25] = (uint8_t)m->initiator_depth;
    b[26] = (uint8_t)(m->target_ack_delay << 3 | m->flow_control);
    b[27] = (uint8_t)(m->rnr_retries << 5 | m->srq << 4);
    memcpy(b + 28, m->guid, 8);
}

int rn_cm_decode(const uint8_t mad[RN_MAD_BYTES], rn_cm_message *m, const char **why)
{
    const uint8_t *b = mad + RN_CM_HEADER;
    memset(m, 0, sizeof *m);
    if (mad[0] != CM_BASE_VERSION) return wrong(why, "base version is not 1");
    if (mad[1] != CM_CLASS) return wrong(why, "class is not 7, that of the connection manager");
    if (mad[2] != CM_CLASS_VERSION) return wrong(why, "class version is not 2");
    if (mad[3] != CM_SEND) return wrong(why, "method is not 3, Send");
    int i = index_of(rn_get16(mad + 16));
    if (i < 0) return wrong(why, "unknown attribute");
    m->kind = private_data[i].kind;
    m->transaction = rn_get64(mad + 8);
    m->local_id = rn_get32(b);
    if (m->kind != RN_CM_REQ) m->remote_id = rn_get32(b + 4);
    memcpy(m->private_data, b + private_data[i].at, private_data[i].size);
    if (m->kind == RN_CM_REQ) decode_req(b, m);
    if (m->kind == RN_CM_REP) decode_rep(b, m);
    if (m->kind == RN_CM_MRA || m->kind == RN_CM_REJ) m->about = b[8] >> 6;
    if (m->kind == RN_CM_MRA) m->service_timeout = b[9] >> 3;
    if (m->kind == RN_CM_DREQ) m->qp = rn_get24(b + 8);
    if (m->kind == RN_CM_REJ) {
        m->info_size = b[9] >> 1;
        m->reason = rn_get16(b + 10);
        memcpy(m->info, b + 12, sizeof m->info);
        if (m->info_size > sizeof m->info) return wrong(why, "REJ with more than 72 bytes of information");
    }
    return NX_OK;
}

void rn_cm_encode(const rn_cm_message *m, uint8_t mad[RN_MAD_BYTES])
{
    uint8_t *b = mad + RN_CM_HEADER;
    int i = index_of(m->kind);
    memset(mad, 0, RN_MAD_BYTES);
    mad[0] = CM_BASE_VERSION;
    mad[1] = CM_CLASS;
    mad[2] = CM_CLASS_VERSION;
    mad[3] = CM_SEND;
    rn_put64(mad + 8, m->transaction);
    rn_put16(mad + 16, m->kind);
    rn_put32(b, m->local_id);
    if (m->kind != RN_CM_REQ) rn_put32(b + 4, m->remote_id);
    if (i >= 0) memcpy(b + private_data[i].at, m->private_data, private_data[i].size);
    if (m->kind == RN_CM_REQ) encode_req(m, b);
    if (m->kind == RN_CM_REP) encode_rep(m, b);
    if (m->kind == RN_CM_MRA || m->kind == RN_CM_REJ) b[8] = (uint8_t)(m->about << 6);
    if (m->kind == RN_CM_MRA) b[9] = (uint8_t)(m->service_timeout << 3);
    if (m->kind == RN_CM_DREQ) rn_put24(b + 8, m->qp);
    if (m->kind == RN_CM_REJ) {
        b[9] = (uint8_t)(m->info_size << 1);
        rn_put16(b + 10, m->reason);
        memcpy(b + 12, m->info, sizeof m->info);
    }
}

const char *rn_reject_text(unsigned reason)
{
    switch (reason) {
    case RN_REJ_NO_QP:
        return "no queue pair is left";
    case RN_REJ_NO_RESOURCES:
        return "no resources are left";
    case RN_REJ_TIMEOUT:
        return "an answer did not come in time";
    case RN_REJ_COMM_ID:
        return "communication ID not known";
    case RN_REJ_SERVICE:
        return "nobody listens at this service ID";
    case RN_REJ_TRANSPORT:
        return "kind of transport not offered";
    case RN_REJ_STALE:
        return "an old connection is not forgotten yet";
    case RN_REJ_MTU:
        return "path MTU not offered";
    case RN_REJ_RESPONDER_RESOURCES:
        return "too few READs at a time";
    case RN_REJ_CONSUMER:
        return "the program there refused";
    default:
        return "reason of its own";
    }
}

void rn_cm_gid(uint8_t gid[16], const rn_address *who)
{
    memcpy(gid, who->ip, 16);
    if (who->ipv6) return;
    memset(gid, 0, 10);
    gid[10] = gid[11] = 0xff;
    memcpy(gid + 12, who->ip, 4);
}

void rn_cm_put_ip_header(uint8_t h[RN_CM_IP_HEADER], const rn_address *from, unsigned port, const rn_address *to)
{
    memset(h, 0, RN_CM_IP_HEADER);
    h[1] = from->ipv6 ? 0x60 : 0x40;
    rn_put16(h + 2, port);
    memcpy(h + (from->ipv6 ? 4 : 16), from->ip, from->ipv6 ? 16 : 4);
    memcpy(h + (to->ipv6 ? 20 : 32), to->ip, to->ipv6 ? 16 : 4);
}
