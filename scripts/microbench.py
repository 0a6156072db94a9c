"""Runs the micro-benchmarks and draws what they measured: FOLDER/NAME.svg and .png for each of them in the results.

    python3 -S scripts/tool.py microbench build/microbench.json build/microbench build/nicxbar-sim2 --microbench ..."""
import json, os, re, subprocess, tempfile

from common import read, write

SIZES = "set logscale x 2; set xlabel 'message [bytes]'; set ylabel 'MiB/s'; set format x '%.0f'"
BLUE, RED, GREEN = (f"lc rgb '{colour}'" for colour in ("#1f5fa8", "#c0392b", "#2e7d32"))
STARTS = ["send-initiation", "send-NIC, to the read", "send-DMA", "send-NIC, to the link", "transceivers and cable",
          "recv-NIC", "recv-DMA", "both NICs, recv-DMA"]


def line(height): return f"{height} lc rgb '#888888' dt 2 notitle"


# Of each picture pairs: commands of gnuplot, what is plotted then. <A; B> is the curve whose title has both; without it
# nothing is.
PICTURES = {
    "pcix": [(f"""{SIZES}
set title 'DMA over the bus, from the clocks of each message'; set key bottom right; set yrange [0:800]
set label 1 '762.9: 64 bits in each clock of 100 MHz' at graph 0.02, first 780""", [
        line(762.9),
        f"<DMA read; server2004> w lp pt 7 ps 0.6 {BLUE} t 'read, server2004'",
        f"<DMA read; server2006> w lp pt 6 ps 1.2 {BLUE} dt 3 t 'read, server2006'",
        f"<DMA write; server2004> w lp pt 7 ps 0.6 {RED} t 'write, server2004'",
        f"<DMA write; server2006> w lp pt 6 ps 1.2 {RED} dt 3 t 'write, server2006'"])],
    "throughput": [(f"""{SIZES}
set title 'Payload between two NICs on server2004, one link'; set key at graph 0.99, graph 0.71; set yrange [0:800]
set label 1 '762.9: the bus, 64 bits in each clock of 100 MHz' at graph 0.02, first 780
set label 2 '596: the two links of S4' at graph 0.02, first 615
set label 3 '298: one link' at graph 0.02, first 317""", [
        line(762.9), line(596), line(298),
        f"<one way, combined; 4096-byte.*server2004> w lp pt 7 ps 0.6 {BLUE} t 'one way, combining'",
        f"<one way, stores; 4096-byte.*server2004> w lp pt 6 ps 0.9 {BLUE} dt 3 t 'one way, stores'",
        f"<ping-pong, combined; 4096-byte.*server2004> w lp pt 5 ps 0.6 {RED} t 'ping-pong, combining'",
        f"<ping-pong, stores; 4096-byte.*server2004> w lp pt 4 ps 0.9 {RED} dt 3 t 'ping-pong, stores'",
        f"<one way, combined; 496-byte.*server2004> w lp pt 9 ps 0.7 {GREEN} t 'one way, 496-byte packets'"])],
    "capacity": [("""\
set title 'What a conservative estimate of the receiver costs: one way, server2004'
set key bottom right; set yrange [0:320]
set xlabel 'receiver taken for [link words]'; set ylabel 'MiB/s'
set label 1 '298: one link' at graph 0.02, first 305""", [
        line(298),
        f"<4096-byte.*server2004> w lp pt 7 ps 0.7 {BLUE} t '4096-byte packets'",
        f"<496-byte.*server2004> w lp pt 9 ps 0.8 {GREEN} t '496-byte packets'"])],
    "latency": [(r"""set title 'Where the time of a message of 8 bytes goes (S4, figure 4)'; set ylabel 'ns'
set yrange [0:*]
set linetype 8 lc rgb '#999999'; set bmargin 5
set style data histograms; set style histogram rowstacked; set style fill solid 0.85 border -1; set boxwidth 0.55
set key outside right invert; unset grid; set grid y lc rgb '#cccccc'
set xtics ("(a)\nS4" 0, "(a)\nserver\n2004" 1, "(a)\nserver\n2006" 2)
set xtics add ("(b)\nS4" 3, "(b)\nserver\n2004" 4, "(b)\nserver\n2006" 5)""", [
        f"<^{part}> u 2 t '{part}'" for part in STARTS])],
    "distribution": [("""set yrange [0:100]; set xrange [0:*]; set key bottom right; set format x '%.0s%c'
set ylabel 'packets [%]'
set multiplot layout 1,2 title 'Share of packets that took so long at most, """
        "receiver 0 of four nodes that all send at once (S2 5.3)'", [])] + [
        # for each source a line by the pins and points by the stamps
        (f"set title '{stage}'; set xlabel 'clocks of the {unit}'", [
            curve for n in range(4) for curve in (
                f"<^{stage}, from {n}, pins; server2004> w l lw 1.5 lc {n + 1} t 'from {n}, pins'",
                f"<^{stage}, from {n}, stamps; server2004> every 5 w p pt 6 ps 0.9 lc {n + 1} t 'stamps'")])
        for stage, unit in (("in NIC", "bus of its sender"), ("in switch", "switch"))] + [("unset multiplot", [])]}


def draw(work, folder, picture, curves):
    def file_of(found):
        return next((f"'{work}/{i}'" for i, title in enumerate(curves)
                     if all(re.search(p, title) for p in found[1].split("; "))), "<>")

    for i, points in enumerate(curves.values()): write(f"{work}/{i}", "".join(f"{x} {y}\n" for x, y in points))
    commands = ""
    for text, plotted in PICTURES[picture]:
        plotted = [p for p in (re.sub("<(.*)>", file_of, p) for p in plotted) if p[0] != "<"]
        commands += text + "\n" + f"plot {', '.join(plotted)}\n" * bool(plotted)
    for kind, terminal in (("svg", "svg size 800,480 font 'sans,13' background 'white'"),
                           ("png", "pngcairo size 800,480 font 'sans,11'")):
        file = f"{folder}/{picture}.{kind}"
        subprocess.run("gnuplot", text=True, check=True, input=f"set terminal {terminal}\nset output '{file}.part'\n"
                       f"set grid lc rgb '#cccccc'; set border 3; set tics nomirror\n{commands}")
        os.rename(file + ".part", file)
    print(f"{folder}/{picture}.svg, {picture}.png")


def main(arguments):
    file, folder, *command = arguments
    result = subprocess.call([*command, "--json", file])
    if result not in (0, 1): return result if result > 0 else 128 - result  # nothing was measured, or not all of it
    pictures = {}
    for point in json.loads(read(file), parse_float=str)["points"]:
        pictures.setdefault(point["picture"], {}).setdefault(point["curve"], []).append((point["x"], point["y"]))
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        for picture in PICTURES:
            if picture in pictures: draw(work, folder, picture, pictures[picture])
    return result
