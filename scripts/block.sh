#!/bin/sh
# Starts a block: a module, its test, and how its waves are arranged, all good from the first minute.
#
#   scripts/block.sh NAME [FOLDER]      a new one: make block NAME=my_filter FOLDER=rtl/switch
#   [NAME=...] [MODULE=...] [PARAMETERS='WIDTH=8...'] scripts/block.sh --from 'FILE.v [FILE or FOLDER...]'
#                                       one that somebody else wrote: make block FROM=~/theirs/fifo.v NAME=their_fifo
#
# A new one is FOLDER/NAME.v (default rtl/blocks), tb/unit/NAME/test_NAME.c and .gtkw, out of scripts/block/*.in. FOLDER is one of those in
# the table of rtl/README.md. Nothing is registered anywhere: make finds the files.
#
# FROM is copied as it is into tb/unit/NAME, unless it lies below rtl/ or tb/ already; what it uses of its folder and of others in FROM into
# tb/unit/NAME/parts, with a file list MODULE.f; files for $readmemh and $fopen in the same folder. A part that is a block here already, and
# the same file, is shared. It gets an empty test (it comes out of reset and runs), waves, MODULE.vlt, in which all that Verilator warns of
# is waived, rule by rule, and MODULE.probes, for make cycles (handshakes.py). Then it is built and the test runs; if it fails, nothing is
# left. NAME is that of the module in small letters, with the values of PARAMETERS, unless it is given. MODULE says which one of several in
# FILE; else it is that of the name of the file, or the only one that no other one uses.
#
# NAME is a type in C and the head of names in C and C++, and that of a module. Refused: what is no such name or means something in one of
# the languages; a module, configuration, header or folder that is there; what C knows already behind the headers that tests include, and
# macros (the compiler says so).
set -eu
export LC_ALL=C
export VERILATOR="${VERILATOR:-verilator}" PYTHON="${PYTHON:-python3}"
export VERILOG_DIRS="${VERILOG_DIRS:-$(find rtl -name '*.v' -printf '%h\n' | sort -u)}"
export VERILATOR_FLAGS="${VERILATOR_FLAGS:---default-language 1364-2005 -Wall +incdir+build/generated}"
CC=${CC:-gcc} NAME=${NAME:-} MODULE=${MODULE:-} PARAMETERS=${PARAMETERS:-}
here=$(dirname "$0")
new=build/block
stop() { echo "block: $1" >&2; exit 1; }
refuse() { stop "NAME=$name $1; expected another name"; }

# Without files that belong to blocks of other names.
not_of_a_block() {
    while read -r f; do
        case $f in */parts/*) continue ;; esac
        m=$(basename "$f" .v)
        grep -qE "^[^# ]+ $m( |\$)" "$(dirname "$f")/models" 2>/dev/null && [ -e "${f%.v}.probes" ] || echo "$f"
    done
}

check_name() { # [FILE that holds the module of this name]
    printf '%s' "$name" | grep -Eqx '[a-z][a-z0-9_]*' ||
        refuse 'is no name of a module here: a small letter, then small letters, digits and _'
    case $name in *__* | *_) refuse 'has __ in it, or _ at its end, which Verilator and C++ keep for themselves' ;; esac
    [ ${#name} -le 32 ] || refuse "has ${#name} characters, at most 32"
    language=$(awk -v name="$name" '!/^#/ { for (i = 2; i <= NF; i++) if ($i == name) { print $1; exit } }' "$here/words")
    [ -z "$language" ] || refuse "is a word of $(echo "$language" | sed 's/^v/V/; s/^systemv/SystemV/; s/^c$/C or C++/')"
    other=$(find rtl tb -name "$name.v" | not_of_a_block | head -1)
    [ -z "$other" ] || [ "$other" = "${1:-}" ] || refuse "is a module that is there ($other)"
    other=$(grep -rlE "^[[:space:]]*(module|primitive)[[:space:]]+${name}([^A-Za-z0-9_]|\$)" rtl tb --include='*.v' | not_of_a_block | head -1)
    [ -z "$other" ] || [ "$other" = "${1:-}" ] || refuse "is a module in $other"
    other=$(find tb sim -name models -exec grep -lE "^${name}[[:space:]]" {} + | head -1)
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
    if ! messages=$($CC -std=gnu11 -D_GNU_SOURCE -fsyntax-only -I. $(find sim sw tb -name '*.h' -printf '-iquote %h\n' | sort -u) \
        -iquote "$new/model" -include "$new/all.h" "$new/test_$name.c" 2>&1); then
        place=$(printf '%s\n' "$messages" | sed -n "s/^\([^ :<]*:[0-9]*\):[0-9]*: note: .*[^a-z]${name}[^a-z].*/\1/p" | head -1)
        refuse "means something in C already${place:+ ($place)}"
    fi
}

# What it says and lets one do.
tell() {
    for f in "$@"; do echo "block: $f"; done
    cat <<END
    make test TEST=$test                         checks it
    make test TEST=$test WAVES=1; make wave      shows it
    make cycles TEST=$test                       clocks busy, stalled, idle of each module in it
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
            text = ""
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
            text = text line
            gsub(/end[a-z]+[ \t]*:[ \t]*[A-Za-z0-9_$]+/, "end ", text)
            n = split(text, word, /[^A-Za-z0-9_$`\\]+/)
            for (i = 1; i <= n; i++) {
                if (word[i] == "") continue
                if (before ~ /^(module|macromodule)$/ && word[i] != "automatic") list[++count] = word[i]
                else used[word[i]] = 1
                if (before !~ /^module$/ || word[i] != "automatic") before = word[i]
            }
        }
        END { for (i = 1; i <= count; i++) if (!(list[i] in used)) print list[i] }' "$1"
}

# FROM, which may have spaces in its paths: $from, and a link to each further one, $new/top/1, 2...
split_from() {
    path='' from='' count=0
    mkdir "$new/top"
    set -f
    set -- $1
    set +f
    for word in "$@"; do
        path=$path${path:+ }$word
        case $path in \~/*) path=$HOME/${path#\~/} ;; esac
        if [ -z "$from" ] && [ -f "$path" ]; then from=$path path=''
        elif [ -n "$from" ] && [ -e "$path" ]; then
            count=$((count + 1))
            ln -s "$(realpath "$path")" "$new/top/$count$([ -d "$path" ] || echo ".v")"
            path=''
        fi
    done
    { [ -n "$from" ] && [ -r "$from" ] && [ -z "$path" ]; } ||
        stop "FROM=$given: $([ "$path" = "$given" ] || echo "${path:+$path: }")no such file, no regular file, or it cannot be read"
}

# The file list: folders that are searched, packages and files that no module's name leads to.
write_list() {
    {
        echo "// What Verilator reads besides $module.v; paths are those from here."
        for d in "$new"/top/*/; do
            # the folder of FROM itself alone; others with all below
            find -L "$d" -maxdepth $([ "$d" = "$new/top/0/" ] && echo 0 || echo 4) -type d ! -path '*/.*' ! -path '* *' | sort |
                sed "s|^$new/top/||; s|/*\$||; s|.*|+incdir+&\n-y &|"
        done
        for f in "$new"/top/[0-9].v; do [ ! -e "$f" ] || grep -Fqx "${f##*/}" "$new/packages" || echo "-v ${f##*/}"; done
        cat "$new/packages" "$new/others"
    } >"$new/top/$module.f"
}

# What is missing, looked for in the folders of FROM, then near them: such a folder is $near. Fails if there is nothing new.
find_missing() {
    found=''
    missing=$(sed -n "s/.*[Pp]ackage.*'\([A-Za-z_][A-Za-z0-9_$]*\)'.*/package \1/p
        s/.*Cannot find file containing module: '\(.*\)'.*/module \1/p; s/.*Cannot find include file: \(.*\)/include \1/p" "$new/says" | sort -u)
    while read -r kind what; do
        [ -n "$kind" ] || continue
        for place in "$new/top" "$beside/.." "$beside/../.."; do
            if [ "$place" != "$new/top" ]; then place=$(realpath "$place"); fi
            case $place in / | "$HOME" | /tmp | /home) continue ;; esac
            if [ "$kind" = include ]; then
                f=$(find -L "$place" -maxdepth 6 -path "*/$what" ! -path '*/.*' 2>/dev/null | sort | head -1)
            else
                f=$(find -L "$place" -maxdepth 6 -type f \( -name '*.v' -o -name '*.sv' -o -name '*.vh' -o -name '*.svh' \) \
                    ! -path '*/.*' -exec grep -lE "^[[:space:]]*${kind}[[:space:]]+(automatic[[:space:]]+)?$what([^A-Za-z0-9_]|\$)" {} + \
                    2>/dev/null | sort | awk -v name="/$what." 'NR == 1 || index($0, name) { best = $0 } END { print best }')
            fi
            [ -n "$f" ] || continue
            if [ "$place" != "$new/top" ]; then # a folder that FROM does not have
                folder=$([ "$kind" = include ] && echo "${f%/"$what"}" || dirname "$f")
                case " $near " in *" $folder "*) break ;; esac
                case $from in /*) ;; *) folder=$(realpath --relative-to=. "$folder") ;; esac
                near="$near${near:+ }$folder"
                count=$((count + 1))
                ln -s "$(realpath "$folder")" "$new/top/$count"
                found=yes
                break
            fi
            f=${f#"$new/top/"}
            case $kind in
                package) line=$f list=$new/packages ;;
                module) line="-v $f" list=$new/others ;;
                include) line=+incdir+${f%/"$what"} list=$new/others ;;
            esac
            grep -Fqx -e "$line" "$list" || { echo "$line" | cat - "$list" >"$new/list" && mv "$new/list" "$list" && found=yes; }
            break
        done
    done <<END
$missing
END
    [ -n "$found" ]
}

# At most ten errors, with the names that the user knows.
show_errors() {
    awk '/^%Error: (Exiting|Command)/ { next } /^%Error/ { n++; left = 4 } /^%Warning/ { left = 0 } n <= 10 && left-- > 0
        END { if (n > 10) print "... and " n - 10 " more errors" }' "$new/says" | as_given >&2
    grep -q '^%Error' "$new/says" || as_given <"$new/says" >&2
}
as_given() { sed "s|$new/top/$module\.v|$from|g; s|$new/top/0/|$beside/|g"; }

copy_data() {
    "$PYTHON" -S scripts/tool.py design opened "$new/model/$name.design" >"$new/data"
    while read -r call place what; do
        case $what in
            '') echo "block: $(echo "$place" | as_given): \$$call of a name that it makes as it runs; such files are looked for in $test" ;;
            /*) [ -e "$what" ] || stop "FROM=$given: $(echo "$place" | as_given) reads $what, which is not there" ;;
            *)
                for d in "$beside" "$new"/top/*/ .; do [ ! -f "$d/$what" ] || break; done
                [ -f "$d/$what" ] || stop "FROM=$given: $(echo "$place" | as_given) reads $what (\$$call); expected a file $beside/$what"
                case /$what in */../*) stop "FROM=$given: $(echo "$place" | as_given) reads $what; expected a file in its folder" ;; esac
                [ -n "$inside" ] && continue
                mkdir -p "$(dirname "$new/copy/$what")"
                cp "$d/$what" "$new/copy/$what"
                ;;
        esac
    done <"$new/data"
}

# The parts, in the folder `parts` under the names by which they are found, and the file list for them.
copy_parts() {
    for f in $files; do
        part=${f#"$new/top/"}
        case $f in
            "$new/top/$module.v") cp "$f" "$new/copy/$module.v"; continue ;;
            "$new"/top/*../*) stop "FROM=$given: it uses $(echo "$f" | as_given); expected all that it uses in folders of FROM" ;;
            "$new"/top/*) ;;
            *) continue ;;
        esac
        shared=$(find $VERILOG_DIRS -maxdepth 1 -name "$(basename "$part" .v).v" 2>/dev/null | head -1)
        if [ -n "$shared" ] && cmp -s "$f" "$shared" && ! grep -Fqx "$part" "$new/packages"; then
            echo "block: shares $shared"
            continue
        fi
        to=$new/copy/parts/$(case $part in */*) echo "${part#*/}" ;; *) echo "$part" ;; esac)
        [ ! -e "$to" ] || cmp -s "$f" "$to" || stop "FROM=$given: it uses two files ${to#"$new/copy/parts/"}; expected one"
        mkdir -p "$(dirname "$to")"
        cp "$f" "$to"
    done
    [ -d "$new/copy/parts" ] || return 0
    {
        sed -n 1p "$new/top/$module.f"
        (cd "$new/copy" && find parts -type d | sort | sed 's/.*/+incdir+&\n-y &/')
        sed -n 's|^-v \([0-9]*/\)*|-v parts/|p' "$new/top/$module.f" | while read -r l; do [ ! -e "$new/copy/${l#* }" ] || echo "$l"; done
        sed 's|^[0-9]*/|parts/|; /^parts/!s|^|parts/|' "$new/packages"
    } | awk '!seen[$0]++' >"$new/copy/$module.f"
}

start_from() {
    given=$1
    split_from "$1"
    case $from in *.v | *.sv) ;; *) stop "FROM=$1: expected a file of Verilog, *.v or *.sv" ;; esac
    modules=$(tops "$from")
    of_file=$(basename "${from%.*}")
    has_module() { grep -Eq "^[[:space:]]*module[[:space:]]+(automatic[[:space:]]+)?${1}([^A-Za-z0-9_]|\$)" "$from"; }
    if [ -n "$MODULE" ]; then
        has_module "$MODULE" || stop "FROM=$1: there is no module $MODULE in it"
        module=$MODULE
    elif printf '%s' "$of_file" | grep -Eqx '[A-Za-z0-9_]+' && has_module "$of_file"; then module=$of_file
    else
        [ -n "$modules" ] || stop "FROM=$1: each module in it is used by another one, or there is none; expected MODULE=name"
        module=$(echo $modules)
        case $module in *' '*) stop "FROM=$1: which one is meant? MODULE=name, one of $module" ;; esac
    fi
    for p in $PARAMETERS; do
        printf '%s' "$p" | grep -Eqx '[A-Za-z_][A-Za-z0-9_$]*=[^=]+' || stop "PARAMETERS=$PARAMETERS: $p: expected NAME=VALUE"
        printf '%s' "${p#*=}" | grep -Eqx "[0-9'][0-9a-zA-Z_.'?+-]*|-[0-9.]+|\"[A-Za-z0-9_./+-]*\"" ||
            stop "PARAMETERS=$PARAMETERS: $p: expected a number, or a string as in ${p%%=*}=\"text\", without spaces"
    done
    values=$(for p in $PARAMETERS; do printf '_%s' "${p#*=}"; done | sed 's/"//g; s/[^A-Za-z0-9_]/_/g; s/__*/_/g; s/_$//')
    name=${NAME:-$(printf '%s%s' "$module" "$values" | tr '[:upper:]' '[:lower:]')}
    inside=$(case $from in rtl/* | tb/*) echo "$from" ;; esac)
    [ -z "$inside" ] || [ "$count" = 0 ] || stop "FROM=$1: what lies below rtl/ or tb/ stays there; expected it alone"
    check_name "$inside"

    # ---- whether it can be read, and what belongs to it
    beside=$(dirname "$from")
    near='' source=$from
    : >"$new/packages"
    : >"$new/others"
    if [ -z "$inside" ]; then
        source=$new/top/$module.v
        ln -s "$(realpath "$from")" "$source"
        ln -s "$(realpath "$beside")" "$new/top/0"
        write_list
    fi
    until scripts/model.sh bind "$new/model" "$name" "$module" "$source" $PARAMETERS >"$new/says" 2>&1; do
        missing=$(sed -n "s/.*Parameter without [a-z]* value is never given value.*: '\(.*\)'/\1/p" "$new/says" | sort -u)
        [ -z "$missing" ] || stop "FROM=$1: a value is missing; expected PARAMETERS='$(for p in $missing; do
            printf '%s=... ' "$p"; done | sed 's/ $//')'"
        if [ -z "$inside" ] && find_missing; then
            write_list
            continue
        fi
        show_errors
        stop "FROM=$1: Verilator cannot read it, see above; what it uses is looked for in the folders of FROM, near them and below rtl/"
    done
    [ -z "$near" ] || stop "FROM=$1: it uses what is in other folders; expected FROM='$from${1#"$from"} $near'"
    [ -s "$new/model/$name.ports" ] || stop "FROM=$1: $module has no ports, like a bench; expected the module that it tests"
    files=$("$PYTHON" -S scripts/tool.py design files "$new/model/$name.design" | grep -Ev "\.(vlt|f)$|^$new/model/" || true)
    mkdir "$new/copy"
    test=tb/unit/$name
    copy_data
    if [ -z "$inside" ]; then
        copy_parts
        rules=$(sed -n "s|^%Warning-\([A-Z0-9]*\): $new/top/.*|\1|p" "$new/says" | sort | uniq -c | awk '{ print $2, $1 }')
        if [ -n "$rules" ]; then
            {
                echo "// What Verilator warns of in this folder, which was written elsewhere. Without one of the lines the build shows it."
                echo '`verilator_config'
                echo "$rules" | while read -r rule count; do echo "lint_off -rule $rule -file \"*$test/*\" // $count"; done
            } >"$new/copy/$module.vlt"
        fi
        {
            echo "# With this file make cycles counts the modules of $module, which have no probes: by the handshakes that their ports are called"
            echo "# after, or by outputs that change. Lines say better: MODULE PROBE [@CLOCK] = EXPRESSION (scripts/handshakes.py), such as"
            echo "# $module probe_busy = state != 0"
        } >"$new/copy/$module.probes"
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
    trap 'rm -rf "$new" "$test"' EXIT
    cp -r "$new/copy/." "$test"
    mv "$new/test_$name.c" "$new/test_$name.gtkw" "$test"
    # ---- whether it can be built, and runs; a file that it reads may be in the same folder
    until (
        unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES FROM NAME MODULE PARAMETERS
        ${MAKE:-make} test TEST="$test" PLUSARGS="${PLUSARGS:-}"
    ) >"$new/says" 2>&1; do
        what=$(sed -n 's/.*): \(.*\): \$readmem finds no such file; .*/\1/p' "$new/says" | head -1)
        if [ -n "$what" ]; then
            { [ -f "$beside/$what" ] && [ ! -e "$test/$what" ]; } ||
                stop "FROM=$1: it reads $what while it runs; expected a file $beside/$what, or PLUSARGS if it asks for another name so"
            mkdir -p "$(dirname "$test/$what")"
            cp "$beside/$what" "$test/$what"
            continue
        fi
        grep -v '^  [A-Z]' "$new/says" | head -20 >&2
        stop "FROM=$1: it cannot be built, or its empty test (it comes out of reset and runs) fails, see above; nothing is left of it"
    done
    trap 'rm -rf "$new"' EXIT
    tell $(find "$test" -type f | sort)
    echo "    built, and its empty test has run"
    [ -z "${rules:-}" ] || echo "    Verilator's warnings are waived in $test/$module.vlt: $(echo $rules)"
    awk '$1 != $2 { print "    the port " $1 " is " $2 " in C" }' "$new/model/$name.ports"
    inout='s/^    assign \\pins_of_\(.*\) \[0\] = \\\([^ ]*\).* ? \\\([^ ]*\).*/    the port \1 is inout: \1, \3, \2 in C/p'
    [ "$top" = "$module" ] || sed -n "$inout" "$new/model/$top.v"
}

rm -rf "$new"
mkdir -p "$new"
trap 'rm -rf "$new"' EXIT
if [ "$1" = --from ]; then start_from "$2"; else name=$1; start_new "${2:-rtl/blocks}"; fi
