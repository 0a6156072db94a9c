#!/bin/sh
# Runs packet-mode (make packet-mode); if a rule is broken, once more with waves of the clocks before it.
#
#   FULL=build/full/packet-mode WAVES=file.fst [AGAIN="ARCH=sm"] [FILLED="SLOT=block"] [RTL=path] [JOBS=2] \
#       scripts/packet_mode.sh PROGRAM OPTION...
#
# FULL is the same program with models that record waves; make packet-mode-full builds it when it is needed, with the
# variables of AGAIN.
# FILLED: blocks in slots, also for the line that says how to check them alone. Exit code: the program's.
set -u
export LC_ALL=C
program=$1
shift
ends_with_us=$(command -v setpriv >/dev/null && echo setpriv --pdeathsig TERM)
mkdir -p "$(dirname "$WAVES")"
log=${WAVES%.fst}.log
trap : INT # the program says what Ctrl-C has ended
$ends_with_us "$program" "$@" >"$log"
code=$?
cat "$log"
clock=$(sed -n 's/^    clock    \([0-9]*\) of .*/\1/p' "$log")
if [ $code = 1 ] && [ -n "$clock" ]; then
    for f in ${FILLED:-}; do
        slot=$(awk -v v="${f%%=*}" '$1 == v { print $2 }' scripts/slots)
        echo "    alone    make contract SLOT=$slot BLOCK=${f#*=}${RTL:+ RTL=$RTL}"
    done
    from=$((clock > 24000 ? clock - 24000 : 0)) # nothing may have left for 21000 clocks: pm_run
    if ! MAKEFLAGS='' "${MAKE:-make}" -j"${JOBS:-1}" packet-mode-full ${AGAIN:-} ${FILLED:-} ${RTL:+RTL="$RTL"} \
        >"$log.full" 2>&1; then
        echo "    waves    none: $FULL cannot be built, see $log.full"
    else
        rm -f "$WAVES"
        $ends_with_us "$FULL" "$@" --waves "$WAVES" --wave-from $from --wave-clocks 24001 >"$log.waves" 2>&1
        made="$WAVES, clocks $from to $clock"
        [ -e "$WAVES" ] || made="none, see $log.waves"
        echo "    waves    $made"
    fi
fi
[ $code = 1 ] || rm -f "$log"
exit $code
