"""The page of make cycles or make curves in a browser without a window: whether it shows what was measured.

    CHROMIUM=chromium python3 -S scripts/tool.py page cycles [FOLDER]      FOLDER (build): cycles.html, cycles.csv
    CHROMIUM=chromium python3 -S scripts/tool.py page curves [FOLDER]   FOLDER (build/curves): curves.html, curves.json

No message on the console. Of every instance that did something there is a row of the table, and its numbers are those
of the CSV file, as many as there are; the numbers of every figure, and the rows of S3's sentences, are those of the
JSON file, as many as there are. Pictures are made in light and dark and in the width of a phone, to be looked at:
FOLDER/page-NAME.png. Exit code 1 if something is not so."""
import json, os, re

import common
from common import code_of, read, write

# key of the page's table, column of the CSV file (of which one in a hundred), digits behind the point, or text
COLUMNS = (("module", 3, None), ("clocks", 5, None), ("busy", 6, 1), ("stalled", 7, 1), ("operations", 9, None),
           ("min", 11, 0), ("median", 13, 0), ("p99", 14, 0), ("max", 15, 0), ("level", 17, 1), ("most", 20, 0))


def number(text): return float((re.match(r"\s*-?\d+(\.\d*)?", text) or [0])[0])


def text_of(line): return re.sub("<.*", "", re.sub("^<td [^>]*>", "", line))


def of(line, name): return line.rpartition(name + '="')[2].partition('"')[0]


def cycles(folder, dom, fail):
    cell, row, rows, instances, compared, bad = {}, "", 0, 0, 0, False
    for line in re.sub("<(tr|td) ", r"\n<\1 ", dom).split("\n"):
        if re.match('<tr (class="[a-z]*" )?data-name=', line): row, rows = of(line, "data-name"), rows + 1
        elif re.match("<td .*data-key=", line) and row: cell[row, of(line, "data-key")] = text_of(line)
    counted = [line.split(",") + [""] * 21 for line in read(folder + "/cycles.csv").splitlines()[1:]]
    for f in counted:
        if f[0] != counted[0][0]: break  # the page begins with the first simulation
        name = f[1] + (f[2] and ":" + f[2])
        if not any(number(f[i]) for i in (6, 7, 9, 20)): continue
        if not any(of_row == name for of_row, _ in cell):
            bad = print(f"cycles_page: {name}: no row on the page") or True
            continue
        instances += 1
        for key, column, digits in COLUMNS:
            want, have, compared = f[column], cell.get((name, key), ""), compared + 1
            if key in ("busy", "stalled"): want = f"{100 * number(want) / number(f[5]):.6g}"
            same = (have == want if want == "" or digits is None
                    else have and abs(number(have) - number(want)) <= 0.5001 / 10 ** digits)
            if not same: bad = print(f'cycles_page: {name}, {key}: "{have}" on the page, "{want}" counted') or True
    if instances != rows: fail(f"{rows} rows on the page, {instances} instances that did something")
    if not bad: print(f"cycles_page: {instances} instances, {compared} numbers are those that were counted; nothing "
                      f"on the console")
    if bad or not instances: raise SystemExit(1)


def curves(folder, dom, fail):
    """Figure, series, x, mean, half-width or "unstable", and sentences' verdicts: of the JSON file, and of the page."""
    try:
        everything = json.loads(read(folder + "/curves.json"))
        want = [f"{f['name']} {c['series']} {p['x']:g} "
                + ("unstable" if p.get("unstable") else f"{p['mean']:.3f} {p.get('half_width') or 0:.3f}")
                for f in everything["figures"] for c in f["curves"] for p in c["points"]]
        want += [f"holds {s['holds']}" for s in everything["sentences"]]
    except (ValueError, KeyError, TypeError): fail("curves.json cannot be read")
    section, have = "", []
    for line in re.sub("<(section |td |tr)", r"\n<\1", dom).split("\n"):
        if line.startswith("<section "): section = of(line, "id")
        text = re.sub(r" \*$", "", text_of(line)).replace(" \u00b1 ", " ")
        if line.startswith("<td data-series=") and text:
            have.append(f"{section} {of(line, 'data-series')} {of(line, 'data-x')} {text}")
        if section == "sentences" and line.startswith("<tr class"):
            have.append("holds " + line.split("<td>")[-1].partition("<")[0])
    files = [f"{folder}/page.{kind}" for kind in ("want", "have", "diff")]
    for file, lines in zip(files, (want, have)): write(file, "".join(line + "\n" for line in sorted(lines)))
    with open(files[2], "w") as out: differ = code_of("diff", *files[:2], stdout=out)
    if differ: fail("the page does not show what was measured", *read(files[2]).splitlines()[:5])
    if not want: fail("there is nothing on the page")
    print(f"curves_page: {len(want)} numbers and verdicts are those that were measured; nothing on the console")
    for file in files: os.remove(file)


def main(arguments):
    kind, folder = arguments[0], os.path.realpath(
        (arguments[1:] or [{"cycles": "build", "curves": "build/curves"}[arguments[0]]])[0])
    check, data, height = {"cycles": (cycles, "cycles.csv", 1560), "curves": (curves, "curves.json", 2400)}[kind]

    def fail(text, *lines):
        print(*lines, f"{kind}_page: {text}", sep="\n")
        raise SystemExit(1)

    def browse(page, *options, **out):
        with open(folder + "/page.log", "w") as log:
            return code_of("timeout", "120", os.environ.get("CHROMIUM") or "chromium", "--headless=new", "--no-sandbox",
                           "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files",
                           "--virtual-time-budget=5000", "--enable-logging=stderr",
                           *options, f"file://{folder}/{page}", stderr=log, **out)

    if not all(os.path.exists(f"{folder}/{file}") for file in (kind + ".html", data)):
        fail(f"expected {folder}/{kind}.html and {data}, which make {kind} writes")
    with open(folder + "/page.dom", "w") as out: browse(kind + ".html", "--dump-dom", stdout=out)
    said = [line for line in read(folder + "/page.log").splitlines() if "CONSOLE" in line]
    if said: fail("the page has written to the console", *said)
    check(folder, read(folder + "/page.dom"), fail)
    # A window cannot be as narrow as a phone, a frame can.
    write(folder + "/page-phone.html",
          f'<body style="margin:0"><iframe src="{kind}.html" width="390" height="844" style="border:0"></iframe>\n')
    for name, page, *options in (("light", kind + ".html", f"--window-size=1400,{height}"),
                                 ("dark", kind + ".html", f"--window-size=1400,{height}",
                                  "--blink-settings=preferredColorScheme=0"),
                                 ("phone", "page-phone.html", "--window-size=500,844")):
        if browse(page, *options, f"--screenshot={folder}/page-{name}.png"): fail("no picture")
    for left in ("page-phone.html", "page.dom"): os.remove(f"{folder}/{left}")
    print(f"{kind}_page: pictures in {folder}/page-light.png, page-dark.png, page-phone.png")
