# `make` alone says what can be done. What is built is found, not listed: see scripts/programs.sh and scripts/README.md.

# ---- tools and settings; override on the command line: make CC=clang sim ----
# CHECK=1 checks goals and variables, and needs no tools.
checking   := $(and $(findstring command line,$(origin CHECK)),$(filter 1,$(CHECK)))
# Verilator itself, without the Perl script around it, whose start takes as long as it takes to read most modules.
ifeq ($(origin VERILATOR),undefined)
VERILATOR  := $(if $(checking),,$(shell v=$$(command -v verilator) && [ -x "$${v}_bin" ] && echo verilator_bin || echo verilator))
endif
IVERILOG   ?= iverilog
YOSYS      ?= yosys
GTKWAVE    ?= gtkwave
PYTHON     ?= $(or $(wildcard /usr/bin/python3),python3)
PKG_CONFIG ?= pkg-config
CCACHE     := $(if $(checking),,$(shell command -v ccache 2>/dev/null))
ifeq ($(origin CC),default)
CC         := $(CCACHE) gcc
endif
ifeq ($(origin CXX),default)
CXX        := $(CCACHE) g++
endif
# What Verilator prints runs fastest when clang compiles it, and with clang 16 a fifth faster than with Debian 12's own 14.
CLANG_CXX  := $(if $(checking),,$(notdir $(shell scripts/setup.sh --clang 2>/dev/null)))
ifeq ($(origin MODEL_CXX),undefined)
MODEL_CXX  := $(if $(and $(filter file,$(origin CXX)),$(CLANG_CXX)),$(CCACHE) $(CLANG_CXX),$(CXX))
endif
AR         := gcc-ar
OBJCOPY    := objcopy
# What is built, and how many test programs run, at the same time.
JOBS       ?= $(if $(checking),1,$(shell nproc))
JOBS       := $(JOBS)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(JOBS)
endif
# What is generated must not depend on the user's language: tolower() of I, the order of sort.
SHELL := $(if $(filter-out C,$(or $(LC_ALL),none)),env LC_ALL=C )/bin/sh
export LC_ALL := C
# Recipes write $@.part, which becomes $@ when it is whole: a build may be killed at any time.
whole = mv $@.part $@
# What runs long is no shell's child: it gets the signals that make gets, and make waits for it. If make is killed, it gets SIGTERM.
# From then on others may build.
release    = $(if $(lock_holder),kill $(lock_holder) 2>/dev/null;)
as_ours   := exec $(if $(if $(checking),,$(shell command -v setpriv 2>/dev/null)),setpriv --pdeathsig TERM) env
replacing  = $(release) $(as_ours)

.PHONY: help help-all
help:
	@sed -n 's/^#: \{0,1\}//p' $(firstword $(MAKEFILE_LIST))
help-all:
	@sed 's/^#+ \{0,1\}//; t p; d; :p; s/@system@/$(system_variables)/; s/@scenario@/$(scenario_variables)/; s/@slots@/$(slot_variables)/' \
	    $(firstword $(MAKEFILE_LIST))
#: nicxbar: RDMA NICs and switches in Verilog, driven by a C testbench.
#:
#:   make sim          run a system on real traffic      make sim NODES=8 SCENARIO=uniform LOAD=0.8
#:   make wave         its waves in GTKWave              make sim SWITCH=0 WAVES=1 && make wave
#:   make test         lint and all tests                make test TEST=tb/unit/link
#:   make contract     judge a module of your own        make contract SLOT=output_scheduler BLOCK=output_scheduler_wrr
#:   make block        simulate any Verilog module       make block NAME=my_filter
#:   make cycles       clocks busy, stalled, idle        make cycles NODES=8 SCENARIO=hot-spot
#:   make run          a C program on all hosts          make run PROGRAM=pingpong NODES=2
#:   make packet-mode  switches for long packets         make packet-mode ARCH=dpm LOAD=0.8
#:   make blockdev     a disk over RDMA                  make blockdev IMAGE=disk.img
#:   make figures      measured against the documents    make figures FIGURE=switch_cut_through
#:
#: The RoCE v2 chip: make sim CHIP=roce. All goals and variables: make help-all. Manuals: README.md.

# make help-all:
#+   make sim       run the system on real traffic           make sim NODES=8 SCENARIO=uniform LOAD=0.8
#+                  ... the RoCE v2 chip at an Ethernet line   make sim CHIP=roce BYTES=64 QPS=127 LOSS=1e-3
#+                  ... a storage node on that chip            make sim CHIP=roce STORAGE=1 BYTES=64 DEPTH=16
#+                  ... its figures beside their limits     make sim CHIP=roce FIGURES=all
#+                  ... with another one at its other end    make sim CHIP=roce PEER=roce QPS=127
#+                  ... with Linux at its other end          make sim CHIP=roce PEER=rxe LONGEST=65535 MESSAGES=100
#+                  ... which boots in two seconds           make sim CHIP=roce PEER=rxe GUEST=uml
#+   make interop   that chip beside what others wrote, with a verdict per line   make interop ONLY=rping-1024 BYTES=64
#+                  ... packets of Linux for unit tests, anew   make interop RECORD=1
#+   make test      lint and all tests                       make test TEST=tb/unit/runtime SEED=7
#+                  ... with a report for CI                 make test REPORT=junit (or tap)
#+                  ... and what took how long               make test TIMES=1
#+   make contract  judges a block alone, as one for SLOT   make contract SLOT=output_scheduler BLOCK=my_wrr RTL=~/mine
#+   make block     starts a block of your own, with a test  make block NAME=my_filter
#+                  ... of one that somebody else wrote      make block FROM=~/theirs/fifo.v PARAMETERS='WIDTH=8'
#+   make compare   the blocks for a slot side by side      make compare SLOT=output_scheduler BLOCK=my_wrr RTL=~/mine
#+   make slots     slots, contracts, blocks that ship      make slots
#+   make tutorial  scripts/tutorial.md, every command of it, in build/tutorial   make tutorial
#+   make sanitize  the tests under ASan and UBSan           make sanitize TEST=tb/unit/runtime
#+                  or under ThreadSanitizer                 make sanitize SANITIZE=thread TEST=tb/unit/runtime/test_apart
#+   make cycles    clocks busy, stalled, idle per module    make cycles SCENARIO=uniform SORT=stalled
#+                  ... of the models of a test              make cycles TEST=tb/unit/voq
#+                  ... of the RoCE v2 chip                  make cycles CHIP=roce QPS=16 MIX=write LOSS=0
#+                  ... compared with an older run           make cycles BASE=old.json THRESHOLD=2
#+   make cycles-page   its page in a browser: are the numbers right, and pictures   make cycles && make cycles-page
#+   make run       a host program on all hosts at once      make run PROGRAM=pingpong NODES=2 ARGS='--sizes 8..65536'
#+   make figures   measured against the documents           make figures
#+   make microbench   bus, link and latency by host programs, drawn   make microbench BENCHMARK=pcix MESSAGE_SIZES=8..512
#+   make blockdev  a disk over RDMA for NBD clients        make blockdev IMAGE=disk.img RUN='nbdcopy "$uri" copy.img'
#+   make blocktest   nbdcopy, fio, qemu-img, file systems on such disks, as one table   make blocktest SCALE=16 KILLS=50
#+   make blockbench   disks over RDMA: rates, latency, shares, interrupts   make blockbench FIGURE=block_read_4k_latency
#+   make packet-mode  a switch for long packets (S3)    make packet-mode ARCH=dpm LOAD=0.8 SIZES=bimodal PATTERN=zipf/2 CLOCKS=500000
#+   make packet-mode-oracle   its clocks against those of a model in C   make packet-mode-oracle ARCH=dpm PACKETS=20000 SEEDS=1
#+   make packet-mode-crossbar   the crossbar of NICs beside VPS of its shape, on the same arrivals   make packet-mode-crossbar LOAD=0.8
#+   make shares    weights in such a switch: shares, delays   make shares ARCH=sm
#+   make curves    S3's curves and sentences, measured    make curves FIGURE=fig6 QUICK=1
#+                  ... two priorities; packets for several outputs    make curves FIGURE=priorities; make curves FIGURE=multicast
#+   make curves-page   their page in a browser: are the numbers right, and pictures   make curves && make curves-page
#+   make soak      random traffic, 10^6 packets             make soak NODES=8 PACKETS=20000 LOAD=0.5
#+                  ... of the RoCE v2 chip, and its tests in their long form   make soak CHIP=roce BYTES=64 PACKETS=50000
#+   make kill      stops runs, recordings, builds at random moments   make kill KILLS=5
#+   make speed     how fast the simulator is, where its time goes   make speed NODES=8 BASE=commit
#+                  ... what each kind of recording costs            make speed RUNS=recorded NODES=2
#+   make turnaround   seconds from an edit to a verdict: contract, system, test
#+   make wave      the last waves in GTKWave                make sim WAVES=1 && make wave
#+                  ... of one module, all its instances     make wave MODULE=voq
#+   make lint      Verilog-2005 by three front ends         make lint
#+   make prove     proofs of the hardware, by Yosys and ABC   make prove PROOF=locks
#+   make synth     Yosys, Virtex-II Pro: size, latches      make synth MODULE=fifo_async
#+                  ... the RoCE v2 chip, UltraScale+        make synth CHIP=roce BYTES=8
#+   make fourstate  replays recorded pins with X, gates too   make fourstate SEED=7
#+   make distro    builds and tests the last commit in a bare Debian   make distro RELEASE=trixie GOALS='sim test'
#+                  ... or for another processor, in qemu-user         make distro RELEASE=bookworm ARCH=arm64
#+   make models    only the Verilog models                  make -j2 models
#+   make tools     the programs of sw/tools                 make tools
#+   make clean     removes build/                           make clean
#+
#+ Variables: FILE (what is sent), WAVES=1 (record all; 0: nothing) or WAVES=node1,xbar.monitor (a part), WAVE_FROM='nic0.status_set != 0' (a signal,
#+ or 100us), WAVE_TO, WAVE_BEFORE=5us, WAVE_SIZE=100M (the last of it), SEED (of everything random),
#+ TEST (folder or program), for make cycles SORT (name, busy, stalled, idle, operations, latency, level), BASE (its result of another run:
#+ an error if a share of clocks has moved by more than THRESHOLD points, or another value by more than so many percent; 5),
#+ NODES (2..16), SWITCH=0 (two nodes and a cable) or SWITCH=traced (the switch has tracing memories), FAULTS (what goes wrong, by plan),
#+ LINKS=2 or 4 (of each NIC; each packet has one, and link l goes to switch l of SWITCHES=2 or 4, or with SWITCHES=0 to the other NIC),
#+ SWITCHES=0 LINKS=2 or 4 BOND=byte (so many links in that cable, which share the bytes of each packet),
#+ CUT=link:node:at:for,... (links that are pulled out, in us; for ever),
#+ @system@, and for the traffic
#+ @scenario@
#+ (options of build/nicxbar-sim: --help says what each takes;
#+ make sim SCENARIO=three-to-one OUTPUT_SCHEDULER=output_scheduler_wrr SWITCH_MONITOR='weight 3 0 20 flows times'),
#+ another block in a slot, in every goal:
#+ @slots@
#+ =module, RTL=path (files and folders where it and its parts are; make sim OUTPUT_SCHEDULER=my_wrr RTL=~/mine),
#+ OUT=folder (where results and waves go, instead of build),
#+ RANKS (processes under mpirun that share nodes and switch), HOSTS (machines for these: a,b or a hostfile),
#+ LANES (NICs that are evaluated together in programs for more than four nodes: 1, 4, 8 or 16; without: what is fastest here),
#+ PLUSARGS="+trace" (for a model's $test$plusargs, $value$plusargs),
#+ BUILD=folder (builds there, with links to the files of this tree: for one that is read-only or somebody else's),
#+ PASSES='evaluate rest' (which passes change Verilator's C++; without: evaluate rest lanes places; FAST=0: none),
#+ NO_INSTALL=1 (a missing tool stops the build instead of being installed), V=1 (show commands).

Q := $(if $(V),,@)

# ---- checks of the variables, and of the tools, before anything is built ----
goals := $(or $(MAKECMDGOALS),help)
odd_characters := ( ) $$ \# ' " ` ; & | < > * ? : %
odd := $(if $(word 2,[$(CURDIR)]),a space,$(firstword $(foreach c,$(odd_characters),$(findstring $(c),$(CURDIR)))))
$(if $(odd),$(error $(CURDIR): make cannot handle a path with $(odd) in it; expected a clone in a folder without))
# Every variable that means something on the command line: another one is refused, because make would ignore it in silence.
slot_variables     := $(shell awk '/^[A-Z]/ { print $$1 }' scripts/slots)
# Options of the programs that are variables here: rows of their tables, `--switch-monitor` is SWITCH_MONITOR. A word for each, KIND:NAME.
option_words       := $(shell awk -F'"' ' \
    function put(kind) { print kind ":" name } \
    /^ *\{"/ && $$3 == ", " { \
        name = toupper($$2); gsub(/-/, "_", name); file = FILENAME; sub(/.*\//, "", file); \
        if (file == "scenario_options.c") put("scenario"); \
        if (file == "options.c") { \
            if (/RUN_SCENARIO [|] MAKE/) put("scenario"); \
            if (/ (SYSTEM|WINDOWS) [|] MAKE/) put("system"); \
            if (/RUN_SOAK [|] MAKE/) put("run"); \
        } else if (/MAKE/) put(file) \
    }' /dev/null $(wildcard sim/traffic/scenario_options.c sim/program/options.c sim/packet_mode/pm_program.c \
    sim/block/block_program.c sim/roce/roce_options.c sim/roce/roce_storage_program.c))
option_variables    = $(patsubst $(1):%,%,$(filter $(1):%,$(option_words)))
scenario_variables := $(call option_variables,scenario)
system_variables   := $(call option_variables,system)
run_variables      := $(call option_variables,run)
packet_mode_variables := $(call option_variables,pm_program.c)
block_variables    := $(call option_variables,block_program.c)
roce_variables     := $(call option_variables,roce_options.c)
storage_variables  := $(call option_variables,roce_storage_program.c)
build_variables    := FAST PASSES VERILATOR IVERILOG YOSYS GTKWAVE PYTHON PKG_CONFIG CC CXX MODEL_CXX CCACHE AR OBJCOPY CFLAGS MAKE SHELL JOBS V \
                      NO_INSTALL
goal_variables     := SANITIZE SEED WAVES FILE NODES SWITCH SWITCHES LINKS BOND BASE TURNS RUNS SORT THRESHOLD \
                      $(sort $(run_variables) $(system_variables) $(scenario_variables) $(packet_mode_variables) $(block_variables) \
                      $(roce_variables) $(storage_variables)) CHIP STORAGE GUEST \
                      OUT SCALE KILLS SEEDS ONLY TRACES PROGRAM ARGS FIGURE QUICK BENCHMARK MESSAGE_SIZES TEST CASE REPORT TIMES MODULE LANES PROOF \
                      RTL SLOT BLOCK SIZE CLOCKS CHECK DOC \
                      NAME FOLDER FROM PARAMETERS BUILD RELEASE GOALS REMOVE PLUSARGS $(slot_variables)
known_variables    := $(build_variables) $(goal_variables)
given_variables    := $(foreach v,$(filter-out -%,$(.VARIABLES)),$(if $(findstring command line,$(origin $(v))),$(v)))
unknown_variables  := $(filter-out $(known_variables),$(given_variables))
ifneq ($(unknown_variables),)
$(error unknown variable $(sort $(unknown_variables)); the nearest to $(firstword $(unknown_variables)):\
    $(shell awk -f scripts/nearest.awk '$(firstword $(unknown_variables))' '$(sort $(known_variables))'); make help-all says what can be done)
endif
# The environment may say what builds; what a goal does stands on the command line alone: FILE or NODES may be there for something else.
# The last two are for scripts, from each other.
$(foreach v,$(goal_variables) PINS SLOT_FOLDER,$(if $(findstring environment,$(origin $(v))),$(eval override undefine $(v))))
SEED ?= 1
# BUILD=folder: there are links to the files of this tree, and make goes on there. Nothing is written here.
ifneq ($(and $(BUILD),$(filter-out help help-all,$(goals))),)
.PHONY: elsewhere
elsewhere:
	@scripts/elsewhere.sh '$(BUILD)'
	@unset MAKELEVEL; exec env MAKEFLAGS='$(subst ','\'',$(filter-out -j% --jobserver%,$(MAKEFLAGS)))' '$(MAKE)' -C '$(BUILD)' \
	    --no-print-directory BUILD= $(elsewhere)
$(goals): elsewhere ; @:
elsewhere := $(goals)
goals     := help
else ifneq ($(filter distro,$(goals)),)
# The last commit in a bare Debian. Of this machine it needs no tool but those that scripts/distro.py names.
$(if $(filter-out distro,$(goals)),$(error make distro: expected alone))
$(if $(RELEASE),,$(error RELEASE=: expected a release of Debian, such as make distro RELEASE=trixie))
distro_options := '$(RELEASE)' $(if $(ARCH),--arch '$(ARCH)') $(if $(GOALS),--goals '$(GOALS)') $(if $(filter 1,$(REMOVE)),--remove) \
                  $(if $(filter 1,$(DOC)),--doc)
distro_wrong   := $(if $(checking),,$(shell scripts/distro.py $(distro_options) --check 2>&1))
$(if $(distro_wrong),$(error $(distro_wrong)))
.PHONY: distro
distro:
	@$(if $(checking),:,exec scripts/distro.py $(distro_options))
goals     := help
else ifeq ($(filter-out help help-all clean,$(goals))$(filter 1,$(CHECK)),$(goals))
ifneq ($(shell mkdir -p build 2>/dev/null && test -w build && echo yes),yes)
$(error $(CURDIR)/build cannot be written; expected a tree of your own, or BUILD=folder to build in: make BUILD=/tmp/nicxbar $(goals))
endif
endif
ifneq ($(filter-out help help-all clean,$(goals)),)
ifneq ($(if $(filter [1],[$(SEED)]),1,$(or $(shell printf '%s' '$(SEED)' | grep -Ex '[0-9]+|0x[0-9a-fA-F]+'),none)),$(SEED))
$(error SEED=$(SEED): expected a number, such as SEED=7 or SEED=0x1f)
endif
# What is wrong with a value that may be one word of a list, or nothing.
not_one_of = $(filter-out 0 1,$(words $(1)))$(filter-out $(2),$(1))
ifneq ($(call not_one_of,$(LANES),1 4 8 16),)
$(error LANES=$(LANES): expected 1, 4, 8 or 16 NICs that are evaluated together)
endif
ifneq ($(call not_one_of,$(WAVES),$(or $(if $(WAVES),$(shell printf '%s' '$(WAVES)' | grep -Ex '[][A-Za-z0-9_.,]+')),none)),)
$(error WAVES=$(WAVES): expected WAVES=1, WAVES=0, or names of what is recorded, such as WAVES=node1 or WAVES=nic0.dma,xbar)
endif
ifneq ($(WAVE_FROM)$(WAVE_TO)$(WAVE_BEFORE)$(WAVE_SIZE),)
ifeq ($(WAVES),)
WAVES := 1
else ifeq ($(WAVES),0)
$(error WAVE_FROM, WAVE_TO, WAVE_BEFORE and WAVE_SIZE are expected without WAVES=0)
endif
endif
ifneq ($(call not_one_of,$(PCI_MHZ),66 100 133),)
$(error PCI_MHZ=$(PCI_MHZ): expected 66, 100 or 133)
endif
ifneq ($(call not_one_of,$(INITIAL),0 random),)
$(error INITIAL=$(INITIAL): expected 0 or random)
endif
ifneq ($(call not_one_of,$(TRACE),0 1 packets),)
$(error TRACE=$(TRACE): expected 1 (packets and modules), packets or 0)
endif
quote := '
comma := ,
ifneq ($(findstring $(quote),$(FILE)),)
$(error FILE=$(FILE): a name with a quote in it cannot be handed on; expected one without (a link will do))
endif
$(foreach v,$(sort $(scenario_variables) $(system_variables) $(run_variables) $(packet_mode_variables)),$(if $(findstring $(quote),$($(v))),\
    $(error $(v)=$($(v)): expected a value without quotes; build/nicxbar-sim --help says which)))
ifeq ($(and $(filter FAULTS,$(given_variables)),$(if $(strip $(FAULTS)),,empty)),empty)
$(error FAULTS=: expected a plan, such as FAULTS='cut node1 at 20us for 5us', or FAULTS=help)
endif
ifneq ($(FILE),)
ifeq ($(shell test -f '$(FILE)' && test -r '$(FILE)' && echo yes),)
$(error FILE=$(FILE): no such file, no regular file, or it cannot be read)
endif
endif
# Of the goals that run switches for long packets each takes these; others mean nothing there.
packet_mode_takes := $(strip $(if $(filter packet-mode packet-mode-full,$(goals)),$(packet_mode_variables)) \
                     $(if $(filter shares,$(goals)),ARCH CLOCKS) \
                     $(if $(filter curves,$(goals)),ARCH FIGURE QUICK) \
                     $(if $(filter packet-mode-oracle,$(goals)),ARCH PACKETS SEEDS) \
                     $(if $(filter packet-mode-crossbar,$(goals)),LOAD CLOCKS))
ifeq ($(packet_mode_takes),)
$(foreach v,$(filter-out $(scenario_variables) $(system_variables) $(run_variables) CLOCKS,$(packet_mode_variables)),\
    $(if $($(v)),$(error $(v)=$($(v)): means something for make packet-mode and what is near it only)))
else
packet_mode_none := $(filter-out $(packet_mode_takes),$(packet_mode_variables) $(scenario_variables) $(system_variables) \
                    $(run_variables) NODES SWITCH)
$(foreach v,$(packet_mode_none),\
    $(if $($(v)),$(error $(v)=$($(v)): means nothing for make $(goals))))
packet_mode_wrong := $(shell scripts/packet_mode_options.sh GOAL='$(goals)' \
                     $(foreach v,$(filter $(packet_mode_takes),$(given_variables)),'$(v)=$($(v))'))
$(if $(packet_mode_wrong),$(error $(packet_mode_wrong)))
endif
$(foreach v,RELEASE GOALS REMOVE,$(if $($(v)),$(error $(v)=$($(v)): means something for make distro only)))
$(if $(SEEDS),$(if $(filter packet-mode-oracle,$(goals)),,$(error SEEDS=$(SEEDS): means something for make packet-mode-oracle only)))
ifneq ($(filter interop,$(goals)),)
$(if $(call not_one_of,$(value RECORD),0 1),$(error RECORD=$(value RECORD): expected 1, to make the recordings in tb/unit/roce anew))
$(if $(filter 1,$(value RECORD)),$(if $(BYTES),$(error BYTES=$(BYTES): means nothing with RECORD=1, which is without the chip)))
else
$(if $(ONLY),$(error ONLY=$(ONLY): means something for make interop only))
endif
$(if $(filter curves,$(goals)),,$(if $(QUICK),$(error QUICK=$(QUICK): means something for make curves only)))
ifneq ($(filter run,$(goals)),)
programs := $(patsubst sw/programs/%.c,%,$(wildcard sw/programs/*.c))
program_found := $(strip $(if $(filter 1,$(words $(PROGRAM))),\
    $(or $(filter $(PROGRAM),$(programs)),$(if $(filter %.c,$(PROGRAM)),$(wildcard $(PROGRAM))))))
$(if $(program_found),,$(error PROGRAM=$(PROGRAM): expected one of $(programs), or the path of a C file that can be read))
else
$(foreach v,PROGRAM ARGS,$(if $($(v)),$(error $(v)=$($(v)): means something for make run only)))
endif
$(if $(call not_one_of,$(DOC),0 1),$(error DOC=$(DOC): expected 1, to write what is measured into the texts))
$(if $(filter 1,$(DOC)),$(if $(filter figures synth prove,$(goals))$(and $(filter sim,$(goals)),$(FIGURES)),,\
    $(error DOC=1: means something for make figures, synth, prove, distro and sim CHIP=roce FIGURES=all only)))
# A command that measures: what it prints goes into the texts, too.
in_texts = $(if $(filter 1,$(DOC)),VERILATOR='$(VERILATOR)' YOSYS='$(YOSYS)' '$(PYTHON)' scripts/doc.py '$(1)')
$(if $(PROOF),$(if $(filter prove,$(goals)),,$(error PROOF=$(PROOF): means something for make prove only)))
ifneq ($(filter prove,$(goals)),)
proofs := $(shell awk '/^[a-z]/ { print $$2 }' tb/proofs/proofs)
$(if $(filter-out 0 1,$(words $(PROOF)))$(if $(filter $(PROOF)%,$(proofs)),,none),\
    $(error PROOF=$(PROOF): expected one of $(proofs), or how some of them begin))
endif
ifneq ($(TRACES),)
$(if $(filter test sanitize,$(goals)),,$(error TRACES=$(TRACES): means something for make test and make sanitize only))
$(if $(shell printf '%s' '$(TRACES)' | grep -vEx '[1-9][0-9]{0,5}'),$(error TRACES=$(TRACES): expected a number from 1 on))
endif
ifneq ($(call not_one_of,$(REPORT),junit tap),)
$(error REPORT=$(REPORT): expected junit (build/test.xml) or tap (build/test.tap))
endif
$(if $(REPORT),$(if $(filter test sanitize,$(goals)),,$(error REPORT=$(REPORT): means something for make test and make sanitize only)))
$(if $(call not_one_of,$(TIMES),0 1),$(error TIMES=$(TIMES): expected 1, to see which part of make test takes how long))
ifneq ($(filter-out 0,$(TIMES)),)
$(if $(filter test sanitize,$(goals))$(filter-out 0,$(MAKELEVEL)),,$(error TIMES=$(TIMES): means something for make test and make sanitize only))
export TIMES_IN := build/times
$(if $(checking),,$(if $(filter 0,$(MAKELEVEL)),$(shell mkdir -p build; rm -f $(TIMES_IN))))
SHELL = scripts/times.sh $@
times_shown = ; code=$$?; scripts/times.sh --show $(TIMES_IN); exit $$code
endif
ifneq ($(filter microbench,$(goals)),)
benchmarks := $(subst $(comma),,$(filter-out or,$(shell sed -n 's/.* MICROBENCH_NAMES "\(.*\)"/\1/p' sim/figures/microbench.h)))
$(if $(call not_one_of,$(BENCHMARK),$(benchmarks)),$(error BENCHMARK=$(BENCHMARK): expected one of $(benchmarks), or none: all of them))
$(if $(shell printf '%s\n' '$(subst $(quote),x,$(MESSAGE_SIZES))' | grep -vEx '([0-9]+(\.\.[0-9]+)?(,[0-9]+(\.\.[0-9]+)?)*)?'),\
    $(error MESSAGE_SIZES=$(MESSAGE_SIZES): expected sizes such as 8..4096 (doubled from one to the next) or 8$(comma)64$(comma)4096))
else
$(foreach v,BENCHMARK MESSAGE_SIZES,$(if $($(v)),$(error $(v)=$($(v)): means something for make microbench only)))
endif
# Where results and waves go.
results := $(or $(OUT),build)
ifneq ($(OUT),)
$(if $(filter sim cycles cycles-page figures microbench blockbench blockdev blocktest soak run wave packet-mode shares \
    curves curves-page interop,$(goals)),,\
    $(error OUT=$(OUT): means something for make sim, cycles, cycles-page, figures, microbench, blockbench, blockdev, blocktest, soak, run, \
    wave, packet-mode, shares, curves, curves-page, interop only))
$(if $(findstring $(quote),$(OUT))$(filter-out 1,$(words $(OUT))),\
    $(error OUT=$(OUT): expected the name of a folder, without spaces and quotes))
ifneq ($(shell mkdir -p '$(OUT)/waves' 2>&1 && test -w '$(OUT)' && echo yes),yes)
$(error OUT=$(OUT): expected a folder, or a name that one can have: it cannot be made or written)
endif
endif
numbers := 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
ifneq ($(call not_one_of,$(NODES),$(wordlist 2,16,$(numbers))),)
$(error NODES=$(NODES): expected a number from 2 to 16)
endif
ifneq ($(call not_one_of,$(THREADS),$(numbers)),)
$(error THREADS=$(THREADS): expected a number from 1 to 17)
endif
# Several links: programs of their own, whose NICs are named by NIC and LINKS. By packet there is a switch for each link, or none.
of_links    := LINKS BOND SWITCHES PATHS PATH_LATENCY SKEW CUT SWITCH NODES NODE_IDS NIC RANKS FILE TEST
links_wrong := $(if $(filter sim cycles soak run,$(goals))$(LINKS)$(BOND)$(SWITCHES),$(shell scripts/links.sh GOAL='$(goals)' \
               $(foreach v,$(filter $(given_variables),$(of_links)),'$(v)=$(subst $(quote),x,$($(v)))')))
$(if $(links_wrong),$(error $(links_wrong)))
ifeq ($(SWITCHES),0)
override SWITCH := 0
endif
ifneq ($(filter 2 4,$(LINKS)),)
bundle := $(if $(filter byte,$(BOND)),$(LINKS)links)
paths  := $(if $(bundle),,$(LINKS)paths)
override NIC := $(if $(filter 4splits,$(NIC)),4splits-)$(bundle)$(paths)
endif
override LINKS :=
ifneq ($(call not_one_of,$(SWITCH),0 1 traced),)
$(error SWITCH=$(SWITCH): expected 1, 0 (two nodes and a cable) or traced (with tracing memories))
endif
$(if $(filter traced,$(SWITCH)),$(if $(filter $(wordlist 9,16,$(numbers)),$(NODES)),\
    $(error SWITCH=traced: expected with NODES up to 8; NODES=$(NODES) has a switch without tracing memories)))
# What would be dropped in silence: variables of the system or of its traffic where there is none, those of a scenario without one, and
# those of a soak that is none around a switch.
ifeq ($(filter sim cycles soak packet-mode packet-mode-full packet-mode-oracle packet-mode-crossbar,$(goals)),)
of_run  := SWITCH_MONITOR $(system_variables) $(run_variables)
dropped := $(if $(filter run,$(goals)),$(filter-out $(of_run),$(scenario_variables)),$(scenario_variables) $(of_run)) FILE
$(foreach v,$(dropped),$(if $($(v)),$(error $(v)=$($(v)): means something for make sim, cycles$(if $(filter $(v),$(of_run)),$(comma) run) \
    and soak only$(if $(filter run,$(goals)),: a program makes its own packets))))
endif
scenario_given := $(strip $(foreach v,$(filter-out SCENARIO,$(scenario_variables)),$(if $($(v)),$(v)=$($(v)))))
ifneq ($(filter sim cycles,$(goals)),)
ifeq ($(SCENARIO),)
$(if $(scenario_given),$(error $(scenario_given): expected together with SCENARIO=name, the traffic: make sim SCENARIO=uniform LOAD=0.5))
else
$(if $(FILE),$(error FILE=$(FILE): expected without SCENARIO: a scenario makes its own packets))
endif
endif
# CHIP=roce: the RoCE v2 chip at an Ethernet line, which has options of its own.
$(if $(call not_one_of,$(CHIP),nic roce),$(error CHIP=$(CHIP): expected nic, or roce (the RoCE v2 chip)))
# GUEST=uml: PEER=rxe in User mode instead of QEMU.
$(if $(call not_one_of,$(GUEST),qemu uml),$(error GUEST=$(GUEST): expected qemu, or uml (User-mode Linux)))
$(if $(GUEST),$(if $(filter rxe,$(PEER)),,$(error GUEST=$(GUEST): means something with PEER=rxe only)))
# STORAGE=1: a storage node on it, with options of its own.
$(if $(call not_one_of,$(STORAGE),0 1),$(error STORAGE=$(STORAGE): expected 0, or 1 with CHIP=roce))
chip_variables := $(if $(filter 1,$(STORAGE)),$(storage_variables),$(roce_variables))
both_variables := $(sort $(roce_variables) $(storage_variables))
ifeq ($(CHIP),roce)
$(if $(filter-out sim cycles soak wave synth,$(goals)),$(error CHIP=roce: means something for make sim, cycles, soak, wave and synth only))
$(foreach v,$(filter-out $(chip_variables) $(if $(filter soak,$(goals)),PACKETS),$(both_variables) FILE NODES SWITCH SWITCHES LINKS BOND \
    RANKS HOSTS LANES $(run_variables) $(system_variables) $(scenario_variables)),\
    $(if $($(v)),$(error $(v)=$($(v)): means nothing with CHIP=roce$(if $(filter 1,$(STORAGE)), STORAGE=1))))
roce_wrong := $(shell scripts/roce_options.sh sim/roce/roce_$(if $(filter 1,$(STORAGE)),storage_program,options).c \
              $(foreach v,$(filter $(chip_variables),$(given_variables)),'$(v)=$(subst $(quote),x,$($(v)))'))
$(if $(roce_wrong),$(error $(roce_wrong)))
$(foreach g,$(filter cycles soak,$(goals)),$(foreach v,STORAGE FIGURES PEER,$(if $($(v)),$(error $(v)=$($(v)): expected without make $(g)))))
else
$(foreach v,STORAGE $(filter-out $(system_variables) $(run_variables) $(if $(filter interop,$(goals)),BYTES),$(both_variables)),\
    $(if $($(v)),$(error $(v)=$($(v)): means something with CHIP=roce only)))
endif
# make cycles TEST=...: of the models of tests, not of a system.
test_cycles := $(and $(filter cycles,$(goals)),$(TEST))
ifneq ($(test_cycles),)
$(foreach v,FILE NODES SWITCH $(run_variables) $(system_variables) $(scenario_variables),\
    $(if $($(v)),$(error $(v)=$($(v)): expected without TEST: a test makes its own system)))
endif
# make block NAME=...: writes files, which the next make finds.
ifneq ($(filter block,$(goals)),)
$(if $(filter-out block,$(goals)),$(error make block: expected alone; what it writes is found by the next make))
$(if $(strip $(NAME)$(FROM)),,$(error make block: expected NAME=name, of a new module, or FROM=file.v, of one that is there))
$(if $(and $(FROM),$(FOLDER)),$(error FOLDER=$(FOLDER): expected without FROM, which is copied to where its test is))
$(if $(FROM),,$(foreach v,MODULE PARAMETERS,$(if $($(v)),$(error $(v)=$($(v)): expected together with FROM=file.v))))
$(if $(findstring $(quote),$(NAME)$(FOLDER)$(FROM)$(MODULE)$(PARAMETERS)),$(error make block: variables are expected without quotes))
else
$(foreach v,NAME FOLDER FROM PARAMETERS,$(if $($(v)),$(error $(v)=$($(v)): means something for make block only)))
endif
ifneq ($(if $(filter-out roce,$(or $(CHIP),nic)),$(filter soak,$(goals))),)
ifeq ($(NODES),)
soak_given := $(strip $(foreach v,$(filter-out PACKETS,$(scenario_variables)) $(filter-out $(if $(bundle)$(paths),NIC),$(system_variables)),\
              $(if $($(v)),$(v)=$($(v)))))
$(if $(soak_given),$(error $(soak_given): expected together with NODES=n, a soak around a switch))
endif
$(if $(MEASURE),$(error MEASURE=$(MEASURE): expected PACKETS: a soak lasts for so many packets))
$(foreach v,FILE $(if $(bundle)$(paths),,SWITCH),$(if $($(v)),$(error $(v)=$($(v)): means nothing for make soak: two NICs and a cable, or NODES=n)))
endif
# A disk over RDMA: all that can be wrong with its variables is found before anything is built.
ifneq ($(filter blockdev,$(goals)),)
quoted = '$(subst $(quote),'\'',$(value $(1)))'
$(if $(SWITCH),$(error SWITCH=$(SWITCH): means nothing for make blockdev: 2 to 4 hosts around a switch))
blockdev_wrong := $(shell $(foreach v,$(block_variables) NODES,$(v)=$(call quoted,$(v))) OUT='$(results)' scripts/blockdev.sh)
$(if $(blockdev_wrong),$(error $(blockdev_wrong)))
else
$(foreach v,$(filter-out $(if $(filter interop,$(goals)),RECORD),$(block_variables)),\
    $(if $(value $(v)),$(error $(v)=$(value $(v)): means something for make blockdev$(if $(filter RECORD,$(v)), and interop) only)))
endif
$(if $(SCALE),$(if $(filter blocktest,$(goals)),,$(error SCALE=$(SCALE): means something for make blocktest only)))
$(if $(KILLS),$(if $(filter kill blocktest,$(goals)),,$(error KILLS=$(KILLS): means something for make kill and blocktest only)))
$(if $(KILLS),$(if $(shell printf '%s' '$(subst $(quote),x,$(KILLS))' | grep -vEx '[1-9][0-9]{0,3}'),\
    $(error KILLS=$(KILLS): expected a number, 1 to 9999)))
$(if $(SCALE),$(if $(shell printf '%s' '$(subst $(quote),x,$(SCALE))' | grep -vEx '[1-9][0-9]{0,4}'),\
    $(error SCALE=$(SCALE): expected a number of MiB, such as SCALE=16)))
# RANKS share nodes and switch; what looks at all of them at once cannot be.
ifneq ($(RANKS)$(HOSTS),)
$(if $(filter-out sim soak,$(goals)),$(error RANKS and HOSTS mean something for make sim and make soak only))
$(if $(RANKS),,$(error HOSTS=$(HOSTS): expected together with RANKS=n, the processes that run there))
ranks_nodes := $(or $(NODES),$(if $(FILE)$(filter 0,$(SWITCH)),2,4))
ranks_most  := $(wordlist 1,$(words $(wordlist 1,$(ranks_nodes),$(numbers)) $(if $(filter 0,$(SWITCH)),,1)),$(numbers))
ifneq ($(call not_one_of,$(RANKS),$(ranks_most)),)
$(error RANKS=$(RANKS): expected 1 to $(lastword $(ranks_most)), one for each of $(ranks_nodes) nodes\
    $(if $(filter 0,$(SWITCH)),,and one for the switch))
endif
$(foreach v,FAULTS CAPTURE TRACE,$(if $(filter-out 0,$($(v))),$(error $(v)=$($(v)): looks at several nodes at once; expected without RANKS)))
$(if $(and $(filter 1,$(WAVES)),$(filter-out 1,$(RANKS))),\
    $(error WAVES=1: expected with RANKS names of what one rank has, such as WAVES=node1))
endif
# BASE: another commit that make speed measures beside this one, by turns.
ifneq ($(filter speed,$(goals)),)
speed_nodes := $(or $(NODES),2 4 8 16)
$(if $(filter 2 4 8 16,$(NODES))$(if $(NODES),,all),,$(error NODES=$(NODES): make speed expects one of 2, 4, 8, 16))
$(if $(shell printf '%s' '$(TURNS)' | grep -vEx '[1-9][0-9]?'),$(error TURNS=$(TURNS): expected a number from 1 to 99))
ifneq ($(BASE),)
ifneq ($(shell git rev-parse --is-inside-work-tree 2>/dev/null),true)
$(error BASE=$(BASE): this is no clone of a git repository, or git is missing; expected both)
endif
base := $(shell git rev-parse --verify --quiet --short '$(subst $(quote),,$(BASE))^{commit}')
$(if $(base),,$(error BASE=$(BASE): no such commit here; expected one that git log shows))
endif
else
$(foreach v,TURNS RUNS,$(if $($(v)),$(error $(v)=$($(v)): means something for make speed only)))
endif
# make cycles: how the table is sorted, and an older result to compare with.
ifneq ($(filter cycles,$(goals)),)
cycles_sorts  := $(shell sed -n 's/^.define CYCLES_SORTS "\(.*\)"/\1/; T; s/,//g; s/ or / /; p' sim/cycles/cycles_report.h)
cycles_format := $(shell sed -n 's/^.define CYCLES_FORMAT "\(.*\)"/\1/p' sim/cycles/cycles_report.h)
$(if $(call not_one_of,$(SORT),$(cycles_sorts)),$(error SORT=$(SORT): expected one of $(cycles_sorts)))
$(if $(shell printf '%s' '$(THRESHOLD)' | grep -vEx '[0-9]+([.][0-9]+)?'),\
    $(error THRESHOLD=$(THRESHOLD): expected a number, such as THRESHOLD=2.5))
$(if $(THRESHOLD),$(if $(BASE),,$(error THRESHOLD=$(THRESHOLD): expected together with BASE=file, an older result of make cycles)))
$(if $(findstring $(quote),$(BASE)),$(error BASE=$(BASE): expected the name of a file, without quotes))
ifneq ($(BASE),)
$(if $(shell grep -qsF '"$(cycles_format)"' '$(BASE)' && echo yes),,\
    $(error BASE=$(BASE): expected a cycles.json that make cycles of this version has written ("$(cycles_format)")))
endif
cycles_options := $(if $(SORT),--sort $(SORT)) $(if $(BASE),--base '$(BASE)') $(if $(THRESHOLD),--threshold $(THRESHOLD))
else
$(foreach v,SORT THRESHOLD $(if $(filter speed,$(goals)),,BASE),\
    $(if $($(v)),$(error $(v)=$($(v)): means something for make cycles$(if $(filter BASE,$(v)), and speed) only)))
endif
needs := build $(if $(filter rxe,$(PEER))$(filter interop,$(goals)),rxe) $(filter interop,$(goals)) $(if $(RANKS),ranks) \
         $(if $(filter test sanitize packet-mode-oracle packet-mode-crossbar,$(goals)),test) \
         $(if $(filter lint,$(goals)),lint) \
         $(if $(filter synth prove figures fourstate compare,$(goals)),synth) \
         $(if $(filter fourstate,$(goals)),fourstate) $(if $(filter wave,$(goals)),wave) $(if $(filter cycles-page curves-page,$(goals)),page) \
         $(filter speed curves,$(goals)) $(if $(filter figures,$(goals)),curves) \
         $(filter microbench,$(goals)) $(filter blocktest,$(goals)) $(if $(filter blockdev blocktest,$(goals)),blockdev)
# CHECK=1: only what stands above is checked, and what follows of it about variables (scripts/commands.sh).
$(if $(call not_one_of,$(CHECK),0 1),$(error CHECK=$(CHECK): expected 1, to check goals and variables and build nothing))
# One make builds at a time in this folder; those that it starts are part of it, as is one that has begun anew.
dry_run := $(strip $(foreach f,n q,$(findstring $(f),$(filter-out --%,$(firstword -$(MAKEFLAGS))))))
ifeq ($(MAKELEVEL)$(MAKE_RESTARTS)$(dry_run)$(filter 1,$(CHECK)),0)
lock_holder := $(shell mkdir -p build && exec scripts/lock.sh build/lock)
endif
tools_of := $(foreach t,VERILATOR IVERILOG YOSYS GTKWAVE,$(t)='$($(t))')
ifneq ($(if $(filter 1,$(CHECK)),ready,$(shell NO_INSTALL='$(NO_INSTALL)' $(tools_of) scripts/setup.sh $(needs) >&2 && echo ready)),ready)
$(error stopped: tools are missing, see above)
endif
endif

# ---- blocks in slots: OUTPUT_SCHEDULER=name RTL=path (scripts/slots.sh) ----
ifneq ($(filter-out help help-all clean,$(goals)),)
ifneq ($(findstring $(quote),$(RTL)$(SLOT)$(BLOCK)$(SIZE)$(CLOCKS)$(foreach v,$(slot_variables),$($(v)))),)
$(error RTL, SIZE, CLOCKS and the names of blocks are expected without quotes)
endif
# make contract SLOT=module BLOCK=name: the block in the slot for this run is BLOCK. make compare: it is one of those compared.
ifneq ($(filter contract compare,$(goals)),)
slot_variable := $(shell awk -v slot='$(SLOT)' '/^[A-Z]/ && $$2 == slot { print $$1 }' scripts/slots)
ifeq ($(slot_variable),)
$(error SLOT=$(SLOT): expected one of $(shell awk '/^[A-Z]/ { print $$2 }' scripts/slots))
endif
ifneq ($(BLOCK),)
$(slot_variable) := $(BLOCK)
endif
ifneq ($(shell printf '%s\n' '$(CLOCKS)' | grep -cEx '[0-9]*'),1)
$(error CLOCKS=$(CLOCKS): expected a number, of clocks that each size is judged for at least)
endif
started := $(shell date +%s)
else ifneq ($(SLOT)$(BLOCK)$(SIZE)$(if $(filter packet-mode packet-mode-full packet-mode-crossbar shares,$(goals)),,$(CLOCKS)),)
$(error SLOT, BLOCK, SIZE and CLOCKS belong to make contract, SLOT and BLOCK to make compare, too; \
    a block is put into a slot by $(wordlist 1,1,$(slot_variables))=name)
endif
# A switch for long packets has the slots of its architecture; the blocks are put into that one's models only.
ifneq ($(filter packet-mode packet-mode-full curves shares,$(goals)),)
packet_mode_arch := $(or $(ARCH),$(if $(filter shares,$(goals)),sm,dpm))
ifneq ($(filter shares,$(goals)),)
$(if $(call not_one_of,$(packet_mode_arch),sm ppm dpm vps),$(error ARCH=$(ARCH): make shares expects sm, ppm, dpm or vps))
PM_INPUT_SCHEDULER  := $(or $(PM_INPUT_SCHEDULER),pm_input_scheduler_wrr)
PM_OUTPUT_SCHEDULER := $(or $(PM_OUTPUT_SCHEDULER),pm_output_scheduler_wrr)
endif
slots_of_arch    := $(if $(filter iq,$(packet_mode_arch)),PM_MATCHER,PM_INPUT_SCHEDULER PM_OUTPUT_SCHEDULER \
                    $(if $(filter dpm,$(packet_mode_arch)),PM_LOCKS))
$(foreach v,$(filter-out $(slots_of_arch),$(slot_variables)),\
    $(if $($(v)),$(error $(v)=$($(v)): ARCH=$(packet_mode_arch) has no such slot; expected one of $(slots_of_arch))))
models_with_slots := $(if $(filter sm ppm dpm vps iq,$(packet_mode_arch)),pm_$(packet_mode_arch))
endif
unexport RTL
slots_set := $(strip $(foreach v,$(slot_variables),$(if $($(v)),$(v)=$($(v)))))
ifneq ($(if $(filter 1,$(CHECK)),,$(slots_set)$(RTL)),)
slot_found := $(shell VERILATOR='$(VERILATOR)' PYTHON='$(PYTHON)' RTL='$(RTL)' ONLY='$(models_with_slots)' \
    scripts/slots.sh $(foreach s,$(slots_set),'$(s)'))
ifeq ($(slot_found),)
$(error stopped: $(or $(slots_set),RTL=$(RTL)) cannot be used, see above)
endif
slot_search  := $(shell cat $(slot_found)/search)
slot_folder  := $(if $(slots_set),$(slot_found))
endif
endif

# ---- what there is ----
ifeq ($(CHECK),1)
no_goals := $(filter-out build/% $(shell sed -n 's/^.PHONY: //p' $(firstword $(MAKEFILE_LIST))),$(goals))
$(if $(no_goals),$(error $(no_goals): no such goal; make help-all says what can be done))
$(filter-out help help-all clean,$(goals)): ; @:
else ifneq ($(filter-out help help-all clean,$(goals)),)
of_checks := $(if $(SANITIZE),/sanitize$(if $(filter thread,$(SANITIZE)),-thread))
BUILT     := $(or $(slot_folder),build)$(of_checks)
# What no slot changes.
SHARED    := build$(of_checks)
GENERATED := $(foreach c,nic switch roce,build/generated/$(c)_registers.vh build/generated/$(c)_register_map.h) \
             build/generated/nic_register_block.vh build/generated/nic_states.h build/generated/slots.vh \
             build/generated/cycles_page.h build/generated/axi_rules.vh
# make packet-mode: switches with priorities and sets of outputs are in a program of their own: they take longer to build. A switch of other
# than 16 or 4 ports has one for itself.
packet_mode_lanes   := $(if $(filter iq,$(packet_mode_arch)),,$(PRIORITIES)$(HIGH_LOAD)$(MULTICAST)$(FANOUT)$(SET)$(COPIES)$(SPLIT))
packet_mode_kind    := $(if $(packet_mode_lanes),$(if $(filter 1,$(SPLIT)),split,lanes),plain)
packet_mode_program := packet-mode$(if $(packet_mode_lanes),-lanes)
ifneq ($(if $(filter packet-mode packet-mode-full,$(goals)),$(filter-out 4 16,$(PORTS))),)
ports_folder        := build/ports/$(packet_mode_arch)-$(packet_mode_kind)-$(PORTS)
packet_mode_program := $(shell scripts/packet_mode_program.sh $(packet_mode_arch) $(packet_mode_kind) $(PORTS) $(ports_folder))
$(if $(packet_mode_program),,$(error stopped: there is no such switch, see above))
endif
ifneq ($(shell mkdir -p build $(BUILT) && t=$(BUILT)/programs.$$$$ && \
               SLOT_FOLDER='$(slot_folder)' PORTS_FOLDER='$(ports_folder)' scripts/programs.sh > $$t && mv $$t $(BUILT)/programs.mk && \
               echo yes),yes)
$(error scripts/programs.sh failed, see above)
endif
include $(BUILT)/programs.mk

# ---- generated registers ----
build/generated/%_registers.vh: FORMAT := verilog
build/generated/%_register_block.vh: FORMAT := block
build/generated/%_register_map.h:  FORMAT := c
build/generated/switch_%: MAP_OPTIONS := -v prefix=SWITCH -v window=17408 -v place='the monitor port'
build/generated/roce_%: MAP_OPTIONS := -v prefix=ROCE -v window=65536 -v place='the AXI4-Lite port'
build/generated/nic_registers.vh build/generated/nic_register_block.vh build/generated/nic_register_map.h: rtl/monitor/registers.map
build/generated/switch_registers.vh build/generated/switch_register_map.h: rtl/switch/registers.map
build/generated/roce_registers.vh build/generated/roce_register_map.h: rtl/roce/registers.map
$(filter-out %_states.h %slots.vh %_page.h %_rules.vh,$(GENERATED)): scripts/registers.awk
	@mkdir -p $(@D)
	$(Q)awk -f scripts/registers.awk -v format=$(FORMAT) $(MAP_OPTIONS) $(filter %.map,$^) > $@.part && $(whole)

build/generated/slots.vh: scripts/slots scripts/slots.sh
	@mkdir -p $(@D)
	$(Q)scripts/slots.sh --defaults > $@.part && $(whole)

build/generated/axi_rules.vh: scripts/axi_rules.awk $(foreach l,axi axi_lite axi_stream,sim/axi/$(l)_rules.h)
	@mkdir -p $(@D)
	$(Q)awk -f $^ > $@.part && $(whole)

build/generated/nic_states.h: scripts/waves/states.awk $(shell find rtl -name '*.v')
	@mkdir -p $(@D)
	$(Q)awk -f $^ > $@.part && $(whole)

# The pages of make cycles and make curves as text in C; one style.
build/generated/cycles_page.h: $(addprefix sim/cycles/page.,html css js)
	@mkdir -p $(@D)
	$(Q)sed -e '/^@STYLE@$$/{r sim/cycles/page.css' -e 'd}' -e '/^@SCRIPT@$$/{r sim/cycles/page.js' -e 'd}' $< | $(page_to_c)
$(SHARED)/obj/sim/packet_mode/pm_page.o: | build/generated/curves_page.h
build/generated/curves_page.h: sim/packet_mode/curves.html sim/packet_mode/curves.css sim/cycles/page.css
	@mkdir -p $(@D)
	$(Q)sed -e '/^@STYLE@$$/{r sim/cycles/page.css' -e 'r sim/packet_mode/curves.css' -e 'd}' $< | $(page_to_c)
page_to_c = { echo 'static const char $(basename $(@F))[] ='; sed 's/[\\"]/\\&/g; s/.*/    "&\\n"/'; echo '    ;'; } > $@.part && $(whole)

# ---- Verilog models ----
# PASSES: those of scripts/passes.py that change the C++ that Verilator prints; one that does not know this version says so and leaves it.
# Waves are read out of a model's memory as the pass `places` finds it; without it they come from Verilator's VCD writer.
# FAST=0: no passes; models are compiled as they are printed, by public functions alone.
verilator_says := $(shell $(VERILATOR) --version 2>/dev/null)
ifneq ($(firstword $(verilator_says)),Verilator)
$(error VERILATOR=$(VERILATOR): expected Verilator 5.006 or newer; --version says: $(or $(verilator_says),nothing))
endif
verilator_is := $(word 2,$(verilator_says))
verilator_from = $(shell echo $(verilator_is) | awk '$$1 + 0 >= $(1) { print "yes" }')
ifeq ($(call verilator_from,5.006),)
$(error VERILATOR=$(VERILATOR) is Verilator $(verilator_is): expected 5.006 or newer)
endif
all_passes := evaluate rest lanes places
PASSES ?= $(all_passes)
FAST   ?= 1
ifneq ($(call not_one_of,$(or $(FAST),none),0 1),)
$(error FAST=$(FAST): expected 0 or 1)
endif
ifneq ($(filter-out $(all_passes),$(PASSES)),)
$(error PASSES=$(PASSES): expected some of $(all_passes))
endif
ifeq ($(FAST),0)
override PASSES :=
endif
ifeq ($(PASSES_BUILD),)
export PASSES_BUILD := $(shell echo $$PPID)
endif
export PASSES_SAID  := build/models/said
quiet_stats := $(if $(call verilator_from,5.022),--quiet-stats)
export VERILATOR MODEL_CXX AR OBJCOPY PYTHON MAKE FAST PASSES
export VERILATOR_IS := $(verilator_is)
export VERILATOR_SHARE := $(shell $(VERILATOR) --getenv VERILATOR_ROOT)
export VERILOG_DIRS    := $(shell find rtl tb -name '*.v' ! -path '*/parts/*' -printf '%h\n' 2>/dev/null | sort -u) $(slot_search)
export VERILATOR_FLAGS := $(quiet_stats) --default-language 1364-2005 -Wall -MMD $(addprefix +incdir+,build/generated $(slot_search))
model_scripts := scripts/model.sh scripts/report.sh scripts/words scripts/signals.hpp.in scripts/initial_values.awk \
                 $(addprefix scripts/,$(addsuffix .py,tool design bindings handshakes passes printed evaluate rest places)) \
                 scripts/lint.vlt scripts/probes.vlt scripts/waves/states.awk

# A model is bound (its header) and then built, the fast one for most programs, the full one with waves and probes for those in full/.
# Each by a make of its own that shares the jobs of this one; make -n builds nothing.
built_by        := Verilator $(verilator_is), PASSES=$(filter-out lanes,$(PASSES))
by_jobs          = $(if $(findstring n,$(firstword -$(MAKEFLAGS))),,+)
model_libraries := $(foreach d,$(MODEL_FOLDERS),$(d)/lib$(notdir $(d)).a)
lane_libraries  := $(foreach d,$(MODEL_FOLDERS),$(d)/lanes/lib$(notdir $(d)).a)
full_libraries  := $(foreach d,$(MODEL_FOLDERS),$(d)/full/lib$(notdir $(d)).a)
$(addsuffix /config,$(MODEL_FOLDERS)): FORCE
	@mkdir -p $(@D)
	@echo '$(CONFIG) $(built_by)' | cmp -s - $@ || echo '$(CONFIG) $(built_by)' > $@
$(addsuffix /bound,$(MODEL_FOLDERS)): $(model_scripts) | $(GENERATED)
	$(Q)$(model_step) bind $(@D) $(MODEL)
$(model_libraries):
	@echo "  MODEL   $(word 1,$(MODEL))$(if $(BLOCK_FILES), ($(slots_set)))"
	$(by_jobs)$(Q)$(model_step) fast $(@D) $(MODEL)
$(full_libraries):
	@echo "  MODEL   $(word 1,$(MODEL)), full$(if $(BLOCK_FILES), ($(slots_set)))"
	$(by_jobs)$(Q)$(model_step) full $(@D:/full=) $(MODEL)
# Several of one model evaluated together, in programs that ask for it; LANES=1 builds none.
export LANES_FLAGS := $(shell LANES='$(if $(filter lanes,$(PASSES)),$(LANES),1)' scripts/lanes.sh $(MODEL_CXX))
build/models/lanes: FORCE
	@mkdir -p $(@D)
	@echo '$(LANES_FLAGS)' | cmp -s - $@ || echo '$(LANES_FLAGS)' > $@
$(lane_libraries): build/models/lanes $(addprefix scripts/,lanes.py lanes.cpp.in lanes.hpp.in)
	@echo "  LANES   $(word 1,$(MODEL)), $(word 1,$(LANES_FLAGS))"
	$(Q)$(model_step) lanes $(@D:/lanes=) $(MODEL)
# Those of runs that take minutes are compiled once more, guided by how often a short run took each branch: an eighth faster.
# By clang, its llvm-profdata and its library for that only, and as they are, without other blocks in slots.
PROFDATA       := $(patsubst clang++%,llvm-profdata%,$(filter clang%,$(notdir $(MODEL_CXX))))
profile_runs    = $(wildcard /usr/lib/llvm$(patsubst llvm-profdata%,%,$(PROFDATA))*/lib/clang/*/lib/linux/libclang_rt.profile-*.a)
guided_models  := $(if $(and $(PROFDATA),$(profile_runs)),$(if $(shell command -v $(PROFDATA)),\
                  $(addprefix build/models/pm_,sm ppm dpm vps iq_16)))
guided          = $(foreach f,$(2),$(if $(filter $(guided_models:=/),$(dir $(f))),$(dir $(f))$(1)/$(notdir $(f)),$(f)))
guided_program  = $(BUILT)/$(if $(guided_models),$(if $(filter build,$(BUILT)),guided/))$(1)
guided_library  = $(2)/$(1)/lib$(notdir $(2)).a
ifneq ($(guided_models),)
$(foreach d,$(guided_models),$(foreach s,training guided,$(call guided_library,$(s),$(d)))): $(model_scripts)
	@echo "  MODEL   $(word 1,$(MODEL)), $(notdir $(@D))"
	$(by_jobs)$(Q)PROFILE=$(CURDIR)/build/training/profile $(model_step) $(notdir $(@D)) $(patsubst %/,%,$(dir $(@D))) $(MODEL)
$(foreach d,$(guided_models),$(eval $(call guided_library,training,$(d)): $(d)/lib$(notdir $(d)).a) \
                             $(eval $(call guided_library,guided,$(d)): build/training/profile))
build/training/profile: build/training/packet-mode
	@echo "  PROFILE packet mode, 16x16"
	$(Q)for a in sm ppm dpm vps iq; do \
	    LLVM_PROFILE_FILE=$(@D)/$$a.profile $< --arch $$a --load 0.8 --clocks 50000 --warmup 10000 --ideal-clocks 100000 >/dev/null || exit; \
	done && $(PROFDATA) merge -o $@.part $(@D)/*.profile && $(whole)
endif
model_step = MODEL_HEADERS=$(MODEL_HEADERS) OPTIMIZE=$(OPTIMIZE) BLOCKS='$(BLOCKS)' BLOCK_FILES='$(BLOCK_FILES)' scripts/model.sh

VERILATED := build/models/libverilated.a
with_waves := -DVM_TRACE=1 -DVM_TRACE_VCD=1 -DVL_USER_FATAL -DVL_USER_WARN
verilated_objects := $(patsubst %,build/models/verilated/%.o,verilated verilated_threads verilated_vcd_c recorder)
$(VERILATED): $(verilated_objects)
	$(Q)rm -f $@.part && $(AR) rcs $@.part $^ && $(whole)
export VERILATED_FLAGS := -std=gnu++17 -O2 -I. \
             $(addprefix -isystem $(VERILATOR_SHARE)/,include include/vltstd)
$(verilated_objects): build/models/verilated/flags
build/models/verilated/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(VERILATED_FLAGS) $(with_waves)' | cmp -s - $@ || echo '$(VERILATED_FLAGS) $(with_waves)' > $@
# Of this a run needs little but at its start.
build/models/verilated/%.o: $(VERILATOR_SHARE)/include/%.cpp
	@mkdir -p $(@D)
	@echo "  CXX     $(*F).cpp"
	$(Q)$(CXX) $(VERILATED_FLAGS) -O1 $(with_waves) -w -c -o $@.part $< && \
	    $(OBJCOPY) --redefine-sym fopen=sim_model_fopen $@.part && $(whole)
# Waves are written by sim/runtime/fst.c.
build/models/verilated/recorder.o: scripts/verilated.cpp.in scripts/signals.hpp.in $(addprefix sim/runtime/,fst.h model.h sim.h)
	@mkdir -p $(@D)
	@echo "  CXX     $(<F)"
	$(Q)$(CXX) $(VERILATED_FLAGS) $(with_waves) -w -x c++ -c -o $@.part $< && $(whole)

# What every model includes is compiled once, for the fast ones and for the full ones: reading it takes longer than most models do. It is
# made again when one of these headers changes, the compiler, or the folder: it would be refused then. So it would be if a header is another
# one that is older than it, as those of a package are that was updated: dates. ccache does not make it, because the folder is in it; it
# tells it from others by its sum, and paths in this folder are no difference.
MODEL_HEADERS     ?= build/models/headers
export CCACHE_SLOPPINESS := pch_defines,time_macros
export CCACHE_PCH_EXTSUM := 1
export CCACHE_BASEDIR    := $(CURDIR)
headers_by        := $(filter-out %ccache,$(MODEL_CXX))
compiled_headers  := $(if $(MODEL_HEADERS),$(patsubst %,$(MODEL_HEADERS)/%.h.gch,fast full))
# What clang makes of their templates, a third of the time of a small model, is in there, too.
instantiated      := $(if $(findstring clang,$(headers_by)),-fpch-instantiate-templates)
headers_with_waves = $(if $(filter full,$(*F)),1,0)
ifneq ($(MODEL_HEADERS),)
$(MODEL_HEADERS)/made: FORCE
	@mkdir -p $(@D)
	@echo '$(CURDIR) $(MODEL_CXX) $(VERILATED_FLAGS), VCD' | cmp -s - $@ || echo '$(CURDIR) $(MODEL_CXX) $(VERILATED_FLAGS), VCD' > $@
dates = sed -n 's/:$$//p' $(@D)/$*.makefile 2>/dev/null | xargs -r stat -c '%Y %n' 2>/dev/null
$(compiled_headers:.h.gch=.dates): $(MODEL_HEADERS)/%.dates: FORCE
	@mkdir -p $(@D)
	@$(dates) | cmp -s - $@ || { $(dates); true; } >$@
$(compiled_headers): $(MODEL_HEADERS)/%.h.gch: $(MODEL_HEADERS)/made $(MODEL_HEADERS)/%.dates $(shell command -v $(firstword $(headers_by)))
	$(Q)exec 9>$@.lock && flock 9 && \
	printf '#include "%s"\n' verilated.h verilated_dpi.h $(if $(filter full,$*),verilated_vcd_c.h) >$(@D)/$*.part && \
	{ cmp -s $(@D)/$*.part $(@D)/$*.cpp || { cp $(@D)/$*.part $(@D)/$*.h && mv $(@D)/$*.part $(@D)/$*.cpp; }; } && \
	{ $(headers_by) --version && $(headers_by) $(VERILATED_FLAGS) -E -P -MD -MP -MT $@ -MF $(@D)/$*.d $(@D)/$*.cpp; } | cksum >$@.sum && \
	mv $(@D)/$*.d $(@D)/$*.makefile && { $(dates); true; } >$(@D)/$*.dates && \
	MAKEFLAGS= "$$MAKE" -s -C $(@D) -f $(VERILATOR_SHARE)/include/verilated.mk VERILATOR_ROOT=$(VERILATOR_SHARE) VM_PREFIX=none \
	    VM_COVERAGE=0 VM_SC=0 VM_TRACE=$(headers_with_waves) VM_TRACE_FST=0 VM_TRACE_VCD=$(headers_with_waves) \
	    CXX='$(headers_by) -x c++-header' OPT_FAST=-O2 \
	    USER_CPPFLAGS="$$(scripts/model.sh flags) -Wno-pragma-once-outside-header $(instantiated)" $*.o && mv $(@D)/$*.o $@
-include $(compiled_headers:.h.gch=.makefile)
$(model_libraries): | $(MODEL_HEADERS)/fast.h.gch
$(full_libraries): | $(MODEL_HEADERS)/full.h.gch
endif

.PHONY: models
models: $(model_libraries)

# Where its own folder cannot be written, ccache has one here.
ifneq ($(CCACHE),)
ifneq ($(shell d=$$($(CCACHE) -k cache_dir) && mkdir -p "$$d" 2>/dev/null && [ -w "$$d" ] && echo yes),yes)
export CCACHE_DIR := $(CURDIR)/build/ccache
endif
endif
# ccache asks the compiler what it has read, and runs no preprocessor first, which takes as long as a small model or a test. What the
# compiler says leaves out headers of the system: the list of installed packages stands for them.
ifneq ($(wildcard /var/lib/dpkg/status),)
export CCACHE_DEPEND := 1
export CCACHE_EXTRAFILES_TO_HASH := /var/lib/dpkg/status
endif

# ---- C ----
CFLAGS    ?= -O2 -g
sanitizers := -fsanitize=$(if $(filter thread,$(SANITIZE)),thread,address$(comma)undefined)
header_folders := $(sort $(shell find sim sw tb -name '*.h' -printf '%h\n' 2>/dev/null)) \
             build/generated $(MODEL_FOLDERS)
c_flags   := -std=gnu11 -Wall -Wextra -Werror -fdebug-prefix-map=$(CURDIR)=. -MMD -MP -I. $(addprefix -iquote ,$(header_folders)) \
             -isystem $(VERILATOR_SHARE)/include \
             $(if $(SANITIZE),$(sanitizers) -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
link_flags := $(if $(shell command -v mold 2>/dev/null),-fuse-ld=mold) $(if $(SANITIZE),$(sanitizers))
libraries := -lz -llz4 -lpthread -latomic -lm -lnettle -ljansson

# Test programs spend their time in models and benches: to optimize themselves costs more than it gains.
of_tests   = $(if $(filter file,$(origin CFLAGS)),$(if $(filter test_%,$(<F)),-O0))
define c_objects
$(1)/obj/%.o: %.c | $$(GENERATED)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS) $$(of_tests) $$(c_flags) -MT $$@ -MF $$@.d.part -c -o $$@.part $$< && mv $$@.d.part $$(@:.o=.d) && $$(whole)
$(1)/lib/%.a:
	@mkdir -p $$(@D)
	$$(Q)rm -f $$@.part && $$(AR) rcs $$@.part $$^ && $$(whole)
endef
$(foreach d,$(sort $(BUILT) $(SHARED)),$(eval $(call c_objects,$(d))))
# Ranks of a run by MPI: a library that programs load with --ranks.
mpi_flags  = $(CFLAGS) $(filter-out -MMD -MP,$(c_flags)) -shared -fPIC
$(BUILT)/ranks-mpi.so: sim/mpi/mpi.c sim/program/ranks.h sim/runtime/sim.h
	@mkdir -p $(@D) && echo "  LINK    $@"
	$(Q)OMPI_CC='$(lastword $(CC))' mpicc $(mpi_flags) -o $@.part $< && $(whole)
$(BUILT)/full/ranks-mpi.so: $(BUILT)/ranks-mpi.so
	@mkdir -p $(@D)
	$(Q)cp $< $@.part && $(whole)
# The plugin that nbdkit loads: the door of a disk over RDMA.
$(BUILT)/nbd-plugin.so: sim/nbd/nbd_plugin.c sim/block/block_wire.h sw/block/nx_block.h
	@mkdir -p $(@D) && echo "  LINK    $@"
	$(Q)$(CC) $(CFLAGS) -std=gnu11 -Wall -Wextra -Werror $(addprefix -iquote ,sim/block sw/block sw/driver) -shared -fPIC \
	    -o $@.part $< && $(whole)
$(BUILT)/full/nbd-plugin.so: $(BUILT)/nbd-plugin.so
	@mkdir -p $(@D)
	$(Q)cp $< $@.part && $(whole)
link = @mkdir -p $(@D) && echo "  LINK    $@"; $(if $(V),set -x;) \
       $(CXX) $(link_flags) -o $@.part $(filter %.o,$^) $(2) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
           $(libraries) $(1) && $(whole)
# Programs with the full models are in the folder full.
both = $(addprefix $(BUILT)/,$(1)) $(addprefix $(BUILT)/full/,$(1))
without_driver := nicxbar-cycles $(sort packet-mode packet-mode-lanes $(packet_mode_program)) packet-shares pm-curves blockbench blockdev \
                  roce-sim roce-storage roce-rping roce-verbs
long_programs := $(patsubst %.c,%,$(shell find tb -name 'long_*.c'))
$(call both,$(TESTS) $(long_programs) $(TOOL_PROGRAMS) $(SIM_PROGRAMS)): $(VERILATED)
$(call both,$(TESTS) $(long_programs)):
	$(call link,$(check_libraries))
$(call both,$(TOOL_PROGRAMS) $(without_driver)):
	$(call link)
ifneq ($(guided_models),)
build/training/packet-mode: $(call guided,training,$(needs_packet-mode)) $(VERILATED)
	$(call link,-fprofile-instr-generate)
build/guided/packet-mode: $(call guided,guided,$(needs_packet-mode)) $(VERILATED)
	$(call link)
build/guided/pm-curves: $(call guided,guided,$(needs_pm-curves)) $(VERILATED)
	$(call link)
build/training/packet-mode: private CXX := $(filter clang%,$(notdir $(MODEL_CXX)))
endif
# Host programs call the driver and the software of the switch's monitor, all of it, in the program that loads them.
called_libraries = -Wl,--whole-archive $(patsubst %,$(SHARED)/lib/sw/%.a,driver switch) -Wl,--no-whole-archive
$(call both,$(filter-out $(without_driver),$(SIM_PROGRAMS))):
	$(call link,,$(patsubst %,-Wl$(comma)--export-dynamic-symbol='%_*',nx sx) $(called_libraries))
check_libraries = $(shell $(PKG_CONFIG) --libs check)

-include $(shell find $(sort $(BUILT)/obj $(SHARED)/obj) -name '*.d' 2>/dev/null)

# What the programs of this run are linked with: the full models if somebody is going to look into them.
# Nothing, if no waves are recorded.
waves := $(if $(filter-out 0,$(WAVES)),--waves $(results)/waves/$(or $(filter soak run blockdev,$(goals)),sim).fst \
         $(if $(filter-out 1,$(WAVES)),--wave-scopes '$(WAVES)'))
ifeq ($(CHIP),roce)
waves := $(subst /sim.fst,/roce.fst,$(waves))
endif
bin := $(BUILT)$(if $(waves)$(filter 1,$(TRACE))$(filter cycles,$(goals)),/full)

# ---- tests ----
# TEST is a folder (tb/unit/link) or a program (tb/unit/link/test_credits, with or without .c); CASE is one of Check's test cases.
TEST     ?= tb
chosen   := $(filter $(patsubst %.c,%,$(patsubst %/,%,$(TEST))) $(patsubst %/,%,$(TEST))/%,$(TESTS))
.PHONY: test tests
tests: $(addprefix $(bin)/,$(chosen))
before_tests := $(if $(filter-out tb,$(TEST)),,lint) tests
test: $(if $(REPORT),$(addprefix report-,$(before_tests)),$(before_tests))
	$(if $(chosen),,$(no_such_test))
	@$(if $(times_shown),$(subst exec ,,$(replacing)),$(replacing)) $(run_tests) $(report_settings) CASE='$(CASE)' \
	    GOAL=$(if $(SANITIZE),sanitize,test) scripts/run_tests.sh $(bin) $(chosen)$(times_shown)
# With REPORT what comes before the tests is a step of the report.
report_file     := build/test.$(if $(filter tap,$(REPORT)),tap,xml)
report_folder   := $(BUILT)/report
report_settings := $(if $(REPORT),REPORT=$(REPORT) REPORTED=$(report_folder) REPORT_TO=$(report_file))
.PHONY: report-begins report-lint report-tests
report-begins:
	@rm -rf $(report_folder) $(report_file) && mkdir -p $(report_folder)
report-lint report-tests: report-begins
	+@REPORTED=$(report_folder) scripts/run_tests.sh --step $(patsubst tests,build,$(@:report-%=%)) \
	    $(MAKE) --no-print-directory REPORT= $(@:report-%=%)
similar      := $(strip $(foreach t,$(TESTS),$(if $(findstring $(TEST),$(t)),$(t))))
no_such_test = $(error TEST=$(TEST): no test program of that name; expected \
    $(or $(similar),a program in one of $(sort $(patsubst %/,%,$(dir $(TESTS))))))
run_tests = SEED=$(SEED) WAVES='$(WAVES)' JOBS=$(JOBS) FULL='$(BUILT)/full' SETTINGS='$(slots_set)$(if $(RTL), RTL=$(RTL))'
# The contract of a slot: its suite judges the block that is in it.
.PHONY: contract
contract_suite := $(if $(SLOT),$(filter tb/contract/$(SLOT)/test_$(SLOT)_contract,$(TESTS)))
contract: $(addprefix $(BUILT)/,$(contract_suite))
	$(if $(contract_suite),,$(error SLOT=$(SLOT): there is no suite in tb/contract/$(SLOT)))
	@$(replacing) SLOT=$(SLOT) BLOCK=$(or $($(slot_variable)),$(SLOT)) SIZE='$(SIZE)' CLOCKS='$(CLOCKS)' STARTED=$(started) SEED=$(SEED) \
	    JOBS=$(JOBS) FILLED='$(slots_set)' WAVES='$(WAVES)' FULL='$(BUILT)/full' SETTINGS='$(if $(RTL),RTL=$(RTL))' \
	    YOSYS='$(YOSYS)' scripts/contract.sh $(BUILT) $(contract_suite)
# Slots and what ships for them; the blocks for one, measured side by side.
.PHONY: slots compare
slots:
	@scripts/slots.sh --list
compare: $(GENERATED)
	@$(replacing) MAKE='$(MAKE)' YOSYS='$(YOSYS)' JOBS=$(JOBS) RTL='$(RTL)' BLOCK='$(BLOCK)' SEED=$(SEED) \
	    SETTINGS='$(filter-out $(slot_variable)=%,$(slots_set))' scripts/compare.sh $(SLOT)
# The tutorial as it is written, from the clone on (some minutes).
.PHONY: tutorial
tutorial:
	@$(release) rm -rf build/tutorial && scripts/tutorial.sh build/tutorial && cmp build/tutorial/work/flows.svg scripts/pictures/flows.svg
# A block of one's own.
.PHONY: block
block:
	@$(release) CC='$(CC)' VERILATOR='$(VERILATOR)' PYTHON='$(PYTHON)' $(if $(FROM),NAME='$(NAME)' MODULE='$(MODULE)' PARAMETERS='$(PARAMETERS)') \
	    scripts/block.sh $(if $(FROM),--from '$(FROM)','$(NAME)' $(if $(FOLDER),'$(FOLDER)'))
# Programs, recordings and builds that are stopped at random moments, KILLS times by each signal.
.PHONY: kill
kill: $(BUILT)/tb/system/test_kill
	@$(replacing) $(run_tests) KILLS=$(or $(KILLS),20) CASE='$(CASE)' GOAL=kill scripts/run_tests.sh $(BUILT) tb/system/test_kill
# From an edit to a verdict.
.PHONY: turnaround
turnaround:
	@$(replacing) MAKE='$(MAKE)' scripts/turnaround.sh
.PHONY: sanitize
sanitize:
	+$(Q)$(replacing) $(MAKE) --no-print-directory SANITIZE=$(or $(SANITIZE),1) CFLAGS='-O1 -g' \
	    TEST=$(if $(filter-out tb,$(TEST)),$(TEST),tb/) test

# ---- running ----
FIGURE ?=
# One program for each size of the switch; nicxbar-sim itself has four ports.
size_2  := 2
size_8  := 5 6 7 8
size_12 := 9 10 11 12
size_16 := 13 14 15 16
size    := $(strip $(foreach n,2 8 12 16,$(if $(filter $(or $(NODES),4),$(size_$(n))),$(n))))
simulator := $(bin)/nicxbar-sim$(if $(paths),$(filter 8,$(size))-links,$(if $(bundle),-bundle)$(if $(filter 0,$(SWITCH)),,$(size)$(if \
             $(filter traced,$(SWITCH)),-traced)))
lower = $(shell printf '%s' '$(1)' | tr A-Z_ a-z-)
options_of = $(strip $(foreach v,$(1),$(if $($(v)),--$(call lower,$(v)) '$($(v))')))
run_options := --seed $(SEED) $(if $(OUT),--out $(OUT)) $(if $(NODES),--nodes $(NODES)) \
               $(call options_of,$(system_variables) $(run_variables))
sim_options := $(run_options) $(if $(FILE),--file '$(FILE)') $(waves) \
               $(if $(filter 0,$(SWITCH)),--direct) $(call options_of,$(scenario_variables))
ifeq ($(CHIP),roce)
simulator   := $(bin)/roce-$(if $(filter 1,$(STORAGE)),storage,sim)
sim_options := --seed $(SEED) --json $(results)/$(or $(filter cycles,$(goals)),sim).json $(waves) \
               $(if $(FIGURES),,--pcap $(results)/roce.pcap) $(call options_of,$(chip_variables))
# Linux in QEMU or in User mode, from packages that are unpacked there; it is looked each time whether it is the one of now.
ifeq ($(PEER),rxe)
sim_options += --guest build/guest$(if $(filter uml,$(GUEST)),/uml) --console $(results)/roce-console.log
.PHONY: guest
guest: $(simulator)
	$(if $(filter uml,$(GUEST)),@scripts/uml.sh build/guest mtu)
	@$(simulator) $(sim_options) --help >/dev/null # looks at the options first
	@scripts/guest.sh build/guest
	$(if $(filter uml,$(GUEST)),@JOBS=$(JOBS) scripts/uml.sh build/guest)
sim: guest
endif
endif
# The RoCE chip beside what others wrote: a boot of Linux for each part.
.PHONY: interop
interop: $(bin)/roce-rping $(bin)/roce-verbs
	@$(replacing) ONLY='$(ONLY)' RECORD='$(RECORD)' BYTES='$(BYTES)' SEED=$(SEED) scripts/interop.sh $(bin) $(results)/interop
soak_scenario := --scenario $(or $(SCENARIO),uniform) --sizes '$(or $(SIZES),8..496)' --packets $(or $(PACKETS),1000000) \
                 $(call options_of,$(filter-out SCENARIO SIZES PACKETS,$(scenario_variables)))
# Some figures are sizes: Yosys runs when the Verilog is newer than its last result (a minute).
# With other blocks in slots they are sizes of those, in the folder of the slots.
SIZES_IN := $(or $(slot_folder),build)
figures: $(if $(filter nic_lut nic_ff nic_bram,$(or $(FIGURE),nic_lut)),$(SIZES_IN)/synth-nic.json) \
         $(if $(filter nic_monitored_bram,$(or $(FIGURE),nic_monitored_bram)),$(SIZES_IN)/synth-nic-monitored.json) \
         $(if $(filter switch_8x8_%,$(or $(FIGURE),switch_8x8_)),$(SIZES_IN)/synth-crossbar8.json) \
         $(if $(filter sim_packet_mode_khz,$(or $(FIGURE),sim_packet_mode_khz)),$(SIZES_IN)/packet-mode-khz.json)
# The slowest of four switches.
$(SIZES_IN)/packet-mode-khz.json: $(call guided_program,packet-mode) FORCE
	@echo "  SPEED   packet mode, 16x16 (half a minute)"
	@for a in sm ppm dpm vps; do \
	    $< --arch $$a --load 0.8 --clocks 500000 --warmup 50000 --ideal-clocks 100000 --seed $(SEED) | sed -n 's/.* s, \(.*\) kHz;.*/\1/p'; \
	done | sort -n | sed -n '1s/.*/{"khz": &}/p' > $@.part && $(whole)
synth_sources := $(shell find rtl -name '*.v') $(if $(slot_folder),$(shell cut -d' ' -f3- $(slot_folder)/blocks)) \
                 $(foreach d,$(slot_search),$(wildcard $(d)/*.v))
$(SIZES_IN)/synth-nic.json: $(synth_sources) $(GENERATED) scripts/synth.sh
	@echo "  SYNTH   nic (about a minute)$(if $(slots_set), ($(slots_set)))"
	@YOSYS='$(YOSYS)' SLOT_FOLDER='$(slot_folder)' scripts/synth.sh nic
$(SIZES_IN)/synth-nic-monitored.json: $(synth_sources) $(GENERATED) scripts/synth.sh
	@echo "  SYNTH   nic with samples and traces (two minutes)$(if $(slots_set), ($(slots_set)))"
	@NAME=nic-monitored YOSYS='$(YOSYS)' SLOT_FOLDER='$(slot_folder)' scripts/synth.sh nic MONITORING=1
$(SIZES_IN)/synth-crossbar8.json: $(synth_sources) $(GENERATED) scripts/synth.sh
	@echo "  SYNTH   crossbar 8x8 (some minutes)$(if $(slots_set), ($(slots_set)))"
	@NAME=crossbar8 YOSYS='$(YOSYS)' SLOT_FOLDER='$(slot_folder)' scripts/synth.sh crossbar PORTS=8 MONITOR=0 MONITORING=0
.PHONY: sim cycles figures
sim soak: $(if $(RANKS),$(dir $(simulator))ranks-mpi.so)
# Without variables that choose a run, a program with full models records the first packets of the file before it: the same run, cut short.
first_waves := $(if $(filter sim,$(goals)),$(if $(bundle)$(paths)$(filter-out SEED OUT BUILD LANES WINDOW THREADS $(build_variables),\
               $(given_variables)),,$(BUILT)/full/nicxbar-sim-default))
sim $(if $(test_cycles),,cycles): $(simulator) $(first_waves)
	@mkdir -p $(results)/waves
ifneq ($(first_waves),)
	@$(release) first=$$($(as_ours) $(first_waves) $(sim_options) --first-waves $(results)/waves/sim.fst); \
	    code=$$?; [ $$code -lt 128 ] || exit $$code; \
	    $(as_ours) $(simulator) $(sim_options) $${first:+--first-waves "$$first"}
else
	@$(replacing) $(call in_texts,make sim CHIP=roce FIGURES=all) $(simulator) $(sim_options) $(if $(filter cycles,$@),--cycles $(cycles_options))
endif
ifneq ($(test_cycles),)
$(if $(chosen),,$(no_such_test))
cycles: $(addprefix $(bin)/,$(chosen)) $(BUILT)/nicxbar-cycles
	@rm -rf $(results)/cycles && mkdir -p $(results)/cycles
	@$(run_tests) CASE='$(CASE)' GOAL=cycles SIM_CYCLES=$(abspath $(results))/cycles scripts/run_tests.sh $(bin) $(chosen); good=$$?; \
	    $(BUILT)/nicxbar-cycles $(cycles_options) --json $(results)/cycles.json \
	    --system '$(strip tests of $(TEST) $(if $(CASE),case $(CASE)) seed $(SEED))' --join $(results)/cycles/* && exit $$good
endif
# What make cycles has written last, in a browser.
.PHONY: cycles-page curves-page
cycles-page:
	@$(release) scripts/cycles_page.sh $(results)
curves-page:
	@$(release) scripts/curves_page.sh $(results)/curves
# PROGRAM is one of sw/programs by its name, or the path of a C file; each host loads its own copy of the shared object.
program_source := $(if $(filter %.c,$(PROGRAM)),$(PROGRAM),sw/programs/$(PROGRAM).c)
host_program   := $(BUILT)/programs/$(if $(filter %.c,$(PROGRAM)),own/)$(notdir $(program_source:.c=)).so
$(BUILT)/programs/own/%.so: $(filter %.c,$(PROGRAM)) FORCE
	$(call compile_program,$<)
$(BUILT)/programs/%.so: sw/programs/%.c $(wildcard sw/driver/*.h sw/switch/*.h) | $(GENERATED)
	$(call compile_program,$< -Werror)
compile_program = @mkdir -p $(@D) && echo "  CC      $@" && \
    $(CC) $(CFLAGS) -std=gnu11 -Wall -Wextra $(addprefix -iquote ,sw/driver sw/switch build/generated) -shared -fPIC \
        -o $@.part $(1) -lm && $(whole)
.PHONY: run
run: $(simulator) $(host_program)
	@mkdir -p $(results)/waves
	@$(replacing) $(simulator) $(run_options) $(waves) \
	    $(if $(filter 0,$(SWITCH)),--direct) $(call options_of,SWITCH_MONITOR) \
	    --json $(results)/run.json --program $(host_program) -- $(ARGS)
# A file as a disk over RDMA, for NBD clients; its exit code is that of the command that it runs.
.PHONY: blockdev blocktest
blockdev: $(addprefix $(bin)/,blockdev nbd-plugin.so)
	@mkdir -p $(results)/waves
	@$(replacing) $(bin)/blockdev --seed $(SEED) --out $(results) $(if $(NODES),--nodes $(NODES)) $(waves) \
	    $(foreach v,$(block_variables),$(if $(value $(v)),--$(call lower,$(v)) $(call quoted,$(v))))
# Clients that others wrote, on such disks.
blocktest: $(addprefix $(BUILT)/,blockdev nbd-plugin.so)
	@mkdir -p $(results)
	@$(replacing) SCALE=$(SCALE) KILLS=$(KILLS) SEED=$(SEED) scripts/blocktest.sh $(BUILT)/blockdev $(results)
# Host programs on two nodes and a cable, or four and a switch, and pictures of what they measure.
.PHONY: microbench
microbench: $(BUILT)/nicxbar-sim $(patsubst %,$(BUILT)/programs/%.so,pcix throughput pingpong latency nxlatency)
	@$(replacing) scripts/microbench.sh $(results)/microbench.json $(results)/microbench $< --seed $(SEED) --programs $(BUILT)/programs \
	    --microbench $(BENCHMARK) $(call options_of,MESSAGE_SIZES)
figures: $(BUILT)/nicxbar-figures
	@$(replacing) $(call in_texts,make figures) \
	    $(BUILT)/nicxbar-figures --seed $(SEED) $(if $(OUT),--out $(OUT)) --synthesis $(SIZES_IN) --figures $(FIGURE)
# Disks over RDMA (sw/block): what hosts make of them, without clients.
.PHONY: blockbench
blockbench: $(bin)/blockbench
	@mkdir -p $(results)
	@$(replacing) $(bin)/blockbench --seed $(SEED) $(if $(FIGURE),--only $(FIGURE)) --json $(results)/blockbench.json
# Switches for packets longer than their crosspoints: options of build/packet-mode are variables.
.PHONY: packet-mode packet-mode-full
packet-mode-full: $(BUILT)/full/$(packet_mode_program)
packet-mode: $(bin)/$(packet_mode_program)
	@mkdir -p $(results)/waves
	@$(replacing) MAKE='$(MAKE)' JOBS=$(JOBS) FILLED='$(slots_set)' RTL='$(RTL)' FULL=$(BUILT)/full/$(packet_mode_program) \
	    AGAIN='$(foreach v,$(filter $(packet_mode_variables),$(given_variables)),$(v)=$($(v)))' \
	    WAVES=$(results)/waves/packet-mode-broken.fst scripts/packet_mode.sh $(bin)/$(packet_mode_program) \
	    $(call options_of,$(packet_mode_variables)) --seed $(SEED) --json $(results)/packet-mode.json \
	    $(if $(waves),--waves $(results)/waves/packet-mode.fst)
# The clock of each packet against tb/system/pm_oracle: PACKETS a run, SEEDS seeds from SEED on.
.PHONY: packet-mode-oracle
oracle_programs := tb/system/test_pm_oracle tb/system/long_pm_oracle
packet-mode-oracle: $(addprefix $(BUILT)/,$(oracle_programs))
	@$(replacing) $(run_tests) PACKETS=$(or $(PACKETS),100000) SEEDS=$(or $(SEEDS),3) ONLY='$(ARCH)' GOAL=packet-mode-oracle \
	    scripts/run_tests.sh $(BUILT) $(oracle_programs)
# The crossbar of the NICs beside VPS, both of 16 ports, for packets of 512 bytes.
.PHONY: packet-mode-crossbar
packet-mode-crossbar: $(BUILT)/tb/unit/switch/long_vps
	@$(replacing) $(run_tests) CLOCKS='$(CLOCKS)' LOAD='$(LOAD)' CASE=delay GOAL=packet-mode-crossbar \
	    scripts/run_tests.sh $(BUILT) tb/unit/switch/long_vps
	@sed -n '/ mean delay /,/%$$/p' $(BUILT)/log/tb/unit/switch/long_vps.log
# Weights in one of them: shares of the lines, and the delay of a flow below its share.
.PHONY: shares
shares: $(BUILT)/packet-shares
	@$(replacing) $< --arch $(packet_mode_arch) $(call options_of,CLOCKS) --seed $(SEED) --jobs $(JOBS) --json $(results)/shares.json
# Points are made of these models and driven by these sources: what was made of others is not used. With a block in a slot the points of
# ARCH as it is are made first, and both are drawn.
.PHONY: curves
libraries_of   = $(foreach d,$(1),$(d)/lib$(notdir $(d)).a)
curves_models := $(foreach d,$(MODEL_FOLDERS),$(if $(filter pm_%,$(notdir $(d))),$(d)))
curves_run_of  = $(if $(slot_folder),$(call libraries_of,$(curves_models)),$(call guided,guided,$(call libraries_of,$(curves_models))))
curves_options = --out $(results)/curves --models '$(curves_run_of)' --seed $(SEED) --jobs $(JOBS) \
                 --sources "$$(cat $(wildcard sim/packet_mode/pm_run*.c) $(addprefix sim/packet_mode/pm_,statistics.c traffic.c) | cksum)" \
                 $(if $(FIGURE),--figure '$(FIGURE)') $(if $(filter 1,$(QUICK)),--quick) $(call options_of,ARCH) \
                 --memory build/packet-mode-sizes.json
curves_begun  := $(if $(filter curves,$(goals)),$(shell date +%s))
curves: $(call guided_program,pm-curves)
	@t=$$(($$(date +%s) - $(curves_begun))); [ $$t -lt 3 ] || echo "models and program built in $$t s"
	$(if $(slots_set),+@$(MAKE) --no-print-directory $(foreach v,$(slot_variables) RTL,$(v)=) ARCH=$(packet_mode_arch) curves)
	@$(replacing) $< $(curves_options) $(if $(slots_set),$(if $(ARCH),,--arch $(packet_mode_arch)) --beside '$(slots_set)' \
	    --standard '$(call guided,guided,$(call libraries_of,$(addprefix build/models/,$(notdir $(curves_models)))))')
# Without NODES: two NICs against a reference model. With NODES: all ports of the switch saturated, every packet compared.
.PHONY: soak
ifeq ($(CHIP),roce)
# Then the tests of that chip that have a long form (tb/test.h); with TEST these alone.
long_forms := $(filter $(chosen),$(patsubst %.c,%,$(shell grep -l 'long_form()' tb/system/test_roce*.c tb/unit/roce/test_*.c)))
soak: $(if $(filter TEST,$(given_variables)),,$(simulator)) $(addprefix $(bin)/,$(long_forms))
	$(if $(filter TEST,$(given_variables)),$(if $(long_forms),,$(error TEST=$(TEST): there is no test of the RoCE chip with a long form)))
	@mkdir -p $(results)/waves
	$(if $(filter TEST,$(given_variables)),,@$(replacing) $(simulator) --soak $(or $(PACKETS),1000000) --seed $(SEED) \
	    --json $(results)/soak.json --pcap $(results)/roce.pcap $(call options_of,$(chip_variables)) $(waves))
	$(if $(long_forms),@echo "$(words $(long_forms)) test programs in their long form" && $(replacing) LONG_FORM=1 $(run_tests) CASE='$(CASE)' \
	    SETTINGS=CHIP=roce GOAL=soak scripts/run_tests.sh $(bin) $(long_forms))
else
soak: $(simulator)
	@mkdir -p $(results)/waves
	@$(replacing) $(if $(NODES),$(simulator) $(run_options) $(soak_scenario) --json $(results)/soak.json,\
	    $(simulator) --seed $(SEED) --soak $(or $(PACKETS),1000000) $(call options_of,$(if $(bundle)$(paths),NIC) $(run_variables))) \
	    $(waves)
endif
# Pins of real runs replayed in Icarus, which knows X, on the Verilog and on the netlists that Yosys makes of it.
NETLISTS := $(SIZES_IN)/fourstate
$(NETLISTS)/nic.v:       NETLIST := nic
$(NETLISTS)/crossbar2.v: NETLIST := crossbar PORTS=2
$(NETLISTS)/nic.v $(NETLISTS)/crossbar2.v: $(synth_sources) $(GENERATED) scripts/netlist.sh scripts/verilog_files.sh
	@echo "  NETLIST $(NETLIST) (about a minute)$(if $(slots_set), ($(slots_set)))"
	@YOSYS='$(YOSYS)' SLOT_FOLDER='$(slot_folder)' scripts/netlist.sh $(@:.v=) $(NETLIST)
.PHONY: fourstate
fourstate: $(addprefix $(BUILT)/,nicxbar-sim nicxbar-sim2 programs/nxtrace.so programs/nxsample.so) $(NETLISTS)/nic.v $(NETLISTS)/crossbar2.v
	@IVERILOG='$(IVERILOG)' SEED=$(SEED) JOBS=$(JOBS) SLOT_FOLDER='$(slot_folder)' scripts/fourstate.sh $(BUILT) $(NETLISTS)
# The commit BASE is built in a folder of its own, once.
.PHONY: speed
speed_programs := $(foreach n,$(speed_nodes),nicxbar-sim$(filter-out 4,$(n)))
speed_waves    := $(addprefix full/,$(filter-out %8 %16,$(speed_programs)))
base_folder    := build/speed/$(base)
speed: $(addprefix $(BUILT)/,$(speed_programs) $(speed_waves) programs/nxsample.so programs/nxtrace.so) $(if $(base),base)
	@NODES='$(speed_nodes)' TURNS=$(TURNS) RUNS='$(RUNS)' scripts/speed.sh $(BUILT) $(if $(base),$(base) $(base_folder)/build)
.PHONY: base
base:
	@mkdir -p $(base_folder) && [ -e $(base_folder)/Makefile ] || git archive $(base) | tar -x -C $(base_folder)
	@echo "  BASE    $(base) in $(base_folder)"
	+@unset MAKEFLAGS MAKELEVEL; $(MAKE) -j$(JOBS) -C $(base_folder) \
	    $$([ ! -e $(base_folder)/scripts/probes.vlt ] || echo $(addprefix build/,$(speed_waves))) $(addprefix build/,$(speed_programs)) \
	    >$(base_folder).log 2>&1 || { tail -5 $(base_folder).log; echo "BASE=$(BASE) cannot be built, see $(base_folder).log"; exit 1; }
.PHONY: wave
wave:
	$(Q)$(release) MODULE='$(MODULE)' scripts/wave.sh $(GTKWAVE) $(OUT)
.PHONY: tools
tools: $(addprefix $(BUILT)/,$(TOOL_PROGRAMS))

# ---- Verilog checks ----
.PHONY: lint
lint: $(GENERATED)
	@VERILATOR='$(VERILATOR)' IVERILOG='$(IVERILOG)' YOSYS='$(YOSYS)' scripts/lint.sh
# Proofs, and faults with which they must fail: tb/proofs/proofs.
.PHONY: prove
prove: $(GENERATED)
	@$(release) YOSYS='$(YOSYS)' $(call in_texts,make prove) scripts/prove.sh $(PROOF)
# Without MODULE: the NIC and switches of all sizes, beside the documents' figures, and memories of the packet-mode switches; or the RoCE
# chip.
.PHONY: synth
ifeq ($(CHIP),roce)
synth: $(GENERATED)
	@$(release) YOSYS='$(YOSYS)' FAMILY=xcup $(call in_texts,make synth CHIP=roce) scripts/$(if $(MODULE),synth.sh $(MODULE),roce_sizes.sh $(BYTES))
else
synth: $(GENERATED)
	@$(release) YOSYS='$(YOSYS)' SLOT_FOLDER='$(if $(MODULE),$(slot_found),$(slot_folder))' $(call in_texts,make synth) \
	    scripts/$(if $(MODULE),synth.sh $(MODULE),sizes.sh)
	$(if $(MODULE),,@YOSYS='$(YOSYS)' scripts/packet_mode_sizes.sh)
endif
endif

ifeq ($(BUILD),)
.PHONY: clean
clean:
	rm -rf build
endif
# Recipes are told the language by what is exported.
ifeq ($(times_shown),)
SHELL := /bin/sh
endif
.PHONY: FORCE
FORCE:
