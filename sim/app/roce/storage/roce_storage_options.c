#include "sim/app/roce/storage/roce_storage_options.h"

enum { MAKE = 1 /* of an option: it is also a variable of make */ };

#define WHOLE(field) OPTION_WHOLE(storage_options, field)
#define TEXT(field) OPTION_TEXT(storage_options, field)

/* clang-format off */
const option storage_options_table[] = {
    {.help = "The chip:"},
    ROCE_CHIP(MAKE, storage_options),
    {.help = "The host:"},
    {"depth", "N", MAKE, WHOLE(depth), 1, ROCE_STORAGE_DEEPEST, "a number of commands", "deepest queue: depths are 1, 2, 4 .. N (default 64)"},
    {"commands", "N", MAKE, WHOLE(commands), 1, 1000000, "a number of commands", "reads, and writes, at each depth (default 256)"},
    {"pmtu", "N", MAKE, WHOLE(pmtu), 256, 4096, "256, 512, 1024, 2048 or 4096", "path MTU (default 4096)"},
    {"ip", "4|6", MAKE, WHOLE(ip), 4, 6, "4 or 6", "version of IP (default 4)"},
    {"reads", "N", MAKE, WHOLE(reads), 1, 16, "a number of READs", "outstanding READs of the chip (default 16)"},
    {"timeout", "N", MAKE, WHOLE(timeout), 1, 31, "a code of IBA", "retransmission timeout, 4.096 us * 2^N (default 5)"},
    {"faults", "PLAN", MAKE, TEXT(faults), 0, 0, NULL,
        "faults by plan: 'lose line 0.1%; cut peer at 20us for 5us'; make help faults"},
    {.help = "The run:"},
    ROCE_RUN(MAKE, storage_options),
    {0},
};
/* clang-format on */

int storage_options_read(storage_options *o, int argc, char **argv, roce_storage_params *storage,
                         char error[OPTION_ERROR])
{
    *storage = roce_storage_defaults();
    *o = (storage_options){.bytes = 8,
                           .depth = storage->deepest,
                           .commands = storage->commands,
                           .pmtu = storage->pmtu,
                           .ip = storage->ip,
                           .timeout = storage->timeout,
                           .reads = storage->reads,
                           .latency = storage->access,
                           .seed = 1};
    if (option_arguments(storage_options_table, o, argc, argv, error)) return -1;
    if (fault_plan_asked(&fault_line, o->faults, 2, &o->plan, error)) return -1;
    storage->deepest = o->depth;
    storage->commands = o->commands;
    storage->pmtu = o->pmtu;
    storage->ip = o->ip;
    storage->timeout = o->timeout;
    storage->reads = o->reads;
    storage->access = o->latency;
    return o->help ? 0 : roce_storage_check(storage, error);
}
