# Names of FSM states, from the Verilog.
#
#   awk -f scripts/waves/states.awk -v folder=build/waves/states rtl/*/*.v      for GTKWave: one filter file for each FSM, with lines
#                                                                               "<hex> NAME"; prints the names of the files it wrote
#   awk -f scripts/waves/states.awk rtl/*/*.v                                   for C: #define MODULE_FIRST "NAME", "NAME" ...
#
# States are localparams of one width that count 0, 1, 2 ...: all in one localparam statement, or one statement each, one after the
# other. The file is called MODULE.FIRST.txt after the module and the first state.

function flush(    i, path) {
    if (count >= 3 && counts && folder == "") {
        printf "#define %s_%s", toupper(module), name[0]
        for (i = 0; i < count; i++) printf "%s \"%s\"", i ? "," : "", name[i]
        print ""
    } else if (count >= 3 && counts) {
        path = folder "/" module "." name[0] ".txt"
        for (i = 0; i < count; i++) printf "%x %s\n", i, name[i] > path
        close(path)
        print path
    }
    count = 0
    counts = 1
    width = ""
}

# One whole statement, without comments.
function statement(text,    range, single, i, n, part, value) {
    if (!match(text, /\[[0-9]+:0\]/)) { flush(); return }
    range = substr(text, RSTART, RLENGTH)
    sub(/^[^]]*\]/, "", text)
    n = split(text, part, ",")
    single = (n == 1)
    if (!single || range != width) flush()
    for (i = 1; i <= n; i++) {
        value = part[i]
        sub(/.*=[ \t]*/, "", value)
        sub(/^[0-9]*'d/, "", value)
        gsub(/[ \t;]/, "", value)
        if (value != count "") counts = 0
        gsub(/[ \t]|=.*/, "", part[i])
        name[count++] = part[i]
    }
    width = range
    if (!single) flush()
}

FNR == 1 { flush(); open = ""; module = FILENAME; sub(/.*\//, "", module); sub(/\.v$/, "", module) }
{ sub(/\/\/.*/, "") }
open == "" && /^[ \t]*localparam/ { open = " "; sub(/^[ \t]*localparam/, "") }
open != "" {
    open = open " " $0
    if (/;/) { statement(open); open = "" }
    next
}
/[^ \t]/ { flush() }
END { flush() }
