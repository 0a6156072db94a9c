#!/bin/sh
# Memory of the packet-mode switches (rtl/packet_mode) on the chip, by Yosys for Virtex-II Pro: words, and block RAMs of 18 Kbit.
#
#   [YOSYS=yosys] scripts/packet_mode_sizes.sh      a part of make synth, two minutes; leaves build/packet-mode-sizes.json
#
# One crosspoint and one egress card of each kind are synthesised, and multiplied: 256 crosspoints, 16 cards. That is exact, because each
# has its memory to itself. What is off the chip does not count: the VOQs of ingress cards.
#
# XPOINT_WORDS are those of S3's Table I: a segment, three of them (DPM), the longest packet and four segments (VPS: 20 for 16). At least a
# packet and a round trip is needed there.
set -eu
export LC_ALL=C
YOSYS=${YOSYS:-yosys}
export YOSYS
out=build
json=$out/packet-mode-sizes.json
PORTS=16 SEGMENT=64
mkdir -p $out
log2() { # width of numbers below $1
    awk -v n="$1" 'BEGIN { while (2 ^ b < n) b++; print b + 0 }'
}
# Words and block RAMs of a module's memory of words, as "words brams", from Yosys; each is synthesised once.
memory() { # MODULE PARAMETER=VALUE...
    module=$1
    shift
    name=memory-$module-$(echo "$*" | tr ' =' '--')
    made=$out/synth-$name
    if [ ! -e "$made.words" ]; then
        [ ! -t 2 ] || printf '\r  SYNTH   %-40s' "$module $*" >&2
        QUICK=1 NAME=$name scripts/synth.sh "$module" "$@" >"$made.said" || { cat "$made.said" >&2 && exit 1; }
        sets=
        for p in "$@"; do sets="$sets -set ${p%%=*} ${p#*=}"; done
        "$YOSYS" -q -p "read_verilog -defer -Ibuild/generated $(find rtl/packet_mode rtl/common -name '*.v' | tr '\n' ' ');
            chparam $sets $module; hierarchy -top $module; proc; flatten; memory -nomap; tee -o $made.dump dump t:\$mem_v2" >/dev/null
        # the largest memory that is as wide as a word
        awk '/parameter .SIZE/ { size = $NF } /parameter .WIDTH/ && $NF >= 64 && size > most { most = size } END { print most + 0 }' \
            "$made.dump" >"$made.words.part"
        rm "$made.dump"
        mv "$made.words.part" "$made.words"
        rm "$made.said"
        [ ! -t 2 ] || printf '\r%60s\r' '' >&2
    fi
    echo "$(cat "$made.words") $(sed -n 's/.*"bram": \([0-9]*\).*/\1/p' "$made.json")"
}

rm -f $out/synth-memory-*.words
for most in 192 1024 1152; do
    for arch in sm ppm dpm vps; do
        unit=$SEGMENT
        case $arch in
        dpm) words=$((3 * SEGMENT)) ;;
        vps) words=$((most + 4 * SEGMENT)) unit=$most ;;
        *) words=$SEGMENT ;;
        esac
        crosspoint=$(memory pm_crosspoint WIDTH=$((66 + $(log2 "$unit"))) WORDS=$words)
        case $arch in
        sm | ppm) egress=$(memory pm_card_out PORTS=$PORTS MOST_WORDS=$most) ;;
        *) egress='0 0' ;;
        esac
        echo "$arch $most $crosspoint $egress"
    done
done >$out/packet-mode-sizes.rows
awk -v ports=$PORTS -v json=$json '
    {
        if (!($2 in seen)) { seen[$2] = 1; packets[++n] = $2 }
        if (!($1 in known)) { known[$1] = 1; archs[++k] = $1 }
        words[$1, $2, 1] = $3; words[$1, $2, 2] = ports * ports * $3; words[$1, $2, 3] = ports * $5
        brams[$1, $2, 1] = $4; brams[$1, $2, 2] = ports * ports * $4; brams[$1, $2, 3] = ports * $6
    }
    END {
        split("crosspoint,crossbar 16x16,16 egress cards", part, ",")
        split("crosspoint,crossbar,egress", key, ",")
        printf "%-24s", "longest packet"
        for (i = 1; i <= n; i++) printf "%18s", sprintf("%g KB", packets[i] / 128)
        printf "\n%-24s", "memory on the chip"
        for (i = 1; i <= n; i++) printf " %9s %7s", "words", "BRAM"
        print ""
        for (j = 1; j <= k; j++) for (p = 1; p <= 3; p++) {
            printf "%-24s", toupper(archs[j]) " " part[p]
            for (i = 1; i <= n; i++) printf " %9d %7d", words[archs[j], packets[i], p], brams[archs[j], packets[i], p]
            print ""
        }
        printf "{\"ports\": %d, \"rows\": [", ports >json
        for (j = 1; j <= k; j++) for (i = 1; i <= n; i++) {
            printf "%s\n  {\"arch\": \"%s\", \"packet_words\": %d", (j + i > 2 ? "," : ""), archs[j], packets[i] >json
            for (p = 1; p <= 3; p++) {
                printf ", \"%s_words\": %d", key[p], words[archs[j], packets[i], p] >json
                printf ", \"%s_bram\": %d", key[p], brams[archs[j], packets[i], p] >json
            }
            printf "}" >json
        }
        printf "],\n \"vps_against_dpm\": [" >json
        for (i = 1; i <= n; i++) {
            m = packets[i]
            w = words["vps", m, 1] / words["dpm", m, 1]
            b = brams["vps", m, 1] / brams["dpm", m, 1]
            printf "crosspoints for %g KB: VPS has %.0f %% more words than DPM, DPM %.0f %% fewer; of block RAMs %.0f %%, %.0f %%\n",
                   m / 128, 100 * (w - 1), 100 * (1 - 1 / w), 100 * (b - 1), 100 * (1 - 1 / b)
            printf "%s\n  {\"packet_words\": %d", (i > 1 ? "," : ""), m >json
            printf ", \"more_words_percent\": %.1f, \"fewer_words_percent\": %.1f", 100 * (w - 1), 100 * (1 - 1 / w) >json
            printf ", \"more_bram_percent\": %.1f, \"fewer_bram_percent\": %.1f}", 100 * (b - 1), 100 * (1 - 1 / b) >json
        }
        print "]}" >json
    }' $out/packet-mode-sizes.rows
rm $out/packet-mode-sizes.rows
echo "packet_mode_sizes: the VOQs of ingress cards are off the chip; as JSON in $json"
