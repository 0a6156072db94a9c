# The lists of rules of AXI ports (sim/model/axi/*_rules.h) as macros of Verilog, for the property modules of tb/proofs:
#
#   awk -f scripts/axi_rules.awk sim/model/axi/axi_rules.h sim/model/axi/axi_lite_rules.h sim/model/axi/axi_stream_rules.h > build/generated/axi_rules.vh
#
# Of each list `PREFIX_NAME, the number of a rule, `PREFIX_RULES, how many there are, and `PREFIX_MASTER_RULES and `PREFIX_SLAVE_RULES, a
# vector with a bit for each rule that this side must keep. PREFIX is AXI, AXI_LITE or AXI_STREAM, as before _RULE_LIST.
function flush() {
    if (prefix == "") return
    printf "`define %s_RULES %d\n", prefix, count
    if (sides) printf "`define %s_MASTER_RULES %d'b%s\n`define %s_SLAVE_RULES %d'b%s\n", prefix, count, master, prefix, count, slave
}
BEGIN { print "// Made by scripts/axi_rules.awk from sim/model/axi/*_rules.h: do not edit.\n`ifndef AXI_RULES_VH\n`define AXI_RULES_VH" }
/^#define [A-Z_]*_RULE_LIST\(X\)/ {
    flush()
    prefix = $2
    sub(/_RULE_LIST.*/, "", prefix)
    count = sides = 0
    master = slave = ""
}
/^ *X\([A-Z0-9_]*,/ {
    name = $1
    gsub(/^X\(|,$/, "", name)
    printf "`define %s_%s %d\n", prefix, name, count++
    if ($2 == "MASTER," || $2 == "SLAVE,") sides = 1
    master = ($2 == "MASTER,") master
    slave  = ($2 == "SLAVE,") slave
}
END { flush(); print "`endif" }
