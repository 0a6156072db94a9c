#!/bin/sh
# Disks over RDMA used by programs that nobody here wrote, as one table: the workloads of S1, scaled.
#
#   SCALE=4 KILLS=5 SEED=1 scripts/disktest.sh PROGRAM OUT          SCALE: MiB per step; KILLS: of clients, of simulators, and runs with crashes
#
# Each step is a run of PROGRAM with a client as its command, so all that the step moves crosses hosts, NICs and the switch. The table goes
# to the screen and to OUT/disk-test.txt. "simulated" is of the simulation; how long a step took by the clock on the wall says nothing of
# the hardware. Exit code 0: all steps are good.
set -u
export LC_ALL=C
program=$(readlink -f "$1")
out=$(readlink -f "$2")
here=$(dirname "$(readlink -f "$0")")
scale=${SCALE:-4}
kills=${KILLS:-5}
seed=${SEED:-1}
bytes=$((scale * 1048576))
PATH=$PATH:/usr/sbin:/sbin
work=$(mktemp -d "$out/disk-test.XXXXXX") || exit 1
table=$out/disk-test.txt
child=
trap 'rm -rf "$work"' EXIT
trap '[ -z "$child" ] || { kill "$child"; wait "$child"; }; exit 130' INT TERM
cd "$work" || exit 1
bad=0
skipped=

row() { printf '%-30s %-9s %8s %8s %9s %8s  %s\n' "$@" | tee -a "$table"; }

# A field of a run's JSON, summed over hosts and operations.
sum() { sed -n "/\"hosts\"/,\$s/.*\"$1\": \([0-9.]*\).*/\1/p" disk.json | awk '{ s += $1 } END { printf "%.0f\n", s }'; }

# Nothing went around: the NICs' own counters saw as many bytes leave as were read and written.
crossed() {
    awk '/"operation":/ { data = /"(read|write)"/ } /"bytes":/ && data { asked += $2 } /"out":/ { sent += 8 * $2 }
        END { exit !(sent > 0 && sent >= asked) }' disk.json
}

# step NAME NODES COMMAND: one run on the image as the last step left it.
step() {
    rm -f disk.json
    began=$(date +%s.%N)
    [ ! -t 2 ] || printf '%s ...\r' "$1" >&2
    "$program" --image disk --out . --seed "$seed" --nodes "$2" --run "$3" >log 2>&1 </dev/null &
    child=$!
    wait "$child"
    code=$?
    child=
    took=$(echo "$(date +%s.%N) $began" | awk '{ printf "%.1f", $1 - $2 }')
    simulated=$(sed -n 's/.*"simulated_ms": \([0-9.]*\).*/\1/p' disk.json 2>/dev/null)
    moved=$(sum bytes)
    requests=$(sum requests)
    if [ "$code" != 0 ]; then verdict="BAD, code $code" bad=1; elif crossed; then verdict=good; else verdict="BAD: the NICs saw less" bad=1; fi
    row "$1" "$requests" "$(echo "$moved" | awk '{ printf "%.1f", $1 / 1048576 }')" "$(printf '%.2f' "${simulated:-0}")" \
        "$(echo "$moved ${simulated:-0}" | awk '{ printf "%.1f", $2 ? $1 / 1048.576 / $2 : 0 }')" "$took" "$verdict"
    case $verdict in BAD*)
        cp disk "$out/disk-test.img"
        cp disk.record "$out/disk-test.record"
        grep -v '^again: ' log >&2
        echo "again: make disk IMAGE='$out/disk-test.img' NODES=$2 SEED=$seed REPLAY='$out/disk-test.record' WAVES=1" >&2
        ;;
    esac
}

# part COMMAND: another script; what it prints belongs to the table.
part() {
    "$@" >part &
    child=$!
    wait "$child"
    code=$?
    child=
    tee -a "$table" <part
    return $code
}

fio_step() {
    size=$4
    [ "$size" -le "$bytes" ] || size=$bytes
    uris=
    for host in $(seq $(($2 - 1))); do
        # Each initiator has a part of the disk for itself.
        part=$((size / ($2 - 1) / 4096 * 4096))
        uris="$uris --name=h$host --uri=\"\$uri$host\" --offset=$(((host - 1) * part)) --size=$part"
    done
    step "$1" "$2" "fio --ioengine=nbd --direct=1 --randseed=$seed --minimal $3 $uris >fio.out"
}

new_disk() { rm -f disk && truncate -s "$1" disk; }
random() { head -c "$1" /dev/urandom >"$2"; }

: >"$table"
row 'client, what it does' requests MiB 'ms sim.' 'MiB/s sim.' 'wall [s]' verdict
new_disk "$bytes"

# xdd's experiment: one direction, requests of 4 KB to 1 MB.
for block in 4k 16k 64k 256k 1m; do
    fio_step "fio write $block" 2 "--rw=write --bs=$block --iodepth=8" "$bytes"
    fio_step "fio read $block" 2 "--rw=read --bs=$block --iodepth=8" "$bytes"
done

# A whole disk of at least 16 MiB, both ways; what came back, and what is in the file, is what went in.
whole=$((scale > 16 ? bytes : 16 * 1048576))
random "$whole" in
new_disk "$whole"
sha='sha() { sha256sum <"$1" | cut -d" " -f1; }'
step 'nbdcopy in' 2 "$sha; nbdcopy --flush in \"\$uri\" && test \$(sha in) = \$(sha disk)"
step 'nbdcopy out' 2 "$sha; nbdcopy \"\$uri\" back && test \$(sha in) = \$(sha back)"

new_disk "$bytes"

# Random reads and writes, each block with its checksum, from one host and from three at once.
for hosts in 1 3; do
    for depth in 1 8 32; do
        fio_step "fio verify, depth $depth, $hosts host$([ $hosts = 1 ] || echo s)" $((hosts + 1)) \
            "--rw=randrw --bs=4k --verify=crc32c --verify_state_save=0 --iodepth=$depth" $((bytes / 4))
    done
done

# An image in another format and back.
random "$bytes" in
qemu-img convert -O qcow2 in in.qcow2
new_disk "$bytes"
step 'qemu-img qcow2 to disk' 2 \
    "qemu-img convert -n -f qcow2 -O raw in.qcow2 \"\$uri\" && qemu-img compare -f qcow2 -F raw in.qcow2 \"\$uri\""
step 'qemu-img disk to qcow2' 2 \
    "qemu-img convert -f raw -O qcow2 \"\$uri\" back.qcow2 && qemu-img check back.qcow2 && qemu-img compare -f qcow2 -F raw back.qcow2 in"

# A file system, made and filled on the disk, and read back from it.
mkdir files && random $((bytes / 4)) files/large
for i in 1 2 3 4 5 6 7 8; do random $((i * 1000)) "files/small$i"; done
new_disk "$bytes"
if [ -r /dev/fuse ] && [ -w /dev/fuse ] && command -v fusermount3 >/dev/null; then
    mkdir mnt && : >mnt.img
    fuse="nbdfuse mnt.img \"\$uri\" & fuse=\$!; i=0; until [ -s mnt.img ] || [ \$((i += 1)) -gt 100 ]; do sleep 0.1; done"
    ended='code=$?; fusermount3 -u mnt.img; wait $fuse; exit $code'
    step 'mke2fs -d through nbdfuse' 2 "$fuse; mke2fs -q -F -d files mnt.img; $ended"
    step 'e2fsck through nbdfuse' 2 "$fuse; e2fsck -fn mnt.img; $ended"
    step 'debugfs through nbdfuse' 2 "$fuse; debugfs -R 'dump large large.back' mnt.img && cmp files/large large.back && \
        debugfs -R 'dump small3 small3.back' mnt.img && cmp files/small3 small3.back; $ended"
else
    # Without FUSE, file systems are made in local images and copied; every read is of data that crossed the link.
    skipped='; nbdfuse skipped: /dev/fuse or fusermount3 is not there'
    truncate -s "$bytes" fs && mke2fs -q -F -d files fs
    step 'ext2 in and out, e2fsck' 2 "nbdcopy --flush fs \"\$uri\" && nbdcopy \"\$uri\" back.fs && e2fsck -fn back.fs && \
        debugfs -R 'dump large large.back' back.fs && cmp files/large large.back"
fi

echo "rates are of simulated time; $scale MiB a step, nbdcopy 16 at least; seed $seed" | tee -a "$table"

# kill -9 at random moments; then what the clock on the wall says.
for whom in client simulator target; do part "$here/diskkill.sh" "$program" . "$kills" "$seed" $whom || bad=1; done
part "$here/diskwall.sh" "$program" . "$seed"
case $? in 0) ;; 3) skipped="$skipped; slower than wanted: is the machine busy?" ;; *) bad=1 ;; esac

if [ $bad = 0 ]; then echo "GOOD: table in $table$skipped"; else echo "BAD: see above; table in $table$skipped"; fi
exit $bad
