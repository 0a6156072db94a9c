#!/bin/sh
# A module of rtl/ with faults in it, which a test switches on one at a time:
#
#   scripts/plant.sh FILE.planted OUT.v
#
# FILE.planted is in the folder of its test, which includes "FILE.h". It has lines
#
#   of MODULE.v                        a file below rtl/: OUT.v is that with these edits, as module FILE
#   turn EXPRESSION                    tb/contract/fault_when.v counts these turns and switches the fault on
#   + VERILOG                          what faults need: in front of the first always block
#   NUMBER what is wrong | EDIT        a sed command. FAULT in it is 1 while the fault shows; several lines of one
#                                      number are one fault
#
# and comments behind #; a line may go on behind a \ at its end. The module has one more port: `fault`, the number of
# the fault, 0 for none; [6:0] with a turn, else [4:0]. An edit that changes nothing is an error: module and faults
# cannot drift apart.
set -eu
export LC_ALL=C
in=$1 out=$2 name=$(basename "$1" .planted)
fail() {
    echo "plant: $in: $*" >&2
    rm -f "$out.part" "$out.next"
    exit 1
}
of=$(sed -n 's/^of //p' "$in") turn=$(sed -n 's/^turn //p' "$in")
source=$(find rtl -name "${of:-none}")
[ -f "$source" ] || fail "expected a line 'of MODULE.v' that names a file below rtl/"
bits=4 shows='assign planted = fault;'
[ -z "$turn" ] ||
    bits=6 shows="fault_when faults (.clk (clk), .rst (rst), .turn ($turn), .fault (fault), .now (planted));"
cp "$source" "$out.part"
while IFS='|' read -r what edit; do
    case $what in [0-9]*) ;; *) continue ;; esac
    edit=$(printf '%s' "$edit" | sed "s/FAULT/(planted == 5'd${what%% *})/g")
    sed "$edit" "$out.part" >"$out.next" || fail "$what: expected a sed command:$edit"
    ! cmp -s "$out.part" "$out.next" || fail "$what: its edit changes nothing in $source:$edit"
    mv "$out.next" "$out.part"
done <<EOF
$(sed -e ':a' -e '/\\$/{N;s/ *\\\n */ /;ba' -e '}' "$in")
EOF
awk -v of="${of%.v}" -v name="$name" -v bits=$bits -v shows="$shows" -v file="$in" '
    /^module / { sub("module " of, "module " name) }
    /^\);/ && !ports++ { $0 = "    , input wire [" bits ":0] fault\n);\n    wire [4:0] planted;" }
    /^    always/ && !blocks++ { while ((getline line <file) > 0) if (sub(/^\+ /, "    ", line)) print line }
    /^endmodule/ { print "    " shows }
    { print }' "$out.part" >"$out.next"
mv "$out.next" "$out"
rm "$out.part"
