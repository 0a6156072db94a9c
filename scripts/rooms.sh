#!/bin/sh
# Checks that the structure is what READMEs and the picture say:
#
#   scripts/rooms.sh [ROOT]                                 ROOT: a tree, default this one
#
#   * a folder of sim/ includes headers only of folders above it in the table of sim/README.md, and of sw/; sw/ none of sim/;
#   * a folder of rtl/ uses modules only of folders that the last column of its row in rtl/README.md names;
#   * every folder of rtl/, sim/ and sw/ is a box of scripts/pictures/structure.svg;
#   * a section that is cited, "S1 3.2" or "design.md 3", has a row in rtl/documents.md, or a heading or number in the sheet.
#
# Silent, or a line for each thing that is not so and exit code 1.
set -eu
export LC_ALL=C
cd "${1:-.}"
{
    sed -n 's/^| `\([a-z_/]*\)` |.*/room sim\/\1/p' sim/README.md
    sed -n 's/^| `\([a-z_/]*\)` |.*| \([^|]*\) |$/uses rtl\/\1 \2/p' rtl/README.md
    sed -n 's/^.*>\([a-z_]*\)<\/text>.*$/box \1/p' scripts/pictures/structure.svg
    find rtl sim sw -mindepth 2 -type f | sort | sed 's/^/file /'
    find sim sw -name '*.h' | sort | sed 's/^/header /'
    find rtl -mindepth 2 -name '*.v' | sort | sed 's/^/module /'
    grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' sim sw --include='*.[ch]' |
        sed 's/^\([^:]*\):\([0-9]*\):[^"]*"\([^"]*\)".*/include \1 \2 \3/'
    find rtl -mindepth 2 -name '*.v' -exec awk '/^[ \t]*[a-z][a-z_0-9]*[ \t]+(#[ \t]*\(|[a-z][a-z_0-9]*[ \t]*\()/ {
        print "instance", FILENAME, FNR, $1
    }' {} +
    sed -n 's/^| \(S[1-5]\) \([0-9.]*\) |.*/there \1 \2/p' rtl/documents.md
    for sheet in design nic/pcix/pcix; do
        sed -nE "s/^(## |\| )?([0-9]+(\.[0-9]+)*)\.? .*/there $(basename $sheet).md \2/p" rtl/$sheet.md
    done
    grep -rnoE '\b(S[1-5]|design\.md|pcix\.md) (section )?[0-9]+(\.[0-9]+)*' $(ls -d rtl sim sw tb scripts Makefile README.md 2>/dev/null) \
        --include='*.[vch]' --include='*.md' --include='*.map' --include='*.sh' --include='*.py' --include=Makefile --include='*.mk' |
        sed -E 's/^([^:]*):([0-9]+):([^ ]+) (section )?(.*)/cite \1 \2 \3 \5/'
} | awk '
function say(text) { print "rooms: " text; bad = 1 }
# sim/WING/FOLDER, rtl/nic/FOLDER; else the first two names
function folder(path,    part, n) {
    n = split(path, part, "/")
    return part[1] "/" part[2] (n > 3 && (part[1] == "sim" && part[2] !~ /^(core|bin)$/ || part[2] == "nic") ? "/" part[3] : "")
}
function base(path) { sub(/.*\//, "", path); return path }
$1 == "room"   { row[$2] = ++rows }
$1 == "uses"   { listed[$2] = 1; text = $0; sub(/^uses [^ ]* /, "", text); n = split(text, part, /, */)
                 for (i = 1; i <= n; i++) may[$2, "rtl/" part[i]] = 1 }
$1 == "box"    { box[$2] = 1 }
$1 == "file" && !seen[f = folder($2)]++ {
    if (!(base(f) in box)) say(f " is no box of scripts/pictures/structure.svg")
    if (f ~ /^sim\// && !(f in row)) say(f " has no row in the table of sim/README.md")
    if (f ~ /^rtl\// && !(f in listed)) say(f " has no row in the table of rtl/README.md")
}
$1 == "header" { there[$2] = 1; home[base($2)] = folder($2) }
$1 == "module" { name = base($2); sub(/\.v$/, "", name); module[name] = folder($2) }
$1 == "include" {
    from = folder($2); to = home[base($4)]
    if ((from "/" base($4)) in there || to == "" || to == from) next
    if (from ~ /^sw\// && to ~ /^sim\//) say($2 ":" $3 ": " $4 " is of " to ", and sw knows nothing of the simulator")
    if (to in row && row[to] > row[from]) say($2 ":" $3 ": " $4 " is of " to ", which stands below " from " in the table of sim/README.md")
}
$1 == "instance" && $4 in module {
    from = folder($2); to = module[$4]
    if (from != to && !((from, to) in may))
        say($2 ":" $3 ": " $4 " is of " to ", which rtl/README.md does not name among what " from " may use")
}
$1 == "there" { section[$2, $3] = 1 }
$1 == "cite" && !(($4, $5) in section) {
    say($2 ":" $3 ": " $4 " " $5 " is not in " ($4 ~ /^S/ ? "the table of rtl/documents.md" : "rtl/" ($4 ~ /^p/ ? "nic/pcix/" : "") $4))
}
END { exit bad }'
