#!/bin/sh
# Builds build/nicxbar if it is older than its sources (scripts/mk/launcher.mk), and runs it:
#
#   scripts/launcher.sh help sim
#
# A tree without sim/app/launcher has to bring it along. Exit code 3: it cannot be built; help is then a list of the
# goals.
set -eu
export LC_ALL=C
if [ -d sim/app/launcher ]; then
    cc=$(command -v gcc || command -v clang || true)
    if [ -z "$cc" ] || ! mkdir -p build 2>/dev/null || ! [ -w build ]; then
        [ ! -x build/nicxbar ] || exec build/nicxbar "$@"
        [ "${1-}" = help ] || exit 3
        awk -F'"' '/^    {"/ && NF > 6 { printf "  make %-12s %-34s %s\n", $2, $4, $6; if (++n == 10) exit }' \
            sim/app/launcher/goals.c
        exit
    fi
    lock=$(! command -v flock >/dev/null 2>&1 || echo flock build/nicxbar.lock)
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $lock "${MAKE:-make}" -s -j2 -f scripts/mk/launcher.mk \
        CC="$(command -v ccache || true) $cc" build/nicxbar >&2 || exit 3
fi
exec build/nicxbar "$@"
