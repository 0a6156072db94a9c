#!/bin/sh
# Checks what the links of nodes are said to be, before anything is built:
#
#   scripts/links.sh GOAL=sim LINKS=4 SWITCHES=4 PATHS=0,2 ...      prints nothing, or what is wrong with the first one that is, and exit 1
#
# Named are the variables that were given; an empty one is as good as none, but for PATHS and CUT. nicxbar-sim checks again what it is given
# (sim/program/options.c).
export LC_ALL=C
for setting in "$@"; do printf '%s\n' "$setting"; done | awk '
function complain(expected) { printf "%s=%s: expected %s\n", name, value, expected; bad = 1; exit 1 }
function whole(text, least, most) { return text ~ /^[0-9]+$/ && length(text) < 10 && text + 0 >= least && text + 0 <= most }
function real(text) { return text ~ /^[0-9]+([.][0-9]+)?$/ && text + 0 < 1e9 }
# Values are text: one that is compared as a number becomes one by + 0.
# so many numbers behind commas
function numbers(text, count, least, most,    i, part) {
    if (split(text, part, ",") != count) return 0
    for (i = 1; i <= count; i++) if (!whole(part[i], least, most)) return 0
    return 1
}
function different_links(text,    n, i, part, there) {
    n = split(text, part, ",")
    for (i = 1; i <= n; i++) if (!whole(part[i], 0, links - 1) || there[part[i] + 0]++) return 0
    return n > 0
}
function check_cuts(    n, i, part, of) {
    n = split(value, part, ",")
    if (!n) complain("link:node:at:for, such as CUT=1:0:20:5")
    for (i = 1; i <= n; i++) {
        if (split(part[i], of, ":") != 4 || !whole(of[1], 0, 1e9) || !whole(of[2], 0, 1e9) || !real(of[3]) ||
            !(of[4] == "ever" || (real(of[4]) && of[4] + 0 > 0)))
            complain("link:node:at:for, the last two in us or for ever: CUT=1:0:20:5" (n > 1 ? ", more of them behind commas" : ""))
        if (of[1] + 0 >= links) complain(links == 1 ? "link 0: a node has one" : "a link of 0.." links - 1 ", there is no link " of[1])
        if (soak && direct && by_packet && (of[4] == "ever" || of[4] + 0 > 900))
            complain("cuts of up to 900 us in a soak of two NICs by packet: they throw away what waits longer for a link")
        if (of[2] + 0 >= nodes) complain("a node of 0.." nodes - 1 ", there is no node " of[2])
    }
}
{ name = $0; sub(/=.*/, "", name); value = $0; sub(/^[^=]*=/, "", value); given[name] = value; order[++count] = name }
END {
    if (bad) exit 1
    soak      = given["GOAL"] ~ /(^| )soak( |$)/
    several   = given["LINKS"] ~ /^[24]$/
    links     = several ? given["LINKS"] + 0 : 1
    direct    = given["SWITCHES"] == "0" || given["SWITCH"] == "0" || (soak && given["NODES"] == "")
    by_packet = several && given["BOND"] != "byte"
    nodes     = given["NODES"] != "" ? given["NODES"] + 0 : direct || given["FILE"] != "" ? 2 : 4
    for (k = 1; k <= count; k++) {
        name = order[k]; value = given[name]
        if (name == "PATHS" && (value == "" || !by_packet || !different_links(value)))
            complain(by_packet ? "different links of 0.." links - 1 ", one at least" : "together with several links by packet")
        if (name == "CUT") check_cuts()
        if (value == "") continue
        if (name == "LINKS" && value !~ /^[124]$/) complain("1, 2 or 4")
        if (name == "LINKS" && several && given["GOAL"] !~ /^(sim|cycles|soak|run)$/)
            complain("with make sim, cycles, run or soak")
        if (name == "LINKS" && several && given["TEST"] != "" && given["GOAL"] == "cycles") complain("no TEST: a test makes its own system")
        if (name == "BOND" && value !~ /^(byte|packet)$/)
            complain("packet (each packet has one of the links) or byte (its bytes go over all)")
        if (name == "BOND" && !several) complain("together with LINKS=2 or 4")
        if (name == "BOND" && value == "byte" && !direct) complain("with SWITCHES=0: links by byte do not pass a switch (S2 2.4)")
        if (name == "SWITCHES" && value + 0 != links && value != "0")
            complain(several ? links ", one for each link of a node, or 0 (two nodes and a cable)" : "1, or 0 (two nodes and a cable)")
        if (name == "SWITCHES" && value == "0" && soak && given["NODES"] != "")
            complain("another number with NODES: a soak of nodes has switches")
        if (name == "NODES" && direct && value + 0 != 2) complain("2 without a switch: two nodes and a cable")
        if (name == "NODES" && several && value + 0 > 8) complain("2 to 8 with LINKS=" links ", as many as the ports of these switches")
        if (name == "RANKS" && several) complain("none with LINKS=" links)
        if (name == "SWITCH" && value == "traced" && several) complain("1, without tracing memories, with LINKS=" links)
        if (name == "NIC" && several && value == "monitored")
            complain("one link with it: samples and traces are of the FIFOs of one (rtl/monitor)")
        if (name == "NIC" && several && value !~ (by_packet ? "^default$" : "^(default|4splits)$"))
            complain(by_packet ? "default with links by packet (it has 4splits)" : "default or 4splits with BOND=byte")
        if (name == "NODE_IDS" && by_packet && value ~ /[89]|[0-9][0-9]/)
            complain("0 to 7 with links by packet: a NIC keeps headers of 8 sources")
        if (name == "SKEW" && by_packet && !direct) complain("one cable; that of each path is PATH_LATENCY")
        if (name == "SKEW" && !numbers(value, links, 0, 1e7))
            complain("a number of ps" (several ? " for each of " links " links" : "") ", 0 to 10000000" (several ? ", with commas" : ""))
        if (name == "PATH_LATENCY" && (!by_packet || direct)) complain("together with several links by packet and switches")
        if (name == "PATH_LATENCY" && !numbers(value, links, 20, 1e5))
            complain(links " numbers of clocks, 20 to 100000 each, with commas between them")
    }
}'
