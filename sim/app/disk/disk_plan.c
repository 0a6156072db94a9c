/* Text to a plan of faults. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/disk/disk_faults.h"

typedef struct reader {
    const char *text, *at, *end; /* of the fault that is read */
    unsigned hosts;
    char *error;
} reader;

static int expected(const reader *r, const char *what)
{
    unsigned length = (unsigned)strcspn(r->at, " ;");
    if (length)
        snprintf(r->error, DISK_FAULT_ERROR, "column %d: '%.*s', expected %s", (int)(r->at - r->text) + 1, length > 40 ? 40 : (int)length,
                 r->at, what);
    else snprintf(r->error, DISK_FAULT_ERROR, "column %d: nothing there, expected %s", (int)(r->at - r->text) + 1, what);
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

static int needs_host(reader *r, disk_fault *f)
{
    int found = host_there(r, &f->host);
    return found > 0 ? 0 : found < 0 ? -1 : expected(r, "target or hostN");
}

static int what_there(reader *r, disk_fault *f)
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

static int fault_there(reader *r, disk_fault *f)
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

int disk_fault_read(const char *text, unsigned hosts, disk_fault_plan *plan, char error[DISK_FAULT_ERROR])
{
    reader r = {.text = text, .at = text, .hosts = hosts, .error = error};
    *plan = (disk_fault_plan){.count = 0};
    for (spaces(&r);; spaces(&r)) {
        if (plan->count == DISK_FAULTS) return expected(&r, "not more than 24 faults");
        if (fault_there(&r, &plan->fault[plan->count])) return -1;
        plan->count++;
        spaces(&r);
        if (!*r.at) return 0;
        if (*r.at++ != ';') return r.at--, expected(&r, "; or the end");
    }
}
