#include "sim/app/disk/disk_faults.h"

#include <string.h>

#include "sim/app/disk/disk_private.h"
#include "sim/model/cable/frame_tap.h"

sim_time disk_fault_next(const disk_service *s)
{
    sim_time next = SIM_FOREVER;
    for (unsigned i = 0; i < s->p.faults.count; i++) {
        const disk_fault *f = &s->p.faults.fault[i];
        const sim_time at = s->began + f->at + (f->begun ? f->length : 0);
        if (!f->over && (!f->begun || f->length) && at < next) next = at;
    }
    return next;
}

/* The later one of both ends. */
static void until(sim_time *end, sim_time now, sim_time length)
{
    if (now + length > *end) *end = now + length;
}

static int choose(void *arg, const frame_word *w)
{
    unsigned *left = arg;
    (void)w;
    return *left && (*left)--;
}

static void hit(disk_service *s, const disk_fault *f)
{
    static const struct {
        int frames;
        frame_damage damage;
    } kinds[] = {[DISK_LOSE] = {FRAME_DATA, frame_lose},
                 [DISK_LOSE_CREDITS] = {FRAME_CREDIT, frame_lose_credit},
                 [DISK_FLIP] = {FRAME_DATA, frame_bad_body}};
    int end;
    host_seat *seat = &s->seat[f->host];
    frame_tap **tap = &s->tap[f->host];
    if (!*tap) *tap = frame_tap_new(fabric_wire(s->f, f->host, &end));
    for (int from = 0; from < 2 && *tap; from++) {
        for (unsigned k = DISK_LOSE; k <= DISK_FLIP && !seat->tapped; k++)
            frame_tap_add(*tap, from, 0, kinds[k].frames, choose, kinds[k].damage, &seat->hits[from][k]);
        seat->hits[from][f->kind] += f->count;
    }
    seat->tapped = 1;
}

static void begin(disk_service *s, disk_fault *f)
{
    host_seat *seat = &s->seat[f->host];
    const sim_time now = sim_now(s->f->s);
    int end;
    f->begun = seat->struck = seat->kick = 1;
    switch (f->kind) {
    case DISK_CUT:
        if (!seat->cuts++) cable_cut(fabric_wire(s->f, f->host, &end), CABLE_BOTH);
        break;
    case DISK_CRASH:
        seat->crashed = 1;
        until(&seat->crashed_until, now, f->length);
        f->over = 1;
        break;
    case DISK_DEAD:
        until(&seat->dead_until, now, f->length ? f->length : SIM_FOREVER / 2);
        f->over = 1;
        break;
    case DISK_DMA_OFF:
        seat->dma_off++;
        break;
    default:
        hit(s, f);
        f->over = 1;
    }
}

static void end_of(disk_service *s, disk_fault *f)
{
    host_seat *seat = &s->seat[f->host];
    int end;
    f->over = seat->struck = seat->kick = 1;
    if (f->kind == DISK_CUT && !--seat->cuts) cable_reconnect(fabric_wire(s->f, f->host, &end), CABLE_BOTH);
    if (f->kind == DISK_DMA_OFF) seat->dma_off--;
}

void disk_fault_strike(disk_service *s)
{
    const sim_time now = sim_now(s->f->s);
    for (unsigned i = 0; i < s->p.faults.count; i++) {
        disk_fault *f = &s->p.faults.fault[i];
        if (f->over || now < s->began + f->at) continue;
        if (!f->begun) begin(s, f);
        else if (f->length && now >= s->began + f->at + f->length) end_of(s, f);
    }
}

void disk_fault_end_all(disk_service *s)
{
    for (unsigned i = 0; i < s->p.faults.count; i++)
        if (s->p.faults.fault[i].begun && !s->p.faults.fault[i].over) end_of(s, &s->p.faults.fault[i]);
}

void disk_fault_print(const disk_service *s, FILE *out)
{
    for (unsigned i = 0; i < s->p.faults.count; i++) {
        const disk_fault *f = &s->p.faults.fault[i];
        fprintf(out, "fault: %s: %s\n", f->text, f->begun ? "struck" : "the run did not last so long");
    }
}
