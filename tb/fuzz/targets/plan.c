/* FAULTS of the four systems. A plan that is accepted is read again from the texts of its faults. */
#include <string.h>

#include "sim/app/disk/disk_faults.h"
#include "sim/traffic/faults/classes.h"
#include "tb/fuzz/targets/target.h"

static void read_plan(const fault_system *system, const char *text, int has_switch)
{
    fault_plan plan, again;
    char error[FAULT_ERROR] = "";
    if (fault_plan_read_for(system, text, 4, has_switch, &plan, error)) {
        CHECK(fuzz_is_refusal(error));
        return;
    }
    CHECK(plan.count > 0 && plan.count <= FAULT_PLAN_MOST);
    for (const fault *f = plan.fault; f < plan.fault + plan.count; f++) {
        CHECK(f->class && f->node < 4 && f->times > 0);
        if (strlen(f->text) + 1 == sizeof f->text) continue; /* cut off */
        CHECK(!fault_plan_read_for(system, f->text, 4, has_switch, &again, error) && again.count == 1);
        CHECK(again.fault->class == f->class && again.fault->when == f->when && again.fault->time == f->time);
    }
    disk_fault_plan disk;
    if (system == &fault_disk) CHECK(!disk_fault_read(text, 4, &disk, error));
}

FUZZ(plan)
{
    char *text = fuzz_text(data, size);
    read_plan(&fault_nic, text, 1);
    read_plan(&fault_nic, text, 0);
    read_plan(&fault_line, text, 0);
    read_plan(&fault_disk, text, 0);
    read_plan(&fault_linux, text, 0);
    free(text);
}
