# ---- running ----
FIGURE ?=
simulator := $(bin)/$(call says,program)
run_options := --seed $(SEED) $(if $(OUT),--out $(OUT)) $(if $(NODES),--nodes $(NODES)) \
               $(call options_of,$(system_variables) $(run_variables))
sim_options := $(run_options) $(if $(FILE),--file $(call quoted,FILE)) $(waves) \
               $(if $(filter 0,$(SWITCH)),--direct) $(call options_of,$(scenario_variables))
ifeq ($(CHIP),roce)
sim_options := --seed $(SEED) --json $(results)/$(or $(filter cycles,$(goals)),sim).json $(waves) \
               $(if $(FIGURES),,--pcap $(results)/roce.pcap) $(call options_of,$(chip_variables))
# Linux in QEMU or in User mode, from packages that are unpacked there; it is looked each time whether it is the one
# of now.
ifeq ($(PEER),rxe)
sim_options += --guest build/guest$(if $(filter uml,$(GUEST)),/uml) --console $(results)/roce-console.log
guest: $(simulator)
	$(if $(filter uml,$(GUEST)),@scripts/uml.sh build/guest mtu)
	@$(simulator) $(sim_options) --help >/dev/null # looks at the options first
	@scripts/guest.sh build/guest
	$(if $(filter uml,$(GUEST)),@JOBS=$(JOBS) scripts/uml.sh build/guest)
sim: guest
endif
endif
# The RoCE chip beside what others wrote: a boot of Linux for each part.
interop: $(bin)/roce-rping $(bin)/roce-verbs
	@$(replacing) ONLY='$(ONLY)' RECORD='$(RECORD)' BYTES='$(BYTES)' SEED=$(SEED) scripts/interop.sh $(bin) \
	    $(results)/interop
soak_scenario := --scenario $(or $(SCENARIO),uniform) --sizes '$(or $(SIZES),8..496)' --packets \
                 $(or $(PACKETS),1000000) \
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
	    $< --arch $$a --load 0.8 --clocks 500000 --warmup 50000 --ideal-clocks 100000 --seed $(SEED) | sed -n \
	    's/.* s, \(.*\) kHz;.*/\1/p'; \
	done | sort -n | sed -n '1s/.*/{"khz": &}/p' > $@.part && $(whole)
synth_sources := $(shell find rtl -name '*.v') $(if $(slot_folder),$(shell cut -d' ' -f3- $(slot_folder)/blocks)) \
                 $(foreach d,$(slot_search),$(wildcard $(d)/*.v))
define synthesis
$(SIZES_IN)/synth-$(1).json: $(synth_sources) $(GENERATED) scripts/synth.sh
	@echo "  SYNTH   $(2)$(if $(slots_set), ($(slots_set)))"
	@NAME=$(1) YOSYS='$(YOSYS)' SLOT_FOLDER='$(slot_folder)' scripts/synth.sh $(3)
endef
$(eval $(call synthesis,nic,nic (about a minute),nic))
$(eval $(call synthesis,nic-monitored,nic with samples and traces (two minutes),nic MONITORING=1))
$(eval $(call synthesis,crossbar8,crossbar 8x8 (some minutes),crossbar PORTS=8 MONITOR=0 MONITORING=0))
sim soak: $(if $(RANKS),$(dir $(simulator))ranks-mpi.so)
# Without variables that choose a run, a program with full models records the first packets of the file before it: the
# same run, cut short.
first_waves := $(if $(call says,first),$(BUILT)/full/nicxbar-sim-default)
sim $(if $(test_cycles),,cycles): $(simulator) $(first_waves)
	@mkdir -p $(results)/waves
ifneq ($(first_waves),)
	@$(release) first=$$($(as_ours) $(first_waves) $(sim_options) --first-waves $(results)/waves/sim.fst); \
	    code=$$?; [ $$code -lt 128 ] || exit $$code; \
	    $(as_ours) $(simulator) $(sim_options) $${first:+--first-waves "$$first"}
else
	@$(replacing) $(call in_texts,make sim CHIP=roce FIGURES=all) $(simulator) $(sim_options) \
	    $(if $(filter cycles,$@),--cycles $(cycles_options))
endif
ifneq ($(test_cycles),)
$(if $(chosen),,$(no_such_test))
cycles: $(addprefix $(bin)/,$(chosen)) $(BUILT)/nicxbar-cycles
	@rm -rf $(results)/cycles && mkdir -p $(results)/cycles
	@$(run_tests) CASE='$(CASE)' GOAL=cycles SIM_CYCLES=$(abspath $(results))/cycles scripts/run_tests.sh $(bin) \
	    $(chosen); good=$$?; \
	    $(BUILT)/nicxbar-cycles $(cycles_options) --json $(results)/cycles.json \
	    --system '$(strip tests of $(TEST) $(if $(CASE),case $(CASE)) seed $(SEED))' --join $(results)/cycles/* && \
	    exit $$good
endif
# What make cycles has written last, in a browser.
cycles-page:
	@$(release) scripts/cycles_page.sh $(results)
curves-page:
	@$(release) scripts/curves_page.sh $(results)/curves
# PROGRAM is one of sw/programs by its name, or the path of a C file; each host loads its own copy of the shared
# object.
program_source := $(if $(filter %.c,$(PROGRAM)),$(PROGRAM),sw/programs/$(PROGRAM).c)
host_program   := $(BUILT)/programs/$(if $(filter %.c,$(PROGRAM)),own/)$(notdir $(program_source:.c=)).so
$(BUILT)/programs/own/%.so: $(filter %.c,$(PROGRAM)) FORCE
	$(call compile_program,$<)
$(BUILT)/programs/%.so: sw/programs/%.c $(wildcard sw/driver/*.h sw/switch/*.h) | $(GENERATED)
	$(call compile_program,$< -Werror)
compile_program = @mkdir -p $(@D) && echo "  CC      $@" && \
    $(CC) $(CFLAGS) -std=gnu11 -Wall -Wextra $(addprefix -iquote ,sw/driver sw/switch build/generated) -shared -fPIC \
        -o $@.part $(1) -lm && $(whole)
run: $(simulator) $(host_program)
	@mkdir -p $(results)/waves
	@$(replacing) $(simulator) $(run_options) $(waves) \
	    $(if $(filter 0,$(SWITCH)),--direct) $(call options_of,SWITCH_MONITOR) \
	    --json $(results)/run.json --program $(host_program) -- $(ARGS)
# A file as a disk over RDMA, for NBD clients; its exit code is that of the command that it runs.
disk: $(addprefix $(bin)/,disk nbd-plugin.so)
	@mkdir -p $(results)/waves
	@$(replacing) $(bin)/disk --seed $(SEED) --out $(results) $(if $(NODES),--nodes $(NODES)) $(waves) \
	    $(call options_of,$(disk_variables))
# Clients that others wrote, on such disks.
disk-test: $(addprefix $(BUILT)/,disk nbd-plugin.so)
	@mkdir -p $(results)
	@$(replacing) SCALE=$(SCALE) KILLS=$(KILLS) SEED=$(SEED) scripts/disktest.sh $(BUILT)/disk $(results)
# Host programs on two nodes and a cable, or four and a switch, and pictures of what they measure.
microbench: $(BUILT)/nicxbar-sim $(patsubst %,$(BUILT)/programs/%.so,pcix throughput pingpong latency nxlatency)
	@$(replacing) scripts/microbench.sh $(results)/microbench.json $(results)/microbench $< --seed $(SEED) \
	    --programs $(BUILT)/programs \
	    --microbench $(BENCHMARK) $(call options_of,MESSAGE_SIZES)
figures: $(BUILT)/nicxbar-figures
	@$(replacing) $(call in_texts,make figures) \
	    $(BUILT)/nicxbar-figures --seed $(SEED) $(if $(OUT),--out $(OUT)) --synthesis $(SIZES_IN) --figures $(FIGURE)
# Disks over RDMA (sw/disk): what hosts make of them, without clients.
disk-bench: $(bin)/disk-bench
	@mkdir -p $(results)
	@$(replacing) $(bin)/disk-bench --seed $(SEED) $(if $(FIGURE),--only $(FIGURE)) --json $(results)/disk-bench.json
# Switches for packets longer than their crosspoints: options of build/packet-mode are variables.
packet-mode-full: $(BUILT)/full/$(packet_mode_program)
packet-mode: $(bin)/$(packet_mode_program)
	@mkdir -p $(results)/waves
	@$(replacing) MAKE='$(MAKE)' JOBS=$(JOBS) FILLED='$(slots_set)' RTL='$(RTL)' \
	    FULL=$(BUILT)/full/$(packet_mode_program) \
	    AGAIN='$(foreach v,$(filter $(packet_mode_variables),$(given_variables)),$(v)=$($(v)))' \
	    WAVES=$(results)/waves/packet-mode-broken.fst scripts/packet_mode.sh $(bin)/$(packet_mode_program) \
	    $(call options_of,$(packet_mode_variables)) --seed $(SEED) --json $(results)/packet-mode.json \
	    $(if $(waves),--waves $(results)/waves/packet-mode.fst)
# The clock of each packet against tb/system/pm_oracle: PACKETS a run, SEEDS seeds from SEED on.
oracle_programs := tb/system/test_pm_oracle tb/system/long_pm_oracle
packet-mode-oracle: $(addprefix $(BUILT)/,$(oracle_programs))
	@$(replacing) $(run_tests) PACKETS=$(or $(PACKETS),100000) SEEDS=$(or $(SEEDS),3) ONLY='$(ARCH)' \
	    GOAL=packet-mode-oracle \
	    scripts/run_tests.sh $(BUILT) $(oracle_programs)
# The crossbar of the NICs beside VPS, both of 16 ports, for packets of 512 bytes.
packet-mode-crossbar: $(BUILT)/tb/unit/switch/long_vps
	@$(replacing) $(run_tests) CLOCKS='$(CLOCKS)' LOAD='$(LOAD)' CASE=delay GOAL=packet-mode-crossbar \
	    scripts/run_tests.sh $(BUILT) tb/unit/switch/long_vps
	@sed -n '/ mean delay /,/%$$/p' $(BUILT)/log/tb/unit/switch/long_vps.log
# Weights in one of them: shares of the lines, and the delay of a flow below its share.
shares: $(BUILT)/packet-shares
	@$(replacing) $< --arch $(packet_mode_arch) $(call options_of,CLOCKS) --seed $(SEED) --jobs $(JOBS) --json \
	    $(results)/shares.json
# Points are made of these models and driven by these sources: what was made of others is not used. With a block in a
# slot the points of ARCH as it is are made first, and both are drawn.
libraries_of   = $(foreach d,$(1),$(d)/lib$(notdir $(d)).a)
curves_models := $(foreach d,$(MODEL_FOLDERS),$(if $(filter pm_%,$(notdir $(d))),$(d)))
curves_run_of  = $(if $(slot_folder),$(call libraries_of,$(curves_models)),\
                 $(call guided,guided,$(call libraries_of,$(curves_models))))
curves_sources = $(wildcard sim/app/packet_mode/pm_run*.c) $(addprefix sim/app/packet_mode/pm_,statistics.c traffic.c)
curves_options = --out $(results)/curves --models '$(curves_run_of)' --seed $(SEED) --jobs $(JOBS) \
                 --sources "$$(cat $(curves_sources) | cksum)" \
                 $(if $(FIGURE),--figure '$(FIGURE)') $(if $(filter 1,$(QUICK)),--quick) $(call options_of,ARCH) \
                 --memory build/packet-mode-sizes.json
curves_begun  := $(if $(filter curves,$(goals)),$(shell date +%s))
curves: $(call guided_program,pm-curves)
	@t=$$(($$(date +%s) - $(curves_begun))); [ $$t -lt 3 ] || echo "models and program built in $$t s"
	$(if $(slots_set),+@$(MAKE) --no-print-directory $(foreach v,$(slot_variables) RTL,$(v)=) \
	    ARCH=$(packet_mode_arch) curves)
	@$(replacing) $< $(curves_options) $(if $(slots_set),\
	    $(if $(ARCH),,--arch $(packet_mode_arch)) --beside '$(slots_set)' \
	    --standard '$(call guided,guided,$(call libraries_of,$(addprefix build/models/,$(notdir $(curves_models)))))')
# Without NODES: two NICs against a reference model. With NODES: all ports of the switch saturated, every packet
# compared.
ifeq ($(CHIP),roce)
# Then the tests of that chip that have a long form (tb/test.h); with TEST these alone.
long_forms := $(filter $(chosen),$(patsubst %.c,%,$(shell grep -l 'long_form()' tb/system/test_roce*.c \
              tb/unit/roce/test_*.c)))
soak: $(if $(filter TEST,$(given_variables)),,$(simulator)) $(addprefix $(bin)/,$(long_forms))
	$(if $(and $(filter TEST,$(given_variables)),$(if $(long_forms),,none)),\
	    $(error TEST=$(TEST): there is no test of the RoCE chip with a long form))
	@mkdir -p $(results)/waves
	$(if $(filter TEST,$(given_variables)),,@$(replacing) $(simulator) --soak $(or $(PACKETS),1000000) --seed $(SEED) \
	    --json $(results)/soak.json --pcap $(results)/roce.pcap $(call options_of,$(chip_variables)) $(waves))
	$(if $(long_forms),@echo "$(words $(long_forms)) test programs in their long form" && \
	    $(replacing) LONG_FORM=1 $(run_tests) CASE='$(CASE)' \
	    SETTINGS=CHIP=roce GOAL=soak scripts/run_tests.sh $(bin) $(long_forms))
else
soak: $(simulator)
	@mkdir -p $(results)/waves
	@$(replacing) $(if $(NODES),$(simulator) $(run_options) $(soak_scenario) --json $(results)/soak.json,\
	    $(simulator) --seed $(SEED) --soak $(or $(PACKETS),1000000) \
	    $(call options_of,$(if $(bundle)$(paths),NIC) WAVE_FROM WAVE_TO $(run_variables))) \
	    $(waves)
endif
# Pins of real runs replayed in Icarus, which knows X, on the Verilog and on the netlists that Yosys makes of it.
NETLISTS := $(SIZES_IN)/fourstate
$(NETLISTS)/nic.v:       NETLIST := nic
$(NETLISTS)/crossbar2.v: NETLIST := crossbar PORTS=2
$(NETLISTS)/nic.v $(NETLISTS)/crossbar2.v: $(synth_sources) $(GENERATED) scripts/netlist.sh scripts/verilog_files.sh
	@echo "  NETLIST $(NETLIST) (about a minute)$(if $(slots_set), ($(slots_set)))"
	@YOSYS='$(YOSYS)' SLOT_FOLDER='$(slot_folder)' scripts/netlist.sh $(@:.v=) $(NETLIST)
fourstate: $(addprefix $(BUILT)/,nicxbar-sim nicxbar-sim2 programs/nxtrace.so programs/nxsample.so) $(NETLISTS)/nic.v \
    $(NETLISTS)/crossbar2.v
	@IVERILOG='$(IVERILOG)' SEED=$(SEED) JOBS=$(JOBS) SLOT_FOLDER='$(slot_folder)' scripts/fourstate.sh $(BUILT) \
	    $(NETLISTS)
# The commit BASE is built in a folder of its own, once.
speed_programs := $(foreach n,$(speed_nodes),nicxbar-sim$(filter-out 4,$(n)))
speed_waves    := $(addprefix full/,$(filter-out %8 %16,$(speed_programs)))
base_folder    := build/speed/$(base)
speed: $(addprefix $(BUILT)/,$(speed_programs) $(speed_waves) programs/nxsample.so programs/nxtrace.so) \
    $(if $(base),base)
	@NODES='$(speed_nodes)' TURNS=$(TURNS) RUNS='$(RUNS)' scripts/speed.sh $(BUILT) \
	    $(if $(base),$(base) $(base_folder)/build)
base:
	@mkdir -p $(base_folder) && [ -e $(base_folder)/Makefile ] || git archive $(base) | tar -x -C $(base_folder)
	@echo "  BASE    $(base) in $(base_folder)"
	+@unset MAKEFLAGS MAKELEVEL; $(MAKE) -j$(JOBS) -C $(base_folder) \
	    $$([ ! -e $(base_folder)/scripts/probes.vlt ] || echo $(addprefix build/,$(speed_waves))) \
	    $(addprefix build/,$(speed_programs)) \
	    >$(base_folder).log 2>&1 || { tail -5 $(base_folder).log; echo \
	    "BASE=$(BASE) cannot be built, see $(base_folder).log"; exit 1; }
wave:
	$(Q)$(release) MODULE='$(MODULE)' scripts/wave.sh $(GTKWAVE) $(OUT)
tools: $(addprefix $(BUILT)/,$(TOOL_PROGRAMS))
