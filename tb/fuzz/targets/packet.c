/* Frames that a peer sends: RoCE v2 packets, datagrams of the connection manager, ARP, ICMP and neighbour discovery. */
#include "sim/model/rnic/rnic_packet.h"

#include <string.h>

#include "rn_mad.h"
#include "rn_net.h"
#include "tb/fuzz/targets/target.h"

static int send(void *self, const uint8_t *frame, size_t size)
{
    CHECK(size >= RN_FRAME_LEAST && size <= *(size_t *)self + RN_FRAME_LEAST);
    volatile uint8_t last = frame[size - 1];
    return last >> 8;
}

FUZZ(packet)
{
    uint8_t *frame = malloc(size + 1), mad[RN_MAD_BYTES] = {0}, again[RN_MAD_BYTES];
    const char *why = NULL;
    rnic_packet p;
    rn_mad_frame f;
    rn_cm_message m;
    CHECK(frame);
    if (size) memcpy(frame, data, size);
    frame = realloc(frame, size ? size : 1); /* not a byte more */
    rnic_verdict v = rnic_packet_read(&p, frame, size, &why);
    if (v == RNIC_GOOD) CHECK(p.length <= size);
    if (v == RNIC_MALFORMED || v == RNIC_BAD_ICRC) CHECK(why && *why);
    why = NULL;
    if (rn_mad_frame_parse(frame, size, &f, &why)) CHECK(why && *why);
    else memcpy(mad, f.mad, sizeof mad);
    if (size <= sizeof mad) memcpy(mad, frame, size);
    if (!rn_cm_decode(mad, &m, &why)) rn_cm_encode(&m, again);
    const rn_net_params net = {
        .mac = {2, 0, 0, 0, 0, 1}, .ipv4 = {10, 0, 0, 2}, .ipv6 = {0xfe, 0x80, [15] = 1}, .self = &size, .send = send};
    rn_net *n = rn_net_new(&net);
    CHECK(n);
    if (rn_net_receive(n, frame, size) < 0) CHECK(*rn_net_error(n));
    rn_net_free(n);
    free(frame);
}
