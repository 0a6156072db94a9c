#!/bin/sh
# Builds one model of a Verilog module, step by step; all steps want the same arguments.
#
#   [BLOCKS='SLOT=NAME...'] [BLOCK_FILES='file...'] [OPTIMIZE=-O1] scripts/model.sh STEP FOLDER NAME MODULE FILE [PARAMETER=VALUE...]
#
# STEP: bind  FOLDER/NAME.h, the glue, NAME.d (the Verilog files the model is made of, for make), the C++ of the fast model; FOLDER/bound
#       fast  FOLDER/libNAME.a, the model for runs that nobody looks into: no waves, no probes, but what scripts/lint.vlt makes public
#       full  FOLDER/full/libNAME.a, with waves and with all probes. It starts with the same values as the fast one and does the same
#             (initial_values.py)
#       flags prints what the C++ is compiled with; no other arguments
#       lanes FOLDER/lanes/libNAME.a, the fast one several times in the lanes of vectors, $LANES_FLAGS (lanes.sh, lanes.py)
#       training  FOLDER/training/libNAME.a, the fast one that counts how often each branch is taken (clang)
#       guided    FOLDER/guided/libNAME.a, the fast one, compiled with these counts from the file $PROFILE
#
# NAME is the prefix of everything in C, so that two configurations of one module fit into one program. FILE holds the module; what it
# instantiates is found by name in its own folder and in the folders of $VERILOG_DIRS. Called by the Makefile, which passes VERILATOR,
# VERILATOR_SHARE, VERILATOR_IS, MODEL_CXX, AR, PYTHON, MAKE, VERILATOR_FLAGS, VERILATED_FLAGS and PASSES in the environment. PASSES change the
# C++ that Verilator prints (passes.py); what does not compile then is compiled as it is printed.
#
# Warnings are shown by `bind` and stop nothing: another Verilator knows other ones, and `make lint` checks what lies below rtl/. FILE
# elsewhere, or with other blocks in slots, may be somebody else's: delays are ignored, and if Verilator cannot read it as Verilog-2005, it is
# SystemVerilog. A file of the same
# name with .vlt may waive warnings (Verilator's lint_off). With inout ports the model is a module around it (bindings.py).
set -eu
export LC_ALL=C
step=$1
PYTHON=${PYTHON:-python3}
# shellcheck disable=SC3045 # dash and bash have -S and -H
ulimit -S -s "$(ulimit -H -s)" # Verilator calls itself as deep as an expression is
# In C++ a loop that does nothing else comes to an end, or the compiler may leave it out; in Verilog it is a block that hangs.
as_it_is=-fno-finite-loops
# Verilator's own flags are for the g++ that it was built with: clang 19 does not know -Wno-subobject-linkage of 5.048.
cpp_flags="-std=gnu++17 -Wno-unknown-warning-option -DVL_DBG_MSGF=sim_triggered $as_it_is"
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
# Parts of an external module, and their files: the file list in its folder.
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

# A crash of Verilator leaves no message of its own.
run() {
    "$@" && return || code=$?
    [ $code -lt 128 ] || echo "$VERILATOR crashed: code $code at module $module, $file" >&2
    return $code
}

# Verilator's C++ in FOLDER/cpp, with what the step wants, and its evaluation made short. Warnings that stop nothing have been shown before.
verilate() {
    rm -rf "$out/cpp"
    run "$VERILATOR" --cc -O3 --x-assign unique --x-initial unique --prefix "V$name" -Mdir "$out/cpp" $flags \
        -Wno-lint -Wno-style -Wno-UNOPTFLAT "$@" $(top)
    passes=
    for p in $PASSES; do
        case "$p / $*" in evaluate* | rest* | places*" --trace "*) passes="${passes:-passes $name $out/cpp} $p" ;; esac
    done
}
python() { "$PYTHON" -S scripts/tool.py "$@"; }
report() {
    run scripts/report.sh "$dir/$name.design" -Mdir "$dir/report" $flags scripts/probes.vlt "$@"
}
# $unit is there as soon as something is bound, and holds nothing.
classes() { sed -n '/___024unit___ctor/d; s/^.* \([A-Za-z0-9_]*\)___ctor_var_reset(.*{$/\1/p' "$1"/cpp/*.cpp | sort; }
modules_apart() { classes "$dir" | sed -n "s/^V${name}_\([A-Za-z0-9]\)/\1/; t name; d; :name; s/__.*//; p" | sort -u; }

if [ "$step" = bind ]; then
    rm -f "$dir/language" "$pins" "$bound_probes"
    mkdir -p "$dir/report"
    if ! report $(plain) >"$dir/report/says" 2>&1; then
        if [ -n "$foreign" ] && report --default-language 1800-2017 $(plain) >"$dir/report/says_too" 2>&1; then
            echo 1800-2017 >"$dir/language"
            flags="$flags --default-language 1800-2017"
            mv "$dir/report/says_too" "$dir/report/says"
        else # of SystemVerilog, unless only its words are in the way
            [ -e "$dir/report/says_too" ] && { grep -q 'syntax error' "$dir/report/says" || ! grep -q 'syntax error' "$dir/report/says_too"; } ||
                mv "$dir/report/says" "$dir/report/says_too"
            cat "$dir/report/says_too" >&2
            exit 1
        fi
    fi
    [ -n "${BLOCK_FILES:-}" ] || cat "$dir/report/says" >&2 # those of a block in a slot have been shown by slots.py
    ! grep -qE 'dir="inout"|"direction":"INOUT"' "$dir/$name.design" || # as XML, as JSON
        python bindings --split "$name" "$module" "$dir/$name.design" "$dir" $parameters
    [ ! -e "$pins" ] || report -Wno-lint -Wno-style $(top)
    if [ -e "${file%.v}.probes" ]; then
        python bindings --probes "$name" "$module" "$dir/$name.design" "$dir" "${file%.v}.probes"
        [ ! -e "$bound_probes" ] || report -Wno-lint -Wno-style $(top) "$bound_probes"
    fi
    rm -rf "$dir/report"
    out=$dir
    verilate
    VERILOG_FILE=$file python ${passes:+$passes +} bindings "$name" "$module" "$dir/$name.design" "$dir" $parameters
    : > "$dir/bound"
    exit 0
fi
if [ "$step" = lanes ]; then
    out=$dir/lanes width=${LANES_FLAGS%% *}
    mkdir -p "$out"
    cp "$dir/lib$name.a" "$out/lib$name.tmp"
    flags="$VERILATED_FLAGS $as_it_is -DLANES=$width -DVM_TRACE=0 -I$dir -I$dir/cpp"
    rm -f "$out/${name}_lanes.cpp"
    [ "$width" = 1 ] || python passes "$name" "$dir/cpp" "lanes:$out/${name}_lanes.cpp"
    # Without that file, or if it does not compile, lanes.py has said so and instances are evaluated one by one.
    if [ -e "$out/${name}_lanes.cpp" ] &&
        { $MODEL_CXX $flags -std=gnu++20 ${LANES_FLAGS#* } -c "$out/${name}_lanes.cpp" -o "$out/${name}_lanes.o" 2>"$out/errors" ||
            ! python passes --not-compiled lanes "$name"; }; then
        $MODEL_CXX $flags -c "$dir/${name}_glue.cpp" -o "$out/${name}_glue.o"
        # the glue that is there knows nothing of lanes
        "${OBJCOPY:-objcopy}" --wildcard --localize-symbol="${name}_*" "$out/lib$name.tmp"
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
    verilate --trace $probes
    if [ "$(classes "$dir")" != "$(classes "$out")" ]; then
        # with probes Verilator inlines other modules: no_inline names those to keep, or all are inlined
        all=$([ -n "$(modules_apart)" ] || echo --flatten)
        { echo '`verilator_config' && modules_apart | sed 's/.*/no_inline -module "&"/'; } >"$out/apart.vlt"
        verilate --trace $probes $all "$out/apart.vlt"
        [ "$(classes "$dir")" = "$(classes "$out")" ] ||
            echo "$name with waves: the set of modules that are not inlined differs; registers without a reset may start with other values" >&2
    fi
    [ -z "$passes" ] || python $passes
    cat "$dir"/cpp/*__Slow.cpp >"$out/other.cpp" # from 5.038 on start values follow from names, and are the same in every build
    grep -q VL_SCOPED_RAND_RESET "$out/other.cpp" ||
        python initial_values "$out/other.cpp" $(grep -l '___ctor_var_reset(.*{$' "$out"/cpp/*.cpp)
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
compile() (
    cd "$out/made" || exit
    waves=$([ "$step" = full ] && echo 1 || echo 0)
    $MAKE -s -f "$VERILATOR_SHARE/include/verilated.mk" $(ls | sed 's/cpp$/o/') VERILATOR_ROOT="$VERILATOR_SHARE" VM_PREFIX="V$name" \
        VM_COVERAGE=0 VM_SC=0 VM_TRACE="$waves" VM_TRACE_FST=0 VM_TRACE_VCD="$waves" \
        OPT_FAST="$optimize $headers" CXX="$MODEL_CXX" \
        USER_CPPFLAGS="$cpp_flags -I../cpp -I.. -I../.. -I$root" >/dev/null &&
        "${AR:-ar}" rcs "../lib$name.tmp" ./*.o
)
if compile 2>"$out/errors"; then
    cat "$out/errors" >&2
elif [ -n "$PASSES" ]; then # as Verilator prints it
    PASSES=
    [ "$step" = full ] || { out=$dir && verilate; }
    flock -u 9
    PASSES='' "$0" "$step" "$dir" "$name" "$module" "$file" $parameters && python passes --not-compiled passes "$name"
    exit
else
    cat "$out/errors" >&2
    exit 1
fi
rm -rf "$out/made" "$out/errors"
mv "$out/lib$name.tmp" "$out/lib$name.a"
