#!/bin/sh
# What Verilator reports of a design, for design.py: the file DESIGN, and with JSON DESIGN.files.
#
#   [VERILATOR=...] [VERILATOR_IS=5.006] scripts/report.sh DESIGN [ARGUMENT...]
#
# XML before 5.034 and JSON from it on: JSON exists from 5.022 on, but has no types of struct members before 5.034; XML
# is gone from 5.046 on. Exit code: Verilator's.
export LC_ALL=C
verilator=${VERILATOR:-verilator} design=$1
shift
is=${VERILATOR_IS:-$("$verilator" --version | sed -n 's/^Verilator \([0-9.]*\).*/\1/p')}
case $is in
    5.0[0-2]* | 5.03[0-3]*) how="--xml-only --xml-output $design" ;;
    [5-9].* | [1-9][0-9]*.*) how="--json-only --json-only-output $design --json-only-meta-output $design.files" ;;
    *) echo "VERILATOR=$verilator: expected Verilator 5.006 or newer; --version says: ${is:-nothing}" >&2 && exit 1 ;;
esac
exec "$verilator" --trace $how "$@" # with all signals that waves show
