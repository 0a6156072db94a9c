#!/bin/sh
# Runs test programs, prints Check's own lines and the sum.
out=$1; shift; bad=0
[ -n "$CASE" ] && export CK_RUN_CASE="$CASE"
for t in "$@"; do echo "== $t"; SIM_SEED=$SEED CK_DEFAULT_TIMEOUT=600 $out/$t || bad=1; done
exit $bad
