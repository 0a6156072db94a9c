"""The lists of rules of buses (sim/model/axi/*_rules.h, sim/model/host/pcix_rules.h) as macros of Verilog, for property
modules of tb/proofs:

    python3 -S scripts/tool.py bus_rules FILE.h... > build/generated/bus_rules.vh

Of each list `PREFIX_NAME, the number of a rule, `PREFIX_RULES, how many there are, and `PREFIX_MASTER_RULES and
`PREFIX_SLAVE_RULES, a vector with a bit for each rule that this side must keep, if the list says who. PREFIX is AXI,
AXI_LITE, AXI_STREAM or PCIX, as before _RULE_LIST."""
import os, re

from common import read


def main(arguments):
    for file in arguments: os.stat(file)  # it exists
    print("// Made by scripts/bus_rules.py from sim/model/*/*_rules.h: do not edit.\n"
          "`ifndef AXI_RULES_VH\n`define AXI_RULES_VH")
    for prefix, text in re.findall(r"^#define ([A-Z_]*)_RULE_LIST\(X\)((?:.*\\\n)*.*)", "".join(map(read, arguments)),
                                   re.M):
        rules = re.findall(r"^ *X\(([A-Z0-9_]*), *(\w*)", text, re.M)
        for number, (name, _) in enumerate(rules): print(f"`define {prefix}_{name} {number}")
        print(f"`define {prefix}_RULES {len(rules)}")
        for side in ("MASTER", "SLAVE") if {"MASTER", "SLAVE"} & {of for _, of in rules} else ():
            print(f"`define {prefix}_{side}_RULES "
                  f"{len(rules)}'b{''.join(str(int(of == side)) for _, of in rules[::-1])}")
    print("`endif")
