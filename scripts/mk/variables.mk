# ---- checks of the variables, and of the tools, before anything is built ----
goals := $(or $(MAKECMDGOALS),help)
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
    }' /dev/null $(wildcard sim/traffic/scenario_options.c sim/program/options.c sim/packet_mode/pm_options.c \
    sim/block/block_options.c sim/roce/roce_options.c sim/roce/roce_storage_options.c))
option_variables    = $(patsubst $(1):%,%,$(filter $(1):%,$(option_words)))
scenario_variables := $(call option_variables,scenario)
system_variables   := $(call option_variables,system)
run_variables      := $(call option_variables,run)
packet_mode_variables := $(call option_variables,pm_options.c)
block_variables    := $(call option_variables,block_options.c)
roce_variables     := $(call option_variables,roce_options.c)
storage_variables  := $(call option_variables,roce_storage_options.c)
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
roce_wrong := $(shell scripts/roce_options.sh sim/roce/roce_$(if $(filter 1,$(STORAGE)),storage_options,options).c \
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
cycles_sorts  := $(shell sed -n 's/^.define CYCLES_SORTS "\(.*\)"/\1/; T; s/,//g; s/ or / /; p' sim/cycles/cycles_names.h)
cycles_format := $(shell sed -n 's/^.define CYCLES_FORMAT "\(.*\)"/\1/p' sim/cycles/cycles_names.h)
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
