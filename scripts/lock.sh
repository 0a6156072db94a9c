#!/bin/sh
# One make builds at a time: waits for those that build in this tree, and prints the process that holds the lock from
# then on.
#
#   scripts/lock.sh FILE        called by make itself, by $(shell); make kills the process when it begins to run what it
#                               has built
#
# The process ends by itself when make, whose child this script is, has ended, however it did. Without flock there is no
# lock.
set -eu
export LC_ALL=C
command -v flock >/dev/null 2>&1 || exit 0
exec 9>>"$1"
flock -n 9 || {
    echo "another make builds in this folder: waiting for it" >&2
    flock 9
}
tail --pid=$PPID -s 0.2 -f /dev/null >/dev/null 2>&1 </dev/null &
echo $!
