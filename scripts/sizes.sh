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
# registers and counters; with sampling facility, tracing memories and time stamps (MONITORING=1) it is the next line. The NICs with several
# links have limits of ours (two links by packet more: 3400 LUTs); one beyond them is an error, after the last line. S2's 14100 LUTs hold
# four links and multipath. What S2 gives for multipath alone is the sum of what only a NIC with several links by packet has, one block
# after the other: the resequencer, the choice of path, how far numbers run ahead (the marks), and the registers of paths (nic_registers of
# four links by packet less those by byte).
# The last columns say what part of the LUTs and block RAMs of an XC2VP40, the part on that card (S1 3.1.6), a NIC is.
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
at_most() { # TITLE NAME LUTS [FLIP-FLOPS BLOCK-RAMS]
    at_most_of "$1" "$2" lut LUTs "$3"
    [ $# -lt 5 ] || at_most_of "$1" "$2" ff flip-flops "$4"
    [ $# -lt 5 ] || at_most_of "$1" "$2" bram 'block RAMs' "$5"
}
at_most_of() { # TITLE NAME KEY UNIT LIMIT
    [ "$(number "$2" "$3")" -le "$5" ] ||
        too_large="$too_large${too_large:+; }$1: $(number "$2" "$3") $4, at most $5 were expected"
}
sum() { # NAME [-]OTHER... : sizes of others added, or taken off
    name=$1
    shift
    for key in lut ff bram; do
        total=0
        for other in "$@"; do
            case $other in
            -*) total=$((total - $(number "${other#-}" $key))) ;;
            *) total=$((total + $(number "$other" $key))) ;;
            esac
        done
        printf '"%s": %s, ' $key $total
    done | sed "s/^/{\"module\": \"$name\", /; s/, \$/}/" >"$out/synth-$name.json"
    echo >>"$out/synth-$name.json"
}
printf '%-28s %8s %8s %8s   %26s   %17s\n' '' '' 'ours' '' 'documents' 'of an XC2VP40'
printf '%-28s %8s %8s %8s   %8s %8s %8s   %8s %8s\n' 'block' 'LUT' 'FF' 'BRAM' 'LUT' 'FF' 'BRAM' 'LUT' 'BRAM'
one nic nic
row 'NIC, with its counters' nic 14100 7200 111
one nic-monitored nic MONITORING=1
row 'NIC, MONITORING=1' nic-monitored - - 111
one nic-2links nic LINKS=2
row 'NIC, 2 links by byte' nic-2links - - -
at_most 'NIC, 2 links by byte' nic-2links 15500
one nic-4links nic LINKS=4
row 'NIC, 4 links by byte' nic-4links - - -
at_most 'NIC, 4 links by byte' nic-4links 18500
one nic-2packet nic LINKS=2 BOND=1
row 'NIC, 2 links by packet' nic-2packet - - -
one nic-4packet nic LINKS=4 BOND=1
row 'NIC, 4 links by packet' nic-4packet 14100 7200 111
at_most 'NIC, 4 links by packet' nic-4packet 22000 9500 111
sum links-more nic-4packet -nic-2packet
row '... two links more' links-more - - -
at_most 'two links by packet more' links-more 3400
one paths-resequencer dma_resequencer SOURCES=8 PATHS=4
one paths-ahead voq_ahead LANES=8 PATHS=4
one paths-choice path_scheduler PATHS=4
one paths-registers nic_registers LINKS=4 BOND=1
one paths-bytes nic_registers LINKS=4 BOND=0
sum paths paths-resequencer paths-ahead paths-choice paths-registers -paths-bytes
row '... multipath of it alone' paths 2800 1200 20
at_most 'multipath alone' paths 2800 1200 20
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
