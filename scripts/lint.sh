#!/bin/sh
# Checks all Verilog below rtl/: Verilator -Wall, Icarus -g2005 -Wall, Yosys, and rules that no tool knows. Silent tools, or it fails.
#
#   [RTL=folder] scripts/lint.sh [FILE...]      default: every .v below rtl/; other folders' files may be named
#
# No tool alone keeps to Verilog-2005: Verilator takes '0 and .name, Icarus |= and packed arrays, Yosys only reads what it synthesises.
# A warning is an error. Waivers stand in scripts/lint.vlt, each with its reason.
set -u
export LC_ALL=C
VERILATOR=${VERILATOR:-verilator} IVERILOG=${IVERILOG:-iverilog} YOSYS=${YOSYS:-yosys}
RTL=${RTL:-rtl}
all=$(find "$RTL" -name '*.v' | sort)
if [ $# -gt 0 ]; then files=$*; else files=$all; fi
[ -n "$files" ] || { echo "lint: no Verilog files below $RTL/"; exit 1; }
libraries=$(for f in $files $all; do echo "-y ${f%/*}"; done | sort -u | tr '\n' ' ')
bad=0
fail() { bad=1; printf '%s\n' "$1"; }

# ---- rules of the house ----
for f in $files; do
    awk -v file="$f" '
        function say(text) { print file ":" FNR ": " text; bad = 1 }
        length($0) > 140 { say("line of " length($0) " characters, at most 140") }
        /[^ -~]/ && !/^\t*[ -~\t]*$/ { say("not ASCII") }
        /lint_off/ { say("lint_off: waivers stand in scripts/lint.vlt") }
        {
            line = $0; sub(/\/\/.*/, "", line); gsub(/"[^"]*"/, "\"\"", line)
            if (line ~ /`timescale/) say("`timescale: no file has one")
            for (rest = line; match(rest, /`[A-Za-z_][A-Za-z_0-9]*/); rest = substr(rest, RSTART + RLENGTH)) {
                word = substr(rest, RSTART + 1, RLENGTH - 1)
                if (word == "include") elsewhere = 1
                else if (word == "define") { split(substr(rest, RSTART + RLENGTH), part, /[ \t(]+/); defined[part[2]] }
                else if (!elsewhere && !(word in defined) && word !~ /^(default_nettype|timescale|undef|if(n?)def|elsif|else|endif)$/)
                    say("`" word " is not defined in this file, which includes none")
            }
            if (line ~ /\.\*/) say(".* connects ports by name: SystemVerilog")
            if (line ~ /(^|[(,])[ \t]*\.[A-Za-z_][A-Za-z_0-9]*[ \t]*([,)]|$)/) say(".name without (): SystemVerilog")
            if (line ~ /(^|[(,])[ \t]*\.[a-z][A-Za-z_0-9]*([ \t][ \t]+)?\(/) say("ports are connected as .port (wire)")
            if (line ~ /(^|[(,])[ \t]*\.[A-Z][A-Z_0-9]*[ \t]+\(/) say("parameters are set as .NAME(value)")
            if (line ~ /^[ \t]*module[ \t]/) {
                modules++; name = line
                sub(/^[ \t]*module[ \t]+/, "", name); sub(/[^A-Za-z_0-9].*/, "", name)
            }
            # always @*: the first signal that it reads must be read whatever the parameters are, or an event simulator may never run it
            if (line ~ /always[ \t]*@\*/) { unread = 1; sub(/.*@\*/, "", line) }
            else if (line ~ /^[ \t]*(always|assign|wire|reg|generate|endmodule)/) unread = 0
            if (unread) {
                gsub(/for \([^)]*\)/, "", line); gsub(/[0-9]*\047[bdho][0-9a-fxz_]+/, "", line)
                if (match(line, /if \(/)) {
                    if (substr(line, RSTART) ~ /^if \([A-Z][A-Z_0-9]* *([=!]=|[<>])/) say("always @* that a parameter can leave without a signal")
                    unread = 0
                } else if (line ~ /[^a-z]case[ \t]*\(|=.*[a-z]/) unread = 0
            }
            if (line ~ /`default_nettype[ \t]+none/ && !modules) none = 1
            if (line ~ /[^ \t]/) last = line
        }
        END {
            stem = file; sub(/.*\//, "", stem); sub(/\.v$/, "", stem)
            if (modules != 1) say(modules + 0 " modules, expected one per file")
            else if (name != stem) say("module " name " in a file named " stem ".v")
            if (!none) say("`default_nettype none must come before the module")
            if (last !~ /^`default_nettype[ \t]+wire[ \t]*$/) say("the last line must be `default_nettype wire")
            exit bad
        }' "$f" || bad=1
done

# ---- Verilator: every module with its default parameters, also those that nothing instantiates yet; all in one module, because most of
# the work is what they share ----
around=$(mktemp -d)
trap 'rm -rf "$around"' EXIT
{
    echo '/* verilator lint_off PINMISSING */'
    echo 'module lint_all;'
    for f in $files; do m=$(basename "$f" .v); echo "    $m of_$m ();"; done
    echo endmodule
} >"$around/lint_all.v"
quiet=$(! "$VERILATOR" --quiet-stats --version >/dev/null 2>&1 || echo --quiet-stats) # 5.022 and newer print statistics otherwise
out=$("$VERILATOR" $quiet --lint-only --default-language 1364-2005 -Wall +incdir+build/generated $libraries --top-module lint_all \
      scripts/lint.vlt "$around/lint_all.v" $files 2>&1) && [ -z "$out" ] || fail "Verilator: $out"

# ---- Icarus: any line is a failure ----
others=$(for f in $all; do case " $(echo $files | tr '\n' ' ') " in *" $f "*) ;; *) echo "$f" ;; esac; done)
out=$("$IVERILOG" -g2005 -Wall -Ibuild/generated -t null $files $others 2>&1) && [ -z "$out" ] || fail "Icarus: $out"

# ---- benches of proofs: they fit the blocks that they feed ----
benches=$([ $# -gt 0 ] || [ "$RTL" != rtl ] || find tb/proofs -name '*.v' 2>/dev/null)
if [ -n "$benches" ]; then
    out=$("$IVERILOG" -g2005 -Ibuild/generated -t null $(printf '%s\n' $benches | sed -n 's,.*/\(prove_.*\)\.v,-s \1,p') $benches $all 2>&1) &&
        [ -z "$out" ] || fail "Icarus, benches of proofs: $out"
fi

# ---- declarations before uses, which only Icarus 13 asks for ----
"${PYTHON:-python3}" scripts/declared.py $files $benches || bad=1

# ---- Yosys: reads it without -sv, finds no latch ----
out=$("$YOSYS" -q -p "read_verilog -Ibuild/generated $(echo $files $others); hierarchy -check; proc -noopt;
                       select -assert-none t:\$dlatch t:\$adlatch" 2>&1) && [ -z "$out" ] || fail "Yosys: $out"

# ---- capacity: who holds the bound of what is written without a look at its space (tb/proofs/capacity) ----
if [ $# = 0 ] && [ "$RTL" = rtl ] && [ -e tb/proofs/capacity ]; then
    "${PYTHON:-python3}" scripts/capacity.py --top >"$around/capacity_all.v" &&
        out=$(scripts/report.sh "$around/capacity" --default-language 1364-2005 -Wno-fatal -Wno-lint -Wno-style +incdir+build/generated \
              $libraries --top-module capacity_all "$around/capacity_all.v" scripts/lint.vlt 2>&1) || fail "capacity: $out"
    [ ! -e "$around/capacity" ] || "${PYTHON:-python3}" scripts/capacity.py "$around/capacity" || bad=1
fi

# ---- texts ----
[ $# -gt 0 ] || [ "$RTL" != rtl ] || [ ! -e README.md ] || "${PYTHON:-python3}" scripts/texts.py || bad=1

# ---- layout of the C and the scripts, by the versions of Debian 12, where they are: others differ in places ----
if [ $# = 0 ] && [ "$RTL" = rtl ] && [ -e README.md ]; then
    if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
        out=$(find sim sw tb -name '*.[ch]' ! -path 'tb/unit/runtime/[pt]*/*' | xargs clang-format --dry-run 2>&1 | grep 'warning:' | head -10)
        [ -z "$out" ] || fail "clang-format -i FILE lays these out: $out"
    fi
    if shellcheck --version 2>/dev/null | grep -q '^version: 0\.9\.'; then
        out=$(shellcheck -x -f gcc scripts/*.sh scripts/guest/init .ci/run 2>&1) || fail "shellcheck: $out"
    fi
fi

[ $bad = 0 ] && echo "lint: $(echo $files | wc -w) Verilog files, no warning from Verilator, Icarus and Yosys"
exit $bad
