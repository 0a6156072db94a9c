# Draws what each sender got in two runs, before and after, as bars (SVG): of the tables "payload [MiB/s] of each flow" that
# `make sim SCENARIO=...` prints, the sums of their rows. Of a run with several sizes the last table counts.
#
#   make sim SCENARIO=n-to-one > before; make sim SCENARIO=n-to-one OUTPUT_SCHEDULER=mine RTL=... > after
#   awk -f scripts/pictures/flows.awk before after > flows.svg
FNR == 1 { run++; title[run] = FILENAME; sub(/.*\//, "", title[run]) }
/^payload \[MiB\/s\] of each flow/ { inside = 1; next }
inside && /^from/ { next }
inside && $1 == "sum" { inside = 0 }
inside { value[run, $1] = $NF; if ($1 + 1 > nodes) nodes = $1 + 1; if ($NF > most) most = $NF }
function box(x, y, width, height, colour) {
    printf "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, width, height, colour
}
function text(x, y, what, more) { printf "<text x=\"%d\" y=\"%.1f\"%s>%s</text>\n", x, y, more, what }
END {
    if (run != 2 || !nodes || !most) { print "flows.awk: expected two files with tables of flows" > "/dev/stderr"; exit 1 }
    height = 200; base = 250; left = 60
    colour[1] = "#a9b8c9"; colour[2] = "#2f6db3"
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d 300\" ", left + nodes * 80 + 20
    print "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">"
    box(0, 0, left + nodes * 80 + 20, 300, "#ffffff")
    text(left, 22, "payload that each sender got through [MiB/s]", " font-weight=\"bold\"")
    for (r = 1; r <= 2; r++) {
        box(left + 330 + 100 * r, 12, 12, 12, colour[r])
        text(left + 348 + 100 * r, 22, title[r], "")
    }
    for (n = 0; n < nodes; n++) {
        for (r = 1; r <= 2; r++) {
            v = value[r, n] + 0
            if (!v) continue
            x = left + n * 80 + (r - 1) * 34
            box(x, base - v * height / most, 32, v * height / most, colour[r])
            text(x + 16, base - v * height / most - 4, sprintf("%.1f", v), " text-anchor=\"middle\" font-size=\"10\"")
        }
        text(left + n * 80 + 33, base + 18, "host " n, " text-anchor=\"middle\"")
    }
    printf "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#333\"/>\n</svg>\n", left - 6, base, left + nodes * 80, base
}
