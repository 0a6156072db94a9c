#!/bin/sh
# Checks every make command that the READMEs and make's help show: build/nicxbar reads goals and variables, and nothing is built.
#
#   scripts/commands.sh [--list] [FILE...]      default: all .md files of the tree, and make's help; --list only prints them
#
# A command is a code span that begins with make, or stands in an indented or fenced block: at the start of a line, behind "$ " or behind
# two spaces; it ends at two spaces or one of # > ; & ( ). In a table `... X=1` continues the last command of its file; a span of variables alone
# continues that of its row, or of a table whose head is `make sim ...`. ... is left out. Of [X=a|b] X=a is taken. A goal without variables
# must only be one. Values that stand for something of the reader's (old.json, disk.img, /some/file, X=...) are replaced, see `sample` below.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
list=
if [ "${1:-}" = --list ]; then list=yes; shift; fi
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES || true
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/launcher.sh help >"$work/help"
scripts/launcher.sh help-all >>"$work/help"
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(find . -name '*.md' -not -path './build/*' -printf '%P\n' | sort) "$work/help"
head -c 512 /dev/zero >"$work/disk.img"
printf '"%s"\n' "$(sed -n 's/^.define CYCLES_FORMAT "\(.*\)"/\1/p' sim/observe/cycles/cycles_names.h)" >"$work/old.json"

awk -v q="'" -v work="$work" '
# What a value that is only a name for one stands for; "": the variable is left out.
function sample(name, value) {
    if (value == "..." && name ~ /^(NODES|NAME|TEST|NIC|LINKS|MODULE|SLOT|BLOCK)$/)
        return name == "NODES" ? 8 : name == "TEST" ? "tb/unit/voq" : name == "NIC" ? "default" : name == "LINKS" ? 2 : \
            name == "SLOT" ? "output_scheduler" : "mine"
    if (value == "...") return ""
    if (value == "n") return 2
    if (name == "BASE" && value ~ /^(commit|[0-9a-f]+)$/) return "HEAD"
    if (value ~ /^(old[.]json|disk[.]img)$/) return work "/" value
    if (name == "OUT") return work
    if (value == "/path/mine.c") return "sw/programs/pingpong.c"
    return value == "/some/file" ? "/etc/services" : value
}
# The words of a command up to where it ends; what is in quotes stays together. With only_variables "" if another word is among them.
function words(text, only_variables,    c, i, word, out, quote, name, value) {
    text = text " "
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (quote) { word = word c; if (c == q) quote = 0; continue }
        if (c == q) { quote = 1; word = word c; continue }
        if (c ~ /[[\]]/) continue
        if (c !~ /[ >#;&()]/) { word = word c; continue }
        if (word != "" && word != "...") {
            if (word ~ /^[A-Z][A-Z0-9_]*=/) {
                name = value = word
                sub(/=.*/, "", name); sub(/^[^=]*=/, "", value)
                if (value !~ q) sub(/[|].*/, "", value)
                value = sample(name, value)
                word = value == "" ? "" : name "=" value
            } else if (only_variables) return ""
            if (word != "") out = out " " word
        }
        word = ""
        if (c != " " || substr(text, i + 1, 1) == " ") break
    }
    return quote ? "" : out
}
function show(text) {
    if (text !~ / [a-z]/) return
    sub(/^ /, "", text)
    # a goal that is only named
    if (text == "run") text = text " PROGRAM=pingpong"
    if (text == "block") text = text " NAME=mine"
    if (text ~ /^(contract|compare)$/) text = text " SLOT=output_scheduler"
    if (text == "disk") text = text " IMAGE=" work "/disk.img"
    print FILENAME ":" line ": make " text
}
function take(text) { last = words(text); show(last) }
# In a block commands stand at the start, behind "$ ", behind && and behind two spaces.
function block(text,    rest) {
    sub(/^[ $]+/, "", text)
    if (sub(/ *\\$/, " ", text)) { held = held text; return }
    text = held text
    held = ""
    for (rest = "  " text; match(rest, /(  |&& |; )make [a-zA-Z-]/); ) {
        rest = substr(rest, RSTART + RLENGTH - 1)
        take(rest)
    }
}
function spans(text,    n, i, part, own) {
    n = split(text, part, /`/)
    if (text ~ /^[|] *`[A-Z][A-Z_]*=/) own = table
    for (i = 2; i <= n; i += 2) {
        if (part[i] ~ /^make [a-z-]/ || part[i] ~ /^make [A-Z]+=/) {
            take(substr(part[i], 6))
            own = last
            if (in_row && part[i] ~ / [.][.][.]$/) table = last
            if (match(part[i], /&& make /)) take(substr(part[i], RSTART + RLENGTH))
        }
        else if (part[i] ~ /^[.][.][.] [A-Z]/ && in_row) { own = last words(substr(part[i], 5), 1); show(own) }
        else if (part[i] ~ /^[A-Z][A-Z_]*=/ && in_row && own != "" && words(part[i], 1) != "") show(without(own, part[i]) words(part[i], 1))
    }
}
# A command whose variables are given anew behind it.
function without(command, others,    n, i, part, name, out) {
    n = split(command, part, " ")
    for (i = 1; i <= n; i++) {
        name = part[i]; sub(/=.*/, "=", name)
        if (name !~ /=/ || index(" " others, " " name) == 0) out = out " " part[i]
    }
    return out
}
function flush() { in_row = 0; if (paragraph != "") spans(paragraph); paragraph = "" }
FNR == 1 { flush(); fenced = 0; last = table = "" }
{ here = FNR }
FILENAME == work "/help" { line = FNR; block($0); next }
/^ *```/ { flush(); fenced = !fenced; next }
fenced { line = FNR; block($0); next }
/^    / && paragraph == "" { line = FNR; block($0); next }
/^ *$/ { flush(); table = ""; next }
/^[|]/ { flush(); line = FNR; in_row = 1; spans($0); next }
{ if (paragraph == "") line = FNR; paragraph = paragraph " " $0 }
END { flush() }' "$@" >"$work/all"
if [ -n "$list" ]; then exec cat "$work/all"; fi

awk '{ command = $0; sub(/^[^ ]* /, "", command) } !seen[command]++' "$work/all" >"$work/once"
scripts/launcher.sh commands <"$work/once" && bad=0 || bad=1
[ $bad = 1 ] || echo "commands: $(sort -u -k 3 "$work/all" | wc -l) are as make expects them"
exit $bad
