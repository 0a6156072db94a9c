#include "block_faults.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "block_private.h"
#include "frame_tap.h"

/* ---- the text ---- */

typedef struct reader {
    const char *text, *at, *end; /* of the fault that is read */
    unsigned hosts;
    char *error;
} reader;

static int expected(const reader *r, const char *what)
{
    unsigned length = (unsigned)strcspn(r->at, " ;");
    if (length)
        snprintf(r->error, BLOCK_FAULT_ERROR, "column %d: '%.*s', expected %s", (int)(r->at - r->text) + 1, length > 40 ? 40 : (int)length,
                 r->at, what);
    else snprintf(r->error, BLOCK_FAULT_ERROR, "column %d: nothing there, expected %s", (int)(r->at - r->text) + 1, what);
    return -1;
}

static void spaces(reader *r)
{
    while (*r->at == ' ') r->at++;
}

static int word(reader *r, const char *what)
{
    const size_t length = strlen(what);
    if (strncmp(r->at, what, length) || isalnum((unsigned char)r->at[length])) return 0;
    r->at += length;
    spaces(r);
    return 1;
}

static int number(reader *r, double *value)
{
    char *end;
    if (!isdigit((unsigned char)*r->at)) return 0;
    *value = strtod(r->at, &end);
    r->at = end;
    return 1;
}

static int time_there(reader *r, sim_time *t)
{
    static const struct {
        const char *name;
        double ps;
    } units[] = {{"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}};
    const char *begin = r->at;
    double value;
    if (number(r, &value))
        for (unsigned i = 0; i < 3; i++)
            if (word(r, units[i].name) && value * units[i].ps < 1e15) {
                *t = (sim_time)(value * units[i].ps);
                return 0;
            }
    r->at = begin;
    return expected(r, "a time such as 50us or 3ms, less than 1000 s");
}

/* 1: a host was named, 0: none was, -1: one that is not there. */
static int host_there(reader *r, unsigned *host)
{
    double value;
    const char *begin = r->at;
    if (word(r, "target")) return *host = 0, 1;
    if (strncmp(r->at, "host", 4)) return 0;
    r->at += 4;
    if (number(r, &value) && value < r->hosts && value == (unsigned)value) {
        *host = (unsigned)value;
        spaces(r);
        return 1;
    }
    r->at = begin;
    return expected(r, "target, or the number of a host that is there"), -1;
}

static int needs_host(reader *r, block_fault *f)
{
    int found = host_there(r, &f->host);
    return found > 0 ? 0 : found < 0 ? -1 : expected(r, "target or hostN");
}

static int what_there(reader *r, block_fault *f)
{
    double value = 0;
    if (word(r, "cut")) return f->kind = FAULT_CUT, needs_host(r, f);
    if (word(r, "dead")) return f->kind = FAULT_DEAD, needs_host(r, f);
    if (word(r, "dma")) return f->kind = FAULT_DMA_OFF, f->length = SIM_MS, word(r, "off") ? needs_host(r, f) : expected(r, "off");
    if (word(r, "crash")) return f->kind = FAULT_CRASH, f->length = SIM_MS, word(r, "target") ? 0 : expected(r, "target");
    f->count = 1;
    if (word(r, "flip")) return f->kind = FAULT_FLIP, !word(r, "body") ? expected(r, "body") : host_there(r, &f->host) < 0 ? -1 : 0;
    if (!word(r, "lose")) return expected(r, "cut, lose, flip, crash, dead or dma");
    if (!number(r, &value) || value < 1 || value > 1000 || value != (unsigned)value) return expected(r, "how many, 1 to 1000");
    spaces(r);
    f->count = (unsigned)value;
    f->kind = word(r, "credits") ? FAULT_LOSE_CREDITS : FAULT_LOSE;
    return host_there(r, &f->host) < 0 ? -1 : 0;
}

static int fault_there(reader *r, block_fault *f)
{
    const char *begin = r->at;
    if (what_there(r, f)) return -1;
    if (!word(r, "at")) return expected(r, "at");
    if (time_there(r, &f->at)) return -1;
    spaces(r);
    if (word(r, "for")) {
        if (f->kind == FAULT_LOSE || f->kind == FAULT_LOSE_CREDITS || f->kind == FAULT_FLIP)
            return expected(r, "no time: this strikes packets, not for a time");
        if (time_there(r, &f->length)) return -1;
        if (!f->length) return expected(r, "more than 0 before this");
    }
    snprintf(f->text, sizeof f->text, "%.*s", (int)(r->at - begin), begin);
    return 0;
}

int block_fault_read(const char *text, unsigned hosts, block_fault_plan *plan, char error[BLOCK_FAULT_ERROR])
{
    reader r = {.text = text, .at = text, .hosts = hosts, .error = error};
    *plan = (block_fault_plan){.count = 0};
    for (spaces(&r);; spaces(&r)) {
        if (plan->count == BLOCK_FAULTS) return expected(&r, "not more than 24 faults");
        if (fault_there(&r, &plan->fault[plan->count])) return -1;
        plan->count++;
        spaces(&r);
        if (!*r.at) return 0;
        if (*r.at++ != ';') return r.at--, expected(&r, "; or the end");
    }
}

/* ---- at work ---- */

sim_time block_fault_next(const block_service *s)
{
    sim_time next = SIM_FOREVER;
    for (unsigned i = 0; i < s->p.faults.count; i++) {
        const block_fault *f = &s->p.faults.fault[i];
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

static void hit(block_service *s, const block_fault *f)
{
    static const struct {
        int frames;
        frame_damage damage;
    } kinds[] = {[FAULT_LOSE] = {FRAME_DATA, frame_lose},
                 [FAULT_LOSE_CREDITS] = {FRAME_CREDIT, frame_lose_credit},
                 [FAULT_FLIP] = {FRAME_DATA, frame_bad_body}};
    int end;
    host_seat *seat = &s->seat[f->host];
    frame_tap **tap = &s->tap[f->host];
    if (!*tap) *tap = frame_tap_new(fabric_wire(s->f, f->host, &end));
    for (int from = 0; from < 2 && *tap; from++) {
        for (unsigned k = FAULT_LOSE; k <= FAULT_FLIP && !seat->tapped; k++)
            frame_tap_add(*tap, from, 0, kinds[k].frames, choose, kinds[k].damage, &seat->hits[from][k]);
        seat->hits[from][f->kind] += f->count;
    }
    seat->tapped = 1;
}

static void begin(block_service *s, block_fault *f)
{
    host_seat *seat = &s->seat[f->host];
    const sim_time now = sim_now(s->f->s);
    int end;
    f->begun = seat->struck = seat->kick = 1;
    switch (f->kind) {
    case FAULT_CUT:
        if (!seat->cuts++) cable_cut(fabric_wire(s->f, f->host, &end), CABLE_BOTH);
        break;
    case FAULT_CRASH:
        seat->crashed = 1;
        until(&seat->crashed_until, now, f->length);
        f->over = 1;
        break;
    case FAULT_DEAD:
        until(&seat->dead_until, now, f->length ? f->length : SIM_FOREVER / 2);
        f->over = 1;
        break;
    case FAULT_DMA_OFF:
        seat->dma_off++;
        break;
    default:
        hit(s, f);
        f->over = 1;
    }
}

static void end_of(block_service *s, block_fault *f)
{
    host_seat *seat = &s->seat[f->host];
    int end;
    f->over = seat->struck = seat->kick = 1;
    if (f->kind == FAULT_CUT && !--seat->cuts) cable_reconnect(fabric_wire(s->f, f->host, &end), CABLE_BOTH);
    if (f->kind == FAULT_DMA_OFF) seat->dma_off--;
}

void block_fault_strike(block_service *s)
{
    const sim_time now = sim_now(s->f->s);
    for (unsigned i = 0; i < s->p.faults.count; i++) {
        block_fault *f = &s->p.faults.fault[i];
        if (f->over || now < s->began + f->at) continue;
        if (!f->begun) begin(s, f);
        else if (f->length && now >= s->began + f->at + f->length) end_of(s, f);
    }
}

void block_fault_end_all(block_service *s)
{
    for (unsigned i = 0; i < s->p.faults.count; i++)
        if (s->p.faults.fault[i].begun && !s->p.faults.fault[i].over) end_of(s, &s->p.faults.fault[i]);
}

void block_fault_print(const block_service *s, FILE *out)
{
    for (unsigned i = 0; i < s->p.faults.count; i++) {
        const block_fault *f = &s->p.faults.fault[i];
        fprintf(out, "fault: %s: %s\n", f->text, f->begun ? "struck" : "the run did not last so long");
    }
}
