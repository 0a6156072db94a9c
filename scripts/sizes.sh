#!/bin/sh
# Sizes of the NIC and of switches of several sizes on Virtex-II Pro by Yosys, beside those that the documents give (S2 table 2).
#
#   scripts/sizes.sh        a minute or two for a NIC, up to ten for the largest switch; leaves synth-NAME.json of each in
#                         build/, or in SLOT_FOLDER where other blocks are in slots
#
# Of the 10x10 prototype S3 4.2.1 says that it takes 65 % of the logic of an XC2VP70: of 66176 LUTs.
#
# The switches are without monitor, time stamps and traces (MONITOR=0, MONITORING=0, TRACE=0), as the documents count them; what these cost
# are the last lines, the traces also alone: with less without, in the smallest switch and in that of the documents. The NIC is with its
# registers and counters; with sampling facility, tracing memories and time stamps (MONITORING=1) it is the next line. The NICs with two and
# four links by byte have a limit of ours; one beyond it is an error, after the last line. The last columns say what part of the LUTs and
# block RAMs of an XC2VP40, the part on that card (S1 3.1.6), a NIC is.
set -eu
export LC_ALL=C
out=${SLOT_FOLDER:-build}
one() { # NAME MODULE PARAMETERS...
    name=$1
    module=$2
    shift 2
    [ ! -t 2 ] || printf '\r  SYNTH   %-24s' "$name" >&2
    NAME=$name scripts/synth.sh "$module" "$@" >/dev/null || exit 1
    [ ! -t 2 ] || printf '\r%40s\r' '' >&2
}
number() { # NAME KEY
    sed -n "s/.*\"$2\": \([0-9]*\).*/\1/p" "$out/synth-$1.json"
}
row() { # TITLE NAME DOCUMENTS...
    printf '%-28s %8s %8s %8s   %8s %8s %8s' "$1" "$(number "$2" lut)" "$(number "$2" ff)" "$(number "$2" bram)" "$3" "$4" "$5"
    case $2 in nic*) awk -v lut="$(number "$2" lut)" -v bram="$(number "$2" bram)" \
        'BEGIN { printf "   %6.1f %% %6.1f %%", lut * 100 / 38784, bram * 100 / 192 }' ;; esac
    echo
}
too_large=
at_most() { # LUTS TITLE NAME
    [ "$(number "$3" lut)" -le "$1" ] || too_large="$too_large${too_large:+; }$2: $(number "$3" lut) LUTs, at most $1 were expected"
}
printf '%-28s %8s %8s %8s   %26s   %17s\n' '' '' 'ours' '' 'documents' 'of an XC2VP40'
printf '%-28s %8s %8s %8s   %8s %8s %8s   %8s %8s\n' 'block' 'LUT' 'FF' 'BRAM' 'LUT' 'FF' 'BRAM' 'LUT' 'BRAM'
one nic nic
row 'NIC, with its counters' nic 14100 7200 111
one nic-monitored nic MONITORING=1
row 'NIC, MONITORING=1' nic-monitored - - 111
one nic-2links nic LINKS=2
row 'NIC, 2 links by byte' nic-2links - - -
at_most 15500 'NIC, 2 links by byte' nic-2links
one nic-4links nic LINKS=4
row 'NIC, 4 links by byte' nic-4links - - -
at_most 18500 'NIC, 4 links by byte' nic-4links
for n in 2 4 8 10 12 16; do
    one "crossbar$n" crossbar PORTS=$n MONITOR=0 MONITORING=0
    case $n in
    8) row 'switch 8x8' crossbar8 15800 13300 64 ;;
    10) row 'switch 10x10' crossbar10 $((66176 * 65 / 100)) - - ;;
    *) row "switch ${n}x$n" "crossbar$n" - - - ;;
    esac
done
one crossbar8-monitor crossbar PORTS=8 MONITOR=1 MONITORING=0
row 'switch 8x8 with monitor' crossbar8-monitor - - -
one crossbar8-stamps crossbar PORTS=8 MONITOR=0 MONITORING=1
row 'switch 8x8 with time stamps' crossbar8-stamps - - -
for n in 2 8; do
    one "crossbar$n-trace" crossbar PORTS=$n MONITOR=0 MONITORING=0 TRACE=1
    row "switch ${n}x$n with traces" "crossbar$n-trace" - - -
    printf '%-28s' '... the traces alone'
    for key in lut ff bram; do printf ' %8s' $(($(number "crossbar$n-trace" $key) - $(number "crossbar$n" $key))); done
    echo
done
echo "sizes: no latches; cells of each in $out/synth-NAME.json"
[ -z "$too_large" ] || { echo "sizes: too large: $too_large"; exit 1; }
