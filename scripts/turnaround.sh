#!/bin/sh
# How long it takes from an edit to a verdict (make turnaround): a block of one's own, checked by its contract and in
# the system, and a test.
#
#   [MAKE=make] scripts/turnaround.sh
#
# The tree is copied, with what it has built, to build/turnaround/tree; only the copy is edited. Every command runs
# twice there: once to build what is missing, and again after the edit, without ccache, which would know the edited file
# from the last time. Table on stdout; exit code 1 if a command fails. Limits are for a machine with nothing else to do:
# the processor time is printed, too.
set -eu
export LC_ALL=C
out=build/turnaround tree=build/turnaround/tree make=${MAKE:-make}
mkdir -p "$out"
rm -rf "$tree"
mkdir "$tree"
cp -rp Makefile rtl sim sw tb scripts "$tree"
for f in build/*; do [ "$f" = "$out" ] || { mkdir -p "$tree/build" && cp -rp "$f" "$tree/build"; }; done
mkdir "$tree/mine"
sed 's/^module output_scheduler /module my_scheduler /' rtl/switch/output_scheduler.v > "$tree/mine/my_scheduler.v"
log=$PWD/$out/log
cd "$tree"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# what is edited | limit [s] | file | make's arguments
mine='OUTPUT_SCHEDULER=my_scheduler RTL=mine'
rows="
a block, its contract|15|mine/my_scheduler.v|contract SLOT=output_scheduler BLOCK=my_scheduler RTL=mine
a block, eight nodes|60|mine/my_scheduler.v|sim NODES=8 SCENARIO=uniform MEASURE=300 $mine
a test|5|tb/unit/link/test_link_credits.c|test TEST=tb/unit/link/test_link_credits
"
run() {
    "$make" $1 >"$log" 2>&1 || { tail -20 "$log"; echo "make $1 failed, see $log"; exit 1; }
}
printf '%-24s %12s %14s %8s   %s\n' edited 'verdict [s]' 'processor [s]' limit command
echo "$rows" | while IFS='|' read -r what limit file arguments; do
    [ -n "$what" ] || continue
    run "$arguments"
    sleep 1 # a time of its own for the edit
    echo "// edited" >> "$file"
    times >"$log.times"
    began=$(date +%s%N)
    export CCACHE_DISABLE=1
    run "$arguments"
    unset CCACHE_DISABLE
    ended=$(date +%s%N)
    times >>"$log.times"
    awk -v what="$what" -v wall="$(((ended - began) / 1000000))" -v limit="$limit" -v command="make $arguments" '
        # of what the shell has started
        NR % 2 == 0 { gsub(/[ms]/, " "); before = used; used = $1 * 60 + $2 + $3 * 60 + $4 }
        END {
            printf "%-24s %12.1f %14.1f %8s   %s\n", what, wall / 1000, used - before,
                   (wall > 1000 * limit ? "over " : "< ") limit, command
        }' "$log.times"
done
