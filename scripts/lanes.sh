#!/bin/sh
# How many instances of a model are evaluated together, and the compiler's options for it: "8 -mavx2", or "1".
#
#   [LANES=1|4|8|16] scripts/lanes.sh COMPILER
#
# Without LANES what is fastest here: 8 where the processor has vectors of 256 bits or more and clang compiles; with g++
# 12 lanes are slower than instances one by one.
set -eu
export LC_ALL=C
flags=
# With registers for masks clang 19 does not end over a long model; with vectors of 256 bits alone it does.
masks=yes
case "$*" in *clang*) [ "$("$@" -dumpversion 2>/dev/null | cut -d. -f1)" != 19 ] || masks= ;; esac
if [ -n "$masks" ] && grep -qw avx512bw /proc/cpuinfo && grep -qw avx512vl /proc/cpuinfo &&
    grep -qw avx512dq /proc/cpuinfo; then
    flags='-mavx512f -mavx512bw -mavx512vl -mavx512dq'
elif grep -qw avx2 /proc/cpuinfo; then
    flags=-mavx2
fi
# loads of a vector from eight places; slow where a flaw of the processor is patched
! grep -qs 'Not affected' /sys/devices/system/cpu/vulnerabilities/gather_data_sampling ||
    flags="${flags:+$flags -DGATHERS}"
case "$*" in
*clang*)
    [ -n "${LANES:-}" ] || [ -z "$flags" ] || LANES=8
    # in functions that long most of the compiler's time, for nothing; with a frame pointer the places of vectors on the
    # stack are aligned
    flags="$flags -mllvm -enable-gvn-memdep=false -fno-omit-frame-pointer"
    ;;
esac
case ${LANES:-1} in
1) echo 1 ;;
*) echo "$LANES $flags" ;;
esac
