#include "sim/app/linux/linux_faults.h"

#include <jansson.h>

#include "sim/app/linux/linux_world.h"

static uint64_t due(const linux_fault *f)
{
    if (f->over) return UINT64_MAX;
    return f->begun ? f->at + f->length : f->at;
}

uint64_t linux_faults_next(const linux_faults *faults)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < faults->count; i++)
        if (due(&faults->fault[i]) < next) next = due(&faults->fault[i]);
    return next;
}

int linux_faults_restart(const linux_faults *faults, unsigned guest)
{
    for (unsigned i = 0; i < faults->count; i++) {
        const linux_fault *f = &faults->fault[i];
        if (f->kind == LINUX_START && f->guest == guest && !f->over) return 1;
    }
    return 0;
}

static cable *cable_of(const linux_world *w, const linux_fault *f)
{
    int end;
    return fabric_wire(w->f, f->guest, &end);
}

static void begin(linux_world *w, linux_fault *f)
{
    linux_guest *g = &w->guest[f->guest];
    f->begun = 1;
    f->over = f->kind != LINUX_CUT || !f->length;
    switch (f->kind) {
    case LINUX_CUT:
        cable_cut(cable_of(w, f), CABLE_BOTH);
        break;
    case LINUX_KILL:
        if (linux_guest_lives(g)) linux_guest_die(g);
        else f->wrong = "it had ended";
        break;
    case LINUX_START:
        if (linux_guest_lives(g)) f->wrong = "it was running";
        else if (linux_guest_start(g, &w->o, w->failure)) w->over = w->code = 1;
        break;
    case LINUX_PULL:
        if (linux_guest_pull(g)) f->wrong = "it had none";
    }
}

void linux_faults_strike(linux_world *w)
{
    const uint64_t now = linux_world_now(w);
    for (unsigned i = 0; i < w->faults.count; i++) {
        linux_fault *f = &w->faults.fault[i];
        if (due(f) > now) continue;
        w->faults.struck = sim_now(w->f->s);
        if (!f->begun) begin(w, f);
        else {
            f->over = 1;
            cable_reconnect(cable_of(w, f), CABLE_BOTH);
        }
    }
}

static const char *result(const linux_fault *f)
{
    return !f->begun ? "the run did not last so long" : f->wrong ? f->wrong : "struck";
}

void linux_faults_print(const linux_faults *faults, FILE *out)
{
    for (unsigned i = 0; i < faults->count; i++)
        fprintf(out, "fault: %s: %s\n", faults->fault[i].text, result(&faults->fault[i]));
}

json_t *linux_faults_json(const linux_faults *faults)
{
    json_t *all = json_array();
    for (unsigned i = 0; i < faults->count; i++)
        json_array_append_new(
            all, json_pack("{s:s, s:s}", "fault", faults->fault[i].text, "result", result(&faults->fault[i])));
    return all;
}
