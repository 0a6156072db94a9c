#include "sim/app/roce/linux/roce_end_verbs.h"

#include <stdlib.h>

enum { PIECE = 65536, PIECES = ROCE_END_MEMORY / PIECE };

struct roce_end_verbs {
    sim *sim;
    roce_end *end;
    rn_verbs verbs;
    uint8_t used[PIECES]; /* of its memory */
};

static uint64_t now(void *self)
{
    const roce_end_verbs *n = self;
    return sim_now(n->sim) / SIM_NS;
}

static uint64_t alloc(void *self, size_t size)
{
    roce_end_verbs *n = self;
    for (unsigned i = 0; size <= PIECE && i < PIECES; i++)
        if (!n->used[i]) {
            n->used[i] = 1;
            return roce_end_memory(n->end) + (uint64_t)i * PIECE;
        }
    return 0;
}

static void release(void *self, uint64_t address, size_t size)
{
    roce_end_verbs *n = self;
    (void)size;
    n->used[(address - roce_end_memory(n->end)) / PIECE] = 0;
}

static int create(void *self, const rn_qp_params *params, void **qp)
{
    const roce_end_verbs *n = self;
    *qp = roce_end_qp_new(n->end, params->receive_depth - 1, params->receive_bytes);
    return *qp ? 0 : NX_ERROR_NO_MEMORY;
}

static void destroy(void *qp) { roce_end_qp_free(qp); }

static unsigned number(const void *qp) { return roce_end_qp_number(qp); }

static int connect(void *qp, const rn_connection *connection) { return roce_end_connect(qp, connection); }

static int disable(void *qp) { return roce_end_qp_disable(qp); }

static int post(void *qp, const rn_work *work) { return roce_end_post(qp, work); }

static int poll(void *qp, rn_completion *completions, unsigned most)
{
    unsigned count = 0;
    for (int result; count < most && (result = roce_end_poll(qp, &completions[count])) != 0; count++)
        if (result < 0) return result;
    return (int)count;
}

static int receive(void *qp, uint8_t *to, size_t size, uint32_t *length)
{
    return roce_end_receive(qp, to, size, length);
}

static int syndrome(void *qp, unsigned *value)
{
    unsigned code;
    return roce_end_failed(qp, value, &code) < 0 ? -1 : 0;
}

static int mad_send(void *self, const rn_address *to, const uint8_t mad[RN_MAD])
{
    return roce_end_mad_send(((roce_end_verbs *)self)->end, to, mad);
}

static int mad_receive(void *self, rn_address *from, uint8_t mad[RN_MAD], const char **why)
{
    *why = "expected 256 bytes from QP 1";
    return roce_end_mad_receive(((roce_end_verbs *)self)->end, from, mad);
}

static const char *error(void *self) { return sim_error(((roce_end_verbs *)self)->sim); }

roce_end_verbs *roce_end_verbs_new(sim *s, roce_end *end)
{
    roce_end_verbs *n = calloc(1, sizeof *n);
    const rn_address own = roce_system_address(0, 0);
    if (!n) return NULL;
    *n = (roce_end_verbs){.sim = s,
                          .end = end,
                          .verbs = {.self = n,
                                    .now = now,
                                    .alloc = alloc,
                                    .release = release,
                                    .create = create,
                                    .destroy = destroy,
                                    .number = number,
                                    .connect = connect,
                                    .disable = disable,
                                    .post = post,
                                    .poll = poll,
                                    .receive = receive,
                                    .syndrome = syndrome,
                                    .mad_send = mad_send,
                                    .mad_receive = mad_receive,
                                    .error = error}};
    memcpy(n->verbs.mac, own.mac, sizeof n->verbs.mac);
    memcpy(n->verbs.ipv4, own.ip, sizeof n->verbs.ipv4);
    return n;
}

void roce_end_verbs_free(roce_end_verbs *n) { free(n); }

const rn_verbs *roce_end_verbs_get(const roce_end_verbs *n) { return &n->verbs; }
