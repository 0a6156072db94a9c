#!/bin/sh
# The page of make curves in a browser: whether it shows what was measured.
#
#   CHROMIUM=chromium scripts/curves_page.sh FOLDER      FOLDER/curves.html, curves.json; pictures go there, page-NAME.png
#
# No message on the console; the numbers of every figure, and the rows of S3's sentences, are those of the JSON file, as many as there are.
# Pictures are made in light and dark and in the width of a phone, to be looked at. Exit code 1 if something is not so.
set -u
export LC_ALL=C
name=curves_page
folder=$(cd "${1:-build/curves}" && pwd) || exit 1
. "$(dirname "$0")/page.sh"
[ -e "$folder/curves.html" ] && [ -e "$folder/curves.json" ] ||
    stop "expected $folder/curves.html and curves.json, which make curves writes"
dump curves.html
# figure, series, x, mean, half-width or "unstable", and sentences' verdicts: of the JSON file, then of the page
"${PYTHON:-python3}" -c '
import json, sys
everything = json.load(sys.stdin)
for f in everything["figures"]:
    for c in f["curves"]:
        for p in c["points"]:
            text = "unstable" if p.get("unstable") else "%.3f %.3f" % (p["mean"], p.get("half_width") or 0)
            print("%s %s %g %s" % (f["name"], c["series"], p["x"], text))
for s in everything["sentences"]:
    print("holds", s["holds"])
' <"$folder/curves.json" >"$folder/page.want" || stop "curves.json cannot be read"
sed 's/<section /\n&/g; s/<td /\n&/g; s/<tr/\n&/g' "$folder/page.dom" | awk '
/^<section / { id = $0; sub(/.*id="/, "", id); sub(/".*/, "", id) }
/^<td data-series=/ {
    series = $0; sub(/.*data-series="/, "", series); sub(/".*/, "", series)
    x = $0; sub(/.*data-x="/, "", x); sub(/".*/, "", x)
    text = $0; sub(/^<td [^>]*>/, "", text); sub(/<.*/, "", text); sub(/ \*$/, "", text); sub(/ \302\261 /, " ", text)
    if (text != "") print id, series, x, text
}
id == "sentences" && /^<tr class/ { n = split($0, part, "<td>"); sub(/<.*/, "", part[n]); print "holds", part[n] }
' | sort >"$folder/page.have"
sort -o "$folder/page.want" "$folder/page.want"
diff "$folder/page.want" "$folder/page.have" >"$folder/page.diff" || {
    head -5 "$folder/page.diff"; stop "the page does not show what was measured"
}
[ -s "$folder/page.want" ] || stop "there is nothing on the page"
echo "$name: $(wc -l <"$folder/page.want") numbers and verdicts are those that were measured; nothing on the console"
rm -f "$folder/page.want" "$folder/page.have" "$folder/page.diff"
pictures curves.html 2400
