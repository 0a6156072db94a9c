# A GTKWave save file for any waves, out of the Verilog: signals by the headings of the ports, FSMs with their states by name.
#
#   fst2vcd FILE.fst | awk -f scripts/waves/arrange.awk -v module=voq MODEL.instances... STATES.txt... rtl/*/*.v -
#
# With -v window=1 also the size of the window and where it begins, which a save file says once.
#
# module: all instances of it, their ports and what is inside them. Without: all models, their pins, their FSMs, and the ports of their
# blocks. build/models/*/*.instances say which module an instance is (design.py); STATES are filter files of states.awk. The
# first lines on stdin, up to $enddefinitions, say what is in the waves; where it names a module that none is of, the exit code is 1.

function flush_port(    part, n, i) {
    sub(/\/\/.*/, "", text)
    sub(/^ *(input|output|inout)/, "", text)
    gsub(/\[[^]]*\]/, "", text)
    gsub(/[ \t](wire|reg|signed)[ \t]/, " ", text)
    gsub(/[ \t);]/, "", text)
    n = split(text, part, ",")
    for (i = 1; i <= n; i++)
        if (part[i] != "") {
            port[here, ++ports[here]] = part[i]
            heading[here, ports[here]] = head
            is_port[here, part[i]] = 1
            head = ""
        }
}

# ---- the Verilog: ports with their headings, registers that hold states ----
FNR == 1 { in_ports = 0; here = "" }
FILENAME ~ /\.v$/ && /^module / { here = $2; sub(/[^A-Za-z0-9_].*/, "", here); if (/[^#]\($/) in_ports = 1; head = ""; next }
FILENAME ~ /\.v$/ && /^\) *\($/ { in_ports = 1; head = ""; next }
FILENAME ~ /\.v$/ && in_ports && /^\);/ { in_ports = 0 }
FILENAME ~ /\.v$/ && in_ports && /^ *\/\// { if (head == "" || blank) { head = $0; sub(/^ *\/\/ */, "", head) } blank = 0; next }
FILENAME ~ /\.v$/ && in_ports && /^ *$/ { blank = 1; head = ""; next }
FILENAME ~ /\.v$/ && in_ports && /^ *(input|output|inout)/ { text = $0; flush_port(); next }
FILENAME ~ /\.v$/ && here != "" {
    line = $0
    sub(/\/\/.*/, "", line)
    while (match(line, /[A-Za-z_][A-Za-z0-9_]* *(<=|=+) */)) {
        name = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        sub(/[ <=].*/, "", name)
        rest = " " line " "
        for (i = 1; i <= lists[here]; i++)
            for (k = 1; k <= states[here, i]; k++)
                if (rest ~ ("^[^;]*[^A-Za-z0-9_]" state[here, i, k] "[^A-Za-z0-9_]")) uses[here, i, name]++
    }
    next
}
FILENAME ~ /\.v$/ { next }

# ---- states: build/waves/states/MODULE.FIRST.txt ----
FILENAME ~ /\.txt$/ {
    if (FNR == 1) {
        owner = FILENAME; sub(/.*\//, "", owner); sub(/\..*/, "", owner)
        file[owner, ++lists[owner]] = FILENAME
    }
    state[owner, lists[owner], ++states[owner, lists[owner]]] = $2
    next
}

# ---- modules of instances ----
FILENAME ~ /\.instances$/ { made[$1] = $2; next }

# ---- what is in the waves ----
/^#/ { begin = substr($0, 2); exit }
/^\$scope/ {
    path[++depth] = (depth > 1 ? path[depth - 1] "." : "") $3
    hier[depth] = depth == 1 ? "" : (depth == 2 ? "" : hier[depth - 1] ".") $3
    if (hier[depth] in made) {
        instance[++instances] = path[depth]
        kind[path[depth]] = made[hier[depth]]
        around[path[depth]] = inside[depth - 1]
        inside[depth] = path[depth]
    } else inside[depth] = inside[depth - 1]
    if (depth == 1) inside[1] = ""
}
/^\$upscope/ { depth-- }
/^\$var/ && depth > 1 && $2 != "parameter" && $2 != "integer" {
    at = path[depth]
    signal[at, ++signals[at]] = $5
    width[at "." $5] = $3
    range[at "." $5] = $6 ~ /^\[/ ? $6 : ""
}

# ---- the save file ----
function show(name,    of, scope) {
    if (!(name in width)) return
    if (name in filter) printf "@2022\n^1 %s\n", filter[name]
    else print width[name] == 1 ? "@28" : "@22"
    print name range[name]
}
function group(title, open) { print (open ? "@800200" : "@c00200") "\n-" title }
function group_end(title, open) { print (open ? "@1000200" : "@1401200") "\n-" title }
function show_ports(at,    of, i) {
    of = kind[at]
    for (i = 1; i <= ports[of]; i++) {
        if (heading[of, i] != "") print "@200\n-" heading[of, i]
        show(at "." port[of, i])
    }
}
# The register of each list of states: the one that is used with them most.
function find_states(at,    of, i, most, best, j, name) {
    of = kind[at]
    for (i = 1; i <= lists[of]; i++) {
        most = 0
        for (j = 1; j <= signals[at]; j++) {
            name = signal[at, j]
            if (uses[of, i, name] > most) { most = uses[of, i, name]; best = name }
        }
        if (most) filter[at "." best] = file[of, i]
        if (most) machine[at, ++machines[at]] = at "." best
    }
}
END {
    print "[*] Made by scripts/waves/arrange.awk out of the Verilog" (module != "" ? ": " module : "")
    if (window) print "[timestart] " begin "\n[size] 1820 1050\n[pos] -1 -1\n*-19.000000 " begin "\n[sst_width] 40\n[signals_width] 330"
    for (n = 1; n <= instances; n++) find_states(instance[n])
    for (n = 1; n <= instances; n++) {
        at = instance[n]
        if (module != "" ? kind[at] == module : around[at] == "") {
            title = at (module == "" ? ": pins" : "")
            open = module != "" && !found++
            group(title, open)
            show_ports(at)
            if (module != "") {
                print "@200\n-inside"
                for (j = 1; j <= signals[at]; j++) if (!((kind[at], signal[at, j]) in is_port)) show(at "." signal[at, j])
            }
            group_end(title, open)
        }
        if (module != "" || around[at] != "") continue
        group(at ": state machines")
        for (m = n; m <= instances; m++)
            for (j = 1; index(instance[m] ".", at ".") == 1 && j <= machines[instance[m]]; j++) show(machine[instance[m], j])
        group_end(at ": state machines")
        for (m = n; m <= instances; m++)
            if (around[instance[m]] == at && signals[instance[m]]) {
                group(instance[m])
                show_ports(instance[m])
                group_end(instance[m])
            }
    }
    if (module != "" && !found) {
        for (n = 1; n <= instances; n++) if (!seen[kind[instance[n]]]++) known = known (known != "" ? ", " : "") kind[instance[n]]
        print "wave: MODULE=" module ": no instance of it is in these waves; there are " known > "/dev/stderr"
        exit 1
    }
}
