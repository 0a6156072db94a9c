#!/bin/sh
# Starts a block: a module, its test, and how its waves are arranged, all good from the first minute.
#
#   scripts/block.sh NAME [FOLDER]      a new one: make block NAME=my_filter FOLDER=rtl/switch
#   [NAME=...] [MODULE=...] [PARAMETERS='WIDTH=8...'] scripts/block.sh --from FILE.v
#                                       one that somebody else wrote: make block FROM=~/theirs/fifo.v NAME=their_fifo
#
# A new one is FOLDER/NAME.v (default rtl/blocks), tb/unit/NAME/test_NAME.c and .gtkw, out of scripts/block/*.in. FOLDER is one of those in
# the table of rtl/README.md. Nothing is registered anywhere: make finds the files.
#
# FROM is copied as it is into tb/unit/NAME, with the parts beside it that it uses, unless it lies below rtl/ or tb/ already. There it gets
# an empty test (it comes out of reset and runs), waves, and MODULE.vlt, in which all that Verilator warns of is waived, rule by rule. NAME
# is that of the module in small letters, with the values of PARAMETERS, unless it is given. MODULE says which one of several in FILE.
#
# NAME is a type in C and the head of names in C and C++, and that of a module. Refused: what is no such name or means something in one of
# the languages; a module, configuration, header or folder that is there; what C knows already behind the headers that tests include, and
# macros (the compiler says so).
set -eu
export LC_ALL=C
export VERILATOR="${VERILATOR:-verilator}" PERL="${PERL:-perl}"
export VERILOG_DIRS="${VERILOG_DIRS:-$(find rtl -name '*.v' -printf '%h\n' | sort -u)}"
export VERILATOR_FLAGS="${VERILATOR_FLAGS:---default-language 1364-2005 -Wall +incdir+build/generated}"
CC=${CC:-gcc} NAME=${NAME:-} MODULE=${MODULE:-} PARAMETERS=${PARAMETERS:-}
here=$(dirname "$0")
new=build/block
stop() { echo "block: $1" >&2; exit 1; }
refuse() { stop "NAME=$name $1; expected another name"; }

check_name() { # [FILE that holds the module of this name]
    printf '%s' "$name" | grep -Eqx '[a-z][a-z0-9_]*' ||
        refuse 'is no name of a module here: a small letter, then small letters, digits and _'
    case $name in *__* | *_) refuse 'has __ in it, or _ at its end, which Verilator and C++ keep for themselves' ;; esac
    [ ${#name} -le 32 ] || refuse "has ${#name} characters, at most 32"
    language=$(awk -v name="$name" '!/^#/ { for (i = 2; i <= NF; i++) if ($i == name) { print $1; exit } }' "$here/words")
    [ -z "$language" ] || refuse "is a word of $(echo "$language" | sed 's/^v/V/; s/^systemv/SystemV/; s/^c$/C or C++/')"
    other=$(find rtl tb -name "$name.v" | head -1)
    [ -z "$other" ] || [ "$other" = "${1:-}" ] || refuse "is a module that is there ($other)"
    other=$(grep -rlE "^[[:space:]]*(module|primitive)[[:space:]]+$name([^A-Za-z0-9_]|\$)" rtl tb --include='*.v' | head -1)
    [ -z "$other" ] || [ "$other" = "${1:-}" ] || refuse "is a module in $other"
    other=$(find tb sim -name models -exec grep -lE "^$name[[:space:]]" {} + | head -1)
    [ -z "$other" ] || refuse "is a configuration in $other"
    other=$(find sim sw tb build/generated -name "$name.[ch]" 2>/dev/null | head -1)
    [ -z "$other" ] || refuse "is that of $other, and the block's header would be $name.h, too"
    test=tb/unit/$name
    [ ! -e "$test" ] || refuse "is a folder that is there ($test)"
}

# The test as C sees it, behind all that a test may include.
check_c() {
    for h in ctype errno fcntl inttypes jansson limits math pthread signal stdarg stdio stdlib string strings sys/stat sys/types time \
        ucontext unistd; do echo "#include <$h.h>"; done >"$new/all.h"
    # shellcheck disable=SC2046
    if ! messages=$($CC -std=gnu11 -D_GNU_SOURCE -fsyntax-only -I. $(find sim sw tb -name '*.h' -printf '-iquote %h\n' | sort -u) \
        -iquote "$new/model" -include "$new/all.h" "$new/test_$name.c" 2>&1); then
        place=$(printf '%s\n' "$messages" | sed -n "s/^\([^ :<]*:[0-9]*\):[0-9]*: note: .*[^a-z]$name[^a-z].*/\1/p" | head -1)
        refuse "means something in C already${place:+ ($place)}"
    fi
}

# What it says and lets one do.
tell() {
    for f in "$@"; do echo "block: $f"; done
    cat <<END
    make test TEST=$test                         judges it
    make test TEST=$test WAVES=1; make wave      shows it
    make cycles TEST=$test                       clocks busy, stalled, idle; latency (of what declares probe_busy)
END
}

start_new() {
    folder=${1%/}
    check_name
    folders=$(sed -n 's/^| `\([a-z_]*\)` |.*/rtl\/\1/p' rtl/README.md)
    printf '%s\n' "$folders" | grep -Fqx "$folder" || stop "FOLDER=$folder: expected one of those in rtl/README.md: $(echo $folders)"
    write() { sed "s/@NAME@/$name/g" "$here/block/$1.in" >"$new/$2"; }
    write stream.v "$name.v"
    write stream_test.c "test_$name.c"
    write stream.gtkw "test_$name.gtkw"
    scripts/model.sh bind "$new/model" "$name" "$name" "$new/$name.v"
    check_c
    mkdir -p "$folder" "$test"
    mv "$new/$name.v" "$folder"
    mv "$new/test_$name.c" "$new/test_$name.gtkw" "$test"
    tell "$folder/$name.v" "$test/test_$name.c" "$test/test_$name.gtkw"
    echo "    make lint; make synth MODULE=$name           Verilog-2005; its size"
}

# Modules of a file that no other one in it uses.
tops() {
    awk '{
            line = $0
            while (1) {
                if (inside) { if (!match(line, /\*\//)) { line = ""; break } line = substr(line, RSTART + 2); inside = 0 }
                else if (match(line, /\/\/.*|\/\*|"[^"]*"/)) {
                    what = substr(line, RSTART, 2)
                    text = text substr(line, 1, RSTART - 1) " "
                    line = substr(line, RSTART + (what == "/*" ? 2 : RLENGTH))
                    inside = what == "/*"
                }
                else break
            }
            text = text line " "
        }
        END {
            n = split(text, word, /[^A-Za-z0-9_$`\\]+/)
            for (i = 1; i <= n; i++)
                if (word[i - 1] ~ /^(module|macromodule)$/) list[++count] = word[i]
                else used[word[i]] = 1
            for (i = 1; i <= count; i++) if (!(list[i] in used)) print list[i]
        }' "$1"
}

start_from() {
    from=$1
    case $from in '~/'*) from=$HOME/${from#'~/'} ;; esac
    [ -f "$from" ] && [ -r "$from" ] || stop "FROM=$1: no such file, no regular file, or it cannot be read"
    case $from in *.v) ;; *) stop "FROM=$1: expected a file of Verilog, *.v" ;; esac
    modules=$(tops "$from")
    if [ -n "$MODULE" ]; then
        grep -Eq "^[[:space:]]*module[[:space:]]+$MODULE([^A-Za-z0-9_]|\$)" "$from" || stop "FROM=$1: there is no module $MODULE in it"
        module=$MODULE
    else
        [ -n "$modules" ] || stop "FROM=$1: each module in it is used by another one, or there is none; expected MODULE=name"
        module=$(echo $modules)
        case $module in *' '*) stop "FROM=$1: which one is meant? MODULE=name, one of $module" ;; esac
    fi
    for p in $PARAMETERS; do
        printf '%s' "$p" | grep -Eqx '[A-Za-z_][A-Za-z0-9_$]*=[^=]+' || stop "PARAMETERS=$PARAMETERS: $p: expected NAME=VALUE"
    done
    values=$(for p in $PARAMETERS; do printf '_%s' "${p#*=}"; done)
    name=${NAME:-$(printf '%s%s' "$module" "$values" | tr 'A-Z' 'a-z')}
    inside=$(case $from in rtl/* | tb/*) echo "$from" ;; esac)
    check_name "$inside"

    # ---- whether it can be read, and what belongs to it
    if ! scripts/model.sh bind "$new/model" "$name" "$module" "$from" $PARAMETERS >"$new/says" 2>&1; then
        missing=$(sed -n "s/.*Parameter without initial value is never given value.*: '\(.*\)'/\1/p" "$new/says" | sort -u)
        [ -z "$missing" ] || stop "FROM=$1: a value is missing; expected PARAMETERS='$(for p in $missing; do
            printf '%s=... ' "$p"; done | sed 's/ $//')'"
        grep -A3 '^%Error' "$new/says" | grep -v 'Exiting due to' >&2 || cat "$new/says" >&2
        stop "FROM=$1: Verilator cannot read it, see above; what it uses is looked for beside it and below rtl/"
    fi
    beside=$(dirname "$from")
    files=$(sed -n 's/.*<file .*filename="\([^"&]*\)".*/\1/p' "$new/model/$name.xml" | sort -u | grep -Ev "\.vlt$|^$new/" || true)
    mkdir "$new/copy"
    if [ -z "$inside" ]; then
        for f in $files; do
            case $f in
                "$from") cp "$f" "$new/copy/$module.v" ;;
                "$beside"/../*) stop "FROM=$1: it uses $f, which is not in its folder; expected all of it there" ;;
                "$beside"/*)
                    part=${f#"$beside"/}
                    header=$(basename "$part" .v).h
                    user=$(grep -rlE "^[[:space:]]*#[[:space:]]*include[[:space:]]*\"$header\"" tb sim --include='*.[ch]' | head -1)
                    [ -z "$user" ] || [ -n "$(find rtl -name "$(basename "$part")")" ] ||
                        stop "FROM=$1: its part $part has the name of a model that $user uses; expected another name"
                    mkdir -p "$new/copy/$(dirname "$part")"
                    cp "$f" "$new/copy/$part"
                    ;;
            esac
        done
        rules=$(sed -n "s|^%Warning-\([A-Z0-9]*\): $beside/.*|\1|p" "$new/says" | sort | uniq -c | awk '{ print $2, $1 }')
        if [ -n "$rules" ]; then
            {
                echo "// What Verilator warns of in this folder, which was written elsewhere. Without one of the lines the build shows it."
                echo '`verilator_config'
                echo "$rules" | while read -r rule count; do echo "lint_off -rule $rule -file \"*$test/*\" // $count"; done
            } >"$new/copy/$module.vlt"
        fi
    fi
    [ "$name" = "$module" ] && [ -z "$PARAMETERS" ] || echo "$name $module${PARAMETERS:+ $PARAMETERS}" >"$new/copy/models"

    # ---- its test
    top=$([ ! -e "$new/model/${name}_pins.v" ] && echo "$module" || echo "${name}_pins")
    for kind in c gtkw; do
        awk -v name="$name" -v module="$module" -v top="$top" -v test="$test" -f "$here/block/from_$kind.awk" \
            "$new/model/$name.ports" >"$new/test_$name.$kind"
    done
    check_c
    mkdir -p "$test"
    cp -r "$new/copy/." "$test"
    mv "$new/test_$name.c" "$new/test_$name.gtkw" "$test"
    tell $(find "$test" -type f | sort)
    [ -z "${rules:-}" ] || echo "    Verilator's warnings are waived in $test/$module.vlt: $(echo $rules)"
    awk '$1 != $2 { print "    the port " $1 " is " $2 " in C" }' "$new/model/$name.ports"
    inout='s/^    assign \\pins_of_\(.*\) \[0\] = \\\([^ ]*\).* ? \\\([^ ]*\).*/    the port \1 is inout: \1, \3, \2 in C/p'
    [ "$top" = "$module" ] || sed -n "$inout" "$new/model/$top.v"
}

rm -rf "$new"
mkdir -p "$new"
trap 'rm -rf "$new"' EXIT
if [ "$1" = --from ]; then start_from "$2"; else name=$1; start_new "${2:-rtl/blocks}"; fi
