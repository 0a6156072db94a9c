#!/bin/sh
# Replays recorded pins (nicxbar-sim --pins FOLDER) in Icarus, which knows X, and compares the outputs clock by clock; scripts/pins says
# which of them count and when.
#
#   [RTL=folder] [SLOT_FOLDER=folder] scripts/replay.sh RECORDING [FILE...]     on the Verilog below rtl/, the modules in FILEs instead
#   scripts/replay.sh --netlist NETLIST RECORDING                               on a netlist (scripts/netlist.sh)
#   [PINS=file] [WAVES=file.vcd] ...                                            another table than scripts/pins; waves
#
# Prints the outputs that differ, and one line that ends with GOOD or BAD and what happened; ends with 0 only if all is as recorded. The
# bench is written into the folder of the recording. On a terminal it shows how far it is.
set -eu
export LC_ALL=C
IVERILOG=${IVERILOG:-iverilog} PINS=${PINS:-scripts/pins}
stop() { echo "replay: $1" >&2; exit 2; }
netlist=
if [ "${1:-}" = --netlist ]; then
    netlist=${2:?usage: scripts/replay.sh --netlist NETLIST RECORDING}
    shift 2
fi
recording=${1:?usage: scripts/replay.sh [--netlist NETLIST] RECORDING [FILE...]}
shift
vvp=$(dirname "$(command -v "$IVERILOG" || echo "$IVERILOG")")/vvp
command -v "$IVERILOG" >/dev/null && [ -x "$vvp" ] || stop "$IVERILOG, vvp: not found; expected Icarus Verilog (apt-get install iverilog)"
[ -r "$recording" ] || stop "$recording: no such recording; expected a file of nicxbar-sim --pins FOLDER"
bench=${recording%.pins}.${netlist:+netlist}
[ -n "$netlist" ] || bench=${bench}rtl
name="$recording on ${netlist:-Verilog}"

# ---- the bench ----
awk -v netlist="${netlist:+1}" -v name="$(basename "$recording" .pins)" -v edges="$(wc -l <"$recording")" -f scripts/replay.awk \
    "$PINS" "$recording" >"$bench.v" || { rm -f "$bench.v"; exit 2; }
if [ -n "$netlist" ]; then
    [ -r "$netlist" ] || stop "$netlist: no such netlist; scripts/netlist.sh makes one"
    cells=$(sed -n '1s|^// cells: ||p' "$netlist")
    [ -r "$cells" ] || stop "$netlist: its first line names no file of cells that is there; expected a netlist of scripts/netlist.sh"
    sources="$netlist $cells"
else
    . scripts/verilog_files.sh
    sources="$defines -Ibuild/generated $* $(for f in $files; do dirname "$f"; done | sort -u | sed 's/^/-y /' | tr '\n' ' ')"
    [ -z "$defines" ] || sources="$sources $(cut -d' ' -f3- "$SLOT_FOLDER/blocks" | tr '\n' ' ')"
fi
"$IVERILOG" -g2005 -s replay -o "$bench.vvp" "$bench.v" $sources >"$bench.log" 2>&1 || { head -5 "$bench.log" >&2; stop "see $bench.log"; }

# ---- the run ----
progress=
[ ! -t 2 ] || progress=+progress
"$vvp" -n "$bench.vvp" "+pins=$recording" $progress ${WAVES:+"+waves=$WAVES"} >"$bench.log" || true
grep -v '^GOOD\|^BAD\|^VCD' "$bench.log" || true
last=$(tail -1 "$bench.log")
case $last in
GOOD*) echo "$name: $last" ;;
BAD*)
    echo "$name: $last; waves: WAVES=$bench.vcd scripts/replay.sh ${netlist:+--netlist $netlist }$recording${1:+ $*}"
    exit 1
    ;;
*) echo "$name: BAD: vvp ended without a result, see $bench.log"; exit 1 ;;
esac
