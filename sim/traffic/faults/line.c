/* Faults of an Ethernet line: their classes, and a plan on its way to the line. */
#include "sim/traffic/faults/line.h"

#include "sim/traffic/faults/classes.h"

enum { STRUCK = 1 << FAULT_PART | 1 << FAULT_NUMBERED };
#define FRAMES FAULT_AT_END, "frames", .whens = STRUCK

/* clang-format off */
static const fault_class classes[] = {
    {"lose", NULL, FRAMES, .argument = ETHERNET_LOSE, .text = "a frame is lost"},
    {"duplicate", NULL, FRAMES, .argument = ETHERNET_DUPLICATE, .text = "a frame arrives twice"},
    {"delay", NULL, FRAMES, .argument = ETHERNET_DELAY, .with = "by", .least = 1,
     .text = "a frame arrives behind later ones, at random 1 to 16"},
    {"flip", NULL, FRAMES, .argument = ETHERNET_FLIP, .with = "bit", .text = "a wrong bit within the switch: the FCS is right"},
    {"spoil", NULL, FRAMES, .argument = ETHERNET_SPOIL, .with = "bit", .text = "a wrong bit on the line: the FCS is wrong"},
    {"cut", NULL, FAULT_AT_END, NULL, .whens = 1 << FAULT_AT, .timed = 1, .ever = 1, .argument = ETHERNET_CUT,
     .text = "all frames that leave or arrive are lost"},
};
/* clang-format on */
const fault_system fault_line = {
    "RoCE, END: chip, peer or line", classes, sizeof classes / sizeof classes[0], {"chip", "peer"}};

double fault_line_chance(const fault_plan *plan, ethernet_fault_kind kind, double otherwise)
{
    for (const fault *f = plan->fault; f < plan->fault + plan->count; f++)
        if (fault_is_of_line(f) && f->class->argument == kind) otherwise = f->part;
    return otherwise;
}

int fault_is_of_line(const fault *f) { return f->when == FAULT_PART && f->directions == (FAULT_OUT | FAULT_IN); }

static int strike(ethernet_wire *w, int from, const fault *f)
{
    const ethernet_fault what = {(ethernet_fault_kind)f->class->argument, f->which};
    if (f->when == FAULT_PART) return ethernet_wire_chance(w, from, what.kind, f->part), 0;
    if (f->when == FAULT_AT) return ethernet_wire_strike(w, from, f->time, f->length, what);
    return ethernet_wire_strike(w, from, f->number, f->last - f->number + 1, what);
}

int ethernet_wire_plan(ethernet_wire *w, const char *text, char error[ETHERNET_ERROR])
{
    fault_plan plan;
    fault_system line = fault_line;
    for (int i = 0; i < 2; i++) line.ends[i] = ethernet_wire_name(w, i);
    if (fault_plan_read_for(&line, text, 2, 0, &plan, error)) return -1;
    for (unsigned i = 0; i < plan.count; i++)
        for (int from = 0; from < 2; from++)
            if (plan.fault[i].directions >> from & 1 && strike(w, from, &plan.fault[i]))
                return snprintf(error, ETHERNET_ERROR, "plan of faults: out of memory"), -1;
    return 0;
}
