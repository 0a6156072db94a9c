/* What the NICs themselves have counted: the proof that what clients read and wrote went through them. */
#include "block_private.h"
#include "nic_register_map.h"

typedef struct reading {
    block_service *s;
    block_words *words;
    int done;
} reading;

static void read_words(void *arg)
{
    reading *r = arg;
    for (unsigned i = 0; i < r->s->nodes; i++) {
        nx_device *dev = r->s->f->node[i]->dev;
        if (!dev || nx_register_read(dev, NIC_NET_OUT_WORDS, &r->words->out[i]) ||
            nx_register_read(dev, NIC_NET_IN_WORDS, &r->words->in[i]))
            return;
    }
    r->done = 1;
}

/* That so many bytes went through: 0, or -1. */
static int judge(unsigned host, const char *way, uint32_t words, uint64_t bytes, char *error)
{
    if (8ull * words >= bytes) return 0;
    snprintf(error, BLOCK_SERVICE_ERROR, "host %u: its NIC has counted %u words %s, expected at least %llu: data went around it", host,
             words, way, (unsigned long long)bytes / 8);
    return -1;
}

int block_words_get(block_service *s, block_words *words, char error[BLOCK_SERVICE_ERROR])
{
    reading r = {.s = s, .words = words};
    const sim_time limit = sim_now(s->f->s) + SIM_MS;
    sim_task_new(s->f->s, "counters", read_words, &r);
    while (!r.done && sim_now(s->f->s) < limit && !block_slice(s, sim_now(s->f->s) + SIM_US)) {
    }
    if (!r.done) {
        snprintf(error, BLOCK_SERVICE_ERROR, "the NICs do not answer when their counters are read");
        return -1;
    }
    for (unsigned i = 1; i < s->nodes; i++)
        if (judge(i, "out", words->out[i], s->seat[i].figures[NX_BLOCK_WRITE].bytes, error) ||
            judge(i, "in", words->in[i], s->seat[i].figures[NX_BLOCK_READ].bytes, error))
            return -1;
    return 0;
}
