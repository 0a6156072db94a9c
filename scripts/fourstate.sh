#!/bin/sh
# make fourstate: pins of chips recorded in real runs are replayed in a four-state simulator, on the Verilog and on
# netlists.
#
#   [SEED=n] [JOBS=n] [SLOT_FOLDER=folder] scripts/fourstate.sh PROGRAMS NETLISTS
#
# PROGRAMS is the folder of nicxbar-sim and nicxbar-sim2, NETLISTS that of nic.v and crossbar2.v (netlist.sh);
# recordings and logs go there, too. In the table below: a run, the chips of it that are replayed (CHIP or
# CHIP=NETLIST), its program and options; PROGRAMS is there the folder of host programs.
set -eu
export LC_ALL=C
programs=${1:?usage: scripts/fourstate.sh PROGRAMS NETLISTS}
out=${2:?usage: scripts/fourstate.sh PROGRAMS NETLISTS}
table='
gates    nic0=nic,xbar=crossbar2 nicxbar-sim2 --nodes 2 --scenario one-way --sizes 496 --warmup 5 --measure 20
two      nic0,nic1,xbar nicxbar-sim2 --nodes 2 --scenario uniform --sizes 8..496 --warmup 10 --measure 200
hot-spot nic1,xbar nicxbar-sim --nodes 4 --scenario hot-spot --part 0.9 --memory sdram --warmup 10 --measure 200
splits   nic2 nicxbar-sim --nodes 4 --nic 4splits --scenario round-robin --sizes 496 --warmup 10 --measure 100
one-voq  nic3 nicxbar-sim --nodes 4 --nic 1voq --scenario round-robin --sizes 8..496 --warmup 10 --measure 100
traced   nic0,nic1 nicxbar-sim2 --nodes 2 --nic monitored --program PROGRAMS/nxtrace.so -- --messages 1 --size 512
sampled  nic1 nicxbar-sim2 --nodes 2 --nic monitored --program PROGRAMS/nxsample.so -- --messages 2
'
jobs=$out/jobs
: >"$jobs"
printf '%s' "$table" | while read -r name chips program options; do
    [ -n "$name" ] || continue
    mkdir -p "$out/$name"
    options=$(echo "$options" | sed "s|PROGRAMS|$programs/programs|")
    "$programs/$program" --seed "${SEED:-1}" --pins "$out/$name" --json "$out/$name/run.json" $options \
        >"$out/$name/run.log" 2>&1 || {
        tail -5 "$out/$name/run.log"
        echo "fourstate: the run $name failed: $programs/$program --seed ${SEED:-1} $options, see $out/$name/run.log"
        exit 1
    }
    for chip in $(echo "$chips" | tr , ' '); do
        case $chip in
        *=*) echo "--netlist $out/${chip#*=}.v $out/$name/${chip%=*}.pins" ;;
        *) echo "$out/$name/$chip.pins" ;;
        esac
    done >>"$jobs"
    echo "fourstate: recorded $name: $program $options"
done
[ -s "$jobs" ] || exit 1
echo "fourstate: $(wc -l <"$jobs") replays; those of netlists take some minutes"
if xargs -P "${JOBS:-1}" -L 1 "${PYTHON:-python3}" -S scripts/tool.py replay <"$jobs"; then
    echo "fourstate: GOOD: no X after reset, all outputs as recorded; recordings and logs in $out"
else
    echo "fourstate: BAD, see above; recordings and logs in $out"
    exit 1
fi
