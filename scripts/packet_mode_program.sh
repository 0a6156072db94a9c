#!/bin/sh
# Writes what make packet-mode runs for a switch of other than 16 or 4 ports, and prints the program's name:
#
#   scripts/packet_mode_program.sh ARCH KIND PORTS FOLDER    KIND: plain, lanes, split, as in sim/app/packet_mode/models
#
# FOLDER/PROGRAM.c is packet-mode with this one switch, FOLDER/models the line for its model: that of 16 ports with
# another number, unless there is such a model already. scripts/programs.py finds both (PORTS_FOLDER).
set -eu
export LC_ALL=C
arch=$1 kind=$2 ports=$3 folder=$4
case $kind in
plain) suffix='' models='[6] = &M' ;;
# [7] is also for a run that has no use for lanes: copies of packets, made by the source
lanes) suffix=_lanes models='[6] = &M, [7] = &M' ;;
split) suffix=_split models='[8] = &M' ;;
esac
words=$(sed -n 's/^ *{"'"$arch"'", \("[^"]*"\), .*/\1/p' sim/bin/packet-mode.c)
like=pm_$arch$suffix$([ "$arch" != iq ] || echo _16)
line=$(tr -s ' ' <sim/app/packet_mode/models | sed -n "s/^$like //; T; s/PORTS=16/PORTS=$ports/p")
if [ -z "$words" ] || [ -z "$line" ]; then
    echo "$like: expected an architecture of sim/bin/packet-mode.c and a model of sim/app/packet_mode/models" >&2
    exit 1
fi
model=$(find tb sim -name models -exec cat {} + | tr -s ' ' |
    awk -v line="$line" '{ name = $1; sub(/^[^ ]+ /, "") } $0 == line { print name; exit }')
if [ -z "$model" ]; then model=pm_$arch${suffix}_$ports line="pm_$arch${suffix}_$ports $line"; else line="# $model"; fi
program=packet-mode-$arch$(echo "$suffix" | tr _ -)-$ports
# What has not changed stays as old as it is, so make compiles it once.
put() { cat >"$1.part" && if cmp -s "$1.part" "$1"; then rm "$1.part"; else mv "$1.part" "$1"; fi; }
mkdir -p "$folder"
echo "$line" | put "$folder/models"
models=$(echo "$models" | sed "s/M/${model}_config/g")
put "$folder/$program.c" <<EOF
/* $program: one switch of S3's appendix, for make packet-mode PORTS=$ports. */
#include "$model.h"
#include "sim/app/packet_mode/pm_program.h"

int main(int argc, char **argv)
{
    static const pm_architecture architectures[] = {{"$arch", $words, {$models}}, {0}};
    return packet_mode(argc, argv, architectures);
}
EOF
echo "$program"
