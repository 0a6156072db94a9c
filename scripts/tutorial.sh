#!/bin/sh
# Runs the tutorial as it is written: every command of scripts/tutorial.md, in the order of the text, from the clone on.
#
#   [NICXBAR=where to clone from] scripts/tutorial.sh FOLDER             in this folder, which is made; make tutorial
#   scripts/tutorial.sh --check FOLDER                                   nothing is built: make only says whether it would do it
#
# A block ```sh is what the user types. A block without a language behind it is what he sees: each line of it must come in that order,
# however many spaces it has; ... stands for anything. If "make: ***" is in it, the commands must fail, else they must not. Default for
# NICXBAR is this tree.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")/.." && pwd)
check=
if [ "${1:-}" = --check ]; then check=yes; shift; fi
folder=${1:?usage: scripts/tutorial.sh [--check] FOLDER}
NICXBAR=${NICXBAR:-$here}
export NICXBAR
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES || true
mkdir "$folder" || { echo "tutorial: $folder: expected a folder that is not there yet"; exit 1; }
folder=$(cd "$folder" && pwd)
mkdir "$folder/said" "$folder/work"
awk -v to="$folder/said" '
    /^```/ {
        if (open) { open = 0; next }
        open = 1
        if ($0 == "```sh") { n++; file = to "/" n ".sh" } else file = to "/" n ".out"
        printf "" > file
        next
    }
    open { print > file }
    END { print n + 0 > (to "/count") }' "$here/scripts/tutorial.md"
count=$(cat "$folder/said/count")
[ "$count" -gt 0 ] || { echo "tutorial: no commands in scripts/tutorial.md"; exit 1; }

if [ -n "$check" ]; then
    git() { mkdir nicxbar && (cd "$here" && cp -rp Makefile scripts rtl sim sw tb "$OLDPWD/nicxbar"); }
    python3() { :; }
    make() { command make -q NO_INSTALL=1 "$@" >/dev/null || [ $? = 1 ]; }
fi
cd "$folder/work"
for n in $(seq "$count"); do
    said=$folder/said/$n
    [ -n "$check" ] || sed "s/^/    /" "$said.sh"
    code=0
    # shellcheck disable=SC1090 # a step of the tutorial
    (set -e; . "$said.sh"; pwd >"$said.cwd") >"$said.log" 2>&1 || code=$?
    wanted=0
    [ ! -e "$said.out" ] || ! grep -q '^make: \*\*\*' "$said.out" || [ -n "$check" ] || wanted=1
    if [ $((code != 0)) != $wanted ]; then
        tail -20 "$said.log"
        echo "tutorial: the commands above ended with $code: $(head -1 "$said.sh")"
        exit 1
    fi
    [ ! -e "$said.cwd" ] || cd "$(cat "$said.cwd")"
    [ -n "$check" ] || [ ! -e "$said.out" ] || awk -v commands="$(head -1 "$said.sh")" '
        { gsub(/[ \t]+/, " "); sub(/^ /, ""); sub(/ $/, "") }
        FNR == NR { line[++lines] = $0; next }
        $0 != "" {
            n = split($0, part, /\.\.\./)
            for (found = 0; !found && at++ < lines;) {
                rest = line[at]
                found = 1
                for (i = 1; i <= n; i++) {
                    gsub(/^ | $/, "", part[i])
                    place = index(rest, part[i])
                    if (part[i] == "") continue
                    if (!place) { found = 0; break }
                    rest = substr(rest, place + length(part[i]))
                }
            }
            if (!found) { print "tutorial: " commands ": expected the line: " $0; exit 1 }
        }' "$said.log" "$said.out" || { tail -30 "$said.log"; exit 1; }
done
echo "tutorial: $count steps${check:+ checked}, as they are written"
