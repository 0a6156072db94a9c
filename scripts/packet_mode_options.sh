#!/bin/sh
# Checks the variables of make packet-mode and make curves before anything is built:
#
#   scripts/packet_mode_options.sh LOAD=0.8 SIZES=bimodal ...      prints nothing, or what is wrong with the first one that is, and exit 1
#
# The programs check again what they are given (sim/packet_mode/pm_setup.c).
export LC_ALL=C
arrivals="none "$(sed -n 's/.*names\[\] = {"poisson", \(.*\)};/poisson \1/p' sim/packet_mode/pm_setup.c | tr -d '",')
patterns="uniform hot-spot permutation diagonal unbalanced round-robin"
figures=$(sed -n '/pm_all_figures\[\] = {/,$s/^    {"\([a-z0-9-]*\)",.*/\1/p' sim/packet_mode/pm_figures.c)
for setting in "$@"; do printf '%s\n' "$setting"; done | awk -v arrivals="$arrivals" -v patterns="$patterns" -v figures="$figures" '
function complain(expected) { printf "%s=%s: expected %s\n", name, value, expected; bad = 1; exit 1 }
function real(text, least, most) { return text ~ /^([0-9]+[.]?[0-9]*|[.][0-9]+)$/ && text + 0 >= least && text + 0 <= most }
function whole(text, least, most) { return text ~ /^[0-9]+$/ && text + 0 >= least && text + 0 <= most }
function one_of(text, list,    n, i, part) { n = split(list, part, /[ \n]+/); for (i = 1; i <= n; i++) if (part[i] == text) return 1 }
function listed(list) { gsub(/[ \n]+/, ", ", list); return list }
# words of a packet, for IQ whole cells
function size(text) { return whole(text, 1, 1024) && (!cells || text % 8 == 0) }
{ name = $0; sub(/=.*/, "", name); value = $0; sub(/^[^=]*=/, "", value); given[name] = value; order[++count] = name }
END {
    if (bad) exit 1
    cells = given["CELLS"] == "1" || (given["ARCH"] == "iq" && given["CELLS"] != "padded")
    for (k = 1; k <= count; k++) {
        name = order[k]; value = given[name]
        if (value == "") continue
        if (name == "ARCH" && !one_of(value, "sm ppm dpm vps iq")) complain("sm, ppm, dpm, vps or iq")
        if (name == "PORTS" && value != 4 && value != 16) complain("16 or 4")
        if (name == "LOAD" && !real(value, 0.001, 1.2)) complain("a part of the line\047s rate, 0.001 to 1.2")
        if (name == "LOAD" && given["ARRIVALS"] == "instant" && value > 0.95) complain("0.95 at most with ARRIVALS=instant")
        if (name == "ARRIVALS" && !one_of(value, arrivals)) complain("one of " listed(arrivals))
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
        if (name == "HOT" && !whole(value, 0, (given["PORTS"] ? given["PORTS"] : 16) - 1)) complain("a port of this switch")
        if (name == "PART" && !real(value, 0, 1)) complain("a part of the packets, 0 to 1")
        if (name == "CLOCKS" && !whole(value, 1000, 1e10)) complain("a number of clocks, 1000 to 10000000000")
        if (name == "WARMUP" && !whole(value, 0, 1e10)) complain("a number of clocks, 0 to 10000000000")
        if (name == "HALF_WIDTH" && !real(value, 0, 100)) complain("a percentage, 0 to 100")
        if (name == "QUICK" && !one_of(value, "0 1")) complain("0 or 1")
        if (name == "FIGURE" && index("\n" figures, "\n" value) == 0) complain("one of " listed(figures) ", or how some of them begin")
    }
}'
