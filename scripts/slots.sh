#!/bin/sh
# Puts other blocks into slots: prints the folder in which everything that holds one of them is built.
#
#   [RTL='path...'] [ONLY=PREFIX] scripts/slots.sh VARIABLE=NAME...      e.g. RTL=~/mine scripts/slots.sh OUTPUT_SCHEDULER=my_wrr
#   scripts/slots.sh --defaults                            the Verilog macros of the slots, with the default blocks
#   scripts/slots.sh --list                                slots, their contracts and the blocks that ship (make slots)
#   scripts/slots.sh --variable MODULE                     the variable of the slot whose default block is MODULE
#   scripts/slots.sh --blocks MODULE                       its blocks, the default one first: name, file
#
# In Verilog a slot is a macro: `OUTPUT_SCHEDULER #(...) scheduler (...). Its value is a module, the default one unless the build defines
# another (slots.vh, included wherever a slot is). NAME is a module. Its file is looked for in RTL (files, or folders with NAME.v in them),
# then below rtl/ and tb/. FOLDER/blocks says per line VARIABLE NAME FILE, FOLDER/search which folders to search for further modules,
# FOLDER/only where a name of a model has to begin if the blocks are to be in it (ONLY; empty: any).
#
# Refused, with the reason on stderr: a name that is nowhere, ports or parameters that do not fit (scripts/design.py names them), and a file
# in RTL that has the name of a module of the tree but fills no slot (whoever instantiates that one would get either). What Verilator warns
# of in a block that is new or has changed is shown on stderr, each place once, and stops nothing.
set -eu
export LC_ALL=C
here=$(dirname "$0")
export VERILATOR="${VERILATOR:-verilator}"
PYTHON=${PYTHON:-python3} RTL=${RTL:-}
stop() { echo "$1" >&2; exit 1; }
if [ "${1:-}" = --defaults ]; then
    awk '!/^#/ && NF { printf "`ifndef %s\n`define %s %s\n`endif\n", $1, $1, $2 }' "$here/slots"
    exit
fi

# A block that ships is the default one, or a module below rtl/ or tb/ whose name begins with that of the default one and _.
blocks_of() {
    find rtl -name "$1.v" -printf '%f %p\n'
    find rtl tb -name "$1_*.v" -printf '%f %p\n' | sort
}
variable_of() { awk -v m="$1" '!/^#/ && $2 == m { print $1 }' "$here/slots"; }
case "${1:-}" in
--variable)
    variable_of "$2"
    exit
    ;;
--blocks)
    blocks_of "$2" | sed 's/\.v / /'
    exit
    ;;
--list)
    awk '!/^#/ && NF { print $1, $2 }' "$here/slots" | while read -r variable module; do
        file=$(find rtl -name "$module.v" | head -1)
        [ -n "$file" ] || stop "$variable: its default block $module is not in this tree"
        contract=$(grep -l "^### $module" $(find rtl -name "*.md") /dev/null || echo "head of $file")
        echo "$variable: contract in $contract"
        blocks_of "$module" | sed 's/\.v / /' | while read -r name path; do
            what=$(head -1 "$path" | sed 's|^// *||; s/ *[:.(].*//')
            printf '    %-28s %s%s\n' "$name" "$what" "$([ "$name" != "$module" ] || echo ' (default)')"
        done
    done
    echo "in a run: make sim VARIABLE=name; checked alone: make contract SLOT=default BLOCK=name"
    echo "side by side: make compare SLOT=default; with a block of one's own: BLOCK=name RTL=path"
    exit
    ;;
esac

RTL=$(printf ' %s' $RTL | sed "s| ~/| $HOME/|g; s/^ //")
for r in $RTL; do [ -e "$r" ] || stop "RTL=$RTL: there is no $r"; done
search=
for r in $RTL; do
    if [ -d "$r" ]; then search="$search $(find "$r" -name '*.v' -printf '%h\n' | sort -u | tr '\n' ' ')"
    else search="$search $(dirname "$r")"; fi
done

# The file of a module in a place.
has_module() { grep -Eq "^[[:space:]]*module[[:space:]]+$2([^A-Za-z0-9_]|\$)" "$1"; }
find_module() { # NAME -> path
    for r in $RTL; do
        if [ -f "$r" ] && has_module "$r" "$1"; then echo "$r"; return; fi
        f=$([ -d "$r" ] && find "$r" -name "$1.v" | sort | head -1 || true)
        if [ -n "$f" ]; then echo "$f"; return; fi
    done
    find rtl tb -name "$1.v" 2>/dev/null | sort | head -1
}

# ---- what was asked for ----
files=
blocks=
key=
for s in "$@"; do
    variable=${s%%=*} name=${s#*=}
    module=$(awk -v v="$variable" '$1 == v { print $2 }' "$here/slots")
    [ -n "$module" ] || stop "$variable is no slot; there are: $(awk '!/^#/ && NF { printf "%s ", $1 }' "$here/slots")"
    [ -n "$(find rtl -name "$module.v" | head -1)" ] || stop "$variable: its default block $module is not in this tree"
    printf '%s' "$name" | grep -Eqx '[A-Za-z_][A-Za-z0-9_]*' || stop "$variable=$name: expected the name of a Verilog module"
    file=$(find_module "$name")
    [ -n "$file" ] || stop "$variable=$name: there is no module $name${RTL:+ in RTL=$RTL, nor} below rtl/ or tb/; RTL=path says where it is"
    has_module "$file" "$name" || stop "$variable=$name: $file holds no module $name"
    files="$files $file"
    blocks="$blocks$variable $name $file
"
    key="$key${key:+.}$module-$name"
done
folder=build/slots/$(printf '%.80s' "${key:-rtl}")-$(printf '%s %s %s' "$key" "$files" "$search${ONLY:-}" | cksum | cut -d' ' -f1)

# ---- names of RTL that are those of the tree ----
for d in $search; do
    for f in "$d"/*.v; do
        [ -e "$f" ] || continue
        case " $files " in *" $f "*) continue ;; esac
        other=$(find rtl tb -name "$(basename "$f")" | head -1)
        # shellcheck disable=SC3013 # dash and bash have -ef
        [ -z "$other" ] || [ "$f" -ef "$other" ] || stop "RTL=$RTL: $f has the name of $other and fills no slot; expected another name"
    done
done

# ---- whether they fit ----
mkdir -p "$folder"
exec 9> "$folder/lock"
flock 9
tree=$(find rtl tb -name '*.v' -printf '-y %h\n' | sort -u | tr '\n' ' ')
for d in $search; do tree="-y $d +incdir+$d $tree"; done
ports() { # MODULE FILE DESIGN [PARAMETER=VALUE...]
    m=$1 f=$2 design=$3
    shift 3
    g=
    for p in "$@"; do g="$g -G$p"; done
    "$here/report.sh" "$design" -Mdir "$folder/report" --default-language 1364-2005 -Wno-fatal -Wall -Wno-DECLFILENAME \
        -Wno-ASSIGNDLY -Wno-TIMESCALEMOD -Wno-SYMRSVDWORD --no-timing +incdir+build/generated $tree $g \
        --top-module "$m" "$f" >"$design.log" 2>&1
}
printf '%s' "$blocks" >"$folder/blocks"
while read -r variable name file; do
    module=$(awk -v v="$variable" '$1 == v { print $2 }' "$here/slots")
    size=$(awk -v v="$variable" '$1 == v { $1 = $2 = ""; sub(/^ +/, ""); print }' "$here/slots")
    default=$(find rtl -name "$module.v" | sort | head -1)
    stamp="$(cat "$file" "$default" "$here/design.py" "$here/report.sh" "$here/slots" | cksum)"
    [ "$(cat "$folder/fits-$module" 2>/dev/null)" != "$stamp" ] || continue
    rm -f "$folder/warnings"
    for round in 1 2; do
        given=
        [ $round = 1 ] || given=$size
        [ $round = 1 ] || [ -n "$given" ] || continue
        ports "$module" "$default" "$folder/default.design" $given ||
            { cat "$folder/default.design.log" >&2; stop "$variable: its default block $default cannot be read"; }
        if ! ports "$name" "$file" "$folder/block.design" $given; then
            # a parameter that is not there is refused by name; anything else is the block's own fault
            ports "$name" "$file" "$folder/block.design" || { cat "$folder/block.design.log" >&2; stop "$variable=$name: $file cannot be read"; }
        fi
        cat "$folder/block.design.log" >>"$folder/warnings"
        "$PYTHON" -S "$here/tool.py" design differences "$folder/default.design" "$folder/block.design" >"$folder/fit" || {
            sed "s|^|$variable=$name: $file: |" "$folder/fit" >&2
            stop "$variable=$name does not fit into the slot of $module$([ $round = 1 ] || echo " with $given")"
        }
    done
    # parameters change what a warning says, not where it is; modules of the tree are checked by make lint
    awk '/^%/ { shown = /^%Warning/ && $2 !~ /^(rtl|tb)\// && !seen[$1 " " $2]++ }
        shown && !/\.\.\. (For warning|Use "|In instance)/' "$folder/warnings" >&2
    rm -f "$folder/warnings"
    echo "$stamp" >"$folder/fits-$module"
done <"$folder/blocks"
rm -rf "$folder/report"
echo "$search" >"$folder/search"
echo "${ONLY:-}" >"$folder/only"
echo "$folder"
