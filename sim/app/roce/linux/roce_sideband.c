#include "sim/app/roce/linux/roce_sideband.h"

#include <stdlib.h>
#include <string.h>

#include "rn_net.h"
#include "sim/app/roce/board/roce_header.h"
#include "sim/app/roce/board/roce_system.h"

struct roce_sideband {
    sim *sim;
    roce_linux *linux_;
    rn_net *net;
    int (*take)(void *self, const uint8_t *frame, size_t length);
    void *taker;
};

static int send(void *self, const uint8_t *frame, size_t size)
{
    return roce_linux_give(((roce_sideband *)self)->linux_, frame, size) ? NX_ERROR_DEVICE : 0;
}

static uint64_t now(void *self) { return sim_now(((roce_sideband *)self)->sim) / SIM_NS; }

static int take(void *self, const uint8_t *frame, size_t length)
{
    roce_sideband *b = self;
    roce_header h;
    if (roce_header_of(frame, length, &h)) return 0;
    if (!b->take || !b->take(b->taker, frame, length)) rn_net_receive(b->net, frame, length);
    return 1;
}

roce_sideband *roce_sideband_new(sim *s, roce_linux *l)
{
    roce_sideband *b = calloc(1, sizeof *b);
    rn_net_params n = {.self = b, .send = send, .now = now};
    const rn_address own[2] = {roce_system_address(0, 0), roce_system_address(0, 1)};
    memcpy(n.mac, own[0].mac, sizeof n.mac);
    memcpy(n.ipv4, own[0].ip, sizeof n.ipv4);
    memcpy(n.ipv6, own[1].ip, sizeof n.ipv6);
    if (!b || !(b->net = rn_net_new(&n))) {
        free(b);
        return NULL;
    }
    b->sim = s;
    b->linux_ = l;
    roce_linux_on_frame(l, take, b);
    return b;
}

void roce_sideband_free(roce_sideband *b)
{
    if (!b) return;
    roce_linux_on_frame(b->linux_, NULL, NULL);
    rn_net_free(b->net);
    free(b);
}

void roce_sideband_on_frame(roce_sideband *b, int (*fn)(void *self, const uint8_t *frame, size_t length), void *self)
{
    b->take = fn;
    b->taker = self;
}
