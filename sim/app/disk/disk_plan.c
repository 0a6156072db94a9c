/* Classes of faults of a disk, and a plan of them. */
#include "sim/app/disk/disk_faults.h"
#include "sim/traffic/faults/classes.h"

#define AT .whens = 1 << FAULT_AT

/* clang-format off */
static const fault_class classes[] = {
    {"cut", NULL, FAULT_AT_SEAT, NULL, AT, .timed = 1, .ever = 1, .argument = DISK_CUT, .text = "its cable is pulled out"},
    {"packet", "drop", FAULT_AT_SEAT, "packets", AT, .argument = DISK_LOSE, .most = 1000, .text = "the next packet in each direction is lost"},
    {"packet", "body", FAULT_AT_SEAT, "packets", AT, .argument = DISK_FLIP, .most = 1000, .text = "a wrong bit in the payload of the next one"},
    {"credit", "drop", FAULT_AT_SEAT, "credits", AT, .argument = DISK_LOSE_CREDITS, .most = 1000,
     .text = "the next credit in each direction is lost"},
    {"crash", NULL, FAULT_AT_TARGET, NULL, AT, .timed = 1, .lasts = SIM_MS, .argument = DISK_CRASH,
     .text = "RST# on its bus; memory, cache and sessions are gone; 1 ms"},
    {"dead", NULL, FAULT_AT_SEAT, NULL, AT, .timed = 1, .ever = 1, .argument = DISK_DEAD,
     .text = "its software does nothing, its NIC takes and sends nothing"},
    {"dma", "off", FAULT_AT_SEAT, NULL, AT, .timed = 1, .lasts = SIM_MS, .argument = DISK_DMA_OFF,
     .text = "its NIC reads and writes no memory; 1 ms"},
};
/* clang-format on */
const fault_system fault_disk = {"Disk, HOST: target or hostN", classes, sizeof classes / sizeof classes[0], {NULL}};

void disk_fault_take(const fault_plan *read, disk_fault_plan *plan)
{
    for (plan->count = 0; plan->count < read->count; plan->count++) {
        const fault *f = &read->fault[plan->count];
        disk_fault *d = &plan->fault[plan->count];
        *d = (disk_fault){.kind = (disk_fault_kind)f->class->argument, .host = f->node, .at = f->time};
        d->count = (unsigned)f->times;
        d->length = f->length == SIM_FOREVER ? 0 : f->length;
        snprintf(d->text, sizeof d->text, "%s", f->text);
    }
}

int disk_fault_read(const char *text, unsigned hosts, disk_fault_plan *plan, char error[FAULT_ERROR])
{
    fault_plan read;
    *plan = (disk_fault_plan){.count = 0};
    if (fault_plan_read_for(&fault_disk, text, hosts, 0, &read, error)) return -1;
    disk_fault_take(&read, plan);
    return 0;
}
