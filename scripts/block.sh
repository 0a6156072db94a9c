#!/bin/sh
# Starts a block of one's own: a module, its test, and how its waves are arranged, all good from the first minute.
#
#   [CC=...] scripts/block.sh NAME [FOLDER]      make block NAME=my_filter FOLDER=rtl/switch
#
# Writes FOLDER/NAME.v (default rtl/blocks), tb/unit/NAME/test_NAME.c and .gtkw, out of scripts/block/*.in, and says what can be done with
# them. Nothing is registered anywhere: make finds them. FOLDER is one of those in the table of rtl/README.md.
#
# NAME is that of a module, a type in C and the head of names in C and C++. Refused: what is no such name or means something in one of the
# languages; a module, configuration, header or folder that is there; what C knows already behind the headers that tests include, and
# macros (the compiler says so).
set -eu
export LC_ALL=C
CC=${CC:-gcc} VERILATOR=${VERILATOR:-verilator} PERL=${PERL:-perl}
here=$(dirname "$0")
stop() { echo "block: $1" >&2; exit 1; }

name=$1 folder=${2:-rtl/blocks}
refuse() { stop "NAME=$name $1; expected another name"; }
# Words of Verilog (1364-2005), SystemVerilog (1800-2017) and C++ (with C++20's): a tool that reads the block may know any of them.
words='
always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign default defparam design disable edge else end
endcase endconfig endfunction endgenerate endmodule endprimitive endspecify endtable endtask event for force forever fork function generate
genvar highz0 highz1 if ifnone incdir include initial inout input instance integer join large liblist library localparam macromodule medium
module nand negedge nmos nor noshowcancelled not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1 pulldown pullup
pulsestyle_ondetect pulsestyle_onevent rcmos real realtime reg release repeat rnmos rpmos rtran rtranif0 rtranif1 scalared showcancelled
signed small specify specparam strong0 strong1 supply0 supply1 table task time tran tranif0 tranif1 tri tri0 tri1 triand trior trireg
unsigned use uwire vectored wait wand weak0 weak1 while wire wor xnor xor

accept_on alias always_comb always_ff always_latch assert assume before bind bins binsof bit break byte chandle checker class clocking
const constraint context continue cover covergroup coverpoint cross dist do endchecker endclass endclocking endgroup endinterface endpackage
endprogram endproperty endsequence enum eventually expect export extends extern final first_match foreach forkjoin global iff ignore_bins
illegal_bins implements implies import inside int interconnect interface intersect join_any join_none let local logic longint matches
modport nettype new nexttime null package packed priority program property protected pure rand randc randcase randsequence ref reject_on
restrict return s_always s_eventually s_nexttime s_until s_until_with sequence shortint shortreal soft solve static string strong struct
super sync_accept_on sync_reject_on tagged this throughout timeprecision timeunit type typedef union unique unique0 unsigned until
until_with untyped var virtual void wait_order weak wildcard with within

alignas alignof and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool catch char char16_t char32_t char8_t
co_await co_return co_yield compl concept const_cast consteval constexpr constinit decltype delete double dynamic_cast explicit false float
friend goto inline long mutable namespace noexcept not_eq nullptr operator or_eq private public reflexpr register reinterpret_cast requires
short sizeof static_assert static_cast switch synchronized template thread_local throw true try typeid typename typeof using volatile
wchar_t xor_eq'

printf '%s' "$name" | grep -Eqx '[a-z][a-z0-9_]*' ||
    refuse 'is no name of a module here: a small letter, then small letters, digits and _'
case $name in *__* | *_) refuse 'has __ in it, or _ at its end, which Verilator and C++ keep for themselves' ;; esac
[ ${#name} -le 32 ] || refuse "has ${#name} characters, at most 32"
for w in $words; do [ "$w" != "$name" ] || refuse 'is a word of Verilog, SystemVerilog, C or C++'; done
other=$(find rtl tb -name "$name.v" | head -1)
[ -z "$other" ] || refuse "is a module that is there ($other)"
other=$(grep -rlE "^[[:space:]]*(module|primitive)[[:space:]]+$name([^A-Za-z0-9_]|\$)" rtl tb --include='*.v' | head -1)
[ -z "$other" ] || refuse "is a module in $other"
other=$(find tb sim -name models -exec grep -lE "^$name[[:space:]]" {} + | head -1)
[ -z "$other" ] || refuse "is a configuration in $other"
other=$(find sim sw tb build/generated -name "$name.[ch]" 2>/dev/null | head -1)
[ -z "$other" ] || refuse "is that of $other, and the block's header would be $name.h, too"
[ ! -e "tb/unit/$name" ] || refuse "is a folder that is there (tb/unit/$name)"


folder=${folder%/} test=tb/unit/$name
folders=$(sed -n 's/^| `\([a-z_]*\)` |.*/rtl\/\1/p' rtl/README.md)
printf '%s\n' "$folders" | grep -Fqx "$folder" || stop "FOLDER=$folder: expected one of those in rtl/README.md: $(echo $folders)"

# ---- all of it, and whether C knows the name already ----
new=build/block
rm -rf "$new"
mkdir -p "$new"
trap 'rm -rf "$new"' EXIT
write() { sed "s/@NAME@/$name/g" "$here/block/$1.in" >"$new/$2"; }
write stream.v "$name.v"
write stream_test.c "test_$name.c"
write stream.gtkw "test_$name.gtkw"

"$VERILATOR" --xml-only --xml-output "$new/xml" -Mdir "$new" --default-language 1364-2005 --top-module "$name" "$new/$name.v"
"$PERL" "$here/bindings.pl" "$name" "$name" "$new/xml" "$new"
# The test as C sees it, behind all that a test may include.
for h in ctype errno fcntl inttypes jansson limits math pthread signal stdarg stdio stdlib string strings sys/stat sys/types time \
    ucontext unistd; do echo "#include <$h.h>"; done >"$new/all.h"
c_says() {
    $CC -std=gnu11 -D_GNU_SOURCE -fsyntax-only -I. $(find sim sw tb -name '*.h' -printf '-iquote %h\n' | sort -u) -iquote "$new" \
        -include "$new/all.h" "$1" 2>&1
}
if ! messages=$(c_says "$new/test_$name.c"); then
    place=$(printf '%s\n' "$messages" | sed -n "s/^\([^ :<]*:[0-9]*\):[0-9]*: note: .*[^a-z]$name[^a-z].*/\1/p" | head -1)
    refuse "means something in C already${place:+ ($place)}"
fi

mkdir -p "$folder" "$test"
mv "$new/$name.v" "$folder"
mv "$new/test_$name.c" "$new/test_$name.gtkw" "$test"
cat <<END
block: $folder/$name.v
block: $test/test_$name.c
block: $test/test_$name.gtkw
    make test TEST=$test                         judges it
    make test TEST=$test WAVES=1; make wave      shows it
    make cycles TEST=$test                       clocks busy, stalled, idle; latency
    make lint; make synth MODULE=$name           Verilog-2005; size
END
