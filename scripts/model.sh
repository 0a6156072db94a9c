#!/bin/sh
# Builds one model of a Verilog module, step by step; all steps want the same arguments.
#
#   [BLOCKS='SLOT=NAME...'] [BLOCK_FILES='file...'] [OPTIMIZE=-O1] scripts/model.sh STEP FOLDER NAME MODULE FILE [PARAMETER=VALUE...]
#
# STEP: bind  FOLDER/NAME.h, the glue, NAME.d (the Verilog files the model is made of, for make), the C++ of the fast model; FOLDER/bound
#       fast  FOLDER/libNAME.a, the model for runs that nobody looks into: no waves, no probes, but what scripts/lint.vlt makes public
#       full  FOLDER/full/libNAME.a, with waves and with all probes. It starts with the same values as the fast one and does the same
#             (initial_values.awk)
#       flags prints what the C++ is compiled with; no other arguments
#       lanes FOLDER/lanes/libNAME.a, the fast one several times in the lanes of vectors, $LANES_FLAGS (lanes.sh, lanes.pl)
#       training  FOLDER/training/libNAME.a, the fast one that counts how often each branch is taken (clang)
#       guided    FOLDER/guided/libNAME.a, the fast one, compiled with these counts from the file $PROFILE
#
# NAME is the prefix of everything in C, so that two configurations of one module fit into one program. FILE holds the module; what it
# instantiates is found by name beside it and in the folders of $VERILOG_DIRS. Called by the Makefile, which passes VERILATOR,
# VERILATOR_SHARE, MODEL_CXX, AR, PERL, MAKE, VERILATOR_FLAGS, VERILATED_FLAGS and FAST in the environment. With FAST=0 the C++ is compiled
# as Verilator prints it; FAST=1 changes it by evaluate.pl, rest.pl and places.py, which know what Verilator 5.006 prints.
#
# Warnings are shown by `bind` and stop nothing: another Verilator knows other ones, and `make lint` judges what lies below rtl/. FILE
# elsewhere, or with other blocks in slots, may be somebody else's: delays are ignored, and if Verilator cannot read it as Verilog-2005, it is
# SystemVerilog. A file of the same
# name with .vlt may waive warnings (Verilator's lint_off). With inout ports the model is a module around it (bindings.pl).
set -eu
export LC_ALL=C
step=$1
ulimit -S -s "$(ulimit -H -s)" # Verilator calls itself as deep as an expression is
# In C++ a loop that does nothing else comes to an end, or the compiler may leave it out; in Verilog it is a block that hangs.
as_it_is=-fno-finite-loops
cpp_flags="-std=gnu++17 -DVL_DBG_MSGF=sim_triggered $as_it_is"
[ "$step" != flags ] || { echo "$cpp_flags"; exit 0; }
dir=$2 name=$3 module=$4 file=$5
shift 5
mkdir -p "$dir"
exec 9> "$dir/$step.lock" # two makes in one tree do not build the same model at the same time
flock 9

flags="$VERILATOR_FLAGS -Wno-fatal"
for b in ${BLOCKS:-}; do flags="$flags -D$b"; done # other blocks in slots
foreign=$(case $file in rtl/*) [ -z "${BLOCK_FILES:-}" ] || echo yes ;; *) echo yes ;; esac)
if [ -n "$foreign" ]; then
    flags="$flags -Wno-DECLFILENAME -Wno-ASSIGNDLY -Wno-TIMESCALEMOD -Wno-SYMRSVDWORD -Wno-ENUMVALUE --no-timing"
    flags="$flags +incdir+$(dirname "$file")"
    [ "$step" = bind ] || [ ! -s "$dir/language" ] || flags="$flags --default-language $(cat "$dir/language")"
fi
for f in ${BLOCK_FILES:-}; do [ "$f" = "$file" ] || flags="$flags -v $f"; done
# Parts of a module that somebody else wrote, and where they are: the file list beside it.
[ ! -e "${file%.v}.f" ] || flags="$flags -F ${file%.v}.f"
flags="$flags -y $(dirname "$file")"
parameters=$*
for d in $VERILOG_DIRS; do flags="$flags -y $d"; done
waivers=scripts/lint.vlt
[ ! -e "${file%.v}.vlt" ] || waivers="$waivers ${file%.v}.vlt"
# The module, or what is around it because of its inout ports.
pins=$dir/${name}_pins.v
# Modules that are bound into those without probes, as ${file%.v}.probes asks.
bound_probes=$dir/${name}_probes.v
plain() { for p in $parameters; do printf ' -G%s' "$p"; done; echo " --top-module $module $waivers $file"; }
top() { if [ -e "$pins" ]; then echo " --top-module ${name}_pins $waivers $pins -v $file"; else plain; fi; }

# Verilator's C++ in FOLDER/cpp, with what the step wants, and its evaluation made short. Warnings that stop nothing have been shown before.
verilate() {
    rm -rf "$out/cpp"
    # shellcheck disable=SC2046,SC2086
    "$VERILATOR" --cc -O3 --x-assign unique --x-initial unique --prefix "V$name" -Mdir "$out/cpp" $flags \
        -Wno-lint -Wno-style -Wno-UNOPTFLAT "$@" $(top)
    [ "$FAST" = 1 ] || return 0
    "$PERL" scripts/evaluate.pl "$name" "$out/cpp"
    ! grep -q 'VL_IN.*run_clk' "$out/cpp/V${name}___024root.h" || "$PERL" scripts/rest.pl "$name" "$out/cpp"
    case " $*" in *" --trace"*) "${PYTHON:-python3}" scripts/passes.py "$name" "$out/cpp" places ;; esac
}
xml() {
    # shellcheck disable=SC2086
    "$VERILATOR" --xml-only --xml-output "$dir/$name.xml" -Mdir "$dir/xml" $flags scripts/probes.vlt "$@"
}
# $unit is there as soon as something is bound, and holds nothing.
classes() { sed -n '/___024unit___ctor/d; s/^.* \([A-Za-z0-9_]*\)___ctor_var_reset(.*{$/\1/p' "$1"/cpp/*.cpp | sort; }
modules_apart() { classes "$dir" | sed -n "s/^V${name}_\([A-Za-z0-9]\)/\1/; t name; d; :name; s/__.*//; p" | sort -u; }

if [ "$step" = bind ]; then
    rm -f "$dir/language" "$pins" "$bound_probes"
    mkdir -p "$dir/xml"
    # shellcheck disable=SC2046
    if ! xml $(plain) >"$dir/xml/says" 2>&1; then
        if [ -n "$foreign" ] && xml --default-language 1800-2017 $(plain) >"$dir/xml/says_too" 2>&1; then
            echo 1800-2017 >"$dir/language"
            flags="$flags --default-language 1800-2017"
            mv "$dir/xml/says_too" "$dir/xml/says"
        else # of SystemVerilog, unless only its words are in the way
            [ -e "$dir/xml/says_too" ] && { grep -q 'syntax error' "$dir/xml/says" || ! grep -q 'syntax error' "$dir/xml/says_too"; } ||
                mv "$dir/xml/says" "$dir/xml/says_too"
            cat "$dir/xml/says_too" >&2
            exit 1
        fi
    fi
    [ -n "${BLOCK_FILES:-}" ] || cat "$dir/xml/says" >&2 # those of a block in a slot have been shown by slots.sh
    ! grep -q 'dir="inout"' "$dir/$name.xml" ||
        "$PERL" scripts/bindings.pl --split "$name" "$module" "$dir/$name.xml" "$dir" $parameters
    # shellcheck disable=SC2046
    [ ! -e "$pins" ] || xml -Wno-lint -Wno-style $(top)
    if [ -e "${file%.v}.probes" ]; then
        "$PERL" scripts/bindings.pl --probes "$name" "$module" "$dir/$name.xml" "$dir" "${file%.v}.probes"
        # shellcheck disable=SC2046
        [ ! -e "$bound_probes" ] || xml -Wno-lint -Wno-style $(top) "$bound_probes"
    fi
    rm -rf "$dir/xml"
    sed -n 's/.*<file .*filename="\([^"&]*\)".*/\1/p' "$dir/$name.xml" | sort -u |
        awk -v bound="$dir/bound" '{ print bound ": " $0; print $0 ":" }' > "$dir/$name.d.part"
    mv "$dir/$name.d.part" "$dir/$name.d"
    out=$dir
    verilate
    VERILOG_FILE=$file "$PERL" scripts/bindings.pl "$name" "$module" "$dir/$name.xml" "$dir" $parameters
    : > "$dir/bound"
    exit 0
fi
if [ "$step" = lanes ]; then
    out=$dir/lanes width=${LANES_FLAGS%% *}
    mkdir -p "$out"
    cp "$dir/lib$name.a" "$out/lib$name.tmp"
    # what Verilator prints may be more than lanes.pl knows: then it has said so, and instances are evaluated one by one
    if [ "$width" != 1 ] && [ "$FAST" = 1 ] && "$PERL" scripts/lanes.pl "$name" "$dir/cpp" "$out/${name}_lanes.cpp"; then
        flags="$VERILATED_FLAGS $as_it_is -DLANES=$width -DVM_TRACE=0 -I$dir -I$dir/cpp"
        # shellcheck disable=SC2086
        $MODEL_CXX $flags -std=gnu++20 ${LANES_FLAGS#* } -c "$out/${name}_lanes.cpp" -o "$out/${name}_lanes.o"
        # shellcheck disable=SC2086
        $MODEL_CXX $flags -c "$dir/${name}_glue.cpp" -o "$out/${name}_glue.o"
        # the glue that is there knows nothing of lanes
        objcopy --wildcard --localize-symbol="${name}_*" "$out/lib$name.tmp"
        "${AR:-ar}" rs "$out/lib$name.tmp" "$out/${name}_lanes.o" "$out/${name}_glue.o" 2>/dev/null
    fi
    mv "$out/lib$name.tmp" "$out/lib$name.a"
    exit 0
fi
optimize=${OPTIMIZE:--O2}
if [ "$step" = full ]; then
    out=$dir/full
    mkdir -p "$out"
    optimize=-O1
    probes="scripts/probes.vlt $([ ! -e "$bound_probes" ] || echo "$bound_probes")"
    # shellcheck disable=SC2086
    verilate --trace $probes
    if [ "$(classes "$dir")" != "$(classes "$out")" ]; then
        # with probes Verilator inlines other modules: it is told which not, or that all
        all=$([ -n "$(modules_apart)" ] || echo --flatten)
        { echo '`verilator_config' && modules_apart | sed 's/.*/no_inline -module "&"/'; } >"$out/apart.vlt"
        # shellcheck disable=SC2086
        verilate --trace $probes $all "$out/apart.vlt"
        [ "$(classes "$dir")" = "$(classes "$out")" ] ||
            echo "$name with waves: other modules stand apart than without; registers without a reset may start with other values" >&2
    fi
    cat "$dir"/cpp/*__Slow.cpp >"$out/other.cpp" # from 5.038 on start values follow from names, and are the same in every build
    for f in $(grep -q VL_SCOPED_RAND_RESET "$out/other.cpp" || grep -l '___ctor_var_reset(.*{$' "$out"/cpp/*.cpp); do
        awk -f scripts/initial_values.awk "$out/other.cpp" "$f" >"$out/new.cpp"
        mv "$out/new.cpp" "$f"
    done
    rm -f "$out/other.cpp"
elif [ "$step" = training ] || [ "$step" = guided ]; then
    out=$dir/$step
    mkdir -p "$out"
    rm -rf "$out/cpp"
    cp -r "$dir/cpp" "$out/cpp"
    optimize="-O2 -fprofile-instr-generate"
    [ "$step" = training ] || optimize="-O2 -fprofile-instr-use=$PROFILE"
else
    out=$dir
fi
# From nothing, in a folder that is gone afterwards: what a killed build has left may be half. Files of more than 200 KiB are compiled side
# by side. All others are one, with the glue: most of their time is what each includes.
# What runs once, at the start, is not optimized. The sources say so, for the headers are compiled for code that is.
# Where a value does not settle, Verilator can say which, but would only in models that are slow in all else (VL_DEBUG).
rm -rf "$out/made" "$out/lib$name.tmp"
mkdir "$out/made"
as_written='#pragma GCC diagnostic ignored "-Wattributes"\n#pragma GCC optimize 0'
case $MODEL_CXX in *clang*) as_written='#pragma clang optimize off' ;; esac
sources=$(find "$out/cpp" "$dir/${name}_glue.cpp" -name '*.cpp' -printf '%s %p\n')
printf '%s\n' "$sources" | sort -k 2 |
    awk -v made="$out/made/" -v small="V${name}__small.cpp" -v as_written="$as_written" '
        function put(to) {
            while ((getline line <path) > 0) {
                if (held) print (line ~ /___dump_triggers__/ ? "#if 1" : "#ifdef VL_DEBUG") >to
                if (!(held = line == "#ifdef VL_DEBUG")) print line >to
            }
            close(path)
        }
        {
            path = $2; file = path; sub(/.*\//, "", file)
            at_the_start = file ~ /__(Slow|Syms)[.]cpp$/
            if ($1 <= 200 * 1024) { if (at_the_start) last[++lasts] = path; else put(made small); next }
            if (at_the_start) print as_written >made file
            put(made file)
            close(made file)
        }
        END { print as_written >made small; for (i = 1; i <= lasts; i++) { path = last[i]; put(made small) } }'
headers_of=fast
[ "$step" != full ] || headers_of=full
headers=${MODEL_HEADERS:+-include $PWD/$MODEL_HEADERS/$headers_of.h -fpch-preprocess}
root=$PWD
(
    cd "$out/made"
    waves=$([ "$step" = full ] && echo 1 || echo 0)
    # shellcheck disable=SC2046
    $MAKE -s -f "$VERILATOR_SHARE/include/verilated.mk" $(ls | sed 's/cpp$/o/') VERILATOR_ROOT="$VERILATOR_SHARE" VM_PREFIX="V$name" \
        VM_COVERAGE=0 VM_SC=0 VM_TRACE="$waves" VM_TRACE_FST=0 VM_TRACE_VCD="$waves" \
        OPT_FAST="$optimize $headers" CXX="$MODEL_CXX" \
        USER_CPPFLAGS="$cpp_flags -I../cpp -I.. -I../.. -I$root" >/dev/null
    "${AR:-ar}" rcs "../lib$name.tmp" ./*.o
)
rm -rf "$out/made"
mv "$out/lib$name.tmp" "$out/lib$name.a"
