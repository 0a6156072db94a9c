#!/bin/sh
# Finds what there is to build and prints it as make rules, so that no list of files is kept by hand.
#
#   [SLOT_FOLDER=folder] [PORTS_FOLDER=folder] scripts/programs.sh > build/programs.mk
#   ... scripts/programs.sh --into build/programs.mk        only if a file or folder that it reads has changed since
#
# Models: every Verilog file below rtl/ and tb/ is a configuration of its own name with default parameters; more configurations stand
# in files named `models` below tb/ and sim/, one per line:   NAME MODULE [PARAMETER=VALUE...]      (# starts a comment)
# MODULE is first looked for in the folder of the file `models`. It may be a slot (scripts/slots): then it is the block in the slot. Instead of a
# parameter a line may fill a slot for itself, as on the command line: OUTPUT_SCHEDULER=output_scheduler_wrr.
#
# What lies in a folder `parts` belongs to the module above it (make block FROM=). Of several files of one name that is taken which lies in
# a folder of this name.
#
# Faults in a module: NAME.planted below tb/ is a configuration, too, of a Verilog file that scripts/plant.sh makes.
#
# Slots: models with a slot in them that SLOT_FOLDER/blocks fills (scripts/slots.sh) are built in SLOT_FOLDER/models instead of
# build/models; not so those whose line fills slots itself, or whose name does not begin as SLOT_FOLDER/only says.
#
# Programs: every tb/**/test_*.c is one, and every tb/**/long_*.c, which takes too long for make test; every sim/bin/X.c is X, every
# line of sim/bin/systems, whose C is written to build/systems, and every sw/tools/X.c. What a program needs follows from its #include
# lines, and those of the headers it includes:
#   "NAME.h" of a configuration        -> links build/models/NAME/libNAME.a; full/PROGRAM, build/models/NAME/full/libNAME.a
#   "x.h" in tb/ or sim/system/chips/ with an x.c in the same folder -> links x.o
#   another header below sim/WING/X/ or sw/X/ -> links the library of that folder (all its C files), and what those include in turn
#   "full_models.h" in a test          -> it links the full models always
# PORTS_FOLDER is one more folder with a program X.c and a file `models` (scripts/packet_mode_program.sh).
# What includes no model with such a slot is the same with and without, and built once for all, below $(SHARED) instead of $(BUILT).
# A model that only tests of a block include runs for less time than it takes to compile: -O1 saves a fifth of that, and takes 4 % more to
# run.
# A line LANES("NAME") of a program: it links build/models/NAME/lanes/libNAME.a, several instances evaluated together.
# A line RUNS("PROGRAM") of a test names another program, below build/, that it starts. Only models that some program includes are built.
set -eu
export LC_ALL=C
ports=${PORTS_FOLDER:-}
if [ "${1:-}" = --into ]; then
    key="folders: ${SLOT_FOLDER:-} $ports"
    [ "$(head -n 1 "$2.key" 2>/dev/null)" = "$key" ] && [ -e "$2" ] &&
        [ -z "$(find -L rtl tb sim sw "$0" "$(dirname "$0")/slots" ${SLOT_FOLDER:+"$SLOT_FOLDER"/blocks "$SLOT_FOLDER"/only} ${ports:+"$ports"} \
            -cnewer "$2.key" -print -quit 2>&1)" ] && exit
    echo "$key" >"$2.key.$$"
    touch -d '1 second ago' "$2.key.$$"
    "$0" >"$2.$$" && mv "$2.$$" "$2" && mv "$2.key.$$" "$2.key"
    exit
fi
if [ -e sim/bin/systems ]; then
    mkdir -p build/systems
    awk '/^[^#]/ {
        file = "build/systems/" $1 ".c"; include = "#include \"" $2 ".h\"\n#include \"" $3 ".h\"\n"; kinds = list = lanes = ""
        for (i = 4; i <= NF; i++)
            if ($i == "lanes") lanes = "LANES(\"" $3 "\");\n\n"
            else if (split($i, kind, "=") < 2) { include = include "#include \"sim/system/chips/" $i ".h\"\n"; list = $i }
            else { include = include "#include \"" kind[2] ".h\"\n"; kinds = kinds "{\"" kind[1] "\", &" kind[2] "_config}, " }
        if (kinds != "") { kinds = "static const nic_kind nics[] = {" kinds "{NULL, NULL}};\n\n"; list = "nics" }
        text = "/* Made by scripts/programs.sh from sim/bin/systems: do not edit. */\n" include "#include \"nx_program.h\"\n" \
            "#include \"sim/app/nicxbar/program.h\"\n\n" lanes kinds "NX_PROGRAM(NULL);\n\nint main(int argc, char **argv)\n{\n" \
            "    return nicxbar_sim(argc, argv, &(const program_chips){&" $2 "_config, &" $3 "_config, " (list == "" ? "NULL" : list) "});\n}\n"
        old = ""; while ((getline line <file) > 0) old = old line "\n"; close(file)
        if (old != text) printf "%s", text >file
        close(file)
    }' sim/bin/systems
fi
{
    sed '/^[^#]/!d; s/^/slot /' "$(dirname "$0")/slots"
    [ -z "${SLOT_FOLDER:-}" ] || sed 's/^/block /' "$SLOT_FOLDER/blocks"
    [ -z "${SLOT_FOLDER:-}" ] || sed 's/^/only /' "$SLOT_FOLDER/only"
    find rtl tb -name '*.v' ! -path '*/parts/*' 2>/dev/null | sort | sed 's/^/verilog /'
    find tb -name '*.planted' 2>/dev/null | sort | while read -r f; do
        name=$(basename "$f" .planted) of=$(sed -n 's/^of //p' "$f")
        echo "verilog build/planted/$name.v"
        echo "planted $name $f $(find rtl -name "${of:-none}")"
    done
    find tb sim ${ports:+"$ports"} -name models -xtype f 2>/dev/null | sort | xargs -r grep '' /dev/null | sed 's/^\([^:]*\):/config \1 /'
    sources=$(find tb sim sw build/systems ${ports:+"$ports"} -name '*.[ch]' 2>/dev/null | sort)
    printf '%s\n' "$sources" | sed 's/^./file &/'
    printf '%s\n' "$sources" | xargs -r grep -E '^([[:space:]]*#[[:space:]]*include[[:space:]]*"|(RUNS|LANES)\("[^"]*"\))' /dev/null |
        sed -n 's/^\([^:]*\):RUNS("\(.*\)").*/runs \1 \2/; t p; s/^\([^:]*\):LANES("\(.*\)").*/lanes \1 \2/; t p
                s/^\([^:]*\):[^"]*"\([^"]*\)".*/include \1 \2/; T; :p; p' | sort
    [ -z "${SLOT_FOLDER:-}" ] || find rtl tb -name '*.v' -exec awk '{
        sub(/\/\/.*/, "")
        n = split($0, word, /[^A-Za-z0-9_]+/)
        for (i = 1; i <= n; i++) if (!seen[FILENAME, word[i]]++) print "word", FILENAME, word[i]
    }' {} +
} | awk -v slot_folder="${SLOT_FOLDER:-}" -v ports_folder="$ports/" '
function base(path) { sub(/.*\//, "", path); return path }
function dir(path) { return path ~ /\// ? substr(path, 1, length(path) - length(base(path)) - 1) : "." }
function stem(path) { sub(/\.[ch]$/, "", path); return path }
function fail(text) { print text > "/dev/stderr"; bad = 1; exit 1 }

$1 == "slot" { block[$2] = $3 }
$1 == "block" { block[$2] = $3; block_file[$2] = $4; filled = filled " " $2 "=" $3; filled_by = filled_by " " $4 }
$1 == "only" { only = $2 }
$1 == "verilog" {
    name = base($2); sub(/\.v$/, "", name)
    verilog[$2] = 1
    if (name in source && $2 ~ "/" name "/" name "[.]v$" && source[name] !~ "(^rtl|/" name ")/[^/]*$") source[name] = file_of[name] = $2
    if (!(name in source)) { source[name] = file_of[name] = $2; order[++configs] = name; module[name] = name; params[name] = "" }
}
$1 == "planted" { planted[$2] = $3 " " $4 }
$1 == "config" {
    if ($3 == "" || $3 ~ /^#/) next
    if ($4 == "") fail($2 ": " $3 ": expected NAME MODULE [PARAMETER=VALUE...]")
    beside = dir($2) "/" $4 ".v"
    if (!($4 in source) && !($4 in block)) fail($2 ": " $3 ": there is no module file " $4 ".v below rtl/ or tb/")
    if ($3 in module) fail($2 ": " $3 ": this name is taken")
    order[++configs] = $3; p = ""
    module[$3] = $4 in block ? block[$4] : $4
    in_slot[$3] = $4 in block_file
    file_of[$3] = $4 in block_file ? block_file[$4] : beside in verilog ? beside : source[module[$3]]
    for (i = 5; i <= NF; i++)
        if (substr($i, 1, index($i, "=") - 1) in block) own_slots[$3] = own_slots[$3] " " $i
        else p = p " " $i
    gsub(/[^ ]*"[^ ]*/, "\047&\047", p) # a string keeps its quotes in the shell
    params[$3] = p
}
$1 == "word" && ($3 in source || $3 in block) { uses[$2] = uses[$2] " " $3 }
$1 == "file" { exists[$2] = 1; files[++file_count] = $2; called[base($2)] = called[base($2)] " " $2 }
$1 == "lanes" { in_lanes[$2, $3] = 1 }
$1 == "runs" { runs[$2] = runs[$2] " $(BUILT)/" $3 }
$1 == "include" { includes[$2] = includes[$2] " " $3 }

function folder(file,    part) {
    if (!(file in folder_of))
        folder_of[file] = is_single(file) || split(file, part, "/") < 3 ? "" : part[1] == "sw" ? "sw/" part[2] : \
            part[1] == "sim" ? "sim/" part[2] (part[2] ~ /^(core|bin)$/ || !(4 in part) ? "" : "/" part[3]) : \
            part[1] == "tb" ? "tb/fuzz/targets" : ""
    return folder_of[file]
}
# Linked only where its own header is included.
function is_single(file) { return file ~ /^(tb|sim\/system\/chips)\// && file !~ /^tb\/fuzz\/targets\// }

# The file of an include line: in the folder of the includer, or from the root, or the first of that name.
function resolve(from, what,    i, n, list) {
    if ((dir(from) "/" what) in exists) return dir(from) "/" what
    if (what in exists) return what
    n = split(called[base(what)], list, " ")
    for (i = 1; i <= n; i++)
        if (substr(list[i], length(list[i]) - length(what)) == "/" what) return list[i]
    return ""
}
# What the include lines of a file name, looked up once for all programs: model[file, i] or file_named[file, i]. How many there are.
function look_up(file,    n, list, i, name) {
    if (file in lines) return lines[file]
    n = split(includes[file], list, " ")
    for (i = 1; i <= n; i++) {
        name = stem(base(list[i]))
        if (is_model(file, list[i], name)) model[file, i] = name
        else file_named[file, i] = resolve(file, list[i])
    }
    return lines[file] = n
}
# Whether a slot that is filled is in this module or below it (words in comments are not looked at; a word too much is harmless).
function has_slot(m,    n, list, i) {
    if (m in slot_in) return slot_in[m]
    slot_in[m] = 0
    n = split(uses[source[m]], list, " ")
    for (i = 1; i <= n && !slot_in[m]; i++) slot_in[m] = (list[i] in block_file) || has_slot(list[i] in block ? block[list[i]] : list[i])
    return slot_in[m]
}
function model_folder(name) {
    return (!(name in own_slots) && index(name, only) == 1 && (in_slot[name] || has_slot(module[name])) ? slot_folder : "build") "/models/" name
}
function is_model(from, what, name) { return what == name ".h" && name in module && !((dir(from) "/" what) in exists) }
# A program of its own, not part of the library of its folder.
function is_program(file) { return file ~ /^(sim\/bin|build\/systems|sw\/tools)\// || is_of_ports(file) }
function is_of_ports(file) { return index(file, ports_folder) == 1 }
# Follows the include lines of a file; fills objects (C files), libs (models), folders.
function follow(file,    n, i, found) {
    if (file in seen) return
    seen[file] = 1
    if (!is_program(file) && folder(file) != "") follow_folder(folder(file))
    n = look_up(file)
    for (i = 1; i <= n; i++) {
        if ((file, i) in model) {
            libs[model[file, i]] = 1
            follow_folder("sim/core")
            continue
        }
        found = file_named[file, i]
        if (found == "") continue
        follow(found)
        if (is_single(found) && base(found) !~ /^test_/ && (stem(found) ".c") in exists) {
            objects[stem(found) ".c"] = 1
            follow(stem(found) ".c")
        }
    }
}
function follow_folder(f,    n, list, i) {
    if (f in folders) return
    folders[f] = 1
    n = split(members[f], list, " ")
    for (i = 1; i <= n; i++) follow(list[i])
}
# The generated headers must be there before a C file that includes them, directly or not, is compiled.
function reach(file,    n, i) {
    if (file in reached) return
    reached[file] = 1
    n = look_up(file)
    for (i = 1; i <= n; i++) {
        if ((file, i) in model) needed = needed " " model_folder(model[file, i]) "/" model[file, i] ".h"
        else if (file_named[file, i] != "") reach(file_named[file, i])
    }
}
# The object of a C file; after the headers of models in it.
function object(file) {
    if (!(file in object_of)) {
        split("", reached)
        needed = ""
        reach(file)
        object_of[file] = (slot_folder == "" || index(needed, " " slot_folder "/") ? "$(BUILT)" : "$(SHARED)") "/obj/" stem(file) ".o"
        if (needed != "") print object_of[file] ": |" needed
    }
    return object_of[file]
}
# The library of a folder.
function library(f,    n, list, i, text) {
    if (!(f in library_of)) {
        n = split(members[f], list, " ")
        for (i = 1; i <= n; i++) text = text " " object(list[i])
        library_of[f] = (slot_folder == "" || text ~ /\$\(BUILT\)/ ? "$(BUILT)" : "$(SHARED)") "/lib/" f ".a"
        print library_of[f] ":" text
    }
    return library_of[f]
}
function program(out, file,    f, text, fast, full) {
    split("", seen); split("", objects); split("", libs); split("", folders)
    objects[file] = 1
    follow(file)
    for (f in objects) text = text " " object(f)
    for (f in folders) text = text " " library(f)
    for (f in libs) {
        fast = fast " " model_folder(f) ((file, f) in in_lanes ? "/lanes" : "") "/lib" f ".a"
        full = full " " model_folder(f) "/full/lib" f ".a"
        used[f] = 1
        if (file !~ /^tb\/(unit|contract)\/(.*\/)?test_/) runs_long[f] = 1
    }
    print "$(BUILT)/" out ":" text ("tb/full_models.h" in seen ? full : fast)
    if (file ~ /^(sim\/bin|build\/systems)\//) print "needs_" out " :=" text fast
    print "$(BUILT)/full/" out ":" text full
    if (file in runs) print "$(BUILT)/" out " $(BUILT)/full/" out ": |" runs[file]
}
END {
    if (bad) exit 1
    # the C files of a folder; a program is none of its library
    for (i = 1; i <= file_count; i++)
        if (files[i] ~ /\.c$/ && !is_program(files[i])) members[folder(files[i])] = members[folder(files[i])] " " files[i]
    for (i = 1; i <= file_count; i++) {
        f = files[i]
        if (f ~ /^tb\/(.*\/)?test_[^\/]*\.c$/) { program(stem(f), f); tests = tests " " stem(f) }
        else if (f ~ /^tb\/(.*\/)?long_[^\/]*\.c$/) program(stem(f), f)
        else if (f ~ /^(sim\/bin|build\/systems)\/[^\/]*\.c$/ || is_of_ports(f)) { program(stem(base(f)), f); sims = sims " " stem(base(f)) }
        else if (f ~ /^sw\/tools\/[^\/]*\.c$/) { program(stem(base(f)), f); tools = tools " " stem(base(f)) }
    }
    for (f in planted) print "build/planted/" f ".v: " planted[f] " scripts/plant.sh\n\t$(Q)mkdir -p $(@D) && scripts/plant.sh $< $@"
    print "TESTS :=" tests
    print "TOOL_PROGRAMS :=" tools
    print "SIM_PROGRAMS :=" sims
    for (i = 1; i <= configs; i++) {
        name = order[i]
        if (!(name in used)) continue
        d = model_folder(name)
        models = models " " d
        optimize = name in runs_long ? "-O2" : "-O1"
        steps = d "/bound " d "/lib" name ".a " d "/full/lib" name ".a " d "/lanes/lib" name ".a " \
            d "/training/lib" name ".a " d "/guided/lib" name ".a"
        if (name in own_slots) print steps ": BLOCKS :=" own_slots[name]
        else if (d !~ /^build\/models/) print steps ": BLOCKS :=" filled "\n" steps ": BLOCK_FILES :=" filled_by
        print steps ": OPTIMIZE := " optimize
        print steps ": MODEL := " name " " module[name] " " file_of[name] params[name]
        beside = file_of[name]; sub(/\.v$/, "", beside)
        print d "/bound: " file_of[name] " $(wildcard " beside ".vlt " beside ".probes " beside ".f) " d "/config"
        print d "/lib" name ".a " d "/full/lib" name ".a: " d "/bound"
        print d "/lanes/lib" name ".a: " d "/lib" name ".a"
        print d "/config: CONFIG := " name " " module[name] params[name] own_slots[name] " " optimize
        print d "/" name ".h: " d "/bound ;"
        print "-include " d "/" name ".d"
    }
    print "MODEL_FOLDERS :=" models
}'
