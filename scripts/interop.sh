#!/bin/sh
# The RoCE v2 chip against software of others, a line with a verdict for each row (make interop).
#
#   ONLY=rping BYTES=64 SEED=1 scripts/interop.sh BIN OUT     BIN: built programs; OUT: folder of what is left
#
# ONLY: rows with it in their name; BYTES: of the chip, per clock (8). RECORD=1: a few short rows instead, of Linux and the NIC in C; if all
# are good, the packets of each row become tb/unit/roce/ROW.pcap, which the unit tests of the RTL replay, and a last line names them.
#
# A row is a line "good  NAME  what was done" or "BAD   NAME  what went wrong" on the screen and in OUT/interop.txt. The last line sums up.
# Exit code 0: each row is good, 1: not all are, 2: no row has such a name, 130: interrupted.
#
# Rows come from parts, which run one after the other. A part NAME is a function part_NAME here, and a word in `parts`. It becomes (exec) a
# program that takes
#
#   --list           print the names of its rows, one a line, and do nothing else
#   --only TEXT      only rows with TEXT in their name, and those that always belong to them
#
# and prints the lines of its rows on standard output; progress and what helps to find an error go to standard error. A row that --list
# names and that has no line in the end is bad, and so is an exit code that no bad row explains. To add a row to a part, see its program; to
# add a part, write its function. A part that needs files of another one stands behind it.
set -u
export LC_ALL=C
bin=$1
out=$2
here=$(dirname "$0")
only=${ONLY:-}
seed=${SEED:-1}
bytes=${BYTES:-8}
parts="rping verbs nic nic_rping tshark scapy"
record=${RECORD:-}
longest=65535 # bytes of a recording
[ "$record" != 1 ] || parts=record

# rping in Linux (QEMU), the RTL and its software (sim/app/roce/linux/roce_rping_program.c). Leaves OUT/rping.pcap.
part_rping() {
    exec "$bin/roce-rping" --guest build/guest --console "$out/rping-console.log" --pcap "$out/rping.pcap" --seed "$seed" \
        --bytes "$bytes" "$@"
}

# The same Linux, where a program of ours works queue pairs (scripts/guest/verbs.c) with data and faults that rping does not have. Leaves
# OUT/verbs.pcap.
part_verbs() {
    exec "$bin/roce-verbs" --guest build/guest --console "$out/verbs-console.log" --pcap "$out/verbs.pcap" --seed "$seed" \
        --bytes "$bytes" "$@"
}

# The same with the NIC in C (sim/model/rnic) in the chip's place, the checker of the chip in other tests. Leaves OUT/nic.pcap.
part_nic() {
    exec "$bin/roce-verbs" --end nic --guest build/guest --console "$out/nic-console.log" --pcap "$out/nic.pcap" --seed "$seed" "$@"
}

# rping of Linux with that NIC as its server, by the same software that drives the chip (sw/roce). Leaves OUT/nic-rping.pcap.
part_nic_rping() {
    exec "$bin/roce-rping" --end nic --guest build/guest --console "$out/nic-rping-console.log" --pcap "$out/nic-rping.pcap" \
        --seed "$seed" "$@"
}

# Checks look at what these parts have left: chosen JUDGE --list prints names of rows, chosen JUDGE the parts whose rows are wanted.
recordings="rping verbs nic nic-rping"
chosen() {
    judge=$1 list='' text=''
    shift
    while [ $# -gt 0 ]; do
        case $1 in --list) list=$judge- ;; --only) text=$2; shift ;; esac
        shift
    done
    for n in $recordings; do case $judge-$n in *"$text"*) echo "$list$n" ;; esac; done
}

# Wireshark's dissector finds every packet whole. What it guesses of the payload does not count: RPC, or a frame behind an Ethertype.
part_tshark() {
    case " $* " in *" --list "*) chosen tshark "$@"; return ;; esac
    for n in $(chosen tshark "$@"); do
        good=good detail=''
        tshark --disable-protocol rpcordma -r "$out/$n.pcap" -Y infiniband -T fields -e frame.number >"$work/packets" 2>"$out/tshark.log" &&
            [ -s "$work/packets" ] || good=BAD
        tshark --disable-protocol rpcordma -r "$out/$n.pcap" -Y "_ws.malformed && !(frame.protocols contains \"infiniband:ethertype\")" \
            -T fields -e frame.number >"$work/wrong" 2>>"$out/tshark.log" &&
            [ ! -s "$work/wrong" ] || good=BAD
        [ $good = good ] || detail="; $(wc -l <"$work/wrong") malformed, the first is frame $(head -1 "$work/wrong"); $out/tshark.log"
        printf '%-4s  %-28s  %s\n' $good "tshark-$n" "$(wc -l <"$work/packets") packets in $out/$n.pcap$detail"
    done
}

# Scapy recomputes the ICRC of each IPv4 packet (it cannot for IPv6: there it is rxe's word). It must find one that is wrong, too.
part_scapy() {
    case " $* " in *" --list "*) chosen scapy "$@"; return ;; esac
    for n in $(chosen scapy "$@"); do
        (
            answer=$("$here/icrc.py" "$out/$n.pcap" 2>&1) && good=good || good=BAD
            printf '%-4s  %-28s  %s\n' $good "scapy-$n" "$(echo "$answer" | paste -sd ';')"
        ) &
    done
    wait
}

# Its rows leave OUT/recorded/ROW.pcap. Not the chip: what Linux says must not come from what it is to check.
part_record() {
    exec "$bin/roce-verbs" --end nic --record "$out/recorded" --guest build/guest --console "$out/record-console.log" --seed "$seed" "$@"
}

mkdir -p "$out" || exit 1
[ "$record" != 1 ] || { rm -rf "$out/recorded" && mkdir "$out/recorded" || exit 1; }
table=$out/interop.txt
work=$(mktemp -d "$out/rows.XXXXXX") || exit 1
child=
trap 'rm -rf "$work"' EXIT
trap '[ -z "$child" ] || { kill "$child"; wait "$child"; }; exit 130' INT TERM
began=$(date +%s)

: >"$work/names"
for part in $parts; do
    ("part_$part" --list ${only:+--only "$only"}) >"$work/$part" || { echo "interop: part $part cannot list its rows" >&2; exit 1; }
    [ -z "$only" ] || grep -qF -e "$only" "$work/$part" || : >"$work/$part"
    cat "$work/$part" >>"$work/names"
done
if [ ! -s "$work/names" ]; then
    names=$(for part in $parts; do ("part_$part" --list); done | sort -u)
    near=$(python3 -c 'import difflib, sys
near = [(difflib.SequenceMatcher(None, sys.argv[1], name).ratio(), name) for name in sys.argv[2].split()]
best = sorted(near, key=lambda n: -n[0])[:3]
print(", ".join(name for ratio, name in best if ratio >= best[0][0] - 0.05))' "$only" "$names")
    echo "interop: ONLY=$only: expected a part of the name of a row; the nearest: $near" >&2
    exit 2
fi
"$here/guest.sh" build/guest >&2 || exit 1

: >"$table"
mkfifo "$work/lines"
for part in $parts; do
    [ -s "$work/$part" ] || continue
    tee -a "$table" <"$work/lines" &
    reader=$!
    ("part_$part" ${only:+--only "$only"}) >"$work/lines" &
    child=$!
    wait "$child"
    code=$?
    child=
    wait "$reader"
    [ $code != 130 ] || exit 130
    while read -r name; do
        grep -q "^[a-zA-Z]*  *$name " "$table" || printf 'BAD   %-28s  no verdict: its program ended with code %s\n' "$name" $code
    done <"$work/$part" >"$work/left"
    [ $code = 0 ] || grep -q '^BAD   ' "$table" "$work/left" || printf 'BAD   %-28s  ended with code %s\n' "$part" $code >>"$work/left"
    tee -a "$table" <"$work/left"
done
bad=$(grep -c '^BAD   ' "$table")
echo "interop: $(grep -c '^good  \|^BAD   ' "$table") rows, $bad bad, $(($(date +%s) - began)) s: $table"
[ "$bad" = 0 ] || exit 1
if [ "$record" = 1 ]; then
    for file in "$out/recorded"/*.pcap; do
        size=$(wc -c <"$file")
        [ "$size" -le $longest ] || { echo "interop: $file: $size bytes, expected at most $longest" >&2; exit 1; }
    done
    cp "$out/recorded"/*.pcap tb/unit/roce/ || exit 1
    echo "interop: recorded: $(cd "$out/recorded" && ls -- *.pcap | paste -sd ' ') are in tb/unit/roce"
fi
