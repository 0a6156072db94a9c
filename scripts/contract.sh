#!/bin/sh
# The verdict of make contract: runs the suite of a slot on the block in it, and says what it has found.
#
#   SLOT=name BLOCK=name SEED=1 JOBS=2 STARTED=seconds FULL=folder [FILLED=VARIABLE=name] [SETTINGS='RTL=path'] \
#       [SIZE=name] [CLOCKS=n] [WAVES=1] [YOSYS=yosys] \
#       scripts/contract.sh OUT PROGRAM
#
# OUT/PROGRAM is a test_SLOT_contract; make builds FULL/PROGRAM, the same with models that record waves, when something is wrong or WAVES=1.
# After a good verdict comes what was measured, next to the same of the default block: that one's is in build/contract/SLOT, and measured
# again when the Verilog (but for the other blocks that ship), a suite or the seed has changed. LUTs and flip-flops need Yosys.
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
        if (!broken++) {
            first = size; rule = "the simulation goes on"; where = check[size]
            what = said == "" ? "the program ended" : said
        }
        else also = also sprintf("    also     %s: the simulation goes on\n", name[size])
    }
    $1 == "size" { sizes = sizes " " $2; next }
    $1 == "checking" {
        if (now != $2) { end_of(now); now = $2; said = "" }
        name[$2] = $3; check[$2] = $4; next
    }
    $1 == "refused" { refused = refused (refused == "" ? "" : "; ") $3; next }
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
            else if (refused != "") print block " refuses every size of " slot " (by $finish): " refused
            else print "the suite of " slot " has checked nothing"
            exit 2
        }
        if (!broken) {
            printf("%s keeps the contract of %s: %s %s in %d size%s%s\n", block, slot, grouped(turns), unit, count, (count > 1 ? "s" : ""),
                   (limit ? sprintf("; longest wait %d %s of others (limit %d)", passed, unit, limit) : ""))
            printf "%s", kept
            if (refused != "") print "  it is not for: " refused
            exit 0
        }
        printf("%s breaks the contract of %s%s\n", block, slot, (words == "" ? "" : " (" words ")"))
        printf "    rule     %s\n    size     %s\n    clock    %s (seed %s)\n    found    %s\n", rule, name[first], where, seed, what
        printf("    waves    %s-%s.fst%s\n", waves, first, (time == "" ? "" : ", which ends at " time " us"))
        printf "    again    %s SIZE=%s\n%s", again, first, also
        if (kept != "") printf "  it keeps the contract in\n%s", kept
        if (refused != "") print "  it is not for: " refused
        print first > "/dev/stderr"
        exit 1
    }' "$log" 2>"$log.size"
verdict=$?

# ---- what is measured ----
export YOSYS="${YOSYS:-yosys}"
yosys=$(command -v "$YOSYS")
# Of a block, from the suite's LOG and from Yosys: lines "kept", "lut", "ff".
measured() { # LOG BLOCK FOLDER
    grep '^kept' "$1"
    [ -n "$yosys" ] || return 0
    slot_folder=$([ "$3" = build ] || echo "$3")
    if QUICK=1 NAME=contract-$2 SLOT_FOLDER=$slot_folder scripts/synth.sh "$2" >"$1.synth" 2>&1; then
        sed 's/.*"lut": \([0-9]*\), "ff": \([0-9]*\),.*/lut\t\1\nff\t\2/' "$3/synth-contract-$2.json"
    else
        echo "Yosys cannot synthesise $2, see $1.synth" >&2
    fi
}

# Of the default block, in all sizes, in build/contract/SLOT behind a line that says what of.
measure_default() {
    of=$( (echo "$SEED ${CLOCKS:-} $yosys"
           find rtl tb/contract sim/core scripts/synth.sh -xtype f ! -name "${SLOT}_*.v" | sort | xargs cat) | cksum)
    [ "$(head -1 "$default" 2>/dev/null)" != "$of" ] || return 0
    mkdir -p build/contract
    MAKEFLAGS='' "${MAKE:-make}" -j"$JOBS" "build/$program" >"$default.log" 2>&1 || return 1
    env -u CONTRACT_SIZE $ends_with_us "build/$program" >"$default.log" 2>&1 &
    wait $! || return 1
    { echo "$of"; measured "$default.log" "$SLOT" build; } >"$default.part" && mv "$default.part" "$default"
}

default=build/contract/$SLOT
if [ $verdict = 0 ]; then
    measured "$log" "$BLOCK" "$out" >"$log.measured"
    columns=$log.measured
    case "$BLOCK $(sed -n "s/^[^ ]* $BLOCK //p" "$out/blocks" 2>/dev/null)" in
    "$SLOT " | "$SLOT rtl/"*) ;; # it is the default one, and not a copy that kept its name
    *) if measure_default; then columns="$columns $default"; else echo "nothing of $SLOT to compare with, see $default.log"; fi ;;
    esac
    awk -F '\t' -v names="$BLOCK|default: $SLOT" '
        function row(what, key,    c, line) {
            if (!((1, key) in value)) return
            line = sprintf("    %-28s %-24s", size, what)
            for (c = 1; c <= columns; c++) line = line sprintf("%*s", width[c], value[c, key])
            print line
            size = ""
        }
        FNR == 1 { columns++ }
        $1 == "kept" {
            if (columns == 1) { order[++count] = $2; name[$2] = $3; unit = $7 }
            if ($9 != "") value[columns, $2 "latency"] = $9 ", most " $10
            if ($6) value[columns, $2 "wait"] = $5
            if ($11 != "") value[columns, $2 "share"] = $11
        }
        $1 == "lut" || $1 == "ff" { value[columns, $1] = $2 }
        END {
            split(names, block, "|")
            printf "  %-55s", "measured"
            for (c = 1; c <= columns; c++) printf "%*s", width[c] = (length(block[c]) > 16 ? length(block[c]) : 16) + 2, block[c]
            print ""
            for (i = 1; i <= count; i++) {
                size = name[order[i]]
                row("latency [clocks]", order[i] "latency")
                row("longest wait [" unit "]", order[i] "wait")
                row("share off [%]", order[i] "share")
            }
            size = "alone"
            row("LUTs", "lut")
            row("flip-flops", "ff")
        }' $columns
    [ -n "$yosys" ] || echo "    no LUTs and flip-flops: there is no $YOSYS (scripts/setup.sh synth installs it)"
fi

# One size once more, with waves: the one that breaks the contract, or the one asked for.
size=$(cat "$log.size")
if [ -n "$size" ] || { [ "${WAVES:-0}" != 0 ] && [ $verdict = 0 ]; }; then
    size=${size:-${SIZE:-$(sed -n 's/^kept\t\([^\t]*\)\t.*/\1/p' "$log" | tail -1)}}
    if MAKEFLAGS='' "${MAKE:-make}" -j"$JOBS" $FILLED ${SETTINGS:+"$SETTINGS"} "$FULL/$program" >"$log.full" 2>&1; then
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
