#!/bin/sh
# Clients of a disk over RDMA and the whole simulator are killed, and the target crashes, at random moments, and the disk is looked at.
#
#   scripts/diskkill.sh PROGRAM OUT KILLS SEED client|simulator|target      in a folder of its own below OUT
#   scripts/diskkill.sh check OLD NEW DISK                            each sector of DISK is that of OLD or that of NEW
#
# In each run a client copies image after image onto the disk, each with a flush. After the first answer to a flush comes SIGKILL. Then
# each sector is as it was flushed last, or as the copy under way has it; as a whole. The second half of all images of a run is the same
# file system: e2fsck must agree. When the client was killed, another one must still be served.
# The target crashes 12 times in a run. A client copies an image again until its flush ends well, while another one flushes all the time.
# Each time the flush of a copy ends well, the file holds the image.
# Prints what was killed and found; exit code 0: all as it must be.
set -u
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin

# The sectors of the disk that differ from an image, one number a line.
differ() { cmp -l "$1" "$2" | awk '{ print int(($1 - 1) / 512) }' | sort -u; }
check() {
    [ "$(stat -c %s "$1")" = "$(stat -c %s "$3")" ] || return 1
    differ "$3" "$1" >"$3.old"
    differ "$3" "$2" >"$3.new"
    neither=$(comm -12 "$3.old" "$3.new" | head -n 1)
    [ -z "$neither" ] || { echo "sector $neither is neither the old one nor the new one"; return 1; }
}
[ "$1" != check ] || { check "$2" "$3" "$4"; exit; }

program=$(readlink -f "$1") kills=$3 seed=$4 whom=$5
work=$(mktemp -d "$(readlink -f "$2")/blockkill.XXXXXX") || exit 1
server=
# The log, and what else there is, stays when something is wrong.
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null; [ -n "${bad-}" ] || rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 1

# Image number $1: sectors that say which they are and of which image, and behind them as many of the file system fs.
half=131072
image() {
    awk -v image="$1" -v sectors=$((half / 512)) 'BEGIN { for (i = 0; i < sectors; i++) printf "%-511s\n", "sector " i " of image " image }'
    cat fs
}
alive() {
    case $(sed 's/.*)//' /proc/$server/stat 2>/dev/null) in '' | ' Z'*) return 1 ;; esac
}
fail() {
    bad=1
    echo "kill $number of the $whom: $1; files in $work"
    exit 1
}

cat >client <<'EOF'
image=1
while nbdcopy --request-size=8192 --connections=1 --requests=2 --flush image.$image "$uri" & echo $! >pid; wait $!; do
    echo $image >acknowledged.part && mv acknowledged.part acknowledged
    image=$((image + 1))
done
nbdcopy "$uri" back
EOF
cat >copies <<'EOF'
: >reported
: >empty
while :; do nbdcopy --flush empty "$uri" 2>flushes; done &
flusher=$!
for image in 1 2 3 4; do
    until nbdcopy --request-size=8192 --connections=1 --requests=2 --flush image.$image "$uri"; do echo $image >>reported; done
    cmp image.$image disk >differs || { echo "image $image was flushed, and is not in the file" >lost; break; }
done
kill $flusher
EOF
truncate -s $((2 * half)) disk
mkdir files
number=0
new=0
reported=0
while [ $number -lt "$kills" ]; do
    number=$((number + 1))
    [ ! -t 2 ] || printf 'kill %d of %d of the %s\r' $number "$kills" "$whom" >&2
    rm -f acknowledged back pid image.* fs
    cp disk image.0
    head -c $((40000 + number * 100)) /dev/urandom >files/random
    truncate -s $half fs && mke2fs -q -F -d files fs || fail "no file system can be made"
    i=0
    while [ $((i += 1)) -le 9 ]; do image "$number.$i" >image.$i; done
    if [ "$whom" = target ]; then
        crashes=$(awk -v seed=$((seed * 1000 + number)) 'BEGIN { srand(seed); for (i = 0; i < 12; i++) {
            at += 300 + int(900 * rand()); printf "%scrash target at %dus for 100us", i ? "; " : "", at } }')
        "$program" --image disk --out . --seed "$seed" --record /dev/null --faults "$crashes" --run 'sh ./copies' >log 2>&1 </dev/null ||
            fail "the service ended with code $?"
        [ ! -e lost ] || fail "$(cat lost)"
        reported=$((reported + $(wc -l <reported)))
        continue
    fi
    # Written through, parts of a copy are in the file; written back, nothing until the flush.
    cache=$([ $((number % 2)) = 1 ] && echo writeback || echo writethrough)
    "$program" --image disk --out . --seed "$seed" --cache "$cache" --record /dev/null --run 'sh ./client' >log 2>&1 </dev/null &
    server=$!
    until [ -s acknowledged ]; do
        alive || fail 'it has ended before'
        sleep 0.05
    done
    sleep "$(od -An -N1 -tu1 /dev/urandom | awk '{ printf "%.3f", $1 / 125 }')"
    if [ "$whom" = client ]; then
        # Again, if that copy was just ending.
        while [ ! -e back ] && alive; do
            kill -9 "$(cat pid)" 2>/dev/null
            sleep 0.02
        done
    else kill -9 $server; fi
    wait $server 2>/dev/null
    code=$?
    server=
    flushed=$(cat acknowledged)
    next=$((flushed + 1))
    said=$(check image.$flushed image.$next disk) || fail "$said"
    new=$((new + $(wc -l <disk.old)))
    tail -c $half disk >fs
    e2fsck -fn fs >checked 2>&1 || fail 'e2fsck found errors'
    [ "$whom" = simulator ] || [ $code = 0 ] || fail "the service ended with code $code"
    [ "$whom" = simulator ] || said=$(check image.$flushed image.$next back) || fail "what the next client read: $said"
done
[ "$whom" != target ] || { printf '%-30s %s\n' 'crashes of the target' \
    "$kills of $kills good: flushed data are on the disk; $reported copies were reported lost"; exit; }
printf '%-30s %s\n' "kill -9 of the $whom" \
    "$kills of $kills good: what was flushed is there; $new sectors of the copy under way, none torn; e2fsck agrees"
