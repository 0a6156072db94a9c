#!/bin/sh
# How fast the simulator is, and where its instructions go (make speed).
#
#   [NODES='2 4 8 16'] [TURNS=3] [RUNS=recorded] scripts/speed.sh PROGRAMS [BASE BASE_PROGRAMS]
#
# PROGRAMS is the folder of nicxbar-sim*. With BASE, the name of a commit, the programs of that commit are in BASE_PROGRAMS; both take
# turns.
# Every run of the table below is made TURNS times; the best turn counts, because what else the machine does can only slow it down. "Per
# core" is by processor time. What is counted does not depend on the machine's load: instructions per network clock, by callgrind, of
# saturated systems, by part of the project; in one thread and one lane, because callgrind does not know the longest vectors. Table on
# stdout; the same as JSON in build/speed.json.
#
# With RUNS only the runs with that in their names, and those they are compared with; nothing is counted.
#
# The runs: name | ports of the program's switch (0: any, and it is a figure) | simulated [us], or messages of a host program | the run it
# is compared with | options. The options must be such as an older BASE knows, too; where it does not, or fails, its column shows "-". A
# BASE without --threads or --lanes has one. A host program's short run has $filling messages: what the NIC records is full then, and
# reading it out costs the long run as much.
set -eu
export LC_ALL=C
programs=${1:?usage: scripts/speed.sh PROGRAMS [BASE BASE_PROGRAMS]} base=${2:-} base_programs=${3:-}
filling=16
hosts="--nodes 2 --nic monitored --program $programs/programs"
runs="
2 nodes|2|1500||--nodes 2
4 nodes|4|1000||--nodes 4
8 nodes|8|500|8 nodes, 1 thread|--nodes 8
8 nodes, 1 thread|8|500|8 nodes, 1 lane|--nodes 8 --threads 1
8 nodes, 1 lane|8|500||--nodes 8 --threads 1 --lanes 1
8 nodes, 1 lane, all cores|8|500|8 nodes, 1 lane|--nodes 8 --lanes 1
16 nodes|16|200||--nodes 16
8 nodes, idle|8|1000|8 nodes|--nodes 8 --load 0.001
recorded: waves|2|300|2 nodes|--nodes 2 --waves build/speed/waves.fst
recorded: waves of node0|2|300|2 nodes|--nodes 2 --waves build/speed/waves.fst --wave-scopes node0
recorded: waves of xbar|2|300|2 nodes|--nodes 2 --waves build/speed/waves.fst --wave-scopes xbar
recorded: waves of nic0.dma|2|300|2 nodes|--nodes 2 --waves build/speed/waves.fst --wave-scopes nic0.dma
recorded: waves of VOQs|2|300|2 nodes|--nodes 2 --waves build/speed/waves.fst --wave-scopes nic0.queues,nic1.queues
recorded: TRACE=packets|2|300|2 nodes|--nodes 2 --trace packets --out build/speed
recorded: TRACE=1|2|300|2 nodes|--nodes 2 --trace 1 --trace-size 1G --out build/speed
recorded: CAPTURE|2|300|2 nodes|--nodes 2 --capture build/speed/frames.pcapng
recorded: cycles|2|300|2 nodes|--nodes 2 --cycles
recorded: NIC=monitored, off|2|300|2 nodes|--nodes 2 --nic monitored
2 hosts, NIC=monitored|2|60||$hosts/nxsample.so -- --interval 0 --messages
recorded: samples|2|60|2 hosts, NIC=monitored|$hosts/nxsample.so -- --interval 10 --messages
recorded: trace of NIC|2|60|2 hosts, NIC=monitored|$hosts/nxtrace.so -- --messages
recorded: waves, 4 nodes|4|100|4 nodes|--nodes 4 --waves build/speed/waves.fst
1 NIC at a port in C|0|0||--figures sim_1nic_khz
2 NICs and a cable|0|0||--figures sim_2nic_khz
"
traffic='--scenario uniform --sizes 496 --warmup 0 --no-monitor'
counted_us=50 # of simulated time, behind the start of the nodes
clock_ps=12800

nodes=${NODES:-2 4 8 16} turns=${TURNS:-3}
if [ -n "${RUNS:-}" ]; then
    runs=$(printf '%s' "$runs" | awk -F'|' -v part="$RUNS" '
        { row[++n] = $0; name[n] = $1; other[n] = $4 }
        index($1, part) { want[$1]; want[$4] }
        END { for (i = 1; i <= n; i++) if (name[i] != "" && name[i] in want) print row[i] }')
    [ -n "$runs" ] || { echo "speed: RUNS=$RUNS: no run has that in its name; see the head of scripts/speed.sh"; exit 1; }
    runs=$runs$(printf '\n.'); runs=${runs%.}
fi
out=build/speed
mkdir -p "$out"
times=$out/times counts=$out/counts
: >"$times"
: >"$counts"
if now=$(git rev-parse --short HEAD 2>/dev/null); then
    [ -z "$(git status --porcelain --untracked-files=no)" ] || now="$now+" # and what is not committed
else
    now=unknown
fi

# The program with a switch of so many ports, and these options.
program() {
    case $3 in *--waves* | *"--trace 1"* | *--cycles*) [ ! -d "$1/full" ] || set -- "$1/full" "$2" "" ;; esac
    case ${2#0} in
    '') program "$1" "${nodes%% *}" "$3" ;;
    4) echo "$1/nicxbar-sim" ;;
    *) echo "$1/nicxbar-sim$2" ;;
    esac
}

# The options as the program knows them: one that has no threads, or no lanes, has 1.
options_of() {
    options=$2
    for o in threads lanes; do
        "$1" --help | grep -q -e " --$o " || options=$(echo "$options" | sed "s/ --$o 1\\>//")
    done
    echo "$options"
}

fail() {
    tail -5 "$out/run.log" >&2
    echo "speed: $* failed, see above" >&2
    exit 1
}

# One run: network clocks, seconds on the wall, seconds of processor time, bytes that it recorded, rounds per window. Not 0 if it fails.
run() {
    files="$out/waves.fst $out/trace.json $out/frames.pcapng" program=$1
    shift
    # shellcheck disable=SC2086
    rm -f $files
    # shellcheck disable=SC2086
    bash -c 'TIMEFORMAT="cpu %U %S"; time "$@" >build/speed/run.log 2>&1' time "$program" --json "$out/run.json" "$@" 2>"$out/cpu" &&
        awk -F'[:, ]+' -v bytes="$(cat $files 2>/dev/null | wc -c)" -v clock_ps=$clock_ps '
            FNR == 1 { file++ }
            file == 1 && /"wall_s"/ { wall = $3 }
            file == 1 && /"net_khz"/ { khz = $3 }
            file == 1 && /"simulated_ms"/ { ms = $3 }
            file == 1 && /"value"/ { value = $3 }
            file == 1 && /"rounds_per_window"/ { rounds = $3 }
            file == 2 && $1 == "cpu" { split($0, t, " "); cpu = t[2] + t[3] }
            END {
                if (value) printf "1000|%.6f|0|0|0", 1 / value
                else printf "%.0f|%.4f|%.3f|%.0f|%.3f", khz ? 1000 * khz * wall : 1e9 * ms / clock_ps, wall, cpu, bytes, rounds
            }
        ' "$out/run.json" "$out/cpu"
}

# Notes clocks, seconds on the wall and of processor time of a run, and of a very short one, which starts the nodes, too.
measure() { # who, folder, run
    IFS='|' read -r name size us _ options <<END
$3
END
    program=$(program "$2" "$size" "$options")
    options=$(options_of "$program" "$options")
    case $options in
    *--figures*) lengths=long more='' us='' short='' ;;
    *" -- "*) lengths='long short' more='' short=$filling us=$((us + filling)) ;;
    *) lengths='long short' more="$traffic --measure" short=1 ;;
    esac
    for length in $lengths; do
        [ "$length" = long ] || us=$short
        # shellcheck disable=SC2086
        if taken=$(run "$program" $options $more $us); then
            echo "$name|$1|$length|$taken" >>"$times"
        else
            [ "$1" = base ] || fail "$program $options"
            return 0
        fi
    done
}

# Instructions per network clock by part of the project. Counting begins where a scenario opens its window, which is where its senders
# begin, and ends where it closes it.
count() { # who, folder, nodes
    profile=$out/callgrind.$1.$3
    counted=$(program "$2" "$3" "")
    rm -f "$profile".*
    # shellcheck disable=SC2086
    valgrind --tool=callgrind --callgrind-out-file="$profile" --zero-before=statistics_open --dump-before=statistics_cut \
        "$counted" $traffic $(options_of "$counted" "--nodes $3 --threads 1 --lanes 1") --outstanding 4 --measure "$counted_us" \
        --json "$profile.json" >"$profile.log" 2>&1 &&
        [ -e "$profile.1" ] || {
        [ "$1" = now ] || return 0
        cp "$profile.log" "$out/run.log"
        fail "callgrind, $3 nodes,"
    }
    callgrind_annotate --auto=no --threshold=100 "$profile.1" 2>/dev/null |
        awk -v who="$1" -v nodes="$3" -v clocks="$(awk "BEGIN { print $counted_us * 1000000 / $clock_ps }")" '
        /%\)/ {
            n = $1; gsub(/,/, "", n); n += 0
            if (/PROGRAM TOTALS/) { all = rest = n; next }
            if (n > 0.9 * all) next # around the place where counting began: callgrind gives it all that it called
            part = ""
            if (/Vnic/) part = "NICs"
            else if (/Vcrossbar/) part = "switch"
            else if (/sim\/runtime\// || /\(anonymous namespace\)::(model|context)_/) part = "scheduler"
            else if (/sim\/(host|external)\//) part = "host"
            else if (/sim\/cable\//) part = "cable"
            if (part == "") next
            sum[part] += n
            rest -= n
        }
        END {
            sum["rest"] = rest
            for (part in sum) printf "%s|%s|%s|%.0f\n", nodes, who, part, sum[part] / clocks
        }' >"$profile.parts"
}

for n in ${RUNS:-$nodes}; do
    [ -z "${RUNS:-}" ] || break
    count now "$programs" "$n" &
    if [ -n "$base" ]; then count base "$base_programs" "$n"; fi
    echo "speed: counting instructions, $n nodes" >&2
    wait $! || exit 1
    cat "$out/callgrind.now.$n.parts" >>"$counts"
    [ -z "$base" ] || cat "$out/callgrind.base.$n.parts" >>"$counts" 2>/dev/null || true
done
turn=1
while [ "$turn" -le "$turns" ]; do
    printf '%s' "$runs" | while read -r run; do
        size=${run#*|} size=${size%%|*}
        [ -n "$run" ] || continue
        case " $nodes 0 " in *" $size "*) ;; *) continue ;; esac
        echo "speed: turn $turn of $turns: ${run%%|*}" >&2
        if [ -n "$base" ]; then measure base "$base_programs" "$run"; fi
        measure now "$programs" "$run"
    done || exit 1
    turn=$((turn + 1))
done

# ---- the table ----
{
    printf '%s' "$runs" | sed 's/^/run|/'
    sed 's/^/time|/' "$times"
    sed 's/^/count|/' "$counts"
} | awk -F'|' -v now="$now" -v base="$base" -v clock_ps=$clock_ps -v json=build/speed.json '
function least(old, value) { return old == "" || value < old ? value : old }
# What a run takes without the start of its nodes: of the best turns of the long run and of the short one.
function khz(r, who, kind,    clocks, time) {
    clocks = taken[r, who, "long", "clocks"] - taken[r, who, "short", "clocks"]
    time = taken[r, who, "long", kind] - taken[r, who, "short", kind]
    return time > 0 ? clocks / time / 1000 : 0
}
# Megabytes recorded per simulated millisecond.
function recorded(r,    clocks) {
    clocks = taken[r, "now", "long", "clocks"] - taken[r, "now", "short", "clocks"]
    return clocks > 0 ? (taken[r, "now", "long", "bytes"] - taken[r, "now", "short", "bytes"]) / 1e6 / (clocks * clock_ps / 1e9) : 0
}
function shown(format, value) { return value ? sprintf(format, value) : "-" }
function number(value) { return value ? sprintf("%.4g", value) : "null" }
$1 == "run" && $2 != "" { order[++rows] = $2; against[$2] = $5 }
$1 == "time" {
    taken[$2, $3, $4, "clocks"] = $5
    taken[$2, $3, $4, "wall"] = least(taken[$2, $3, $4, "wall"], $6)
    taken[$2, $3, $4, "cpu"] = least(taken[$2, $3, $4, "cpu"], $7)
    taken[$2, $3, $4, "bytes"] = $8
    taken[$2, $3, $4, "rounds"] = $9
}
$1 == "count" { if (!($2 in sizes)) { sizes[$2]; size[++size_count] = $2 }; sum[$2, $3, $4] = $5; total[$2, $3] += $5 }
function quoted(text) { return text != "" ? "\"" text "\"" : "null" }
function put(text) { printf "%s", text > json }
END {
    parts = split("NICs,switch,scheduler,host,cable,rest", part, ",")
    printf "%-27s %9s %9s %9s %9s %9s   %s\n", "network clock [kHz]", "now", "per core", base != "" ? "base" : "",
        base != "" ? "ratio" : "", base != "" ? "per core" : "", "against another run"
    put("{\n  \"commit\": " quoted(now) ",\n  \"base\": " quoted(base) ",\n  \"runs\": [")
    for (i = 1; i <= rows; i++) {
        r = order[i]
        speed = khz(r, "now", "wall"); core = khz(r, "now", "cpu")
        if (!speed) continue
        a = against[r]
        base_speed = khz(r, "base", "wall"); base_core = khz(r, "base", "cpu")
        by = base_speed ? speed / base_speed : 0
        by_core = base_core ? core / base_core : 0
        other = a != "" && khz(a, "now", "wall") ? speed / khz(a, "now", "wall") : 0
        line = sprintf("%-27s %9.1f %9s", r, speed, shown("%.1f", core))
        line = line sprintf(" %9s %9s %9s", base != "" ? shown("%.1f", base_speed) : "", base != "" ? shown("%.2f", by) : "",
            base != "" ? shown("%.2f", by_core) : "")
        other_core = a != "" && khz(a, "now", "cpu") && core ? khz(a, "now", "cpu") / core : 0
        recording = index(r, "recorded: ") == 1
        if (other && recording) line = line sprintf("   time of %s %.2f, of processors %.2f", a, 1 / other, other_core)
        else if (other) line = line sprintf("   %.2f of %s", other, a)
        rounds = taken[r, "now", "long", "rounds"]
        if (rounds > 0) line = line sprintf("%s %.2f rounds a window", other ? "," : "  ", rounds)
        if (recording) line = line sprintf(", %.1f MB per simulated ms", recorded(r))
        sub(/ +$/, "", line)
        print line
        put((written++ ? "," : "") "\n    {\"run\": " quoted(r) ", \"khz\": " number(speed) \
            ", \"khz_per_core\": " number(core) ", \"base_khz\": " number(base_speed) ", \"ratio\": " number(by) \
            ", \"ratio_per_core\": " number(by_core) ", \"against\": " quoted(a) ", \"ratio_against\": " number(other) \
            ", \"processors_against\": " number(other_core) \
            ", \"rounds_per_window\": " number(rounds) ", \"recorded_mb_per_ms\": " number(recorded(r)) "}")
    }
    put("\n  ],\n  \"instructions\": [")
    if (size_count) printf "\n%-22s", "instructions per clock"
    for (p = 1; p <= parts && size_count; p++) printf " %9s", part[p]
    if (size_count) printf " %9s %9s%s\n", "all", "per node", base != "" ? "      base     ratio" : ""
    for (i = 1; i <= size_count; i++) {
        n = size[i]
        line = sprintf("%-22s", n " nodes, saturated")
        put((i > 1 ? "," : "") "\n    {\"nodes\": " n)
        for (p = 1; p <= parts; p++) {
            line = line sprintf(" %9.0f", sum[n, "now", part[p]])
            shares = shares sprintf(" %8.1f%%", 100 * sum[n, "now", part[p]] / total[n, "now"])
            put(", \"" tolower(part[p]) "\": " sprintf("%.0f", sum[n, "now", part[p]]))
        }
        line = line sprintf(" %9.0f %9.0f", total[n, "now"], total[n, "now"] / n)
        if (base != "") line = line sprintf(" %9s %9s", shown("%.0f", total[n, "base"]), shown("%.2f", total[n, "base"] / total[n, "now"]))
        print line
        printf "%-22s%s\n", "", shares
        shares = ""
        put(", \"all\": " sprintf("%.0f", total[n, "now"]))
        put(", \"base\": " (total[n, "base"] ? sprintf("%.0f", total[n, "base"]) : "null") "}")
    }
    put("\n  ]\n}\n")
    printf "\ncommit %s%s%s; results in %s\n", now, now ~ /[+]/ ? " (with what is not committed)" : "",
        base != "" ? ", base " base : "", json
}'
