#!/bin/sh
# Checks the variables of make packet-mode and of what else runs such switches before anything is built:
#
#   scripts/packet_mode_options.sh LOAD=0.8 SIZES=bimodal ...      prints nothing, or what is wrong with the first one that is, and exit 1
#
# Named are those that were given; an empty one is as good as none, but for SET. With GOAL=shares they are those of make shares. The
# programs check again what they are given (sim/packet_mode/pm_setup.c).
export LC_ALL=C
arrivals="none "$(sed -n 's/.*names\[\] = {"poisson", \(.*\)};/poisson \1/p' sim/packet_mode/pm_setup.c | tr -d '",')
patterns="uniform hot-spot permutation diagonal unbalanced round-robin"
figures=$(sed -n '/pm_all_figures\[\] = {/,$s/^    {"\([a-z0-9-]*\)",.*/\1/p' sim/packet_mode/pm_figures.c)
for setting in "$@"; do printf '%s\n' "$setting"; done | awk -v arrivals="$arrivals" -v patterns="$patterns" -v figures="$figures" '
function complain(expected) { printf "%s=%s: expected %s\n", name, value, expected; bad = 1; exit 1 }
function real(text, least, most) { return text ~ /^([0-9]+[.]?[0-9]*|[.][0-9]+)$/ && text + 0 >= least + 0 && text + 0 <= most + 0 }
function whole(text, least, most) { return text ~ /^[0-9]+$/ && text + 0 >= least + 0 && text + 0 <= most + 0 }
function one_of(text, list,    n, i, part) { n = split(list, part, /[ \n]+/); for (i = 1; i <= n; i++) if (part[i] == text) return 1 }
function listed(list) { gsub(/[ \n]+/, ", ", list); return list }
# what it is, given or not
function set_to(variable, otherwise) { return given[variable] == "" ? otherwise : given[variable] }
# words of a packet, for IQ whole cells
function size(text) { return whole(text, 1, 1024) && (!cells || text % 8 == 0) }
# ports behind commas, one at least
function ports_in(text,    n, i, part) {
    n = split(text, part, ",")
    for (i = 1; i <= n; i++) if (!whole(part[i], 0, ports - 1)) return 0
    return n > 0
}
{ name = $0; sub(/=.*/, "", name); value = $0; sub(/^[^=]*=/, "", value); given[name] = value; order[++count] = name }
END {
    if (bad) exit 1
    arch     = set_to("ARCH", "dpm")
    ports    = set_to("PORTS", 16) + 0
    arriving = set_to("ARRIVALS", "poisson")
    high     = set_to("HIGH_LOAD", given["PRIORITIES"] + 0 == 2 ? 0.3 : 0) + 0
    load     = arriving == "none" ? 0 : set_to("LOAD", given["PRIORITIES"] + 0 == 2 ? 0.5 : 0.8) + 0
    full     = arriving == "saturated" || arriving == "staircase"
    shares   = one_of("shares", given["GOAL"])
    beside   = one_of("packet-mode-crossbar", given["GOAL"])
    cells    = given["CELLS"] == "1" || (arch == "iq" && given["CELLS"] != "padded")
    for (k = 1; k <= count; k++) {
        name = order[k]; value = given[name]
        if (name == "SET" && !ports_in(value)) complain("ports of this switch, one at least: 0,2,3")
        if (value == "") continue
        if (name == "ARCH" && !one_of(value, "sm ppm dpm vps iq")) complain("sm, ppm, dpm, vps or iq")
        if (name == "PORTS" && (value !~ /^[1-9]/ || !whole(value, 2, 16))) complain("a number of ports, 2 to 16")
        if (name == "LOAD" && !real(value, 0.001, 1.2)) complain("a part of the line\047s rate, 0.001 to 1.2")
        if (name == "LOAD" && arriving == "instant" && value + 0 > 0.95) complain("0.95 at most with ARRIVALS=instant")
        if (name == "LOAD" && !full && load + high > 1.2 + 1e-9) complain("1.2 at most with HIGH_LOAD=" high)
        if (name == "ARRIVALS" && !one_of(value, arrivals)) complain("one of " listed(arrivals))
        if (name == "ARRIVALS" && value == "none" && high == 0) complain("another one without packets of high priority")
        if (name == "ARRIVALS" && one_of(value, "instant staircase") && (given["PRIORITIES"] + 0 == 2 || given["MULTICAST"] + 0 > 0))
            complain("poisson, onoff or saturated with PRIORITIES=2 or MULTICAST")
        if (name == "ARRIVALS" && value == "saturated" && given["COPIES"] + 0 == 1) complain("poisson or onoff with COPIES=1")
        if (name == "PATTERN" && !(value ~ /^zipf\// ? real(substr(value, 6), 0, 20) : one_of(value, patterns)))
            complain("zipf/K with K from 0 to 20, or one of " listed(patterns))
        if (name == "SIZES" && !one_of(value, "bimodal uniform constant")) {
            good = 0
            if (split(value, part, "/") == 3) good = size(part[1]) && size(part[2]) && part[1] + 0 <= part[2] + 0 && real(part[3], 0, 100)
            else if ((at = index(value, "..")) > 0)
                good = size(substr(value, 1, at - 1)) && size(substr(value, at + 2)) &&
                       substr(value, 1, at - 1) + 0 <= substr(value, at + 2) + 0
            else good = size(value)
            if (!good) complain("bimodal, uniform, constant, or words from 1 to 1024 (of cells: multiples of 8): 64, 5..1024 or 5/1024/95")
        }
        if (name == "CELLS" && !one_of(value, "0 1 padded")) complain("0, 1 or padded")
        if (name == "HOT" && !whole(value, 0, ports - 1)) complain("a port of this switch")
        if (name == "PART" && !real(value, 0, 1)) complain("a part of the packets, 0 to 1")
        if (name == "PRIORITIES" && !one_of(value, "1 2")) complain("1 or 2")
        if (name == "PRIORITIES" && value + 0 == 2 && arch == "iq") complain("1 with ARCH=iq")
        if (name == "HIGH_LOAD" && !real(value, 0, 1.2)) complain("a part of the line\047s rate, 0 to 1.2")
        if (name == "HIGH_LOAD" && !full && load + high > 1.2 + 1e-9) complain("1.2 at most with LOAD=" load)
        if (name == "HIGH_LOAD" && high > 0 && given["PRIORITIES"] + 0 != 2) complain("to be given with PRIORITIES=2 only")
        if (name == "MULTICAST" && !real(value, 0, 1)) complain("a part of the packets, 0 to 1")
        if (name == "MULTICAST" && value + 0 > 0 && arch == "iq") complain("0 with ARCH=iq")
        if (name == "MULTICAST" && value + 0 > 0 && arch == "dpm")
            complain("0 with ARCH=dpm: an output that waits for a lock would stop the credit of the one that has it")
        if (name == "FANOUT" && !whole(value, 1, ports)) complain("a number of outputs, 1 to " ports)
        if ((name == "COPIES" || name == "SPLIT") && !one_of(value, "0 1")) complain("0 or 1")
        if ((name == "SET" || name == "FANOUT" || ((name == "COPIES" || name == "SPLIT") && value + 0 == 1)) && given["MULTICAST"] + 0 == 0)
            complain("together with MULTICAST=P, a part of the packets")
        if (name == "SPLIT" && value + 0 == 1 && !one_of(arch, "sm vps")) complain("0 with ARCH=" arch "; sm and vps have it")
        if (name == "LOAD" && beside && value + 0 > 0.9) complain("0.9 at most: above, what waits would grow")
        if (name == "CLOCKS" && beside && !whole(value, 20000, 1e8)) complain("a number of clocks, 20000 to 100000000")
        if (name == "CLOCKS" && shares && !whole(value, 20000, 1e9)) complain("a number of clocks, 20000 to 1000000000")
        if (name == "CLOCKS" && !whole(value, 1000, 1e10)) complain("a number of clocks, 1000 to 10000000000")
        if (name == "WARMUP" && !whole(value, 0, 1e10)) complain("a number of clocks, 0 to 10000000000")
        if (name == "HALF_WIDTH" && !real(value, 0, 100)) complain("a percentage, 0 to 100")
        if (name == "PACKETS" && !whole(value, 1, 1e7)) complain("packets of a run, 1 to 10000000")
        if (name == "SEEDS" && !whole(value, 1, 1000)) complain("a number of seeds, 1 to 1000")
        if (name == "QUICK" && !one_of(value, "0 1")) complain("0 or 1")
        if (name == "FIGURE" && index("\n" figures, "\n" value) == 0) complain("one of " listed(figures) ", or how some of them begin")
    }
}'
