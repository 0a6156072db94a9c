#!/bin/sh
# Where the time of a simulation goes: counts the instructions of a short saturated run by part of the project (callgrind: repeatable,
# whatever else the machine does). Usage: scripts/profile.sh PROGRAM OUT_DIR
set -eu
program=$1 out=$2
mkdir -p "$out"
head -c 100000 /dev/urandom > "$out/profile.dat"
echo "profile: counting instructions, about 20 s" >&2
valgrind --tool=callgrind --callgrind-out-file="$out/profile.out" "$program" --direct --no-monitor --both --file "$out/profile.dat" \
    --json "$out/profile.json" > "$out/profile.log" 2>&1 || { cat "$out/profile.log" >&2; exit 1; }
callgrind_annotate --auto=no --threshold=100 "$out/profile.out" 2>/dev/null | awk '
    /%\)/ && !/PROGRAM TOTALS/ {
        n = $1; gsub(/,/, "", n)
        part = "C library and start-up"
        if ($0 ~ /Vnic|Verilated|VL_|verilated/) part = "models (Verilator)"
        else if (match($0, /(sim|sw)\/[a-z]+\//)) part = substr($0, RSTART, RLENGTH - 1)
        else if ($0 ~ /libnettle/) part = "SHA-256"
        sum[part] += n; all += n
    }
    END {
        printf "%-26s %10s\n", "part", "share"
        sorted = "sort -k1.27nr"
        for (part in sum) printf "%-26s %9.1f%%\n", part, 100 * sum[part] / all | sorted
        close(sorted)
        printf "whole run / models alone: %.2f (instructions)\n", all / sum["models (Verilator)"]
    }'
