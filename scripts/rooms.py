"""Checks that the structure is what READMEs and the picture say:

    python3 -S scripts/tool.py rooms [ROOT]                 ROOT: a tree, default this one

  * a folder of sim/ includes only sw/ and folders above it in the table of sim/README.md; sw/ nothing of sim/;
  * a folder of rtl/ uses modules only of folders that the last column of its row in rtl/README.md names;
  * C below scripts/, which no make compiles, includes files of its folder, or by their path from the root;
  * every folder of rtl/, sim/ and sw/ is a box of scripts/pictures/structure.svg;
  * each section of the five documents is in a row of rtl/documents.md, and only they are;
  * a section that is cited, "S1 3.2" or "design.md 3", is one of them, a heading or number of the sheet.

Silent, or a line for each thing that is not so and exit code 1."""
import os, re

from common import find, read

SECTIONS = {
    "S1": "1 2 2.1 2.2 3 3.1 3.1.1 3.1.2 3.1.3 3.1.4 3.1.4.1 3.1.4.2 3.1.4.3 3.1.5 3.1.6 3.1.6.1 3.1.6.2 3.1.6.3 3.2 "
          "3.2.1 3.2.2 3.2.3 3.2.4 3.2.5 3.3 3.3.1 4 4.1 4.2 4.3 5",
    "S2": "1 2 2.1 2.2 2.3 2.4 2.5 2.6 3 4 5 5.1 5.2 5.3 6 7",
    "S3": "1 2 3 4 4.1 4.2 4.2.1 4.2.2 4.2.3 4.2.4 4.2.5 4.2.6 4.3 4.3.1 4.3.1.1 4.3.1.2 4.3.1.3 4.3.1.3.1 4.3.1.3.2 "
          "4.3.1.3.3 4.3.1.4 4.3.2 4.3.2.1 4.3.2.2 4.3.2.3 4.3.2.4 4.3.2.5 5 6 7 I II III III-A III-B III-C IV IV-A "
          "IV-B IV-C V VI VI-A VI-B VI-C VI-D",
    "S4": "1 2 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 3 3.1 3.2 3.3 3.4 3.5 3.6 3.7 4 4.1 4.2 4.3 4.4 5 6",
    "S5": "1 2 3 4 5 A"}
SHEETS = {"design.md": "rtl/design.md", "pcix.md": "rtl/nic/pcix/pcix.md"}


def folder(path):
    """sim/WING/FOLDER, rtl/nic/FOLDER; else the first two names."""
    part = path.split("/")
    of_three = part[0] == "sim" and part[1] not in ("core", "bin") or part[1] == "nic"
    return "/".join(part[:3 if len(part) > 3 and of_three else 2])


def matches(files, pattern):
    """File, number of the line and groups of each match, line by line."""
    for file in files:
        for number, line in enumerate(read(file).split("\n"), 1):
            for match in re.finditer(pattern, line, re.A): yield file, number, *match.groups()


def complaints():
    rows = {f"sim/{name}": n
            for n, name in enumerate(re.findall(r"^\| `([a-z_0-9/]*)` \|", read("sim/README.md"), re.M))}
    uses = {f"rtl/{name}": ["rtl/" + other for other in re.split(", *", others)]
            for name, others in re.findall(r"^\| `([a-z_0-9/]*)` \|.*\| ([^|\n]*) \|$", read("rtl/README.md"), re.M)}
    boxes = re.findall(r"^.*>([a-z_0-9]*)</text>", read("scripts/pictures/structure.svg"), re.M)
    files = [f for f in find("rtl", "sim", "sw") if f.count("/") > 1]
    for f in sorted(set(map(folder, files))):
        if os.path.basename(f) not in boxes: yield f"{f} is no box of scripts/pictures/structure.svg"
        if f.startswith("sim/") and f not in rows: yield f"{f} has no row in the table of sim/README.md"
        if f.startswith("rtl/") and f not in uses: yield f"{f} has no row in the table of rtl/README.md"
    c = find("sim", "sw", name=lambda n: n.endswith((".c", ".h")))
    home = {os.path.basename(f): folder(f) for f in c if f.endswith(".h")}
    for file, line, name in matches(c, r'^\s*#\s*include\s*"([^"]*)"'):
        here, to = folder(file), home.get(os.path.basename(name))
        if to in (None, here) or os.path.exists(f"{here}/{os.path.basename(name)}"): continue
        if here.startswith("sw/") and to.startswith("sim/"):
            yield f"{file}:{line}: {name} is of {to}, and sw knows nothing of the simulator"
        if rows.get(to, -1) > rows.get(here, -1):
            yield f"{file}:{line}: {name} is of {to}, which stands below {here} in the table of sim/README.md"
    for file, line, name in matches(find("scripts", name=lambda n: n.endswith(".c")), r'^\s*#\s*include\s*"([^"]*)"'):
        if not os.path.exists(name) and not os.path.exists(f"{os.path.dirname(file)}/{name}"):
            yield f"{file}:{line}: there is no {name} from the root of the tree on"
    verilog = [f for f in files if f.endswith(".v") and f.startswith("rtl/")]
    modules = {os.path.basename(f)[:-2]: folder(f) for f in verilog}
    for file, line, name in matches(verilog, r"^[ \t]*([a-z][a-z_0-9]*)[ \t]+(?:#[ \t]*\(|[a-z][a-z_0-9]*[ \t]*\()"):
        here, to = folder(file), modules.get(name)
        if to and to != here and to not in uses.get(here, ()):
            yield f"{file}:{line}: {name} is of {to}, which rtl/README.md does not name among what {here} may use"
    sections = {(name, part) for name, parts in re.findall(r"^\| (S[1-5]) ([^|]*) \|", read("rtl/documents.md"), re.M)
                for part in parts.split(", ")}
    all_of = {(name, part) for name, parts in SECTIONS.items() for part in parts.split()}
    for name, part in sorted(all_of - sections): yield f"rtl/documents.md: {name} {part} is in no row"
    for name, part in sorted(sections - all_of): yield f"rtl/documents.md: {name} has no section {part}"
    for name, sheet in SHEETS.items():
        sections |= {(name, n) for n in re.findall(r"^(?:## |\| )?([0-9]+(?:\.[0-9]+)*)\.? ", read(sheet), re.M)}
    texts = find("rtl", "sim", "sw", "tb", "scripts",
                 name=re.compile(r"Makefile|.*\.([vch]|md|map|sh|py|mk)").fullmatch)
    cited = r"\b(S[1-5]|design\.md|pcix\.md) (?:section )?([0-9]+(?:\.[0-9]+)*|A\b|[IV]+\b(?:-[A-D])?)"
    for file, line, name, number in matches(texts + ["Makefile", "README.md"], cited):
        if (name, number) not in sections:
            yield f"{file}:{line}: {name} {number} is not in {SHEETS.get(name, 'the table of rtl/documents.md')}"


def main(arguments):
    os.chdir((arguments or ["."])[0])
    found = list(complaints())
    for text in found: print("rooms:", text)
    return int(bool(found))
