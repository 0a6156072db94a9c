#!/bin/sh
# Runs test programs (libcheck), some at a time; ends with the sum in Check's own words.
#
#   SEED=1 JOBS=2 [WAVES=1|scopes] [CASE=name] [SETTINGS='other variables of make'] [FULL=folder] scripts/run_tests.sh OUT PROGRAM...
#
# OUT/PROGRAM is the executable; make builds FULL/PROGRAM, the same with models that record waves, when it is wanted.
#
# Each program's output goes to OUT/log/PROGRAM.log. For every failure: what failed, the one line that reruns its case, and where the
# waves of the rerun are that was made at once, with the full models. Exit code 1 if anything failed, if a program ended without a summary,
# or none ran. With SIM_CYCLES=1 what the programs print is shown, too: tables of clocks (tb/simulation.h).
set -u
export LC_ALL=C
# However who starts a command is stopped, the command gets SIGTERM.
ends_with_us=$(command -v setpriv >/dev/null && echo setpriv --pdeathsig TERM)

# One program: called by xargs below with what is in the environment.
if [ "$1" = --one ]; then
    out=$2 program=$3
    log=$out/log/$program.log
    mkdir -p "$(dirname "$log")"
    [ -z "${CASE:-}" ] || export CK_RUN_CASE="$CASE"
    waves=build/waves/$(echo "$program" | tr / -)
    if [ "$WAVES" != 0 ]; then
        mkdir -p build/waves
        rm -f "$waves".fst "$waves"-*.fst
        export SIM_WAVES="$waves" CK_FORK=no
        [ "$WAVES" = 1 ] || export SIM_WAVES_SCOPES="$WAVES"
    fi
    started=$(date +%s%N)
    "$out/$program" >"$log" 2>&1
    code=$?
    seconds=$((($(date +%s%N) - started) / 100000000))
    summary=$(grep -ao '[0-9]*%: Checks: .*' "$log" | tail -1)
    text="${summary:-no summary, exit code $code}  $program  $((seconds / 10)).$((seconds % 10)) s"
    [ "$WAVES" = 0 ] || text="$text
$(ls "$waves".fst "$waves"-*.fst 2>/dev/null | sed 's/^/    waves: /')"
    if [ $code != 0 ] || [ -z "$summary" ]; then
        echo "$program" >>"$results/failed"
        cases=$(sed -n 's/^[^: ]*:[0-9]*:[FE]:\([^:]*\):.*/\1/p' "$log" | sort -u)
        if [ -z "$cases" ]; then
            text="$text
$(tail -20 "$log" | sed 's/^/    /')
    rerun: make test TEST=$program SEED=$SEED${SETTINGS:+ $SETTINGS}"
        else
            text="$text
$(grep -aE '^[^: ]*:[0-9]*:[FE]:' "$log" | sed 's/^/    /')
$(grep -aE '^sim: ' "$log" | tail -5 | sed 's/^/    /')"
            again=$out/$program
            if [ "$WAVES" = 0 ] && [ -n "${FULL:-}" ]; then
                again=$FULL/$program
                flock "$results" "${MAKE:-make}" -j"${JOBS:-1}" "$again" >"$log.full" 2>&1 || text="$text
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
    fi
    [ -z "$summary" ] || echo "$summary" >>"$results/summaries"
    if [ "${SIM_CYCLES:-}" = 1 ]; then
        text="$text
$(grep -avE '^(Running suite|[0-9]+%: Checks: )' "$log")"
        grep -q '^instance  *module ' "$log" || text="$text
    no module of its models declares probe_busy and runs on a clock: nothing to count"
    fi
    printf '%s\n' "$text" | sed '/^$/d'
    exit 0
fi

out=$1
shift
mkdir -p "$out/log"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
trap 'echo "interrupted"; exit 130' INT TERM HUP
export results
export SEED SIM_SEED="$SEED" CASE="${CASE:-}" WAVES="${WAVES:-0}"
export CK_DEFAULT_TIMEOUT="${CK_DEFAULT_TIMEOUT:-900}"
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
[ $# -gt 0 ] || { echo "no test programs"; exit 1; }
printf '%s\n' "$@" >"$results/programs"
# In the background, because a signal waits for what is in front.
$ends_with_us xargs -a "$results/programs" -P "${JOBS:-2}" -I{} $ends_with_us "$0" --one "$out" {} &
wait $! || exit 1

bad=0
if [ -e "$results/failed" ]; then
    bad=1
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
