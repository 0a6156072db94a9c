/* Frames that a peer sends: RoCE v2 packets, and datagrams of the connection manager. */
#include "sim/model/rnic/rnic_packet.h"

#include <string.h>

#include "rn_mad.h"
#include "tb/fuzz/targets/target.h"

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
    free(frame);
}
