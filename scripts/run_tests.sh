#!/bin/sh
# Runs test programs (libcheck), some at a time; ends with the sum in Check's own words.
#
#   SEED=1 JOBS=2 [WAVES=1|scopes] [CASE=name] [SETTINGS='other variables of make'] [FULL=folder] scripts/run_tests.sh OUT PROGRAM...
#   REPORTED=folder scripts/run_tests.sh --step NAME COMMAND...
#
# OUT/PROGRAM is the executable; make builds FULL/PROGRAM, the same with models that record waves, when it is wanted.
#
# Each program's output goes to OUT/log/PROGRAM.log. For every failure: what failed, the one line that reruns its case, and where the
# waves of the rerun are that was made at once, with the full models. Exit code 1 if anything failed, if a program ended without a summary,
# or none ran. With SIM_CYCLES=folder each program writes what was counted to a folder of its own in there (tb/simulation.h).
#
# With REPORT=junit or tap, and with REPORTED=folder and REPORT_TO=file, that file says what each test did (report.py), also if this ends
# early. What comes before the tests is then a step, which is noted in that folder and has exit code 0: a step that has failed fails the
# tests, and after a failed step "build" none is run.
set -u
export LC_ALL=C
# The command gets SIGTERM when its parent ends, however that ends.
ends_with_us=$(command -v setpriv >/dev/null && echo setpriv --pdeathsig TERM)

# Seconds since a moment, which is in nanoseconds.
seconds_since() {
    awk -v from="$1" -v to="$(date +%s%N)" 'BEGIN { printf "%.3f", (to - from) / 1e9 }'
}

if [ "$1" = --step ]; then
    step=${REPORTED:?}/$2 started=$(date +%s%N)
    shift 2
    { "$@" 2>&1; echo $? >"$step.code"; } | tee "$step.log"
    echo "${step##*/} $(cat "$step.code") $(seconds_since "$started")" >"$step.step"
    exit 0
fi

# One program: called by xargs below with what is in the environment.
if [ "$1" = --one ]; then
    out=$2 program=$3
    log=$out/log/$program.log
    mkdir -p "$(dirname "$log")"
    [ -z "${CASE:-}" ] || export CK_RUN_CASE="$CASE"
    waves=build/waves/$(echo "$program" | tr / -)
    if [ -n "${SIM_CYCLES:-}" ]; then
        SIM_CYCLES=$SIM_CYCLES/$(echo "$program" | tr / -)
        export SIM_CYCLES
        mkdir -p "$SIM_CYCLES"
    fi
    if [ "$WAVES" != 0 ]; then
        mkdir -p build/waves
        rm -f "$waves".fst "$waves"-*.fst
        export SIM_WAVES="$waves" CK_FORK=no
        [ "$WAVES" = 1 ] || export SIM_WAVES_SCOPES="$WAVES"
    fi
    reported=${REPORT:+$REPORTED/$program}
    if [ -n "$reported" ]; then
        mkdir -p "$(dirname "$reported")"
        "$out/$program" --list >"$reported.list" 2>/dev/null
    fi
    started=$(date +%s%N)
    env -u REPORT -u MAKEFLAGS -u MFLAGS -u MAKELEVEL ${reported:+CK_XML_LOG_FILE_NAME="$reported.xml" TEST_STARTS="$reported.starts"} \
        ${TIMES_IN:+"${0%/*}/times.sh" "test: $program" -c 'exec env -u TIMES_IN "$0"'} "$out/$program" >"$log" 2>&1
    code=$?
    seconds=$(seconds_since "$started")
    summary=$(grep -ao '[0-9]*%: Checks: .*' "$log" | tail -1)
    text="${summary:-no summary, exit code $code}  $program  ${seconds%??} s"
    [ "$WAVES" = 0 ] || text="$text
$(ls "$waves".fst "$waves"-*.fst 2>/dev/null | sed 's/^/    waves: /')"
    if [ $code != 0 ] || [ -z "$summary" ]; then
        echo "$program" >>"$results/failed"
        cases=$(sed -n 's/^[^: ]*:[0-9]*:[FE]:\([^:]*\):.*/\1/p' "$log" | sort -u)
        if [ -z "$cases" ]; then
            why="$program: $text"
            text="$text
$(tail -20 "$log" | sed 's/^/    /')
    rerun: make test TEST=$program SEED=$SEED${SETTINGS:+ $SETTINGS}"
        else
            why=$(grep -aE '^[^: ]*:[0-9]*:[FE]:' "$log")
            text="$text
$(printf '%s\n' "$why" | sed 's/^/    /')
$(grep -aE '^sim: ' "$log" | tail -5 | sed 's/^/    /')"
            again=$out/$program
            if [ "$WAVES" = 0 ] && [ -n "${FULL:-}" ]; then
                again=$FULL/$program
                flock "$results" "${MAKE:-make}" REPORT= TIMES= -j"${JOBS:-1}" "$again" >"$log.full" 2>&1 || text="$text
    no waves: $again cannot be built, see $log.full"
            fi
            for c in $cases; do
                text="$text
    rerun: make ${GOAL:-test} TEST=$program CASE=$c SEED=$SEED${SETTINGS:+ $SETTINGS} WAVES=1"
                [ "$WAVES" = 0 ] || continue
                mkdir -p build/waves
                rm -f "$waves"-"$c".fst "$waves"-"$c"-*.fst
                CK_FORK=no CK_RUN_CASE=$c SIM_WAVES=$waves-$c $ends_with_us timeout 120 "$again" >/dev/null 2>&1
                text="$text
$(ls -tr "$waves"-"$c".fst "$waves"-"$c"-*.fst 2>/dev/null | head -5 | sed 's/^/    waves: /')"
            done
        fi
        printf '%s\n' "$why" | awk -v most=4 -v program="$program" '
            NR <= most { print substr($0, 1, 300) }
            END { if (NR > most) print program ": ... and " NR - most " more" }' >>"$results/why"
    fi
    [ -z "$summary" ] || echo "$summary" >>"$results/summaries"
    if [ -n "$reported" ]; then
        { cat "$log"; printf '%s\n' "$text"; } >"$reported.log"
        echo "$program $code $seconds" >"$reported.ended"
    fi
    [ -z "${SIM_CYCLES:-}" ] || [ -n "$(ls "$SIM_CYCLES")" ] || text="$text
    no module of its models declares probe_busy and runs on a clock: nothing to count"
    printf '%s\n' "$text" | sed '/^$/d'
    exit 0
fi

# What has become of each step and program, also of those that did not run.
report() {
    [ -n "${REPORT:-}" ] || return 0
    {
        cat "$REPORTED"/*.step
        while read -r program; do
            cat "$REPORTED/$program.ended" || echo "$program - 0"
        done <"$results/programs"
    } 2>/dev/null >"$REPORTED/all"
    "${PYTHON:-python3}" -S "${0%/*}/report.py" "$REPORT" "$REPORTED" "$SEED" >"$REPORT_TO.part" &&
        mv "$REPORT_TO.part" "$REPORT_TO" && echo "report: $REPORT_TO" && return
    echo "REPORT=$REPORT: $REPORT_TO cannot be written"
    exit 1
}

out=$1
shift
mkdir -p "$out/log"
results=$(mktemp -d)
trap 'report; rm -rf "$results"' EXIT
trap 'echo "interrupted"; exit 130' INT TERM HUP
export results
export MODEL_HEADERS= # in the small trees of tests that would cost more than it gains
export SEED SIM_SEED="$SEED" CASE="${CASE:-}" WAVES="${WAVES:-0}"
export CK_DEFAULT_TIMEOUT="${CK_DEFAULT_TIMEOUT:-900}"
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
[ $# -gt 0 ] || { echo "no test programs"; exit 1; }
printf '%s\n' "$@" >"$results/programs"
steps=$([ -z "${REPORT:-}" ] || awk '$2 { printf "%s ", $1 }' "$REPORTED"/*.step /dev/null 2>/dev/null)
case " $steps" in *" build "*) echo "Failed: $steps"; exit 1 ;; esac
# In the background, because a signal waits for what is in front.
$ends_with_us xargs -a "$results/programs" -P "${JOBS:-2}" -I{} $ends_with_us "$0" --one "$out" {} &
wait $! || exit 1

bad=0
if [ -n "$steps" ]; then
    bad=1
    echo "Failed: $steps"
fi
if [ -e "$results/failed" ]; then
    bad=1
    # Once more, because some CI machines keep only the last lines.
    awk 'NR <= 12; END { if (NR > 12) print "... and " NR - 12 " lines more, above" }' "$results/why"
    echo "Failed: $(sort "$results/failed" | tr '\n' ' ')"
fi
[ -e "$results/summaries" ] || { echo "no program ended with a summary"; exit 1; }
if [ -n "$CASE" ] && ! grep -qv ' Checks: 0,' "$results/summaries"; then
    cases=$(for p in "$@"; do "$out/$p" --list; done | cut -d' ' -f1 | sort -u | tr '\n' ' ')
    echo "CASE=$CASE: no test case of that name; there are: $cases"
    exit 1
fi
awk '{ gsub(/[,:]/, ""); n += $3; f += $5; e += $7 }
    END {
        printf "%d%%: Checks: %d, Failures: %d, Errors: %d\n", n ? int(100 * (n - f - e) / n) : 0, n, f, e
        exit !n
    }' "$results/summaries" || bad=1
exit $bad
