#!/bin/sh
# Installs what is missing on Debian 12 and 13, and only that.
#
#   scripts/setup.sh [build] [test] [lint] [synth] [fourstate] [wave] [page] [speed] [curves] [fuzz] [ranks]
#                    [rxe] [interop] [disk] [disk-test] [linux] [all]
#
# with what the tools are needed for; default: all, but for linux, whose packages are large and of Debian 12 alone.
#
#   scripts/setup.sh --clang     prints the clang++ that compiles models: the one whose models are fastest, or nothing
#
# Says what is missing and why. As root it installs; otherwise, or with NO_INSTALL=1, it prints the one command that
# does and exits 1. Where there is no apt-get it names what is missing and the version that it wants, and exits 1. What
# is optional stops nothing.
# SETUP_ROOT: files are looked for below that folder (tests).
# Takes some milliseconds when nothing is missing.
set -eu
export LC_ALL=C
clang=
# in this order: models of 19 are a tenth slower than those of 18
for c in clang++-16 clang++-18 clang++-17 clang++-19 clang++; do
    [ -n "$clang" ] || clang=$(command -v $c || true)
done
if [ "${1-}" = --clang ]; then echo "$clang"; exit 0; fi
[ $# -gt 0 ] || set -- all
want=" $* "

# need FOR TEST PACKAGE WHY: TEST is a command, or a file if it starts with /
missing=
need() {
    case "$want" in
        *" $1 "*) ;;
        *" all "*) [ "$1" != linux ] || return 0 ;;
        *) return 0 ;;
    esac
    case "$2" in
        /*) [ -e "${SETUP_ROOT-}$2" ] && return 0 ;;
        *) command -v "$2" >/dev/null 2>&1 && return 0 ;;
    esac
    case " $missing " in *" $3 "*) return 0 ;; esac
    missing="$missing $3"
    reasons="${reasons-}  $3: $4
"
}

# The same for a program that a variable may name: one that is not there is no package that is missing.
tool() { # FOR VARIABLE DEFAULT PACKAGE WHY
    program=
    eval "program=\${$2:-$3}"
    case "$want" in *" all "* | *" $1 "*) ;; *) return 0 ;; esac
    # make names Verilator itself, without the script around it
    if [ "$program" != "$3" ] && [ "$program" != "$3_bin" ] && ! command -v "${program%% *}" >/dev/null 2>&1; then
        echo "$2=$program: there is no such program; expected one, or $2 not set: $3"
        exit 1
    fi
    need "$1" "${program%% *}" "$4" "$5"
}

need build git git "this repository"
tool build VERILATOR verilator verilator "compiles the Verilog"
tool build PYTHON python3 python3 "reads what Verilator reports"
need build gcc gcc "compiles the C"
need build g++ g++ "compiles what Verilator generates, links"
need build /usr/include/stdio.h libc6-dev "the C library's headers"
need build /usr/include/zlib.h zlib1g-dev "waves are compressed"
need build /usr/include/lz4.h liblz4-dev "... and packed"
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
need synth sta opensta "the longest paths of a chip"
tool fourstate IVERILOG iverilog iverilog "replays recorded pins with X"
tool page CHROMIUM chromium chromium "looks at the page of make cycles"
tool wave GTKWAVE gtkwave gtkwave "shows waves"
for goal in disk test; do
    need $goal nbdkit nbdkit "speaks NBD with clients of make disk"
    need $goal /usr/include/nbdkit-plugin.h nbdkit-plugin-dev "the server of make disk"
done
for goal in disk-test test; do
    need $goal nbdcopy libnbd-bin "an NBD client: copies"
    need $goal fio fio "an NBD client: load"
    need $goal /sbin/e2fsck e2fsprogs "makes and checks file systems"
done
need disk-test qemu-img qemu-utils "an NBD client: converts images"
need disk-test fusermount3 fuse3 "mounts a disk for nbdfuse, where /dev/fuse is there"
need linux flex flex "the kernel of the guests is compiled"
need linux bison bison "... with it"
need linux bc bc "... with it, too"
need linux patch patch "... with what scripts/linux mends"
need linux /sbin/insmod kmod "loads the driver in a guest"
need linux lspci pciutils "shows the NIC in a guest"
# Debian 13 has another one, and scripts/linux.py says so.
grep -qs '^VERSION_ID="13"' "${SETUP_ROOT-}/etc/os-release" ||
    need linux /usr/src/linux-source-6.1.tar.xz linux-source-6.1 "the kernel of the guests"
need linux /sbin/e2fsck e2fsprogs "file systems in a guest"
need linux /sbin/mkreiserfs reiserfsprogs "the file system that the documents used"
need linux postmark postmark "a workload that the documents used"
need linux bzip2 bzip2 "... and another one"
for goal in test ranks; do
    need $goal mpirun openmpi-bin "starts ranks"
    need $goal mpicc libopenmpi-dev "ranks reach each other"
done
need interop tshark tshark "reads what was recorded, a second opinion on it"
need interop /usr/lib/python3/dist-packages/scapy/contrib/roce.py python3-scapy \
    "recomputes each ICRC, a second opinion on it"
need rxe objdump binutils "finds the libraries that programs of the guest need"
need rxe xz xz-utils "unpacks modules of the guest's kernel"
need rxe flock util-linux "one guest is made at a time"
need speed valgrind valgrind "counts instructions"

# Not needed, but installed with the rest because they make every later build, or the simulator, faster. Each by itself:
# another release may not have it. Of names with a slash between them the first one that it has. Those of a goal other
# than build are installed even if nothing else is missing.
optional='' alone=''
may() { # FOR TEST PACKAGE WHY
    case "$want" in *" all "* | *" $1 "*) ;; *) return 0 ;; esac
    case "$2" in
        /*) [ ! -e "${SETUP_ROOT-}$2" ] || return 0 ;;
        *) ! command -v "$2" >/dev/null 2>&1 || return 0 ;;
    esac
    [ "$1" = build ] || alone=yes
    case " $optional " in *" $3 "*) return 0 ;; esac
    optional="$optional $3" reasons="${reasons-}  $3: $4 (optional)
"
}
may build "${clang:-clang++}" clang-16/clang-18/clang-17/clang-19/clang \
    "compiles models that run a tenth faster than with g++"
may lint clang-tidy clang-tidy "checks the C"
may lint cppcheck cppcheck "checks the C"
may test sta opensta "the longest paths of a chip"
may build ccache ccache "never compiles the same twice"
may build mold mold "links fast"
# What guides clang by a short run has its version; without clang models are not guided.
case "$clang$want" in
/*" all "* | /*" curves "* | /*" fuzz "*)
    version=$("$clang" -dumpversion 2>/dev/null | sed 's/\..*//')
    may curves "llvm-profdata${clang##*clang++}" "llvm${clang##*clang++}" \
        "models an eighth faster, guided by a short run"
    runtime=/usr/lib/llvm-$version/lib/clang/$version/lib/linux/libclang_rt
    may curves "$runtime.profile-$(uname -m).a" "libclang-rt-$version-dev" \
        "... which counts how often each branch is taken"
    may fuzz "$runtime.fuzzer-$(uname -m).a" "libclang-rt-$version-dev" \
        "libFuzzer: random inputs for all that parses"
    ;;
esac
[ -n "$missing$alone" ] || exit 0

printf 'Missing:\n%s' "$reasons"
sudo=
[ "$(id -u)" = 0 ] || sudo='sudo '
install="${sudo}apt-get install -y --no-install-recommends"
command="${sudo}apt-get update && $install$missing"
if ! command -v apt-get >/dev/null 2>&1; then
    [ -n "$missing" ] || exit 0
    echo "This machine has no apt-get: install these (named as in Debian; the versions are the oldest that were" \
        "tried) by hand:"
    for p in $missing; do
        case $p in
            verilator) v=5.006 ;; yosys) v=0.23 ;; iverilog) v=11.0 ;; gcc | g++) v=12.2 ;; check) v=0.15.2 ;;
            tshark) v=4.0 ;; openmpi-bin | libopenmpi-dev) v=4.1 ;; nbdkit*) v=1.32 ;; *) v= ;;
        esac
        echo "  $p${v:+ $v or newer}"
    done
    exit 1
fi
# The first of these names that the lists of packages have, or the first.
known() (
    IFS=/
    for p in $1; do ! apt-cache show "$p" >/dev/null 2>&1 || { echo "$p"; exit; }; done
    echo "${1%%/*}"
)
if [ -n "${NO_INSTALL:-}" ] || [ "$(id -u)" != 0 ]; then
    [ -z "$missing" ] || printf 'Install with:\n  %s\n' "$command"
    [ -z "$optional" ] || printf 'and what is optional with:\n  %s%s\n' "$install" \
        "$(for o in $optional; do printf ' %s' "$(known "$o")"; done)"
    [ -z "$missing" ]
    exit
fi
[ -n "$missing" ] || command="apt-get update" install_needed=true
printf 'Installing with:\n  %s\n' "$command"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update && ${install_needed:-$install $missing}; } >"$log" 2>&1 && [ -n "$missing" ]; then
    tail -20 "$log"
    echo "Installation failed, see above. By hand:  $command"
    exit 1
fi
for o in $optional; do
    $install "$(known "$o")" >"$log" 2>&1 || echo "Optional, and not installed: $o ($(tail -1 "$log"))"
done
echo "Installed."
