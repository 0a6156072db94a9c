#!/bin/sh
# Compiles what every model includes once, for the fast models and for the full ones: reading it takes longer than most
# models do.
#
#   HEADERS_BY=compiler VERILATED_FLAGS=... VERILATOR_SHARE=... MAKE=make scripts/headers.sh build/models/headers/fast
#   (or full)
#   scripts/headers.sh --dates build/models/headers/fast       notes the dates of what was included, if they are others
#
# FOLDER/fast.h.gch is made again when one of these headers changes, the compiler, or the folder: it would be refused
# then. So it would be if a header is another one that is older than it, as those of a package are that was updated:
# dates. ccache does not make it, because the folder is in it; it knows it from others by its sum (fast.h.gch.sum), and
# paths in this folder are no difference. Of clang what it makes of their templates, a third of the time of a small
# model, is in there, too.
set -eu
export LC_ALL=C
dates() { sed -n 's/:$//p' "$1.makefile" 2>/dev/null | xargs -r stat -c '%Y %n' 2>/dev/null || true; }
if [ "$1" = --dates ]; then
    mkdir -p "$(dirname "$2")"
    dates "$2" | cmp -s - "$2.dates" || dates "$2" >"$2.dates"
    exit
fi
folder=$(dirname "$1") kind=$(basename "$1") waves=0 vcd=
[ "$kind" = fast ] || waves=1 vcd=verilated_vcd_c.h
case $HEADERS_BY in *clang*) instantiated=-fpch-instantiate-templates ;; *) instantiated= ;; esac
exec 9>"$1.h.gch.lock"
flock 9
printf '#include "%s"\n' verilated.h verilated_dpi.h $vcd >"$1.part"
cmp -s "$1.part" "$1.cpp" || { cp "$1.part" "$1.h" && mv "$1.part" "$1.cpp"; }
{ $HEADERS_BY --version && $HEADERS_BY $VERILATED_FLAGS -E -P -MD -MP -MT "$1.h.gch" -MF "$1.d" "$1.cpp"; } |
    cksum >"$1.h.gch.sum"
mv "$1.d" "$1.makefile"
dates "$1" >"$1.dates"
MAKEFLAGS='' "$MAKE" -s -C "$folder" -f "$VERILATOR_SHARE/include/verilated.mk" VERILATOR_ROOT="$VERILATOR_SHARE" \
    VM_PREFIX=none VM_COVERAGE=0 VM_SC=0 VM_TRACE=$waves VM_TRACE_FST=0 VM_TRACE_VCD=$waves \
    CXX="$HEADERS_BY -x c++-header" OPT_FAST=-O2 "$kind.o" \
    USER_CPPFLAGS="$("${PYTHON:-python3}" -S scripts/tool.py model flags) -Wno-pragma-once-outside-header $instantiated"
mv "$folder/$kind.o" "$1.h.gch"
