#!/bin/sh
# The shell of make's recipes with TIMES=1: notes the processor time of each, and at the end shows where it went.
#
#   scripts/times.sh TARGET -c 'recipe'      runs it; a line "seconds target" in $TIMES_IN, if that is set
#   scripts/times.sh --show FILE             sums by kind, and what took longest
#
# Processor time is user and system, of all that the recipe started and waited for. Tests are noted one by one (run_tests.py), what they
# start counts as theirs.
export LC_ALL=C
if [ "$1" = --show ]; then
    exec awk '
        function kind(target) {
            if (target ~ /models\/.*\/bound$/) return "models: bound, C++ of the fast one"
            if (target ~ /models\/.*\/full\/lib/) return "models: full"
            if (target ~ /models\/.*\/lanes\/lib/) return "models: lanes"
            if (target ~ /models\/verilated/ || target ~ /libverilated/) return "Verilator'\''s runtime"
            if (target ~ /models\/.*\/lib/) return "models: fast"
            if (target ~ /^test: /) return "tests run"
            if (target ~ /\.o$/) return "C compiled"
            if (target == "lint") return "lint"
            return "linked, and the rest"
        }
        $2 ~ /^(tests?|sanitize|report-.*)$/ { next } # its parts are noted
        { seconds = $1; sub(/^[^ ]* /, ""); k = kind($0); sum[k] += seconds; times[k]++; all += seconds; taken[$0] += seconds }
        END {
            print "processor time [s]"
            sort = "sort -rn"
            for (k in sum) printf "%9.1f  %s (%d)\n", sum[k], k, times[k] | sort
            close(sort)
            printf "%9.1f  all\n\nlongest\n", all
            sort = "sort -rn | head -40"
            for (t in taken) printf "%9.1f  %s\n", taken[t], t | sort
        }' "$2"
fi
target=
[ "$1" = -c ] || { target=$1; shift; }
[ -n "$target" ] && [ -n "${TIMES_IN:-}" ] || exec /bin/sh "$@"
/bin/sh "$@"
code=$?
times >"$TIMES_IN.$$"
awk -v target="$target" -v file="$TIMES_IN" 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += 60 * t[1] + t[2] }
    if (s >= 0.005) printf "%.2f %s\n", s, target >>file }' "$TIMES_IN.$$"
rm -f "$TIMES_IN.$$"
exit $code
