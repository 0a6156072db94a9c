#!/bin/sh
# Builds one model: Verilog module -> FOLDER/{NAME.h, libNAME.a}.
#
#   [BLOCKS='SLOT=NAME...'] [BLOCK_FILES='file...'] scripts/model.sh FOLDER NAME MODULE FILE [PARAMETER=VALUE...]
#
# NAME is the prefix of everything in C, so that two configurations of one module fit into one program. FILE holds the module; what it
# instantiates is found by name in the folders of $VERILOG_DIRS. Called by the Makefile, which passes VERILATOR, CXX, PERL, MAKE,
# VERILATOR_FLAGS and VERILATED_FLAGS in the environment. Leaves NAME.d, the Verilog files the model was made of, for make.
set -eu
dir=$1 name=$2 module=$3 file=$4
shift 4
mkdir -p "$dir"
exec 9> "$dir/lock" # two makes in one tree do not build the same model at the same time
flock 9

flags=$VERILATOR_FLAGS
for b in ${BLOCKS:-}; do flags="$flags -D$b"; done # other blocks in slots
# what is no error in files that are not ours does not stop the build
[ -z "${BLOCK_FILES:-}" ] || flags="$flags -Wno-fatal -Wno-DECLFILENAME"
for f in ${BLOCK_FILES:-}; do [ "$f" = "$file" ] || flags="$flags -v $f"; done
flags="$flags -y $(dirname "$file")"
parameters=$*
for d in $VERILOG_DIRS; do flags="$flags -y $d"; done
for p in "$@"; do flags="$flags -G$p"; done
# shellcheck disable=SC2086
set -- $flags --top-module "$module" scripts/lint.vlt "$file"

"$VERILATOR" --xml-only --xml-output "$dir/$name.xml" -Mdir "$dir/xml" "$@"
"$PERL" scripts/bindings.pl "$name" "$module" "$dir/$name.xml" "$dir" $parameters
rm -rf "$dir/xml"

"$VERILATOR" --cc -O3 --x-assign unique --x-initial unique --trace-fst --prefix "V$name" -Mdir "$dir/cpp" "$@"
$MAKE -s -C "$dir/cpp" -f "V$name.mk" "V${name}__ALL.a" OPT_FAST=-O2 OPT_SLOW=-O0 OPT_GLOBAL=-O2 CXX="$CXX" >/dev/null
# shellcheck disable=SC2086
$CXX $VERILATED_FLAGS -I"$dir" -I"$dir/cpp" -c "$dir/${name}_glue.cpp" -o "$dir/${name}_glue.o"
cp "$dir/cpp/V${name}__ALL.a" "$dir/lib$name.tmp"
ar rs "$dir/lib$name.tmp" "$dir/${name}_glue.o" 2>/dev/null
sed -n 's/^.*: *//p' "$dir/cpp/V${name}__ver.d" | tr ' ' '\n' | grep '\.v[ht]*l*t*$' | sort -u |
    awk -v lib="$dir/lib$name.a" '{ print lib ": " $0; print $0 ":" }' > "$dir/$name.d"
mv "$dir/lib$name.tmp" "$dir/lib$name.a"
