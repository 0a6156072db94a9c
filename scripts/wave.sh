#!/bin/sh
# Opens the newest waves in GTKWave, with the save file of scripts/waves/ that has the same name, if there is one.
#
#   scripts/wave.sh [GTKWAVE] [FILE.fst]
set -eu
gtkwave=${1:-gtkwave}
file=${2:-$(ls -t build/waves/*.fst 2>/dev/null | head -1)}
[ -n "$file" ] || { echo "wave: there are no waves in build/waves; record some: make sim WAVES=1"; exit 1; }
[ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || { echo "wave: no display; the waves are in $file"; exit 1; }
save=scripts/waves/$(basename "$file" .fst).gtkw
echo "wave: $file"
if [ -e "$save" ]; then exec "$gtkwave" -f "$file" -a "$save"; else exec "$gtkwave" -f "$file"; fi
