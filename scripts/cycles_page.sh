#!/bin/sh
# The page of make cycles in a browser: whether it shows what was counted.
#
#   CHROMIUM=chromium scripts/cycles_page.sh FOLDER      FOLDER/cycles.html, cycles.csv; pictures go there, page-NAME.png
#
# No message on the console; of every instance that did something a row of the table, and its numbers are those of the CSV file, as many as
# there are. Pictures are made in light and dark and in the width of a phone, to be looked at. Exit code 1 if something is not so.
set -u
export LC_ALL=C
name=cycles_page
folder=$(cd "${1:-build}" && pwd) || exit 1
. "$(dirname "$0")/page.sh"
[ -e "$folder/cycles.html" ] && [ -e "$folder/cycles.csv" ] || stop "expected $folder/cycles.html and cycles.csv, which make cycles writes"
dump cycles.html
sed 's/<tr /\n&/g; s/<td /\n&/g' "$folder/page.dom" | awk -F, '
FNR == NR {
    if (/^<tr data-name=/ || /^<tr class="[a-z]*" data-name=/) {
        row = $0; sub(/.*data-name="/, "", row); sub(/".*/, "", row)
        rows++
    }
    if (/^<td .*data-key=/ && row != "") {
        key = $0; sub(/.*data-key="/, "", key); sub(/".*/, "", key)
        text = $0; sub(/^<td [^>]*>/, "", text); sub(/<.*/, "", text)
        cell[row, key] = text
        there[row] = 1
    }
    next
}
# A number as it is rounded on the page, or text.
function same(key, want, digits,    off) {
    compared++
    off = cell[name, key] - want
    if (want == "" || digits == "" ? cell[name, key] "" == want "" : cell[name, key] != "" && off ^ 2 <= (0.5001 / 10 ^ digits) ^ 2) return
    printf "cycles_page: %s, %s: \"%s\" on the page, \"%s\" counted\n", name, key, cell[name, key], want
    bad = 1
}
FNR == 1 { next }
$1 != simulation { if (simulations++) exit; simulation = $1 }    # the page begins with the first one
{
    name = $2 ($3 == "" ? "" : ":" $3)
    if ($7 + $8 + $10 + $21 == 0) next
    if (!there[name]) { print "cycles_page: " name ": no row on the page"; bad = 1; next }
    instances++
    same("module", $4)
    same("clocks", $6)
    same("busy", 100 * $7 / $6, 1)
    same("stalled", 100 * $8 / $6, 1)
    same("operations", $10)
    same("min", $12, 0)
    same("median", $14, 0)
    same("p99", $15, 0)
    same("max", $16, 0)
    same("level", $18, 1)
    same("most", $21, 0)
}
END {
    if (instances != rows) { printf "cycles_page: %d rows on the page, %d instances that did something\n", rows, instances; bad = 1 }
    if (!bad) printf "cycles_page: %d instances, %d numbers are those that were counted; nothing on the console\n", instances, compared
    exit bad || !instances
}' - "$folder/cycles.csv" || exit 1
pictures cycles.html 1560
