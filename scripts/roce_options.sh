#!/bin/sh
# Checks variables of make ... CHIP=roce before anything is built, by the rows of a program's table of options:
#
#   scripts/roce_options.sh sim/roce/roce_options.c QPS=127 LOSS=1e-3 ...    prints nothing, or what is wrong with the first one, and exit 1
#
# Numbers have their limits, others are one of the words that are expected. What belongs together, and limits that have names in C, are
# checked by the programs.
export LC_ALL=C
table=$1
shift
for setting in "$@"; do printf '%s\n' "$setting"; done | awk -v table="$table" '
function complain(expected) { printf "%s=%s: expected %s\n", name, value, expected; exit 1 }
# "8 or 64": whether the text is one of them; words that are no such list are none
function one_of(text, list,    n, i, part) {
    gsub(/ or /, ", ", list)
    n = split(list, part, ", ")
    for (i = 1; i <= n; i++) if (part[i] == text) return 1
}
BEGIN {
    while ((getline row < table) > 0) {
        if (row !~ /^ *\{"[a-z-]+", "[^"]*", MAKE, /) continue
        split(row, part, "\"")
        name = toupper(part[2])
        gsub(/-/, "_", name)
        sub(/.* MAKE, /, "", row)
        kind[name] = row ~ /^WHOLE/ ? "whole" : row ~ /CHANCE/ ? "chance" : row ~ /CHOICE/ ? "choice" : ""
        split(row, limit, ", ")
        # behind WHOLE(field) and CHOICE(type, field)
        least[name] = limit[2]; most[name] = limit[3]
        if (match(row, /"[^"]*"/)) expected[name] = substr(row, RSTART + 1, RLENGTH - 2)
    }
}
{
    name = value = $0
    sub(/=.*/, "", name)
    sub(/^[^=]*=/, "", value)
    if (value == "" || kind[name] == "") next
    list = expected[name] ~ /^[a-z0-9]+(, [a-z0-9]+)* or [a-z0-9]+$/
    if (kind[name] == "chance" && !(value ~ /^([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$/ && value + 0 <= 0.5))
        complain("a part of the packets, 0 to 0.5, 1e-3 for instance")
    if (kind[name] != "chance" && list && !one_of(value, expected[name])) complain(expected[name])
    if (kind[name] == "whole" && !list && most[name] ~ /^[0-9]+$/ &&
        !(value ~ /^[0-9]+$/ && value + 0 >= least[name] + 0 && value + 0 <= most[name] + 0))
        complain(expected[name] ", " least[name] " to " most[name])
}'
