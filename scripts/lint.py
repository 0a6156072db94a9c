"""Checks all Verilog below rtl/: Verilator -Wall, Icarus -g2005 -Wall, Yosys, and rules that no tool knows; and the C
(static.py). Silent tools, or it fails.

    [RTL=folder] python3 -S scripts/tool.py lint [FILE...]      default: every .v below rtl/; other folders' files may
                                                                be named

No tool alone keeps to Verilog-2005: Verilator takes '0 and .name, Icarus |= and packed arrays, Yosys only reads what it
synthesises. A warning is an error. Waivers stand in scripts/lint.vlt, each with its reason."""
import glob, os, re, subprocess, tempfile

from common import TOOL, find, read, write

VERILATOR, IVERILOG, YOSYS = (os.environ.get(name) or default for name, default in (
    ("VERILATOR", "verilator"), ("IVERILOG", "iverilog"), ("YOSYS", "yosys")))
RTL = os.environ.get("RTL") or "rtl"
MODULE = "SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0"  # what goes into the Linux module
WIDTH = 120  # of a line; ColumnLimit in .clang-format says so of C
LINES = re.compile(r".*\.(v|py|sh|mk|in|lua|js|css|html|vlt|planted)|Makefile|capacity|init|proofs|words")
# Inputs of tests are as they are; the last ones are still to be brought to WIDTH.
ANY_WIDTH = re.compile("tb/fuzz/corpus/")
BUILT_IN = {"default_nettype", "timescale", "undef", "ifdef", "ifndef", "elsif", "else", "endif"}
IN_LINE = (  # in a line without comments and strings
    (r"`timescale", "`timescale: no file has one"),
    (r"\.\*", ".* connects ports by name: SystemVerilog"),
    (r"(^|[(,])[ \t]*\.[A-Za-z_]\w*[ \t]*([,)]|$)", ".name without (): SystemVerilog"),
    (r"(^|[(,])[ \t]*\.[a-z]\w*([ \t][ \t]+)?\(", "ports are connected as .port (wire)"),
    (r"(^|[(,])[ \t]*\.[A-Z][A-Z_0-9]*[ \t]+\(", "parameters are set as .NAME(value)"))


def wide_lines(file):
    """Lines that are too long. Lists of one entry a line have any width: *.map, `models`, sim/bin/systems, Markdown."""
    for number, line in enumerate(() if ANY_WIDTH.match(file) else read(file).splitlines(), 1):
        if len(line) > WIDTH: yield f"{file}:{number}: line of {len(line)} characters, at most {WIDTH}"


def rules(file):
    """What no tool knows: what is wrong, with its place."""
    yield from wide_lines(file)
    modules, none, last, number, defined, elsewhere, unread = [], False, "", 0, set(), False, False
    for number, whole in enumerate(read(file).splitlines(), 1):
        place, line = f"{file}:{number}: ", re.sub(r'"[^"]*"', '""', re.sub("//.*", "", whole))
        if re.search(r"[^ -~\t]", whole): yield place + "not ASCII"
        if "lint_off" in whole: yield place + "lint_off: waivers stand in scripts/lint.vlt"
        for word, name in re.findall(r"`([A-Za-z_]\w*)[ \t]*(\w*)", line):
            elsewhere |= word == "include"
            if word == "define": defined.add(name)
            elif not elsewhere and word not in defined | BUILT_IN:
                yield f"{place}`{word} is not defined in this file, which includes none"
        for pattern, text in IN_LINE:
            if re.search(pattern, line): yield place + text
        modules += re.findall(r"^[ \t]*module[ \t]+(\w*)", line)
        if re.search(r"`default_nettype[ \t]+none", line) and not modules: none = True
        if line.strip(): last = line
        # always @*: the first signal that it reads must be read whatever the parameters are, or it may never run
        if re.search(r"always[ \t]*@\*", line): unread, line = True, re.sub(r".*@\*", "", line)
        elif re.match(r"[ \t]*(always|assign|wire|reg|generate|endmodule)", line): unread = False
        if unread:
            line = re.sub(r"for \([^)]*\)|\d*'[bdho][0-9a-fxz_]+", "", line)
            condition = re.search(r"if \(([A-Z][A-Z_0-9]* *([=!]=|[<>]))?", line)
            if condition and condition[1]: yield place + "always @* that a parameter can leave without a signal"
            unread = not condition and not re.search(r"[^a-z]case[ \t]*\(|=.*[a-z]", line)
    place, stem = f"{file}:{number}: ", os.path.basename(file).removesuffix(".v")
    if len(modules) != 1: yield f"{place}{len(modules)} modules, expected one per file"
    elif modules[0] != stem: yield f"{place}module {modules[0]} in a file named {stem}.v"
    if not none: yield place + "`default_nettype none must come before the module"
    if not re.match(r"`default_nettype[ \t]+wire[ \t]*$", last):
        yield place + "the last line must be `default_nettype wire"


def said(*command):
    """What a tool says; "failed" if it says nothing and fails."""
    try: done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="surrogateescape", check=False)
    except OSError as error: return f"{command[0]}: {error.strerror}"
    return done.stdout.rstrip("\n") or ("failed" if done.returncode else "")


def complaints(files, verilog, whole):
    """Of each check, one after the other."""
    for file in files: yield from rules(file)
    # Every module with its default parameters, also those that nothing instantiates yet; all in one module, because
    # most of the work is what they share.
    with tempfile.TemporaryDirectory() as around:
        names = [os.path.basename(f).removesuffix(".v") for f in files]
        write(around + "/lint_all.v", "/* verilator lint_off PINMISSING */\nmodule lint_all;\n"
              + "".join(f"    {m} of_{m} ();\n" for m in names) + "endmodule\n")
        quiet = ["--quiet-stats"] * (not subprocess.run([VERILATOR, "--quiet-stats", "--version"], capture_output=True,
                                                        check=False).returncode)
        text = said(VERILATOR, *quiet, "--lint-only", "--default-language", "1364-2005", "-Wall",
                    "+incdir+build/generated",
                    *(w for d in sorted({os.path.dirname(f) for f in files + verilog}) for w in ("-y", d)),
                    "--top-module", "lint_all", "scripts/lint.vlt", around + "/lint_all.v", *files)
    if text: yield "Verilator: " + text
    others = [f for f in verilog if f not in files]
    text = said(IVERILOG, "-g2005", "-Wall", "-Ibuild/generated", "-t", "null", *files, *others)
    if text: yield "Icarus: " + text
    benches = find("tb/proofs", name=lambda n: n.endswith(".v")) if whole else []
    if benches:  # they fit the blocks that they feed
        tops = [w for f in benches if os.path.basename(f).startswith("prove_")
                for w in ("-s", os.path.basename(f).removesuffix(".v"))]
        text = said(IVERILOG, "-g2005", "-Ibuild/generated", "-t", "null", *tops, *benches, *verilog)
        if text: yield "Icarus, benches of proofs: " + text
    # declarations before uses, which only Icarus 13 asks for
    if subprocess.call([*TOOL, "declared", *files, *benches]): yield ""
    text = said(YOSYS, "-q", "-p", f"read_verilog -Ibuild/generated {' '.join(files + others)}; hierarchy -check; "
                "proc -noopt; select -assert-none t:$dlatch t:$adlatch")
    if text: yield "Yosys: " + text
    # who holds the bound of what is written without a look at its space
    if whole and os.path.exists("tb/proofs/capacity"):
        with tempfile.TemporaryDirectory() as around:
            top, design = around + "/capacity_all.v", around + "/capacity"
            write(top, said(*TOOL, "capacity", "--top") + "\n")
            text = said("scripts/report.sh", design, "--default-language", "1364-2005", "-Wno-fatal", "-Wno-lint",
                        "-Wno-style", "+incdir+build/generated",
                        *(w for d in sorted({os.path.dirname(f) for f in files}) for w in ("-y", d)),
                        "--top-module", "capacity_all", top, "scripts/lint.vlt")
            if not os.path.exists(design): yield "capacity: " + text
            elif subprocess.call([*TOOL, "capacity", design]): yield ""
    if not whole or not os.path.exists("README.md"): return
    for file in find("rtl", "sim", "sw", "tb", "scripts", name=LINES.fullmatch):
        if file not in files: yield from wide_lines(file)
    for file in find("sw/driver", "sw/disk", "sw/linux", name=lambda n: n.endswith((".c", ".h"))):
        if MODULE not in read(file).split("\n", 1)[0]: yield f"{file}:1: expected {MODULE}"
    if subprocess.call([*TOOL, "texts"]): yield ""
    if subprocess.call([*TOOL, "static"]): yield ""
    # Layout of the C and the scripts, by the versions of Debian 12, where they are: others differ in places.
    if "version 14." in said("clang-format", "--version"):
        c = [f for f in find("sim", "sw", "tb", name=lambda n: n.endswith((".c", ".h")))
             if not re.match("tb/unit/runtime/[pt][^/]*/", f)]
        lines = [line for line in said("clang-format", "--dry-run", *c).splitlines() if "warning:" in line]
        if lines: yield "clang-format -i FILE lays these out: " + "\n".join(lines[:10])
    if re.search(r"^version: 0\.9\.", said("shellcheck", "--version"), re.M):
        text = said("shellcheck", "-x", "-f", "gcc", *sorted(glob.glob("scripts/*.sh") + glob.glob("scripts/*/init")),
                    *sorted(glob.glob("scripts/linux/jobs/*")), ".ci/run")
        if text: yield "shellcheck: " + text


def main(arguments):
    verilog = find(RTL, name=lambda n: n.endswith(".v"))
    files, bad = arguments or verilog, False
    if not files: return print(f"lint: no Verilog files below {RTL}/") or 1
    for text in complaints(files, verilog, not arguments and RTL == "rtl"):
        bad = True
        if text: print(text)
    if not bad: print(f"lint: {len(files)} Verilog files, no warning from Verilator, Icarus and Yosys")
    return int(bad)
