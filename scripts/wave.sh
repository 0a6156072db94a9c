#!/bin/sh
# Opens the newest waves in GTKWave. At the top stands what a save file of scripts/waves/ with the same name arranges,
# if there is one (waves of a test: the .gtkw of the same name in its folder, those of system tests: as those of make
# sim); below it what arrange.py makes of the Verilog: pins, state machines and blocks of every chip. With MODULE in the
# environment: all instances of that module instead. FSM states show by name; the names are taken out of the Verilog
# each time, into build/waves/states/.
#
#   [MODULE=name] scripts/wave.sh [GTKWAVE] [FILE.fst | FOLDER]        FOLDER: the newest in FOLDER/waves, default build
set -eu
export LC_ALL=C
gtkwave=${1:-gtkwave}
file=${2:-build}
if [ ! -f "$file" ]; then
    waves=$file/waves
    file=$(ls -t "$waves"/*.fst 2>/dev/null | head -1)
    [ -n "$file" ] || { echo "wave: there are no waves in $waves; record some: make sim"; exit 1; }
fi
name=$(basename "$file" .fst)
save=scripts/waves/$name.gtkw
case $name in
    sim-[1-3]) save=scripts/waves/sim.gtkw ;; # of a ring
    tb-system-*) save=scripts/waves/sim.gtkw ;;
    # a program has several files: tb-unit-foo-test_foo-2.fst
    tb-*)
        for f in $(find tb -name '*.gtkw'); do
            case $name- in "$(echo "${f%.gtkw}" | tr / -)"-*) save=$f ;; esac
        done
        ;;
esac
mkdir -p build/waves/states
rm -f build/waves/states/*
arranged=build/waves/$name.gtkw
window=
if [ -z "${MODULE:-}" ] && [ -e "$save" ]; then
    cp "$save" "$arranged.part"
else
    window=--window
    : >"$arranged.part"
fi
fst2vcd "$file" 2>/dev/null |
    "${PYTHON:-python3}" -S scripts/tool.py arrange $window build/waves/states \
        $(ls build/models/*/*.instances build/slots/*/models/*/*.instances 2>/dev/null) >>"$arranged.part" ||
    { rm -f "$arranged.part"; exit 1; }
mv "$arranged.part" "$arranged"
echo "wave: $file"
for s in $(sed -n 's/^^1 //p' "$arranged" | sort -u); do
    [ -e "$s" ] || echo "wave: $save wants $s, but no FSM of that name is in rtl; its states show as numbers"
done
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || {
    echo "wave: no display; the waves are in $file, arranged by $arranged"
    exit 1
}
exec "$gtkwave" -f "$file" -a "$arranged"
