#!/bin/sh
# Proofs of the hardware, by Yosys and ABC (make prove):
#
#   [YOSYS=yosys] [ABC=yosys-abc] [LIMIT=600] scripts/prove.sh [NAME...]      those of tb/proofs/proofs that begin so; default: all
#
# A proof is a module below tb/proofs that feeds a block of rtl/ and has one output, `bad`. Yosys makes gates of both, with free values in
# what no reset has reached, and ABC's pdr searches a reason why `bad` can never be high, however long the run (or a run in which it is).
# Each proof stands beside faults of the block with which it must fail; bmc3 finds the shortest run that does. LIMIT: seconds for one.
#
# Prints each with its seconds; exit code 1 if one is not as tb/proofs/proofs says. What the tools say is in build/prove/NAME.log, a run
# that makes `bad` high in build/prove/NAME.cex.
set -u
export LC_ALL=C
YOSYS=${YOSYS:-yosys} ABC=${ABC:-yosys-abc} LIMIT=${LIMIT:-600}
out=build/prove
mkdir -p $out
NAMES=$*
bad=0 count=0
properties=$(find tb/proofs -name '*_properties.v' | sort | tr '\n' ' ')
now() { date +%s.%N; }

# The words of a line, into the names of what is asked for.
prove() { # HOW NAME TOP PARAMETERS; edits FILE | EDIT by $edits
    how=$1 name=$2 top=$3
    shift 3
    base=$out/$name
    log=$base.log
    rm -f "$base".*
    sources=$(find rtl -name '*.v' | sort)
    n=0
    while [ -n "$edits" ]; do # FILE | EDIT, and more of them behind |+
        edit=${edits%%|+*} file=$(echo ${edits%%|*}) n=$((n + 1))
        case $edits in *'|+'*) edits=${edits#*|+} ;; *) edits='' ;; esac
        edit=${edit#*|}
        changed=$(find rtl -name "$file")
        sed "${edit# }" "$changed" >"$base.$n.v"
        ! cmp -s "$changed" "$base.$n.v" || { echo "prove: $name: its edit changes nothing in $changed"; return 1; }
        sources=$(printf '%s\n' $sources | grep -v "/$file\$"; echo "$base.$n.v")
    done
    sets='' roms='' free='' seen='' clocks=async2sync
    for p in "$@"; do
        case $p in
        MEMORIES=free) roms="hierarchy -top $top; proc -norom;"    # tables of constants are no memories
                       free='delete t:$mem*; setundef -undriven -anyseq;' ;;
        MEMORIES=seen) seen=-mem2reg ;;
        CLOCKS=free) clocks=clk2fflogic ;;                         # an edge is a clock in which one is high and was low
        *) sets="$sets -set ${p%%=*} ${p#*=}" ;;
        esac
    done
    [ -z "$sets" ] || sets="chparam $sets $top;"
    started=$(now)
    fast=$("$YOSYS" -Q -p 'help abc' | grep -o -m1 -e '^ *-fast$' || true) # an option that newer ones do not have
    if ! "$YOSYS" -q -p "read_verilog $seen -defer -Ibuild/generated tb/proofs/$top.v $properties $(echo $sources);
            $sets $roms prep -flatten -top $top -nordff;
            $free memory_map; $clocks; opt -fast; techmap; opt -fast; dffunmap; abc -g AND $fast; opt_clean;
            write_aiger -zinit -no-startoffset -map $base.aim $base.aig" >"$log" 2>&1; then
        grep -m1 ERROR "$log"
        return 1
    fi
    # a name of the block's that does not exist (hierconn) would be free
    undriven=$(sed -n 's/.*Warning: Wire [^.]*\.\(\\[^ ]*\).* is used but has no driver.*/\1/p' "$log" | while read -r w; do
        ! grep -qF "$w " "tb/proofs/$top.v" || echo "$w"; done)
    [ -z "$undriven" ] || { printf '%s\n' "prove: $name: tb/proofs/$top.v: the block has no $undriven"; return 1; }
    # a reason: what is the same in all clocks is found out first; a step: from any clock to the next; a fault: clock by clock
    case $how in
    step)    search="bmc3 -F 4 -T $LIMIT; ind -F 2 -C 0 -T $LIMIT" ;;
    holds)   search="scorr; dc2; lcorr; pdr -T $LIMIT" ;;
    holds-*) search="scorr; dc2; lcorr; bmc3 -F ${how#holds-} -T $LIMIT" ;;
    *)       search="bmc3 -T $LIMIT" ;;
    esac
    # gates without a clock: whether any inputs at all make it high
    grep -q 'wire *[a-z_]*clk,' "tb/proofs/$top.v" || search='fraig; dc2; fraig; iprove'
    timeout $((LIMIT + 60)) "$ABC" -c "read_aiger $base.aig; fold; strash; $search; write_cex -a $base.cex" >>"$log" 2>&1
    seconds=$(awk -v from="$started" -v to="$(now)" 'BEGIN { printf "%.1f", to - from }')
    said="not decided in $LIMIT s"
    clock=$(sed -n 's/.*was asserted in frame \([0-9]*\).*/\1/p' "$log")
    if [ -n "$clock" ]; then said="fails in clock $clock"
    elif grep -q 'Property proved\|^UNSATISFIABLE' "$log"; then said=holds
    elif grep -q '^SATISFIABLE' "$log"; then said=fails
    elif grep -q 'No output asserted in 4 frames' "$log" && grep -q 'Networks are equivalent' "$log"; then said=holds
    elif grep -q "No output asserted in ${how#holds-} frames" "$log"; then said="holds for ${how#holds-} clocks"
    fi
    [ -n "$clock" ] || rm -f "$base.cex"
    verdict=
    case "$how:$said" in
    holds:holds | step:holds | "holds-${how#holds-}:holds for ${how#holds-} clocks" | fails:fails*) ;;
    *) verdict="   WRONG: expected that it ${how%-*}, see $log" ;;
    esac
    rm -f "$base.aig" "$base.aim"
    printf '%-22s %-24s %8s s%s\n' "$name" "$said" "$seconds" "$verdict"
    [ -z "$verdict" ]
}

wanted() { # NAME, of the arguments of this script
    n=$1
    shift
    [ $# -gt 0 ] || return 0
    for w in "$@"; do case $n in "$w"*) return 0 ;; esac; done
    return 1
}

sed -e ':a' -e '/\\$/{N;s/ *\\\n */ /;ba' -e '}' tb/proofs/proofs >$out/proofs
while IFS='|' read -r what edits; do
    set -- $what
    case ${1:-#} in \#*) continue ;; esac
    wanted "$2" $NAMES || continue
    count=$((count + 1))
    [ ! -t 2 ] || printf '\r  PROVE   %-30s\r' "$2" >&2
    prove "$@" || bad=$((bad + 1))
done <$out/proofs
[ $count -gt 0 ] || { echo "prove: expected a name of tb/proofs/proofs, or how some begin: $NAMES"; exit 1; }
[ $bad = 0 ] || { echo "prove: $bad of $count are not as tb/proofs/proofs says"; exit 1; }
echo "prove: $count, each as it must be"
