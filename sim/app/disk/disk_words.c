/* Words counted by the NICs: proof that data of clients went through them. */
#include "nic_register_map.h"
#include "sim/app/disk/disk_private.h"

typedef struct reading {
    disk_service *s;
    disk_words *words;
    int done;
} reading;

int disk_words_look(host_seat *seat)
{
    static const uint32_t registers[2] = {NIC_NET_OUT_WORDS, NIC_NET_IN_WORDS};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t now;
        if (!seat->n->dev || nx_register_read(seat->n->dev, registers[i], &now)) return -1;
        const uint32_t more = now - seat->counted[i];
        if (more > INT32_MAX) continue; /* another task has looked meanwhile */
        seat->words[i] += more;
        seat->counted[i] = now;
    }
    seat->moved = 0;
    return 0;
}

static void read_words(void *arg)
{
    reading *r = arg;
    for (unsigned i = 0; i < r->s->nodes; i++) {
        host_seat *seat = &r->s->seat[i];
        if (disk_words_look(seat)) return;
        r->words->out[i] = seat->words[0];
        r->words->in[i] = seat->words[1];
    }
    r->done = 1;
}

/* Checks the bytes that went through a NIC: 0, or -1. */
static int check_bytes(unsigned host, const char *way, uint64_t words, uint64_t bytes, char *error)
{
    if (words >= bytes / 8) return 0;
    snprintf(error, DISK_SERVICE_ERROR,
             "host %u: its NIC has counted %llu words %s, expected at least %llu: data went around it", host,
             (unsigned long long)words, way, (unsigned long long)bytes / 8);
    return -1;
}

int disk_words_get(disk_service *s, disk_words *words, char error[DISK_SERVICE_ERROR])
{
    reading r = {.s = s, .words = words};
    const sim_time limit = sim_now(s->f->s) + SIM_MS;
    sim_task_new(s->f->s, "counters", read_words, &r);
    while (!r.done && sim_now(s->f->s) < limit && !disk_slice(s, sim_now(s->f->s) + SIM_US)) {
    }
    if (!r.done) {
        snprintf(error, DISK_SERVICE_ERROR, "the NICs do not answer when their counters are read");
        return -1;
    }
    for (unsigned i = 1; i < s->nodes; i++)
        if (check_bytes(i, "out", words->out[i], s->seat[i].figures[NX_DISK_WRITE].bytes, error) ||
            check_bytes(i, "in", words->in[i], s->seat[i].figures[NX_DISK_READ].bytes, error))
            return -1;
    return 0;
}
