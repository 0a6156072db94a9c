#include "sim/app/disk/disk_load.h"

#include <stdlib.h>

#include "sim/app/disk/disk_private.h"

typedef struct one {
    nx_disk_request r;
    disk_load *load;
    host_seat *seat;
} one;

static void next(one *o)
{
    disk_load *l = o->load;
    if (l->submitted == l->requests) return;
    o->r.offset = l->first + l->submitted % (l->bytes / l->size) * l->size;
    l->submitted++;
    nx_disk_submit(o->seat->disk, &o->r);
    o->seat->kick = 1;
}

/* From the task of the host. */
static void answered(nx_disk_request *r)
{
    one *o = r->owner;
    disk_load *l = o->load;
    if (o->seat->service->p.request_cost) sim_wait_time(o->seat->n->s, o->seat->service->p.request_cost);
    disk_count(o->seat, r);
    l->latency[l->done++] = (r->times.done - r->times.submitted) * SIM_NS;
    l->failed += r->status != NX_DISK_OK;
    l->ended = sim_now(o->seat->n->s);
    if (l->done == (l->requests + 3) / 4) l->quarter = l->ended;
    if (l->done == (3 * l->requests + 3) / 4) l->three_quarters = l->ended;
    if (l->done == l->requests) o->seat->load = NULL;
    else next(o);
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void result(disk_load *l)
{
    const uint64_t counted = (3 * l->requests + 3) / 4 - (l->requests + 3) / 4;
    qsort(l->latency, l->done, sizeof *l->latency, ascending);
    l->least_us = 1e-6 * (double)l->latency[0];
    l->median_us = 1e-6 * (double)l->latency[l->done / 2];
    l->most_us = 1e-6 * (double)l->latency[l->done - 1];
    if (counted && l->three_quarters > l->quarter)
        l->mib_per_s = (double)(counted * l->size) / 1048576 / (1e-12 * (double)(l->three_quarters - l->quarter));
}

static one *begin(disk_service *s, disk_load *l)
{
    host_seat *seat = &s->seat[l->host];
    one *all = calloc(l->depth, sizeof *all);
    l->latency = calloc(l->requests, sizeof *l->latency);
    if (!all || !l->latency) return free(all), NULL;
    l->done = l->failed = l->submitted = 0;
    l->began = sim_now(s->f->s);
    l->interrupts = seat->interrupts;
    l->sleeps = seat->sleeps;
    l->interrupts_target = s->seat[0].interrupts;
    seat->load = l;
    for (unsigned i = 0; i < l->depth; i++) {
        uint8_t *data = calloc(1, l->size);
        if (!data) return NULL;
        for (uint32_t k = 0; k < l->size; k++) data[k] = (uint8_t)(k * 7 + i + (k >> 8));
        all[i] = (one){.r = {.operation = l->operation, .length = l->size, .data = data, .done = answered},
                       .load = l,
                       .seat = seat};
        all[i].r.owner = &all[i];
        next(&all[i]);
    }
    return all;
}

static int go_on(const disk_service *s, const disk_load *loads, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (s->seat[loads[i].host].load) return 1;
    return 0;
}

int disk_load_run(disk_service *s, disk_load *loads, unsigned count)
{
    one *all[FABRIC_NODES] = {NULL};
    int bad = 0;
    for (unsigned i = 0; i < count; i++) bad |= !(all[i] = begin(s, &loads[i]));
    while (!bad && go_on(s, loads, count)) bad = disk_slice(s, sim_now(s->f->s) + 20 * SIM_US);
    for (unsigned i = 0; i < count; i++) {
        disk_load *l = &loads[i];
        for (unsigned k = 0; k < l->depth && all[i]; k++) free(all[i][k].r.data);
        free(all[i]);
        if (!bad) result(l);
        free(l->latency);
        l->latency = NULL;
        l->interrupts = s->seat[l->host].interrupts - l->interrupts;
        l->sleeps = s->seat[l->host].sleeps - l->sleeps;
        l->interrupts_target = s->seat[0].interrupts - l->interrupts_target;
    }
    return bad ? -1 : 0;
}
