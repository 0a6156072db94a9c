# A recording of pins (sim/core/kernel/pins.c) and scripts/pins -> a Verilog bench that replays it.
#
#   awk -f scripts/replay.awk [-v netlist=1] [-v name=NAME -v edges=N] scripts/pins RECORDING
#
# Before each edge the inputs are set and, once the chip has been reset, its outputs compared with those recorded; then its clocks rise.
# With netlist=1 the module has no parameters any more; name and number of lines are for the progress line. The bench ends with one line
# that starts with GOOD or BAD.
FNR == NR {
    sub(/#.*/, "")
    if (NF) { rule_module[++rules] = $1; rule_port[rules] = $2; $1 = $2 = ""; rule_text[rules] = $0 }
    next
}
$1 == "module" { module = $2; for (i = 3; i <= NF; i++) { split($i, p, "="); set = set (set == "" ? "" : ", ") "." p[1] "(" p[2] ")" } }
$1 == "clock"  { clock[++clocks] = $2 }
$1 == "input"  { input[++inputs] = $2; bits[$2] = $3 }
$1 == "output" { output[++outputs] = $2; bits[$2] = $3 }
$1 == "edges"  { header = FNR; complete = 1; exit }

function range(port) { return "[" bits[port] - 1 ":0]" }
# An expression over recorded outputs and inputs.
function recorded(text,    out, word) {
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
        word = substr(text, RSTART, RLENGTH)
        out = out substr(text, 1, RSTART - 1) (word in is_output ? "want_" : "") word
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}
END {
    if (!complete || !clocks || !outputs) { print FILENAME ": no recording of pins" > "/dev/stderr"; exit 1 }
    for (i = 1; i <= outputs; i++) is_output[output[i]] = 1
    for (i = 1; i <= rules; i++) {
        if (rule_module[i] != module) continue
        port = rule_port[i]; part = ""
        if (port == "reset") { reset = recorded(rule_text[i]); continue }
        if (match(port, /\[/)) { part = substr(port, RSTART); port = substr(port, 1, RSTART - 1) }
        if (!(port in is_output)) { print "scripts/pins: " module " has no output " port > "/dev/stderr"; exit 1 }
        care[port] = care[port] "            if (!(" recorded(rule_text[i]) " )) care_" port part " = 0;\n"
    }
    print "`timescale 1ps/1ps\nmodule replay;"
    print "    integer file, i, got, edges, bad;\n    reg [63:0] at;\n    reg [8*200-1:0] text;"
    print "    reg was_reset, compares, progress;\n    reg [63:0] from;\n    reg [" clocks - 1 ":0] rising, clocks;"
    for (i = 1; i <= clocks; i++)  print "    integer low_" clock[i] ";"
    for (i = 1; i <= inputs; i++)  print "    reg " range(input[i]) " " input[i] ";"
    for (i = 1; i <= outputs; i++) {
        print "    wire " range(output[i]) " " output[i] ";"
        print "    reg " range(output[i]) " want_" output[i] ", care_" output[i] ";"
    }
    print "\n    " module (netlist || set == "" ? "" : " #(" set ")") " dut ("
    for (i = 1; i <= clocks; i++)  print "        ." clock[i] "(clocks[" i - 1 "]),"
    for (i = 1; i <= inputs; i++)  print "        ." input[i] "(" input[i] "),"
    for (i = 1; i <= outputs; i++) print "        ." output[i] "(" output[i] ")" (i < outputs ? "," : "")
    print "    );\n"
    print "    initial begin"
    print "        progress = $test$plusargs(\"progress\");"
    print "        if ($value$plusargs(\"waves=%s\", text)) begin $dumpfile(text); $dumpvars(0, replay); end"
    print "        clocks = 0; edges = 0; bad = 0; was_reset = 0; compares = 0; from = 0;"
    for (i = 1; i <= clocks; i++) print "        low_" clock[i] " = 0;"
    print "        got = $value$plusargs(\"pins=%s\", text);\n        file = $fopen(text, \"r\");"
    print "        for (i = 0; i < " header "; i = i + 1) got = $fgets(text, file);"
    fields = 2 + inputs + outputs
    format = "%h %h"; names = "at, rising"
    for (i = 1; i <= inputs; i++)  { format = format " %h"; names = names ", " input[i] }
    for (i = 1; i <= outputs; i++) { format = format " %h"; names = names ", want_" output[i] }
    print "        got = $fscanf(file, \"" format "\", " names ");"
    print "        while (got == " fields " && bad < 10) begin"
    print "            #(at - $time);"
    if (reset != "") {
        print "            if (" reset " ) begin"
        print "                was_reset = 1;"
        for (i = 1; i <= clocks; i++) print "                if (rising[" i - 1 "]) low_" clock[i] " = low_" clock[i] " + 1;"
        print "            end else if (was_reset) begin"
        condition = "1"
        for (i = 1; i <= clocks; i++) condition = condition " && low_" clock[i] " >= 8"
        print "                if (!compares && " condition ") begin compares = 1; from = at; end"
        print "                was_reset = 0;"
        for (i = 1; i <= clocks; i++) print "                low_" clock[i] " = 0;"
        print "            end"
    } else print "            compares = 1;"
    print "            edges = edges + 1;\n            if (compares) compare;\n            clocks = rising;\n            #1 clocks = 0;"
    print "            if (progress && edges % 500 == 0)"
    print "                $fwrite(32'h80000002, \"\\015\\033[K" name ": %0d of " edges " edges \", edges);"
    print "            got = $fscanf(file, \"" format "\", " names ");"
    print "        end"
    print "        if (progress) $fwrite(32'h80000002, \"\\015\\033[K\");"
    print "        if (bad > 0) $display(\"BAD: stopped after %0d edges\", edges);"
    print "        else if (got > 0) $display(\"BAD: %0d edges, then a line of %0d fields instead of " fields "\", edges, got);"
    print "        else if (!compares)"
    print "            $display(\"BAD: nothing compared: no reset of at least 8 edges of each clock, and its end, in %0d edges\", edges);"
    print "        else $display(\"GOOD: %0d edges, outputs known and as recorded from %0d ps to %0d ps\", edges, from, at);"
    print "        $finish(0);\n    end\n" # says nothing
    print "    task compare;\n        begin"
    for (i = 1; i <= outputs; i++) {
        o = output[i]
        print "            care_" o " = ~" bits[o] "'d0;"
        printf "%s", care[o]
        print "            if (((" o " ^ want_" o ") & care_" o ") !== " bits[o] "'d0) begin"
        print "                bad = bad + 1;"
        print "                $display(\"at %0d ps, edge %0d: " o " is %h%0s, expected %h\", at, edges, " o ","
        print "                         ^(" o " & care_" o ") === 1'bx ? \" (unknown)\" : \"\", want_" o ");"
        print "            end"
    }
    print "        end\n    endtask\nendmodule"
}
