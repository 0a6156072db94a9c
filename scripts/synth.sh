#!/bin/sh
# Synthesises one module for Virtex-II Pro (FAMILY=xcup: UltraScale+) and prints its size; fails on a latch.
#
#   [FAMILY=xc2vp] [RTL=folder] [SLOT_FOLDER=folder] [NAME=name] [LEVELS=1] [QUICK=1] \
#       scripts/synth.sh MODULE [PARAMETER=VALUE...]
#   e.g. scripts/synth.sh fifo_async WIDTH=36
#
# With SLOT_FOLDER (scripts/slots.py) other blocks are in slots, MODULE may be in one of its folders, and what is left goes there instead of
# into build/. Leaves build/synth-NAME.json (NAME is MODULE unless given): {"module", "lut", "ff", "bram", "cells": {...}}. lut counts LUTs
# of logic plus those used as memory (SRL16 and RAM16X1S: 1, RAM16X1D: 2; twice as many for 32 words, four times for 64; on UltraScale+,
# whose LUTs hold 64 bits, what Xilinx' UG974 says); bram counts blocks of 18 Kbit, one of 36 Kbit as two. Yosys' log stays in the same folder in
# synth-NAME.log. With LEVELS also "levels": LUTs, carry and memory cells on the longest way between registers and pins.
#
# With QUICK, for a MODULE with its default parameters, nothing else of what is read is worked on: 2 s instead of 10 s for a small one. Nets
# get other names then, which moves the number of LUTs by some in a hundred: compare such numbers with each other.
#
# Mapped to LUTs alone (-nowidelut): with the multiplexers behind them (MUXF5 to MUXF8) Yosys looks for the shortest paths
# and spends up to half as many LUTs more.
set -eu
export LC_ALL=C
YOSYS=${YOSYS:-yosys}
FAMILY=${FAMILY:-xc2vp}
module=${1:?usage: scripts/synth.sh MODULE [PARAMETER=VALUE...]}
shift
name=${NAME:-$module}
out=${SLOT_FOLDER:-build}
mkdir -p "$out"
. scripts/verilog_files.sh
grep -Eq "^[[:space:]]*module[[:space:]]+$module([^A-Za-z0-9_]|\$)" $files ||
    { echo "synth: there is no module $module below $RTL/; RTL=path says where another is"; exit 1; }
sets=
for p in "$@"; do sets="$sets -set ${p%%=*} ${p#*=}"; done
[ -z "$sets" ] || sets="chparam $sets $module;"
log=$out/synth-$name.log
stat=$out/synth-$name.stat
json=$out/synth-$name.json
rm -f "$json"
commands="read_verilog ${QUICK:+-defer} -Ibuild/generated $defines $files; $sets hierarchy -check -top $module; proc;
          select -assert-none t:\$dlatch t:\$adlatch; synth_xilinx -family $FAMILY -nowidelut -flatten -top $module; tee -q -o $stat stat -json
          ${LEVELS:+; tee -q -a $stat ltp t:FD* t:RAMB* %u t:*BUF* %u %n}"
if ! "$YOSYS" -q -l "$log" -p "$commands" >/dev/null 2>"$log.err"; then
    grep -E 'ERROR|Assertion' "$log" "$log.err" || tail -5 "$log"
    echo "synth: $name failed, log in $log"
    exit 1
fi
rm -f "$log.err"
awk -v module="$name" -v family="$FAMILY" '
    BEGIN { # memories of UltraScale+ in LUTs
        split("RAM32X1S 1 RAM64X1S 1 RAM128X1S 2 RAM256X1S 4 RAM512X1S 8 RAM32X1D 2 RAM64X1D 2 RAM128X1D 4 RAM256X1D 8 " \
              "RAM32M 4 RAM64M 4 RAM32M16 8 RAM64M8 8 SRL16 1 SRL16E 1 SRLC16E 1 SRLC32E 1", m)
        if (family == "xcup") for (i = 1; i in m; i += 2) luts[m[i]] = m[i + 1]
    }
    /"num_cells_by_type":/ { split("", n); count = 0; inside = seen = 1; next } # of the module, then of the whole, which is the same
    /^Longest topological path/ { levels = $NF; gsub(/[^0-9]/, "", levels) }
    inside && gsub(/[",:]/, "") && NF == 2 { n[$1] = $2; order[++count] = $1; next }
    { inside = 0 }
    END {
        if (!seen) exit 1
        for (i = 1; i <= count; i++) {
            c = order[i]
            if (c ~ /^LUT[1-6]$/) lut += n[c]
            else if (c in luts) lut += luts[c] * n[c]
            else if (c ~ /^RAMB36/) bram += 2 * n[c]
            else if (c ~ /^(RAM16X1S|SRL16)/) lut += n[c]
            else if (c ~ /^(RAM16X1D|RAM32X1S)/) lut += 2 * n[c]
            else if (c ~ /^(RAM32X1D|RAM64X1S)/) lut += 4 * n[c]
            else if (c ~ /^(RAM64X1D|RAM128X1S)/) lut += 8 * n[c]
            else if (c ~ /^FD/) ff += n[c]
            else if (c ~ /^RAMB1[68]/) bram += n[c]
            cells = cells (cells == "" ? "" : ", ") "\"" c "\": " n[c]
        }
        printf "{\"module\": \"%s\", \"lut\": %d, \"ff\": %d, \"bram\": %d, \"cells\": {%s}%s}\n", module, lut, ff, bram, cells,
            levels == "" ? "" : ", \"levels\": " levels
    }' "$stat" > "$json.tmp" || { echo "synth: $name: Yosys' stat -json has no num_cells_by_type, see $stat"; exit 1; }
mv "$json.tmp" "$json"
rm -f "$stat"
awk '{ gsub(/[,"]/, ""); print "synth: " $2 ": " $4 " LUTs, " $6 " flip-flops, " $8 " block RAMs, no latches" }' "$json"
