#!/bin/sh
# Installs what is missing on Debian 12, and only that.
#
#   scripts/setup.sh [build] [test] [lint] [synth] [fourstate] [wave] [page] [speed] [curves] [ranks] [microbench]
#                    [rxe] [interop] [blockdev] [blocktest] [all]
#
# with what the tools are needed for; default: all.
#
# Says what is missing and why. As root it installs; otherwise, or with NO_INSTALL=1, it prints the one command that does and exits 1.
# Takes some milliseconds when nothing is missing.
set -eu
export LC_ALL=C
[ $# -gt 0 ] || set -- all
want=" $* "

# need FOR TEST PACKAGE WHY: TEST is a command, or a file if it starts with /
missing=
need() {
    case "$want" in *" all "* | *" $1 "*) ;; *) return 0 ;; esac
    case "$2" in
        /*) [ -e "$2" ] && return 0 ;;
        *) command -v "$2" >/dev/null 2>&1 && return 0 ;;
    esac
    case " $missing " in *" $3 "*) return 0 ;; esac
    missing="$missing $3"
    reasons="${reasons-}  $3: $4
"
}

# The same for a program that a variable may name: one that is not there is no package that is missing.
tool() { # FOR VARIABLE DEFAULT PACKAGE WHY
    eval "program=\${$2:-$3}"
    case "$want" in *" all "* | *" $1 "*) ;; *) return 0 ;; esac
    if [ "$program" != "$3" ] && ! command -v "${program%% *}" >/dev/null 2>&1; then
        echo "$2=$program: there is no such program; expected one, or $2 not set: $3"
        exit 1
    fi
    need "$1" "${program%% *}" "$4" "$5"
}

need build git git "this repository"
tool build VERILATOR verilator verilator "compiles the Verilog"
need build gcc gcc "compiles the C"
need build g++ g++ "compiles what Verilator generates, links"
need build /usr/include/stdio.h libc6-dev "the C library's headers"
need build /usr/include/zlib.h zlib1g-dev "waves are compressed"
need build /usr/include/jansson.h libjansson-dev "figures as JSON"
need build /usr/include/nettle/sha2.h nettle-dev "SHA-256 of what was sent and received"
need test pkg-config pkg-config "finds Check"
need test /usr/include/check.h check "the unit tests' library"
need test fst2vcd gtkwave "fst2vcd: tests read waves back"
need test tshark tshark "reads captured frames, a second opinion on them"
need test xmllint libxml2-utils "xmllint: a second opinion on reports for CI"
need test prove perl "prove: another one"
need test jq jq "reads results"
need test lspci pciutils "lspci: a second opinion on the configuration space"
for goal in test lint; do
    tool $goal IVERILOG iverilog iverilog "checks the Verilog"
    tool $goal YOSYS yosys yosys "checks the Verilog"
done
tool synth YOSYS yosys yosys "synthesis"
tool fourstate IVERILOG iverilog iverilog "replays recorded pins with X"
tool page CHROMIUM chromium chromium "looks at the page of make cycles"
tool wave GTKWAVE gtkwave gtkwave "shows waves"
for goal in blockdev test; do
    need $goal nbdkit nbdkit "speaks NBD with clients of make blockdev"
    need $goal /usr/include/nbdkit-plugin.h nbdkit-plugin-dev "the door of make blockdev"
done
for goal in blocktest test; do
    need $goal nbdcopy libnbd-bin "an NBD client: copies"
    need $goal fio fio "an NBD client: load"
    need $goal /sbin/e2fsck e2fsprogs "makes and checks file systems"
done
need blocktest qemu-img qemu-utils "an NBD client: converts images"
need blocktest fusermount3 fuse3 "mounts a disk for nbdfuse, where /dev/fuse is there"
for goal in test ranks; do
    need $goal mpirun openmpi-bin "starts ranks"
    need $goal mpicc libopenmpi-dev "ranks reach each other"
done
need interop tshark tshark "reads what was recorded, a second opinion on it"
need interop /usr/lib/python3/dist-packages/scapy/contrib/roce.py python3-scapy "recomputes each ICRC, a second opinion on it"
need rxe objdump binutils "finds the libraries that programs of the guest need"
need rxe xz xz-utils "unpacks modules of the guest's kernel"
need rxe flock util-linux "one guest is made at a time"
need microbench gnuplot gnuplot-nox "draws curves"
need speed valgrind valgrind "counts instructions"
need curves llvm-profdata-16 llvm-16 "models an eighth faster, guided by a short run"
need curves /usr/lib/llvm-16/lib/clang/16/lib/linux libclang-rt-16-dev "... which counts how often each branch is taken"
# Not needed, but installed along with the rest because they make every later build, or the simulator, faster.
if [ -n "$missing" ]; then
    need build clang++-16 clang-16 "compiles models that run half as fast again as with g++ (optional)"
    need build ccache ccache "never compiles the same twice (optional)"
    need build mold mold "links fast (optional)"
fi
[ -n "$missing" ] || exit 0

printf 'Missing:\n%s' "$reasons"
sudo=
[ "$(id -u)" = 0 ] || sudo='sudo '
command="${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null 2>&1; then
    echo "This machine has no apt-get: install these (named as in Debian) by hand:$missing"
    exit 1
fi
if [ -n "${NO_INSTALL:-}" ] || [ "$(id -u)" != 0 ]; then
    printf 'Install with:\n  %s\n' "$command"
    exit 1
fi
printf 'Installing with:\n  %s\n' "$command"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
    tail -20 "$log"
    echo "Installation failed, see above. By hand:  $command"
    exit 1
fi
echo "Installed."
