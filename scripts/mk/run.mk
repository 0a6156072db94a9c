# ---- running ----
define running
@mkdir -p $(results)/waves
@$(replacing)
endef
simulator   := $(bin)/$(call says,program)
direct      := $(if $(filter 0,$(SWITCH)),--direct)
run_options := --seed $(SEED) $(if $(OUT),--out $(OUT)) $(if $(NODES),--nodes $(NODES)) \
               $(call options_of,$(system_variables) $(run_variables))
sim_options := $(if $(coherent),--seed $(SEED) --json $(results)/$(or $(filter cycles,$(goals)),sim).json \
               $(if $(NODES),--nodes $(NODES)) $(call options_of,$(coherent_variables)),$(if $(roce),--seed \
               $(SEED) --json $(results)/$(or $(filter cycles,$(goals)),sim).json \
               $(if $(FIGURES),,--pcap $(results)/roce.pcap) $(call options_of,$(chip_variables)),$(run_options) \
               $(if $(FILE),--file $(call quoted,FILE)) $(direct) $(call options_of,$(scenario_variables)))) $(waves)
# Linux in QEMU or in User mode, from packages that are unpacked there; each run looks whether it is the one of now.
ifeq ($(CHIP)$(PEER),rocerxe)
uml := $(filter uml,$(GUEST))
sim_options += --guest build/guest$(uml:%=/%) --console $(results)/roce-console.log
guest: $(simulator)
	$(if $(uml),@$(python) uml build/guest mtu)
	@$(simulator) $(sim_options) --help >/dev/null # looks at the options first
	@$(python) guest build/guest
	$(if $(uml),@JOBS=$(JOBS) $(python) uml build/guest)
sim: guest
endif
# The RoCE chip against software of others: a boot of Linux for each part.
interop: $(bin)/roce-rping $(bin)/roce-verbs
	@$(replacing) $(call with,ONLY RECORD BYTES SEED) $(python) interop $(bin) $(results)/interop
# Some figures are sizes, also of other blocks in slots: Yosys runs when the Verilog is newer than its last result.
SIZES_IN := $(or $(slot_folder),build)
measures  = $(if $(filter $(1),$(or $(FIGURE),$(firstword $(1)))),$(SIZES_IN)/$(2).json)
figures: $(call measures,nic_lut nic_ff nic_bram,synth-nic) $(call measures,nic_monitored_bram,synth-nic-monitored) \
         $(call measures,switch_8x8_%,synth-crossbar8) $(call measures,sim_packet_mode_khz,packet-mode-khz) \
         $(call measures,sync_lut,synth-sync_unit) $(call measures,coherent_cache_lut,synth-coherent_cache) \
         $(call measures,snoop_switch_lut,synth-snoop_switch) $(call measures,cni_lut,synth-cni) \
         $(call measures,coherent_node_%,synth-coherent_node)
$(SIZES_IN)/packet-mode-khz.json: $(call guided_program,packet-mode) FORCE
	@echo "  SPEED   packet mode, 16x16 (half a minute)"
	@for a in sm ppm dpm vps; do $< --arch $$a --load 0.8 --clocks 500000 --warmup 50000 --ideal-clocks 100000 --seed \
	    $(SEED) | sed -n 's/.* s, \(.*\) kHz;.*/\1/p'; done | sort -n | sed -n '1s/.*/{"khz": &}/p' > $@.part && $(whole)
synth_sources := $(shell find rtl -name '*.v') $(if $(slot_folder),$(shell cut -d' ' -f3- $(slot_folder)/blocks)) \
                 $(foreach d,$(slot_search),$(wildcard $(d)/*.v))
with_blocks   := $(if $(slots_set), ($(slots_set)))
define synthesis
$(SIZES_IN)/synth-$(1).json: $(synth_sources) $(GENERATED) scripts/synth.py
	@echo "  SYNTH   $(2)$(with_blocks)"
	@NAME=$(1) $(call with,YOSYS) SLOT_FOLDER='$(slot_folder)' $(python) synth $(3)
endef
$(eval $(call synthesis,nic,nic (about a minute),nic))
$(eval $(call synthesis,nic-monitored,nic with samples and traces (two minutes),nic MONITORING=1))
$(foreach m,sync_unit coherent_cache snoop_switch cni coherent_node,$(eval $(call synthesis,$(m),$(m),$(m))))
$(eval $(call synthesis,crossbar8,crossbar 8x8 (some minutes),crossbar PORTS=8 MONITOR=0 MONITORING=0))
sim soak: $(if $(RANKS),$(dir $(simulator))ranks-mpi.so)
# Before a run that no variable chooses, a program with full models records its first packets: the same run, cut short.
first_waves := $(if $(call says,first),$(BUILT)/full/nicxbar-sim-default)
sim $(if $(test_cycles),,cycles): $(simulator) $(first_waves)
ifneq ($(first_waves),)
	@mkdir -p $(results)/waves
	@$(release) first=$$($(as_ours) $(first_waves) $(sim_options) --first-waves $(results)/waves/sim.fst); \
	    code=$$?; [ $$code -lt 128 ] || exit $$code; \
	    $(as_ours) $(simulator) $(sim_options) $${first:+--first-waves "$$first"}
else
	$(running) $(call in_texts,make sim CHIP=roce FIGURES=all) $(simulator) $(sim_options) \
	    $(if $(filter cycles,$@),--cycles $(cycles_options))
endif
ifneq ($(test_cycles),)
$(tests_found)
cycles: $(addprefix $(bin)/,$(chosen)) $(BUILT)/nicxbar-cycles
	@rm -rf $(results)/cycles && mkdir -p $(results)/cycles
	@SIM_CYCLES=$(abspath $(results))/cycles $(call test_run,cycles,$(bin) $(chosen)); good=$$?; \
	    $(BUILT)/nicxbar-cycles $(cycles_options) --json $(results)/cycles.json \
	    --system '$(strip tests of $(TEST) $(if $(CASE),case $(CASE)) seed $(SEED))' --join $(results)/cycles/* && \
	    exit $$good
endif
cycles-page curves-page: %-page: ; @$(release) $(python) page $* $(results)$(if $(filter curves,$*),/curves)
# PROGRAM is one of sw/programs by its name, or the path of a C file; each host loads its own copy of the object.
own_program  := $(filter %.c,$(PROGRAM))
host_program := $(BUILT)/programs/$(if $(own_program),own/$(notdir $(PROGRAM:.c=)),$(PROGRAM)).so
$(BUILT)/programs/own/%.so: $(own_program) FORCE ; $(call compile_program,$<)
$(BUILT)/programs/%.so: sw/programs/%.c $(wildcard sw/driver/*.h sw/switch/*.h sw/sync/*.h) | $(GENERATED)
	$(call compile_program,$< -Werror)
compile_program = @mkdir -p $(@D) && echo "  CC      $@" && $(CC) $(CFLAGS) -std=gnu11 -Wall -Wextra \
    $(addprefix -iquote ,sw/driver sw/switch sw/sync build/generated) -shared -fPIC -o $@.part $(1) -lm && $(whole)
run: $(simulator) $(host_program)
	$(running) $(simulator) $(run_options) $(waves) $(direct) $(call options_of,SWITCH_MONITOR) \
	    --json $(results)/run.json --program $(host_program) -- $(ARGS)
# A file as a disk over RDMA, for NBD clients; its exit code is that of the command that it runs.
disk: $(addprefix $(bin)/,disk nbd-plugin.so)
	$(running) $< --seed $(SEED) --out $(results) $(if $(NODES),--nodes $(NODES)) $(waves) \
	    $(call options_of,$(disk_variables))
# Linux kernels on the NICs; the first time they are built. The exit code is that of the command in host1.
linux: $(bin)/nicxbar-linux linux-guest
	$(running) $< --seed $(SEED) --out $(results) $(if $(NODES),--nodes $(NODES)) $(waves) \
	    $(call options_of,$(linux_variables))
disk-test: $(addprefix $(BUILT)/,disk nbd-plugin.so)
	$(running) $(call with,SCALE KILLS SEED) $(python) disktest $< $(results)
pair := $(filter 2,$(several))
microbench: $(BUILT)/nicxbar-sim$(pair:2=-bundle) \
            $(patsubst %,$(BUILT)/programs/%.so,pcix throughput pingpong latency nxlatency)
	@$(replacing) $(python) microbench $(results)/microbench.json $(results)/microbench $< --seed $(SEED) \
	    --programs $(BUILT)/programs --microbench $(BENCHMARK) $(call options_of,MESSAGE_SIZES) $(pair:2=--nic 2links)
figures: $(BUILT)/nicxbar-figures
	@$(replacing) $(call in_texts,make figures) \
	    $(BUILT)/nicxbar-figures --seed $(SEED) $(if $(OUT),--out $(OUT)) --synthesis $(SIZES_IN) --figures $(FIGURE)
disk-bench: $(bin)/disk-bench
	$(running) $< --seed $(SEED) $(if $(FIGURE),--only $(FIGURE)) --json $(results)/disk-bench.json
# Switches for packets longer than their crosspoints: options of build/packet-mode are variables.
packet-mode-full: $(BUILT)/full/$(packet_mode_program)
packet-mode: $(bin)/$(packet_mode_program)
	$(running) MAKE='$(MAKE)' FILLED='$(slots_set)' FULL=$(BUILT)/full/$(packet_mode_program) $(call with,JOBS RTL) \
	    AGAIN='$(foreach v,$(filter $(packet_mode_variables),$(given_variables)),$(v)=$($(v)))' \
	    WAVES=$(results)/waves/packet-mode-broken.fst scripts/packet_mode.sh $< \
	    $(call options_of,$(packet_mode_variables)) --seed $(SEED) --json $(results)/packet-mode.json \
	    $(if $(waves),--waves $(results)/waves/packet-mode.fst)
# The clock of each packet against tb/system/pm_oracle: PACKETS a run, SEEDS seeds from SEED on.
oracle_programs := tb/system/test_pm_oracle tb/system/long_pm_oracle
packet-mode-oracle: $(addprefix $(BUILT)/,$(oracle_programs))
	@$(replacing) PACKETS=$(or $(PACKETS),100000) SEEDS=$(or $(SEEDS),3) ONLY='$(ARCH)' \
	    $(call test_run,$@,$(BUILT) $(oracle_programs))
# The crossbar of the NICs against VPS, both of 16 ports, for packets of 512 bytes.
packet-mode-crossbar: $(BUILT)/tb/unit/switch/long_vps
	@$(replacing) $(call with,CLOCKS LOAD) $(call test_run,$@,$(BUILT) tb/unit/switch/long_vps,CASE=delay)
	@sed -n '/ mean delay /,/%$$/p' $(BUILT)/log/tb/unit/switch/long_vps.log
shares: $(BUILT)/packet-shares
	@$(replacing) $< --arch $(packet_mode_arch) $(call options_of,CLOCKS) --seed $(SEED) --jobs $(JOBS) --json \
	    $(results)/shares.json
# Points are made of these models and driven by these sources: what was made of others is not used. With a block in a
# slot the points of ARCH as it is are made first, and both are drawn.
curves_models := $(foreach d,$(MODEL_FOLDERS),$(if $(filter pm_%,$(notdir $(d))),$(d)))
guided_curves  = $(call guided,guided,$(call libraries_in,$(1)))
curves_sources = $(wildcard sim/app/packet_mode/pm_run*.c) $(addprefix sim/app/packet_mode/pm_,statistics.c traffic.c)
curves_run_of  = $(if $(slot_folder),$(call libraries_in,$(curves_models)),$(call guided_curves,$(curves_models)))
curves_options = --out $(results)/curves --seed $(SEED) --jobs $(JOBS) --sources "$$(cat $(curves_sources) | cksum)" \
                 --models '$(curves_run_of)' --memory build/packet-mode-sizes.json \
                 $(if $(FIGURE),--figure '$(FIGURE)') $(if $(filter 1,$(QUICK)),--quick) $(call options_of,ARCH)
curves_begun  := $(if $(filter curves,$(goals)),$(shell date +%s))
curves: $(call guided_program,pm-curves)
	@t=$$(($$(date +%s) - $(curves_begun))); [ $$t -lt 3 ] || echo "models and program built in $$t s"
	$(if $(slots_set),+@$(MAKE) --no-print-directory $(foreach v,$(slot_variables) RTL,$(v)=) \
	    ARCH=$(packet_mode_arch) curves)
	@$(replacing) $< $(curves_options) $(if $(slots_set),$(if $(ARCH),,--arch $(packet_mode_arch)) \
	    --beside '$(slots_set)' --standard '$(call guided_curves,$(addprefix build/models/,$(notdir $(curves_models))))')
# Without NODES: two NICs against a reference model. With NODES: all ports of the switch saturated.
soak_packets   = $(or $(PACKETS),1000000)
of_operations := $(filter queue barrier lock counter,$(SCENARIO))
soak_scenario := --scenario $(or $(SCENARIO),uniform) $(if $(of_operations),,--sizes '$(or $(SIZES),8..496)') \
                 --packets $(soak_packets) \
                 $(call options_of,$(filter-out SCENARIO SIZES PACKETS,$(scenario_variables)))
soak_options   = $(if $(NODES),$(run_options) $(soak_scenario) --json $(results)/soak.json,--seed $(SEED) --soak \
                 $(soak_packets) $(call options_of,$(if $(bundle)$(paths),NIC) WAVE_FROM WAVE_TO $(run_variables)))
ifneq ($(filter soak,$(goals)),)
# NODE=coherent: the tests of the coherent node that have a long form.
long_forms := $(if $(NODE),$(basename $(shell grep -l 'long_form()\|long_runs' tb/unit/coherent/*.c tb/unit/cni/*.c \
    tb/system/test_coherent*.c)))
endif
ifeq ($(CHIP),roce)
# Then the tests of that chip that have a long form (tb/test.h); with TEST these alone.
given_test := $(filter TEST,$(given_variables))
long_forms := $(filter $(chosen),$(basename $(shell grep -l 'long_form()\|long_runs' tb/system/test_roce*.c \
    tb/unit/roce/*.c)))
soak_options   = --soak $(soak_packets) --seed $(SEED) --json $(results)/soak.json --pcap $(results)/roce.pcap \
                 $(call options_of,$(chip_variables))
endif
soak: $(if $(given_test)$(NODE),,$(simulator)) $(addprefix $(bin)/,$(long_forms))
	$(if $(given_test),$(call stop,$(long_forms),TEST=$(TEST): there is no test of the RoCE chip with a long form))
	$(if $(given_test)$(NODE),,$(running) $(simulator) $(soak_options) $(waves))
	$(if $(long_forms),@echo "$(words $(long_forms)) test programs in their long form" && $(replacing) LONG_FORM=1 \
	    $(call test_run,soak,$(bin) $(long_forms),SETTINGS=$(if $(NODE),NODE=$(NODE),CHIP=roce)))
# Pins of real runs replayed in Icarus, which knows X, on the Verilog and on the netlists that Yosys makes of it.
NETLISTS := $(SIZES_IN)/fourstate
netlist_of = $(if $(filter nic,$(1)),nic,crossbar PORTS=2)
$(NETLISTS)/nic.v $(NETLISTS)/crossbar2.v: $(synth_sources) $(GENERATED) scripts/netlist.sh scripts/verilog_files.sh
	@echo "  NETLIST $(call netlist_of,$(basename $(@F))) (about a minute)$(with_blocks)"
	@$(call with,YOSYS) SLOT_FOLDER='$(slot_folder)' scripts/netlist.sh $(@:.v=) $(call netlist_of,$(basename $(@F)))
fourstate: $(addprefix $(BUILT)/,nicxbar-sim nicxbar-sim2 programs/nxtrace.so programs/nxsample.so) $(NETLISTS)/nic.v \
    $(NETLISTS)/crossbar2.v
	@$(call with,IVERILOG SEED JOBS) SLOT_FOLDER='$(slot_folder)' scripts/fourstate.sh $(BUILT) $(NETLISTS)
speed_programs := $(foreach n,$(or $(NODES),2 4 8 16),nicxbar-sim$(filter-out 4,$(n)))
speed: $(addprefix $(BUILT)/,$(speed_programs) $(addprefix full/,$(filter-out %8 %16,$(speed_programs))) \
    programs/nxsample.so programs/nxtrace.so)
	@NODES='$(or $(NODES),2 4 8 16)' $(call with,TURNS RUNS JOBS) $(python) speed $(BUILT) $(BASE)
wave: ; $(Q)$(release) MODULE='$(MODULE)' scripts/wave.sh $(GTKWAVE) $(OUT)
tools: $(addprefix $(BUILT)/,$(TOOL_PROGRAMS))
