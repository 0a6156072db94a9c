#!/bin/sh
# Tables of the switches with two priorities and with packets for several outputs (make priorities, make multicast):
#
#   [CLOCKS=1000000] [SEED=1] [PORTS=16] scripts/packet_mode_lanes.sh priorities|multicast PROGRAM OUT
#
# PROGRAM is build/packet-mode-lanes. Each run's results are a file in the folder OUT, TABLE-NAME.json; one that is there, of this program
# and these settings, is not measured again. The table goes to stdout and to OUT/TABLE.txt.
#
# priorities: high priority at load 0.3, alone and with low priority that saturates all lines. `bound`: it may wait for one longest unit
# more at the input and one at the output, of 64 words in SM, a packet in the others. `carries`: saturated, without high priority, in words
# per line and clock; `carried`: by both together, in parts of that; within 2 % is asked for.
#
# multicast: mean delay over load (of the lines out) where all packets name so many outputs; the same by copies that the source makes;
# and in the ideal switch on the same arrivals. `-`: unstable.
set -eu
export LC_ALL=C
table=${1:?usage: scripts/packet_mode_lanes.sh priorities|multicast PROGRAM OUT} program=$2 out=$3
: "${CLOCKS:=1000000}" "${SEED:=1}" "${PORTS:=16}"
mkdir -p "$out"
settings="--ports $PORTS --clocks $CLOCKS --seed $SEED"
made=0 kept=0
progress() { [ ! -t 2 ] || printf '\r\033[K  %s' "$1" >&2; }

# run NAME OPTION...: OUT/TABLE-NAME.json
run() {
    file=$out/$table-$1.json
    name=$1
    shift
    now="$settings $* $(cksum <"$program")"
    if [ -s "$file" ] && [ "$(cat "$file.of" 2>/dev/null)" = "$now" ]; then
        kept=$((kept + 1))
        return
    fi
    rm -f "$file" "$file.of"
    progress "$table: $name"
    # shellcheck disable=SC2086
    if ! "$program" $settings "$@" --json "$file" >"$file.log" 2>&1; then
        progress ''
        tail -n 1 "$file.log" >&2
        exit 1
    fi
    printf '%s\n' "$now" >"$file.of"
    made=$((made + 1))
}

# value FILE KEY...: the number behind the last KEY within the objects of the others; - if the run was unstable
value() {
    awk -v keys="$(shift; echo "$@")" '
        BEGIN { n = split(keys, key, " "); RS = "\1" }
        {
            if (key[1] != "ideal" && index($0, "\"unstable\": true")) { print "-"; exit }
            rest = $0
            for (k = 1; k <= n; k++) rest = substr(rest, index(rest, "\"" key[k] "\":") + length(key[k]) + 3)
            print rest + 0
        }' "$1"
}

priorities() {
    printf '%-6s %9s %9s %9s %9s %9s %9s %9s  %s\n' switch alone with\ low added bound ideal carries carried holds
    for arch in sm ppm dpm vps; do
        file=$out/$table-$arch
        printf '%s %s %s %s %s %s\n' $arch "$(value "$file-alone.json" high all mean)" "$(value "$file-both.json" high all mean)" \
            "$(value "$file-both.json" high ideal mean)" "$(value "$file-low.json" throughput)" "$(value "$file-both.json" throughput)"
    done | awk '{
        bound = ($1 == "sm") ? 2 : 32
        good = $3 - $2 <= bound && $6 / $5 > 0.98
        printf "%-6s %9.2f %9.2f %9.2f %9d %9.2f %9.4f %9.4f  %s\n", $1, $2, $3, $3 - $2, bound, $4, $5, $6 / $5, good ? "yes" : "no"
    }'
    echo "mean delay of high priority [64 clocks], load 0.3; $PORTS ports, bimodal, $CLOCKS clocks, seed $SEED"
}

multicast() {
    printf '%-4s %-7s' load outputs
    for way in $ways; do printf ' %10s' "$way"; done
    printf ' %10s\n' ideal
    for load in $loads; do
        for fanout in $fanouts; do
            printf '%-4s %-7s' "$load" "$fanout"
            for way in $ways; do
                value "$out/$table-$way-$fanout-$load.json" all mean | awk '{ printf " %10s", $1 == "-" ? $1 : sprintf("%.2f", $1) }'
            done
            printf ' %10.2f\n' "$(value "$out/$table-vps-$fanout-$load.json" ideal mean)"
        done
    done
    echo "mean delay [64 clocks]; $PORTS ports, bimodal, $CLOCKS clocks, seed $SEED; -: unstable"
}

case $table in
priorities)
    for arch in sm ppm dpm vps; do
        run $arch-alone --arch $arch --priorities 2 --high-load 0.3 --arrivals none
        run $arch-both --arch $arch --priorities 2 --high-load 0.3 --arrivals saturated
        run $arch-low --arch $arch --priorities 2 --high-load 0 --arrivals saturated
    done
    ;;
multicast)
    loads='0.2 0.4 0.6 0.8 0.9' ways='sm sm-split sm-copies vps vps-split vps-copies'
    fanouts=$(for n in 1 4 16; do [ $n -gt "$PORTS" ] || echo $n; done)
    for load in $loads; do
        for fanout in $fanouts; do
            for way in $ways; do
                case $way in *-split) option='--split 1' ;; *-copies) option='--copies 1' ;; *) option= ;; esac
                # shellcheck disable=SC2086
                run $way-$fanout-$load --arch "${way%-*}" --load $load --multicast 1 --fanout $fanout $option
            done
        done
    done
    ;;
*) echo "packet_mode_lanes.sh: $table: expected priorities or multicast" >&2 && exit 2 ;;
esac
progress ''
$table | tee "$out/$table.txt"
echo "GOOD: $made runs, $kept kept from before; table and results in $out"
