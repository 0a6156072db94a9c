#!/bin/sh
# Looks at the variables of make blockdev, which are in the environment, before anything is built.
#
#   IMAGE=disk.img NODES=3 OUT=build scripts/blockdev.sh
#
# Silent, or one line that says what is wrong and what was expected, and exit code 1. What only the program knows, it refuses itself.
set -eu
export LC_ALL=C

no() {
    echo "$1"
    exit 1
}
is() { printf '%s' "$1" | grep -Eqx "$2"; }
number='[0-9]+(\.[0-9]+)?'

case "${NODES:-2}" in [2-4]) ;; *) no "NODES=$NODES: expected 2 to 4, host 0 and its initiators at a switch of 4 ports" ;; esac
case "${POLL:-0}" in 0 | 1) ;; *) no "POLL=$POLL: expected 0 or 1" ;; esac
case "${QUEUES:-pending}" in pending | pointers) ;; *) no "QUEUES=$QUEUES: expected pending or pointers" ;; esac
case "${CACHE:-writeback}" in writeback | writethrough) ;; *) no "CACHE=$CACHE: expected writeback or writethrough" ;; esac
is "${DISK:-0,0}" "$number,$number" || no "DISK=$DISK: expected latency [us] and rate [MiB/s], such as DISK=100,200"
is "${HOST_COST:-0,0}" "$number,$number" ||
    no "HOST_COST=$HOST_COST: expected nanoseconds of an interrupt and of a request, such as HOST_COST=5000,1000"

if [ -n "${IMAGE:-}" ]; then
    [ -e "$IMAGE" ] || no "IMAGE=$IMAGE: no such file; expected one, such as truncate -s 64M makes"
    [ -f "$IMAGE" ] || no "IMAGE=$IMAGE: expected a regular file"
    [ -r "$IMAGE" ] || no "IMAGE=$IMAGE: it cannot be read; expected a file that can"
    bytes=$(stat -L -c %s "$IMAGE")
    [ "$bytes" -gt 0 ] && [ $((bytes % 512)) -eq 0 ] && [ "$bytes" -le 281474976710656 ] ||
        no "IMAGE=$IMAGE: $bytes bytes; expected a multiple of 512, more than 0, at most 2^48"
fi
if [ -n "${REPLAY:-}" ]; then
    [ -z "${RUN:-}${PORT:-}${RECORD:-}" ] || no "REPLAY=$REPLAY: expected without RUN, PORT and RECORD: there are no clients"
    [ -f "$REPLAY" ] && [ -r "$REPLAY" ] || no "REPLAY=$REPLAY: expected a record that can be read"
    first=$(sed -n 's/.*RECORD_BEGIN "\(.*\)\\n"/\1/p' sim/block/block_private.h)
    [ "$(head -c ${#first} "$REPLAY")" = "$first" ] ||
        no "REPLAY=$REPLAY: expected a record of this version, which begins with $first"
    [ "$(tail -c 4 "$REPLAY")" = end ] || no "REPLAY=$REPLAY: it is not whole; expected a last line end"
fi
if [ -n "${RECORD:-}" ]; then
    [ ! -d "$RECORD" ] && [ -w "$(dirname "$RECORD")" ] || no "RECORD=$RECORD: expected a file that can be written"
fi
if [ -n "${RUN:-}" ]; then
    sh -n -c "$RUN" 2>/dev/null || no "RUN=$RUN: expected a command that sh understands"
    # The first word, if it is a plain one.
    word=${RUN%%[!A-Za-z0-9_./+-]*}
    case "${RUN#"$word"}" in
        '' | ' '*) [ -z "$word" ] || command -v "$word" >/dev/null 2>&1 || no "RUN=$RUN: there is no command $word" ;;
    esac
fi
if [ -n "${FAULT:-}" ]; then
    host="(target|host[0-$((${NODES:-2} - 1))])"
    for_a_time="((cut|dead|dma +off) +$host|crash +target) +at +${number}[num]s( +for +${number}[num]s)?"
    at_a_time="(lose +[0-9]+( +credits)?|flip +body)( +$host)? +at +${number}[num]s"
    bad=$(printf '%s\n' "$FAULT" | tr ';' '\n' | grep -nvEx -m1 " *($for_a_time|$at_a_time) *") &&
        no "FAULT: number ${bad%%:*}, '${bad#*:}': expected one such as 'cut host1 at 3ms for 50us'; sim/block/block_faults.h has all"
fi
# Sockets that listen, as the kernel lists them: field 4 is their state.
if [ -n "${PORT:-}" ]; then
    is "$PORT" '[0-9]{1,5}' && [ "$PORT" -ge 1 ] && [ "$PORT" -le 65535 ] || no "PORT=$PORT: expected a port, 1 to 65535"
    ! awk -v port="$(printf ':%04X' "$PORT")" '$4 == "0A" && ($2 == "0100007F" port || $2 ~ "^0*" port "$") { used = 1 }
        END { exit !used }' /proc/net/tcp /proc/net/tcp6 2>/dev/null || no "PORT=$PORT: in use; expected a port of 127.0.0.1 that is free"
elif [ -z "${REPLAY:-}" ]; then
    socket=$(cd "$OUT" 2>/dev/null && pwd || pwd)/blockdev.sock
    [ ${#socket} -lt 108 ] || no "$socket: expected a path of less than 108 characters for a socket; OUT=folder puts it into another one"
    ! socket=$socket awk '$4 == "00010000" && substr($0, length($0) - length(ENVIRON["socket"])) == " " ENVIRON["socket"] { used = 1 }
        END { exit !used }' /proc/net/unix 2>/dev/null || no "$socket: in use by another make blockdev; OUT=folder gives this one its own"
fi
