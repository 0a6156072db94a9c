/* Classes of faults of a run with guests, and a plan of them. */
#include "sim/app/linux/linux_faults.h"
#include "sim/traffic/faults/classes.h"

#define AT FAULT_AT_GUEST, NULL, .whens = 1 << FAULT_AT

/* clang-format off */
static const fault_class classes[] = {
    {"cut", NULL, AT, .timed = 1, .ever = 1, .argument = LINUX_CUT, .text = "its cable is pulled out"},
    {"kill", NULL, AT, .argument = LINUX_KILL, .text = "its process is killed, as by kill -9: RST# on its bus"},
    {"start", NULL, AT, .argument = LINUX_START, .text = "it is started again, after it has been killed"},
    {"pull", NULL, AT, .argument = LINUX_PULL, .text = "the NIC is pulled out of its slot"},
};
/* clang-format on */
const fault_system fault_linux = {
    "Guests of make linux, HOST: host1, host2 ..", classes, sizeof classes / sizeof classes[0], {NULL}};

int linux_faults_read(const char *text, unsigned guests, linux_faults *faults, char *error)
{
    fault_plan plan;
    *faults = (linux_faults){.count = 0};
    if (fault_plan_asked(&fault_linux, text, guests, &plan, error)) return -1;
    for (; faults->count < plan.count; faults->count++) {
        const fault *f = &plan.fault[faults->count];
        linux_fault *d = &faults->fault[faults->count];
        *d = (linux_fault){.kind = (linux_fault_kind)f->class->argument, .guest = f->node, .at = f->time / SIM_NS};
        d->length = f->length == SIM_FOREVER ? 0 : f->length / SIM_NS;
        snprintf(d->text, sizeof d->text, "%s", f->text);
    }
    return 0;
}
