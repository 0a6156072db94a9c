#!/bin/sh
# Opens the newest waves in GTKWave, arranged by the save file of scripts/waves/ that has the same name, if there is one; waves of a
# test by the .gtkw that lies beside it and has its name, those of system tests as those of make sim. Save files show FSM states by name;
# the names are taken out of the Verilog each time, into build/waves/states/.
#
#   scripts/wave.sh [GTKWAVE] [FILE.fst | FOLDER]        FOLDER: the newest in FOLDER/waves, default build
set -eu
export LC_ALL=C
gtkwave=${1:-gtkwave}
file=${2:-build}
if [ ! -f "$file" ]; then
    waves=$file/waves
    file=$(ls -t "$waves"/*.fst 2>/dev/null | head -1)
    [ -n "$file" ] || { echo "wave: there are no waves in $waves; record some: make sim WAVES=1"; exit 1; }
fi
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || { echo "wave: no display; the waves are in $file"; exit 1; }
name=$(basename "$file" .fst)
save=scripts/waves/$name.gtkw
echo "wave: $file"
case $name in
    tb-system-*) save=scripts/waves/sim.gtkw ;;
    # a program has several files: tb-unit-foo-test_foo-2.fst
    tb-*) for f in $(find tb -name '*.gtkw'); do case $name- in "$(echo "${f%.gtkw}" | tr / -)"-*) save=$f ;; esac; done ;;
esac
[ -e "$save" ] || exec "$gtkwave" -f "$file"
mkdir -p build/waves/states
rm -f build/waves/states/*
find rtl -name '*.v' -exec awk -f scripts/waves/states.awk -v folder=build/waves/states {} + >/dev/null
for states in $(sed -n 's/^^1 //p' "$save" | sort -u); do
    [ -e "$states" ] || echo "wave: $save wants $states, but no FSM of that name is in rtl; its states show as numbers"
done
exec "$gtkwave" -f "$file" -a "$save"
