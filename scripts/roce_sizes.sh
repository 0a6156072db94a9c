#!/bin/sh
# Size of the RoCE v2 chip (rtl/roce.v) on UltraScale+ by Yosys, beside its limits: 8 and 64 bytes per clock, 8 and 128 QPs.
#
#   scripts/roce_sizes.sh [8 | 64]      bytes per clock, default both; leaves build/synth-roce-BYTES-QPS.json of each (scripts/synth.sh)
#
# A latch, or more LUTs than the limit, is an error, the latter after the last line. BRAM counts blocks of 18 Kbit.
set -eu
export LC_ALL=C
FAMILY=xcup
export FAMILY
number() { # NAME KEY
    sed -n "s/.*\"$2\": \([0-9]*\).*/\1/p" "build/synth-$1.json"
}
too_large=
printf '%-34s %8s %8s %8s   %8s\n' 'RoCE v2 chip' LUT FF BRAM 'LUT <='
for bytes in ${1:-8 64}; do
    case $bytes in
    8) limit=25000 ;;
    64) limit=70000 ;;
    *) echo "roce_sizes: $bytes: expected 8 or 64 bytes per clock" >&2 && exit 2 ;;
    esac
    for qps in 8 128; do
        name=roce-$bytes-$qps
        [ ! -t 2 ] || printf '\r  SYNTH   %-24s' "$name" >&2
        NAME=$name scripts/synth.sh roce BYTES="$bytes" NUM_QP=$qps >"build/synth-$name.said" || { cat "build/synth-$name.said" && exit 1; }
        rm "build/synth-$name.said"
        [ ! -t 2 ] || printf '\r%40s\r' '' >&2
        lut=$(number $name lut)
        printf '%-34s %8s %8s %8s   %8s\n' "$bytes bytes per clock, $qps QPs" "$lut" "$(number $name ff)" "$(number $name bram)" $limit
        [ "$lut" -le $limit ] ||
            too_large="$too_large${too_large:+; }$bytes bytes, $qps QPs: $lut LUTs, at most $limit were expected"
    done
done
echo "roce sizes: no latches; cells of each in build/synth-roce-BYTES-QPS.json"
[ -z "$too_large" ] || { echo "roce sizes: too large: $too_large"; exit 1; }
