#!/bin/sh
# Measures the blocks for a slot side by side (make compare): the default, the alternatives that ship, and a block of one's own.
#
#   [BLOCK=name] [RTL='path...'] [SEED=1] [SETTINGS='other slots'] scripts/compare.sh MODULE      e.g. scripts/compare.sh output_scheduler
#
# MODULE is the slot's default block. What is measured in the system stands in `runs` below: name | slots | ports of the program's switch |
# what of the results | options of nicxbar-sim. A slot that no run names is measured alone. Sizes are those of the module alone with
# its default parameters; `levels` is the longest way through LUTs between two registers or pins.
#
# Table on stdout, the same as JSON in build/compare/MODULE.json, and a log of each run in the same folder. A program is built for each block.
set -eu
export LC_ALL=C
here=$(dirname "$0")
module=${1:?usage: scripts/compare.sh MODULE}
: "${MAKE:=make}" "${YOSYS:=yosys}" "${RTL:=}" "${BLOCK:=}" "${SEED:=1}" "${SETTINGS:=}"
schedulers='output_scheduler voq_scheduler credit_scheduler crosspoint'
buses='dma_queue_scheduler dma_arbiter'
often='--sizes 496 --no-monitor --warmup 200'
keeps_up='--bridge ideal --nic 4splits'
# Saturated, payload in parts of what the links carry with the default block where all send to themselves: the first row is the unit.
runs="
unb 1|$schedulers|8|payload|--nodes 8 $often $keeps_up --measure 1000 --scenario unbalanced --part 1
unb 0.6|$schedulers|8|payload|--nodes 8 $often $keeps_up --measure 1000 --scenario unbalanced --part 0.6
unb 0.5|$schedulers|8|payload|--nodes 8 $often $keeps_up --measure 1000 --scenario unbalanced --part 0.5
unb 0.4|$schedulers|8|payload|--nodes 8 $often $keeps_up --measure 1000 --scenario unbalanced --part 0.4
unb 0|$schedulers|8|payload|--nodes 8 $often $keeps_up --measure 1000 --scenario unbalanced --part 0
delay at 0.8|$schedulers|8|delay|--nodes 8 $often $keeps_up --measure 1000 --scenario uniform --load 0.8
7 to 1|$schedulers|8|unfairness|--nodes 8 $often $keeps_up --measure 2000 --scenario n-to-one
own|$buses||payload|--nodes 4 $often --measure 1000 --scenario self
to all|$buses||payload|--nodes 4 $often --measure 1000 --scenario round-robin
8..496|$buses||payload|--nodes 4 --no-monitor --warmup 200 --measure 1000 --scenario round-robin --sizes 8..496
4 splits|$buses||payload|--nodes 4 $often --measure 1000 --scenario round-robin --nic 4splits
delay at 0.6|$buses||delay|--nodes 4 $often --measure 1000 --scenario uniform --load 0.6
3 to 1|$buses||unfairness|--nodes 4 $often --measure 2000 --scenario three-to-one
"
out=build/compare
mkdir -p "$out"
results=$out/$module.tmp
: >"$results"
stop() { echo "$1" >&2; exit 1; }
progress() { [ ! -t 2 ] || printf '\r\033[K  %s' "$1" >&2; }
# make, as if nobody had called it from another one: what stands on that one's command line is handed on where it counts.
plain_make() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES "$MAKE" -s JOBS="${JOBS:-2}" RTL="$RTL" "$@"; }

variable=$("$here/slots.sh" --variable "$module")
blocks=$("$here/slots.sh" --blocks "$module" | cut -d' ' -f1)
case " $(echo $blocks) " in
*" $BLOCK "*) ;;
*) blocks="$blocks $BLOCK" ;;
esac
mine=$(printf '%s\n' "$runs" | awk -F'|' -v m="$module" '(" " $2 " ") ~ (" " m " ")')

for block in $blocks; do
    # the block in its slot, the default one as it is in every build; RTL may hold parts of it
    set -- $SETTINGS
    [ "$block" = "$module" ] || set -- "$@" "$variable=$block"
    folder=build
    if [ $# -gt 0 ]; then folder=$(RTL=$RTL "$here/slots.sh" "$@") || exit 1; fi
    while IFS='|' read -r name _ ports what options; do
        [ -n "$name" ] || continue
        log=$out/$(printf '%s-%s' "$block" "$name" | tr -c 'A-Za-z0-9._\n-' _)
        progress "$block: building"
        plain_make "$@" "$folder/nicxbar-sim$ports" >"$log.log" 2>&1 ||
            { tail -5 "$log.log" >&2; stop "compare: $block cannot be built, see $log.log"; }
        progress "$block: $name"
        "$folder/nicxbar-sim$ports" $options --seed "$SEED" --json "$log.json" >"$log.log" 2>&1 ||
            { tail -5 "$log.log" >&2; stop "compare: $block fails in the run $name, see $log.log"; }
        awk -v block="$block" -v name="$name" -v what="$what" '
            { key = $1; gsub(/[":]/, "", key); value = $2; sub(/,$/, "", value) }
            key == "flows" { inside = 1 }
            key == "unfairness" { inside = 0; shares = 1 }
            !inside && key == "payload_mib_per_s" { sum = value }
            !inside && key == "nodes" { nodes = value }
            !inside && key == "median" { median = value / 1000 }
            !inside && key == "p99" { p99 = value / 1000 }
            shares && key == "packets" { unfair = 100 * value; shares = 0 }
            END {
                if (what == "payload") print block "|" name "|payload|" sum / nodes
                if (what == "delay") print block "|" name "|median|" median "\n" block "|" name "|p99|" p99
                if (what == "unfairness") print block "|" name "|unfair|" unfair
            }' "$log.json" >>"$results"
    done <<EOF
$mine
EOF
    progress "$block: size"
    SLOT_FOLDER=$([ "$folder" = build ] || echo "$folder") LEVELS=1 YOSYS=$YOSYS "$here/synth.sh" "$block" >"$out/$block-size.log" 2>&1 ||
        { cat "$out/$block-size.log" >&2; exit 1; }
    sed 's/.*"lut": \([0-9]*\), "ff": \([0-9]*\), .*"levels": \([0-9]*\).*/|size|LUTs|\1 |size|FFs|\2 |size|levels|\3/' \
        "$folder/synth-$block.json" | tr ' ' '\n' | sed "s/^/$block/" >>"$results"
done
progress ''

awk -F'|' -v module="$module" -v json="$out/$module.json" -v seed="$SEED" -v settings="$SETTINGS" '
    !(($2, $3) in column) { column[$2, $3] = ++columns; top[columns] = $2; head[columns] = $3 }
    !($1 in row) { row[$1] = ++rows; name[rows] = $1 }
    { value[row[$1], column[$2, $3]] = $4 }
    function cell(r, c) { return head[c] == "payload" ? sprintf("%.1f", 100 * value[r, c] / unit) : \
                                 head[c] ~ /median|p99|unfair/ ? sprintf("%.2f", value[r, c]) : value[r, c] }
    END {
        unit = value[1, 1]
        text[1] = sprintf("%-27s", ""); text[2] = sprintf("%-27s", "block")
        for (c = 1; c <= columns; c++) {
            width = length(top[c]) > 8 ? length(top[c]) + 1 : 9
            text[1] = text[1] sprintf("%*s", width, top[c] == top[c - 1] ? "" : top[c])
            text[2] = text[2] sprintf("%*s", width, head[c] == "payload" ? "[%]" : head[c] == "unfair" ? "unf. [%]" : \
                                     head[c] ~ /median|p99/ ? head[c] " us" : head[c])
        }
        print text[1] "\n" text[2]
        printf "{\"slot\": \"%s\", \"seed\": %s, \"settings\": \"%s\", \"blocks\": [", module, seed, settings > json
        for (r = 1; r <= rows; r++) {
            line = sprintf("%-27s", name[r])
            printf "%s\n  {\"block\": \"%s\"", (r > 1 ? "," : ""), name[r] > json
            for (c = 1; c <= columns; c++) {
                line = line sprintf("%*s", length(top[c]) > 8 ? length(top[c]) + 1 : 9, cell(r, c))
                printf ", \"%s %s\": %s", top[c], head[c], value[r, c] > json
            }
            print line
            printf "}" > json
        }
        print "\n]}" > json
        if (head[1] == "payload")
            printf "payload saturated, 100 %% = %.1f MiB/s per node%s; seed %s\n", unit, (settings == "" ? "" : "; " settings), seed
    }' "$results"
rm -f "$results"
echo "results in $out/$module.json, logs in the same folder"
