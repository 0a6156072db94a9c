# ---- Verilog models ----
# PASSES: those of scripts/passes.py that change the C++ that Verilator prints; one that does not know this version
# says so and leaves it. Waves are read out of a model's memory as the pass `places` finds it; without it they come
# from Verilator's VCD writer. FAST=0: no passes; models are compiled as they are printed, by public functions alone.
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
export VERILOG_DIRS    := $(shell find rtl tb -name '*.v' ! -path '*/parts/*' -printf '%h\n' 2>/dev/null | sort -u) \
                          $(slot_search)
export VERILATOR_FLAGS := $(quiet_stats) --default-language 1364-2005 -Wall -MMD \
                          $(addprefix +incdir+,build/generated $(slot_search))
model_scripts := $(addprefix scripts/,model.sh report.sh words signals.hpp.in initial_values.awk \
                 $(addsuffix .py,tool design bindings handshakes passes printed evaluate rest places)) \
                 scripts/lint.vlt scripts/probes.vlt scripts/waves/states.awk

# A model is bound (its header) and then built, the fast one for most programs, the full one with waves and probes for
# those in full/. Each by a make of its own that shares the jobs of this one; make -n builds nothing.
built_by        := Verilator $(verilator_is), PASSES=$(filter-out lanes,$(PASSES))
by_jobs          = $(if $(findstring n,$(firstword -$(MAKEFLAGS))),,+)
model_libraries := $(foreach d,$(MODEL_FOLDERS),$(d)/lib$(notdir $(d)).a)
lane_libraries  := $(foreach d,$(MODEL_FOLDERS),$(d)/lanes/lib$(notdir $(d)).a)
full_libraries  := $(foreach d,$(MODEL_FOLDERS),$(d)/full/lib$(notdir $(d)).a)
$(addsuffix /config,$(MODEL_FOLDERS)): FORCE
	$(call note,$(CONFIG) $(built_by))
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
	$(call note,$(LANES_FLAGS))
$(lane_libraries): build/models/lanes $(addprefix scripts/,lanes.py lanes.cpp.in lanes.hpp.in)
	@echo "  LANES   $(word 1,$(MODEL)), $(word 1,$(LANES_FLAGS))"
	$(Q)$(model_step) lanes $(@D:/lanes=) $(MODEL)
# Those of runs that take minutes are compiled once more, guided by how often a short run took each branch: an eighth
# faster. By clang, its llvm-profdata and its library for that only, and as they are, without other blocks in slots.
PROFDATA       := $(patsubst clang++%,llvm-profdata%,$(filter clang%,$(notdir $(MODEL_CXX))))
profile_runs    = $(wildcard \
                  /usr/lib/llvm$(PROFDATA:llvm-profdata%=%)*/lib/clang/*/lib/linux/libclang_rt.profile-*.a)
guided_models  := $(if $(and $(PROFDATA),$(profile_runs)),$(if $(shell command -v $(PROFDATA)),\
                  $(addprefix build/models/pm_,sm ppm dpm vps iq_16)))
guided          = $(foreach f,$(2),$(if $(filter $(guided_models:=/),$(dir $(f))),$(dir $(f))$(1)/$(notdir $(f)),$(f)))
guided_program  = $(BUILT)/$(if $(guided_models),$(if $(filter build,$(BUILT)),guided/))$(1)
guided_library  = $(2)/$(1)/lib$(notdir $(2)).a
ifneq ($(guided_models),)
$(foreach d,$(guided_models),$(foreach s,training guided,$(call guided_library,$(s),$(d)))): $(model_scripts)
	@echo "  MODEL   $(word 1,$(MODEL)), $(notdir $(@D))"
	$(by_jobs)$(Q)PROFILE=$(CURDIR)/build/training/profile $(model_step) $(notdir $(@D)) \
	    $(patsubst %/,%,$(dir $(@D))) $(MODEL)
$(foreach d,$(guided_models),$(eval $(call guided_library,training,$(d)): $(d)/lib$(notdir $(d)).a) \
                             $(eval $(call guided_library,guided,$(d)): build/training/profile))
build/training/profile: build/training/packet-mode
	@echo "  PROFILE packet mode, 16x16"
	$(Q)for a in sm ppm dpm vps iq; do \
	    LLVM_PROFILE_FILE=$(@D)/$$a.profile $< --arch $$a --load 0.8 --clocks 50000 --warmup 10000 --ideal-clocks \
	    100000 >/dev/null || exit; \
	done && $(PROFDATA) merge -o $@.part $(@D)/*.profile && $(whole)
endif
model_step = MODEL_HEADERS=$(MODEL_HEADERS) OPTIMIZE=$(OPTIMIZE) BLOCKS='$(BLOCKS)' BLOCK_FILES='$(BLOCK_FILES)' \
             scripts/model.sh

VERILATED := build/models/libverilated.a
with_waves := -DVM_TRACE=1 -DVM_TRACE_VCD=1 -DVL_USER_FATAL -DVL_USER_WARN
verilated_objects := $(patsubst %,build/models/verilated/%.o,verilated verilated_threads verilated_vcd_c recorder)
$(VERILATED): $(verilated_objects)
	$(Q)rm -f $@.part && $(AR) rcs $@.part $^ && $(whole)
export VERILATED_FLAGS := -std=gnu++17 -O2 -I. \
             $(addprefix -isystem $(VERILATOR_SHARE)/,include include/vltstd)
$(verilated_objects): build/models/verilated/flags
build/models/verilated/flags: FORCE
	$(call note,$(VERILATED_FLAGS) $(with_waves))
# Of this a run needs little but at its start.
build/models/verilated/%.o: $(VERILATOR_SHARE)/include/%.cpp
	@mkdir -p $(@D)
	@echo "  CXX     $(*F).cpp"
	$(Q)$(CXX) $(VERILATED_FLAGS) -O1 $(with_waves) -w -c -o $@.part $< && \
	    $(OBJCOPY) --redefine-sym fopen=sim_model_fopen $@.part && $(whole)
# Waves are written by sim/core/waves/fst.c.
build/models/verilated/recorder.o: scripts/verilated.cpp.in scripts/signals.hpp.in \
    $(addprefix sim/core/,waves/fst.h kernel/model.h kernel/sim.h)
	@mkdir -p $(@D)
	@echo "  CXX     $(<F)"
	$(Q)$(CXX) $(VERILATED_FLAGS) $(with_waves) -w -x c++ -c -o $@.part $< && $(whole)

# What every model includes is compiled once, for the fast ones and for the full ones: scripts/headers.sh.
MODEL_HEADERS     ?= build/models/headers
export CCACHE_SLOPPINESS := pch_defines,time_macros
export CCACHE_PCH_EXTSUM := 1
export CCACHE_BASEDIR    := $(CURDIR)
export HEADERS_BY        := $(filter-out %ccache,$(MODEL_CXX))
compiled_headers  := $(if $(MODEL_HEADERS),$(patsubst %,$(MODEL_HEADERS)/%.h.gch,fast full))
ifneq ($(MODEL_HEADERS),)
$(MODEL_HEADERS)/made: FORCE
	$(call note,$(CURDIR) $(MODEL_CXX) $(VERILATED_FLAGS) VCD)
$(compiled_headers:.h.gch=.dates): $(MODEL_HEADERS)/%.dates: FORCE
	@scripts/headers.sh --dates $(@:.dates=)
$(compiled_headers): %.h.gch: $(MODEL_HEADERS)/made %.dates $(shell command -v $(firstword $(HEADERS_BY)))
	$(Q)scripts/headers.sh $(@:.h.gch=)
-include $(compiled_headers:.h.gch=.makefile)
$(model_libraries): | $(MODEL_HEADERS)/fast.h.gch
$(full_libraries): | $(MODEL_HEADERS)/full.h.gch
endif

models: $(model_libraries)

# Where its own folder cannot be written, ccache has one here.
ifneq ($(CCACHE),)
ifneq ($(shell d=$$($(CCACHE) -k cache_dir) && mkdir -p "$$d" 2>/dev/null && [ -w "$$d" ] && echo yes),yes)
export CCACHE_DIR := $(CURDIR)/build/ccache
endif
endif
# ccache asks the compiler what it has read, and runs no preprocessor first, which takes as long as a small model or a
# test. What the compiler says leaves out headers of the system: the list of installed packages stands for them.
ifneq ($(wildcard /var/lib/dpkg/status),)
export CCACHE_DEPEND := 1
export CCACHE_EXTRAFILES_TO_HASH := /var/lib/dpkg/status
endif
