#!/bin/sh
# What a disk over RDMA costs by the clock on the wall: two hosts and their switch, with a client, on two processors.
#
#   scripts/diskwall.sh PROGRAM OUT SEED
#
# Prints how soon it serves, how fast a large copy is, what it uses while it stands still, and how soon it answers then,
# each with its limit. They depend on the machine and its load. Exit code 0: all limits are met; 3: not all; 1:
# something went wrong.
set -u
export LC_ALL=C
program=$(readlink -f "$1")
out=$2
seed=$3
work=$(mktemp -d "$(readlink -f "$out")/blockwall.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap '[ -z "$child" ] || { kill "$child"; wait "$child"; }; exit 130' INT TERM
child=
cd "$work" || exit 1

head -c 8388608 /dev/urandom >in
truncate -s 8388608 disk
# The numbers of two processors that may be used.
two=$(awk '/^Cpus_allowed_list/ { n = split($2, part, ","); for (i = 1; i <= n; i++) { m = split(part[i], end, "-")
    for (c = end[1]; c <= end[m] && k < 2; c++) { printf "%s%d", k++ ? "," : "", c } } }' /proc/self/status)
cat >client <<'EOF'
now() { date +%s%N; }
used() { cut -d' ' -f14,15 /proc/$PPID/stat | tr ' ' '+'; }   # [10 ms], user and system
echo serving $(($(now) - $began))
t=$(now)
nbdcopy --flush in "$uri" || exit 1
echo copy $(($(now) - t))
sleep 0.5
u=$(($(used)))
sleep 10
echo still $(($(used) - u))
fio --name=r --ioengine=nbd --uri="$uri" --rw=read --bs=4k --size=4k --minimal >fio || exit 1
echo awake $(grep '^3;' fio | cut -d';' -f15)   # the longest completion [us]
EOF
began=$(date +%s%N)
export began
taskset -c "$two" "$program" --image disk --out . --seed "$seed" --run 'sh ./client >figures' >log 2>&1 </dev/null &
child=$!
wait $child || { cat log >&2; exit 1; }
child=
awk -v processors="$two" '
function row(what, value, unit, good, limit) {
    printf "%-44s %8.*f %-13s %-8s %s\n", what, value < 10 ? 2 : 0, value, unit, limit, good ? "good" : "NOT MET"
    if (!good) missed = 3
}
$1 == "serving" { row("until it serves, from its start", $2 / 1e9, "s", $2 < 5e9, "< 5") }
$1 == "copy"    { row("nbdcopy, 8 MiB", 8388608e6 / $2, "KB/s", $2 <= 8388608e6 / 300, ">= 300") }
$1 == "still"   { row("standing still for 10 s", $2 / 10, "% of a core", $2 < 10, "< 1") }
$1 == "awake"   { row("then a read of 4 KiB", $2 / 1e3, "ms", $2 < 1e5, "< 100") }
END { exit NR == 4 ? missed : 1 }' figures
