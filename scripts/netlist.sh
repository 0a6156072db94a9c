#!/bin/sh
# The netlist of one module as Yosys maps it to Virtex-II Pro (synth.py), for a simulator: OUT.v, of the cells in Yosys'
# own cells_sim.v.
#
#   [RTL=folder] [SLOT_FOLDER=folder] scripts/netlist.sh OUT MODULE [PARAMETER=VALUE...]
#   e.g. scripts/netlist.sh build/fourstate/crossbar2 crossbar PORTS=2
#
# Two things differ from the netlist for a board. Memories that become block RAM stay memories, since Yosys has no model
# of RAMB16 to simulate. And nothing has a value at power-up: flip-flops, shift registers and LUT memories start with X,
# so that only reset helps. OUT.il (before memories are mapped), OUT.maps (what each memory becomes) and OUT.log stay in
# the same folder.
set -eu
export LC_ALL=C
YOSYS=${YOSYS:-yosys}
out=${1:?usage: scripts/netlist.sh OUT MODULE [PARAMETER=VALUE...]}
module=${2:?usage: scripts/netlist.sh OUT MODULE [PARAMETER=VALUE...]}
shift 2
mkdir -p "$(dirname "$out")"
. scripts/verilog_files.sh
sets=
for p in "$@"; do sets="$sets -chparam ${p%%=*} ${p#*=}"; done
synth="synth_xilinx -family xc2vp -nowidelut -flatten -top $module -run"
run() {
    if "$YOSYS" -q -l "$out.log" -p "$1" >/dev/null 2>"$out.err"; then rm -f "$out.err"; return; fi
    grep -E 'ERROR|Assertion' "$out.log" "$out.err" >&2 || tail -5 "$out.log" >&2
    echo "netlist: $module failed, log in $out.log" >&2
    exit 1
}

# -defer: modules that are not in this one are not worked on, which took 20 s
run "read_verilog -defer -Ibuild/generated $defines $files; hierarchy -check -top $module $sets;
     $synth begin:map_memory; write_rtlil $out.il; tee -q -o $out.maps $synth map_memory:map_ffram"
cells=$(sed -n "s/^Parsing Verilog input from \`\(.*xilinx\/cells_sim.v\)' to AST.*/\1/p" "$out.log" | head -1)
kept=$(sed -n "s/^mapping memory $module\.\(.*\) via \$__XILINX_BLOCKRAM_\$/c:\1/p" "$out.maps" | tr '\n' ' ')
run "read_rtlil $out.il; cd $module; select -set block none; ${kept:+select -set block $kept;} select -clear;
     memory_libmap -lib +/xilinx/lutrams_xcv.txt -D IS_VIRTEX2 * @block %d; techmap -map +/xilinx/lutrams_xcv_map.v;
     opt -fast -full; memory_map * @block %d; cd; $synth fine:check;
     setparam -set INIT 1'bx t:FD*; setparam -set INIT 16'bx t:RAM16* t:SRL*; setparam -set INIT 32'bx t:RAM32*;
     setparam -set INIT 64'bx t:RAM64*; write_verilog -noattr -noexpr $out.tmp.v"
{ echo "// cells: $cells"; cat "$out.tmp.v"; } >"$out.v.new"
rm "$out.tmp.v"
mv "$out.v.new" "$out.v"
