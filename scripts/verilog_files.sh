# shellcheck shell=sh disable=SC2034
# Sourced by scripts that read all Verilog: sets $files, those below RTL (default rtl) with other blocks of SLOT_FOLDER
# (slots.py) in the place of their namesakes, and $defines, the options that put these into slots.
RTL=${RTL:-rtl}
files=$(find "$RTL" -name '*.v' | sort | tr '\n' ' ')
defines=
if [ -n "${SLOT_FOLDER:-}" ]; then
    defines=$(awk '{ printf "-D%s=%s ", $1, $2 }' "$SLOT_FOLDER/blocks")
    others=$(cut -d' ' -f3- "$SLOT_FOLDER/blocks"; find $(cat "$SLOT_FOLDER/search") /dev/null -maxdepth 1 -name '*.v')
    files=$(printf '%s\n' $others $files |
        awk '{ name = $0; sub(/.*\//, "", name) } !seen[name]++ { printf "%s ", $0 }')
fi
