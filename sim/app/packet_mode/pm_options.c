#include "sim/app/packet_mode/pm_options.h"

#include <string.h>

enum { MAKE = 1 }; /* of an option: it is also a variable of make */

#define WHOLE(field) OPTION_WHOLE(pm_options, field)
#define REAL(field) OPTION_REAL(pm_options, field)
#define TEXT(field) OPTION_TEXT(pm_options, field)

/* clang-format off */
const option pm_options_table[] = {
    {.help = "The switch:"},
    {"arch", "NAME", MAKE, TEXT(run.arch), 0, 0, NULL,
        "sm: segments; ppm, dpm: probabilistic, deterministic packet mode; vps: packets of any size; iq: bufferless"},
    {"ports", "N", MAKE, WHOLE(run.ports), 2, PM_PORTS, "a number of ports, 2 to 16", "ports: 16 (default) or 4; with make packet-mode any number"},
    {"priorities", "N", MAKE, WHOLE(run.priorities), 1, 2, "1 or 2", "priority classes: 2: strict order from line to line; not iq (default 1)"},
    {"split", "0|1", MAKE, WHOLE(run.split), 0, 1, "0 or 1",
        "1: a packet for several outputs goes to those with room, to the rest later (default 0)"},
    {.help = "Traffic:"},
    {"load", "L", MAKE, REAL(run.load), 0.001, 1.2, "a part of the line's rate",
        "load of each line in, with multicast of each line out (default 0.8; with two priorities: of low priority, 0.5)"},
    {"high-load", "L", MAKE, REAL(run.high_load), 0, 1.2, "a part of the line's rate, 0 to 1.2",
        "load of high priority (default 0.3)"},
    {"multicast", "P", MAKE, REAL(run.multicast), 0, 1, "a part of the packets", "share of packets for several outputs; sm, ppm, vps (default 0)"},
    {"fanout", "N", MAKE, WHOLE(run.fanout), 1, PM_PORTS, "a number of outputs", "number of these outputs, chosen at random (default 4)"},
    {"set", "PORTS", MAKE, TEXT(run.set), 0, 0, NULL, "these outputs instead: 0,2,3"},
    {"copies", "0|1", MAKE, WHOLE(run.copies), 0, 1, "0 or 1", "1: the source sends a copy to each output instead (default 0)"},
    {"sizes", "S", MAKE, TEXT(run.sizes), 0, 0, NULL,
        "bimodal (default: 95 % of 5 words, 5 % of 1024), uniform (5 to 1024), constant (1024), or words: 64, or 5..1024, or 5/1024/95"},
    {"pattern", "P", MAKE, TEXT(run.pattern), 0, 0, NULL,
        "uniform (default), zipf/K, or a scenario of make sim: hot-spot, permutation, diagonal, unbalanced"},
    {"arrivals", "A", MAKE, TEXT(run.arrivals), 0, 0, NULL,
        "poisson (default), instant (whole packets at once), onoff (geometric gaps), saturated (as fast as the line is, load 1); those of "
        "high priority are always poisson; none: only these; staircase: full VOQs, and no two of the first packets end together"},
    {"hot", "PORT", MAKE, WHOLE(run.hot), 0, PM_PORTS - 1, "a port", "busy port of hot-spot (default 0)"},
    {"part", "P", MAKE, REAL(run.part), 0, 1, "a part of the packets", "share of packets in hot-spot and unbalanced (default 0.5)"},
    {"cells", "0|1|padded", MAKE, OPTION_CHOICE(pm_options, run.cells), 0, 0, "0, 1 or padded",
        "1: packets are multiples of a cell of 8 words, 8 at least, and begin with a cell; always so with iq. padded: drawn as with 0, and "
        "filled up to cells, which is more than the load asked for"},
    {.help = "The run:"},
    {"clocks", "N", MAKE, WHOLE(run.clocks), 1000, 1e10, "a number of clocks", "measured clocks (default 2000000)"},
    {"warmup", "N", MAKE, WHOLE(run.warmup), 0, 1e10, "a number of clocks", "warm-up [clocks] (default a tenth, 200000 at least)"},
    {"half-width", "P", MAKE, REAL(half_width), 0, 100, "a percentage",
        "prolong the window, at most four times, until the intervals of mean and weighted delay are this narrow [%] "
        "(default 0: never)"},
    {"ideal-clocks", "N", 0, WHOLE(ideal_clocks), 100000, 1e10, "a number of clocks", "clocks of the ideal switch alone (default 1000000000)"},
    RUN_SEED(0, pm_options, run.seed),
    RUN_WAVES(0, pm_options),
    {"wave-from", "N", 0, WHOLE(wave_from), 0, 1e10, "a clock", "first recorded clock (default 0)"},
    {"wave-clocks", "N", 0, WHOLE(wave_clocks), 1, 1e9, "a number of clocks", "recorded clocks (default 20000)"},
    RUN_JSON(pm_options),
    RUN_HELP(pm_options),
    {0},
};
/* clang-format on */

int pm_options_read(pm_options *o, int argc, char **argv, const pm_architecture *architectures, pm_run_params *p,
                    char error[OPTION_ERROR])
{
    *o = (pm_options){.run = pm_setup_default(), .wave_clocks = 20000, .ideal_clocks = 1000000000};
    o->run.arch = "dpm";
    o->run.load = o->run.high_load = -1;
    if (option_arguments(pm_options_table, o, argc, argv, error)) return -1;
    if (o->help) return 0;
    if (o->run.load < 0) o->run.load = o->run.priorities == 2 ? 0.5 : 0.8;
    if (o->run.high_load < 0) o->run.high_load = o->run.priorities == 2 ? 0.3 : 0;
    if (!strcmp(o->run.arrivals, "none")) o->run.load = 0;
    return pm_setup_params(&o->run, architectures, p, error);
}
