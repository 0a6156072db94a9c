# `make` alone says what can be done. What is built is found, not listed: see scripts/programs.sh and scripts/README.md.
odd_characters := ( ) $$ \# ' " ` ; & | < > * ? : %
odd := $(if $(word 2,[$(CURDIR)]),a space,$(firstword $(foreach c,$(odd_characters),$(findstring $(c),$(CURDIR)))))
$(if $(odd),$(error $(CURDIR): make cannot handle a path with $(odd) in it; expected a clone in a folder without))
include scripts/mk/tools.mk

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
include scripts/mk/variables.mk scripts/mk/slots.mk

# ---- what there is ----
ifeq ($(CHECK),1)
no_goals := $(filter-out build/% $(shell sed -n 's/^.PHONY: //p' Makefile scripts/mk/*.mk),$(goals))
$(if $(no_goals),$(error $(no_goals): no such goal; make help-all says what can be done))
$(filter-out help help-all clean,$(goals)): ; @:
else ifneq ($(filter-out help help-all clean,$(goals)),)
include $(addprefix scripts/mk/,$(addsuffix .mk,generate models c tests run synth))
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
