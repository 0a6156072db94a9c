#!/bin/sh
# The verdict of make contract: runs the suite of a slot on the block in it, and says what it has found.
#
#   SLOT=name BLOCK=name SEED=1 JOBS=2 STARTED=seconds FULL=folder [FILLED=VARIABLE=name] [SETTINGS='RTL=path'] \
#       [SIZE=name] [CLOCKS=n] [WAVES=1] \
#       scripts/contract.sh OUT PROGRAM
#
# OUT/PROGRAM is a test_SLOT_contract; make builds FULL/PROGRAM, the same with models that record waves, when something is wrong or WAVES=1.
# Exit code 1 if the block breaks the contract. What the program prints (tb/contract/suite.c) is in OUT/log/PROGRAM.log.
set -u
export LC_ALL=C
out=$1 program=$2
log=$out/log/$program.log
mkdir -p "$(dirname "$log")" build/waves
export CK_RUN_CASE=slot CK_DEFAULT_TIMEOUT=1000000 SIM_SEED="$SEED" CONTRACT_CLOCKS="${CLOCKS:-0}"
[ -z "${SIZE:-}" ] || export CONTRACT_SIZE="$SIZE"
# However this script is stopped, the program gets SIGTERM.
ends_with_us=$(command -v setpriv >/dev/null && echo setpriv --pdeathsig TERM)
$ends_with_us "$out/$program" >"$log" 2>&1 &
wait $!

again="make contract SLOT=$SLOT BLOCK=$BLOCK${SETTINGS:+ $SETTINGS}$([ "$SEED" = 1 ] || echo " SEED=$SEED")${CLOCKS:+ CLOCKS=$CLOCKS}"
waves=build/waves/contract-$SLOT
awk -F '\t' -v slot="$SLOT" -v block="$BLOCK" -v seed="$SEED" -v again="$again" -v waves="$waves" -v only="${SIZE:-}" '
    # 412000 as 412 000
    function grouped(n,    text) {
        for (text = ""; length(n) > 3; n = substr(n, 1, length(n) - 3)) text = " " substr(n, length(n) - 2) text
        return n text
    }
    # A size that has ended without a word: what was the last thing that it said?
    function end_of(size) {
        if (size == "" || size in ended) return
        ended[size] = 1
        if (!broken++) { first = size; rule = "the simulation goes on"; where = check[size]; what = said == "" ? "the program ended" : said }
        else also = also sprintf("    also     %s: the simulation goes on\n", name[size])
    }
    $1 == "size" { sizes = sizes " " $2; next }
    $1 == "judging" {
        if (now != $2) { end_of(now); now = $2; said = "" }
        name[$2] = $3; check[$2] = $4; next
    }
    $1 == "kept" {
        ended[$2] = 1; count++; turns += $4; unit = $7; words = $8
        wait = $6 ? sprintf("   longest wait %5d of others, limit %d", $5, $6) : ""
        kept = kept sprintf("    %-28s %9s %s%s\n", $3, grouped($4), unit, wait)
        if (!limit || $5 * limit > passed * $6) { passed = $5; limit = $6 }
        next
    }
    $1 == "broken" {
        ended[$2] = 1; words = $9
        if (broken++) { also = also sprintf("    also     %s: %s\n", $3, $5); next }
        first = $2; name[$2] = $3; rule = $5; what = $8; where = sprintf("%s of %s", $6, $4); time = $7
        next
    }
    /^sim: |^%Error/ { said = $0; sub(/^sim: /, "", said) }
    /:E:slot:/ { if (said == "") { said = $0; sub(/.*:E:slot:[^:]*:[0-9]*: */, "", said) } }
    END {
        end_of(now)
        if (!count && !broken) {
            if (only != "" && sizes != "") printf "SIZE=%s: expected one of%s\n", only, sizes
            else print "the suite of " slot " has not judged anything"
            exit 2
        }
        if (!broken) {
            printf("%s keeps the contract of %s: %s %s in %d size%s%s\n", block, slot, grouped(turns), unit, count, (count > 1 ? "s" : ""),
                   (limit ? sprintf("; longest wait %d %s of others (limit %d)", passed, unit, limit) : ""))
            printf "%s", kept
            exit 0
        }
        printf("%s breaks the contract of %s%s\n", block, slot, (words == "" ? "" : " (" words ")"))
        printf "    rule     %s\n    size     %s\n    clock    %s (seed %s)\n    found    %s\n", rule, name[first], where, seed, what
        printf("    waves    %s-%s.fst%s\n", waves, first, (time == "" ? "" : ", which ends at " time " us"))
        printf "    again    %s SIZE=%s\n%s", again, first, also
        if (kept != "") printf "  it keeps the contract in\n%s", kept
        print first > "/dev/stderr"
        exit 1
    }' "$log" 2>"$log.size"
verdict=$?

# One size once more, with waves: the one that breaks the contract, or the one asked for.
size=$(cat "$log.size")
if [ -n "$size" ] || { [ "${WAVES:-0}" != 0 ] && [ $verdict = 0 ]; }; then
    size=${size:-${SIZE:-$(sed -n 's/^kept\t\([^\t]*\)\t.*/\1/p' "$log" | tail -1)}}
    # shellcheck disable=SC2086
    if MAKEFLAGS= "${MAKE:-make}" -j"$JOBS" $FILLED ${SETTINGS:+"$SETTINGS"} "$FULL/$program" >"$log.full" 2>&1; then
        rm -f "$waves-$size.fst"
        CONTRACT_SIZE=$size CK_FORK=no SIM_WAVES=$waves-$size $ends_with_us timeout 120 "$FULL/$program" >"$log.waves" 2>&1 &
        wait $!
        [ -e "$waves-$size.fst" ] || echo "no waves, see $log.waves"
        [ $verdict != 0 ] || echo "waves of the long run's begin in $waves-$size.fst"
    else
        echo "no waves: $FULL/$program cannot be built, see $log.full"
    fi
fi
rm -f "$log.size"
[ $verdict = 2 ] || echo "verdict in $(($(date +%s) - STARTED)) s"
exit $verdict
