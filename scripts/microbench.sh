#!/bin/sh
# Runs the micro-benchmarks and draws what they measured: FOLDER/NAME.svg and .png for each of them in the results.
#
#   scripts/microbench.sh build/microbench.json build/microbench build/nicxbar-sim2 --microbench ...
set -eu
export LC_ALL=C
json=$1
folder=$2
shift 2
result=0
"$@" --json "$json" || result=$?
[ $result -le 1 ] || exit $result # nothing was measured, or not all of it
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One file per curve, NAME.N, of lines "x y"; its title in NAME.N.title. Points lie in the results one key to a line.
awk -v work="$work" '
function text(line) { sub(/^[^:]*: "?/, "", line); sub(/"?,?$/, "", line); return line }
/^ *"picture":/ { picture = text($0) }
/^ *"curve":/ { curve = text($0) }
/^ *"x":/ { x = text($0) }
/^ *"y":/ { y = text($0) }
/^ *}/ && picture != "" {
    key = picture SUBSEP curve
    if (!(key in number)) {
        number[key] = ++count[picture]
        print curve > (work "/" picture "." number[key] ".title")
    }
    print x, y > (work "/" picture "." number[key])
    picture = ""
}' "$json"

# curve NAME TEXT...: the file of the first one whose title has these.
curve() {
    for title in "$work/$1".*.title; do
        grep -q "$2" "$title" || continue
        [ -z "${3:-}" ] || grep -q "$3" "$title" || continue
        echo "${title%.title}"
        return
    done
}

# plot NAME: gnuplot's commands on stdin, drawn twice.
plot() {
    cat > "$work/commands"
    for kind in svg png; do
        [ $kind = svg ] && terminal="svg size 800,480 font 'sans,13' background 'white'" || terminal="pngcairo size 800,480 font 'sans,11'"
        {
            echo "set terminal $terminal"
            echo "set output '$folder/$1.$kind.part'"
            echo "set grid lc rgb '#cccccc'; set border 3; set tics nomirror"
            cat "$work/commands"
        } | gnuplot && mv "$folder/$1.$kind.part" "$folder/$1.$kind"
    done
    echo "$folder/$1.svg, $1.png"
}

sizes="set logscale x 2; set xlabel 'message [bytes]'; set ylabel 'MiB/s'; set format x '%.0f'"

if [ -e "$work/pcix.1" ]; then
    plot pcix <<END
$sizes
set title 'DMA over the bus, from the clocks of each message'; set key bottom right; set yrange [0:800]
set label 1 '762.9: 64 bits in each clock of 100 MHz' at graph 0.02, first 780
plot 762.9 lc rgb '#888888' dt 2 notitle, \\
     '$(curve pcix 'DMA read' server2004)' w lp pt 7 ps 0.6 lc rgb '#1f5fa8' t 'read, server2004', \\
     '$(curve pcix 'DMA read' server2006)' w lp pt 6 ps 1.2 lc rgb '#1f5fa8' dt 3 t 'read, server2006', \\
     '$(curve pcix 'DMA write' server2004)' w lp pt 7 ps 0.6 lc rgb '#c0392b' t 'write, server2004', \\
     '$(curve pcix 'DMA write' server2006)' w lp pt 6 ps 1.2 lc rgb '#c0392b' dt 3 t 'write, server2006'
END
fi
if [ -e "$work/throughput.1" ]; then
    plot throughput <<END
$sizes
set title 'Payload between two NICs on server2004, one link'; set key at graph 0.99, graph 0.71; set yrange [0:800]
set label 1 '762.9: the bus, 64 bits in each clock of 100 MHz' at graph 0.02, first 780
set label 2 '596: the two links of S4' at graph 0.02, first 615
set label 3 '298: one link' at graph 0.02, first 317
plot 762.9 lc rgb '#888888' dt 2 notitle, 596 lc rgb '#888888' dt 2 notitle, 298 lc rgb '#888888' dt 2 notitle, \\
     '$(curve throughput 'one way, combined' '4096-byte.*server2004')' w lp pt 7 ps 0.6 lc rgb '#1f5fa8' t 'one way, combining', \\
     '$(curve throughput 'one way, stores' '4096-byte.*server2004')' w lp pt 6 ps 0.9 lc rgb '#1f5fa8' dt 3 t 'one way, stores', \\
     '$(curve throughput 'ping-pong, combined' '4096-byte.*server2004')' w lp pt 5 ps 0.6 lc rgb '#c0392b' t 'ping-pong, combining', \\
     '$(curve throughput 'ping-pong, stores' '4096-byte.*server2004')' w lp pt 4 ps 0.9 lc rgb '#c0392b' dt 3 t 'ping-pong, stores', \\
     '$(curve throughput 'one way, combined' '496-byte.*server2004')' w lp pt 9 ps 0.7 lc rgb '#2e7d32' t 'one way, 496-byte packets'
END
fi
if [ -e "$work/capacity.1" ]; then
    plot capacity <<END
set title 'What a conservative estimate of the receiver costs: one way, server2004'; set key bottom right; set yrange [0:320]
set xlabel 'receiver taken for [link words]'; set ylabel 'MiB/s'
set label 1 '298: one link' at graph 0.02, first 305
plot 298 lc rgb '#888888' dt 2 notitle, \\
     '$(curve capacity '4096-byte.*server2004')' w lp pt 7 ps 0.7 lc rgb '#1f5fa8' t '4096-byte packets', \\
     '$(curve capacity '496-byte.*server2004')' w lp pt 9 ps 0.8 lc rgb '#2e7d32' t '496-byte packets'
END
fi
if [ -e "$work/latency.1" ]; then
    bars=
    for part in 'send-initiation' 'send-NIC, to the read' 'send-DMA' 'send-NIC, to the link' 'transceivers and cable' \
        'recv-NIC' 'recv-DMA' 'both NICs, recv-DMA'; do
        bars="$bars '$(curve latency "^$part")' u 2 t '$part',"
    done
    plot latency <<END
set title 'Where the time of a message of 8 bytes goes (S4, figure 4)'; set ylabel 'ns'; set yrange [0:*]
set linetype 8 lc rgb '#999999'; set bmargin 5
set style data histograms; set style histogram rowstacked; set style fill solid 0.85 border -1; set boxwidth 0.55
set key outside right invert; unset grid; set grid y lc rgb '#cccccc'
set xtics ("(a)\\nS4" 0, "(a)\\nserver\\n2004" 1, "(a)\\nserver\\n2006" 2, "(b)\\nS4" 3, "(b)\\nserver\\n2004" 4, "(b)\\nserver\\n2006" 5)
plot ${bars%,}
END
fi
if [ -e "$work/distribution.1" ]; then
    # stage STAGE UNIT: one half, for each source a line by the pins and points by the stamps
    stage() {
        lines=
        for from in 0 1 2 3; do
            pins=$(curve distribution "^$1, from $from, pins" server2004)
            [ -n "$pins" ] || continue
            lines="$lines '$pins' w l lw 1.5 lc $((from + 1)) t 'from $from, pins',"
            lines="$lines '$(curve distribution "^$1, from $from, stamps" server2004)' every 5 w p pt 6 ps 0.9 lc $((from + 1)) t 'stamps',"
        done
        echo "set title '$1'; set xlabel 'clocks of the $2'; plot ${lines%,}"
    }
    plot distribution <<END
set yrange [0:100]; set xrange [0:*]; set key bottom right; set format x '%.0s%c'; set ylabel 'packets [%]'
set multiplot layout 1,2 title 'Share of packets that took so long at most, receiver 0 of four nodes that all send at once (S2 5.3)'
$(stage 'in NIC' 'bus of its sender')
$(stage 'in switch' switch)
unset multiplot
END
fi
exit $result
