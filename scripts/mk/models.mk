# ---- Verilog models ----
# PASSES: those of scripts/passes.py that change the C++ that Verilator prints; one that does not know this version
# says so and leaves it. Waves are read out of a model's memory as the pass `places` finds it; without it they come
# from Verilator's VCD writer. FAST=0: no passes; models are compiled as they are printed, by public functions alone.
# COVERED (scripts/coverage.py): so, but that they count what they do.
verilator_says := $(shell $(VERILATOR) --version 2>/dev/null)
$(call stop,$(filter Verilator,$(firstword $(verilator_says))),VERILATOR=$(VERILATOR): expected Verilator 5.006 or \
    newer; --version says: $(or $(verilator_says),nothing))
export VERILATOR_IS := $(word 2,$(verilator_says))
verilator_from = $(shell echo $(VERILATOR_IS) | awk '$$1 + 0 >= $(1) { print "yes" }')
$(call stop,$(call verilator_from,5.006),VERILATOR=$(VERILATOR) is Verilator $(VERILATOR_IS): expected 5.006 or newer)
all_passes := evaluate rest lanes places
PASSES ?= $(all_passes)
FAST   ?= 1
$(if $(call not_one_of,$(or $(FAST),none),0 1),$(error FAST=$(FAST): expected 0 or 1))
$(if $(filter-out $(all_passes),$(PASSES)),$(error PASSES=$(PASSES): expected some of $(all_passes)))
$(if $(filter 0,$(FAST))$(COVERED),$(eval override PASSES :=))
export PASSES_BUILD := $(or $(PASSES_BUILD),$(shell echo $$PPID))
export PASSES_SAID  := build/models/said
export VERILATOR MODEL_CXX AR OBJCOPY PYTHON MAKE FAST PASSES
export VERILATOR_SHARE := $(shell $(VERILATOR) --getenv VERILATOR_ROOT)
export VERILOG_DIRS    := $(shell find rtl tb -name '*.v' ! -path '*/parts/*' -printf '%h\n' 2>/dev/null | sort -u) \
                          $(slot_search)
export VERILATOR_FLAGS := $(if $(call verilator_from,5.022),--quiet-stats) --default-language 1364-2005 \
                          $(if $(MUTATED),-Wno-fatal,-Wall) -MMD \
                          $(addprefix +incdir+,build/generated $(slot_search))
model_scripts := $(addprefix scripts/,report.sh words signals.hpp.in lint.vlt probes.vlt \
                 $(addsuffix .py,tool common model states initial_values design bindings handshakes passes printed \
                 evaluate rest places $(if $(COVERED),counters watched))) $(if $(COVERED),$(wildcard tb/crosses))
# A model is bound (its header) and then built, the fast one for most programs, the full one with waves and probes for
# those in full/. Each by a make of its own that shares the jobs of this one; make -n builds nothing.
by_jobs          = $(if $(findstring n,$(firstword -$(MAKEFLAGS))),,+)
libraries_in     = $(foreach d,$(1),$(d)/$(2)lib$(notdir $(d)).a)
model_libraries := $(call libraries_in,$(MODEL_FOLDERS))
full_libraries  := $(call libraries_in,$(MODEL_FOLDERS),full/)
# One step of a model: what is said of it, variables, step, folder.
define model_step
@echo "  MODEL   $(word 1,$(MODEL))$(1)"
$(by_jobs)$(Q)$(2)$(call run_step,$(3),$(4))
endef
run_step = $(foreach v,MODEL_HEADERS OPTIMIZE,$(v)=$($(v))) $(call with,BLOCKS BLOCK_FILES) $(python) model $(1) $(2) \
           $(MODEL)
in_slots = $(if $(BLOCK_FILES), ($(slots_set)))
$(addsuffix /config,$(MODEL_FOLDERS)): FORCE
	$(call note,$(CONFIG) Verilator $(VERILATOR_IS)$(comma) PASSES=$(filter-out lanes,$(PASSES)) $(HEADERS_BY))
$(addsuffix /bound,$(MODEL_FOLDERS)): $(model_scripts) | $(GENERATED) ; $(Q)$(call run_step,bind,$(@D))
$(model_libraries): ; $(call model_step,$(in_slots),,fast,$(@D))
$(full_libraries): ; $(call model_step,$(comma) full$(in_slots),,full,$(@D:/full=))
# Several of one model evaluated together, in programs that ask for it; LANES=1 builds none.
export LANES_FLAGS := $(shell LANES='$(if $(filter lanes,$(PASSES)),$(LANES),1)' scripts/lanes.sh $(MODEL_CXX))
build/models/lanes: FORCE ; $(call note,$(LANES_FLAGS))
$(call libraries_in,$(MODEL_FOLDERS),lanes/): build/models/lanes $(addprefix scripts/lanes.,py cpp.in hpp.in)
	@echo "  LANES   $(word 1,$(MODEL)), $(word 1,$(LANES_FLAGS))"
	$(Q)$(call run_step,lanes,$(@D:/lanes=))
# Those of runs that take minutes are compiled once more, guided by how often a short run took each branch: an eighth
# faster. By clang, its llvm-profdata and its library for that only, and as they are, without other blocks in slots.
PROFDATA       := $(patsubst clang++%,llvm-profdata%,$(filter clang%,$(notdir $(MODEL_CXX))))
profile_runs    = $(wildcard /usr/lib/llvm$(PROFDATA:llvm-profdata%=%)*/lib/clang/*/lib/linux/libclang_rt.profile-*.a)
guided_models  := $(if $(and $(PROFDATA),$(profile_runs)),$(if $(shell command -v $(PROFDATA)),\
                  $(addprefix build/models/pm_,sm ppm dpm vps iq_16)))
guided          = $(foreach f,$(2),$(if $(filter $(guided_models:=/),$(dir $(f))),$(dir $(f))$(1)/$(notdir $(f)),$(f)))
guided_program  = $(BUILT)/$(if $(guided_models),$(if $(filter build,$(BUILT)),guided/))$(1)
guided_step = $(call model_step,$(comma) $(1),PROFILE=$(CURDIR)/build/training/profile ,$(1),$(@D:/$(1)=))
$(foreach s,training guided,$(call libraries_in,$(guided_models),$(s)/)): $(model_scripts)
	$(call guided_step,$(notdir $(@D)))
$(foreach d,$(guided_models),$(eval $(call libraries_in,$(d),training/): $(call libraries_in,$(d))))
$(call libraries_in,$(guided_models),guided/): build/training/profile
build/training/profile: build/training/packet-mode
	@echo "  PROFILE packet mode, 16x16"
	$(Q)for a in sm ppm dpm vps iq; do LLVM_PROFILE_FILE=$(@D)/$$a.profile $< --arch $$a --load 0.8 --clocks 50000 \
	    --warmup 10000 --ideal-clocks 100000 >/dev/null || exit; done && $(PROFDATA) merge -o $@.part $(@D)/*.profile && \
	    $(whole)
export VERILATED_FLAGS := -std=gnu++17 -O2 -I. $(addprefix -isystem $(VERILATOR_SHARE)/,include include/vltstd)
VERILATED  := build/models/libverilated.a
with_waves := -DVM_TRACE=1 -DVM_TRACE_VCD=1 -DVL_USER_FATAL -DVL_USER_WARN
verilated_objects := $(patsubst %,build/models/verilated/%.o,verilated verilated_threads verilated_vcd_c recorder)
$(VERILATED): $(verilated_objects) ; $(Q)$(archive)
$(verilated_objects): build/models/verilated/flags
build/models/verilated/flags: FORCE ; $(call note,$(VERILATED_FLAGS) $(with_waves))
# Of this a run needs little but at its start.
build/models/verilated/%.o: $(VERILATOR_SHARE)/include/%.cpp
	$(call into,CXX    ,$(*F).cpp)$(CXX) $(VERILATED_FLAGS) -O1 $(with_waves) -w -c -o $@.part $< && \
	    $(OBJCOPY) --redefine-sym fopen=sim_model_fopen $@.part && $(whole)
# Waves are written by sim/core/waves/fst.c.
build/models/verilated/recorder.o: scripts/verilated.cpp.in scripts/signals.hpp.in \
    $(addprefix sim/core/,waves/fst.h kernel/model.h kernel/sim.h)
	$(call into,CXX    ,$(<F))$(CXX) $(VERILATED_FLAGS) $(with_waves) -w -x c++ -c -o $@.part $< && $(whole)
# What every model includes is compiled once, for the fast ones and for the full ones: scripts/headers.sh.
MODEL_HEADERS ?= build/models/headers
export HEADERS_BY := $(filter-out %ccache,$(MODEL_CXX))
compiled_headers  := $(if $(MODEL_HEADERS),$(patsubst %,$(MODEL_HEADERS)/%.h.gch,fast full))
$(addsuffix /made,$(MODEL_HEADERS)): FORCE ; $(call note,$(CURDIR) $(MODEL_CXX) $(VERILATED_FLAGS) VCD)
$(compiled_headers:.h.gch=.dates): $(MODEL_HEADERS)/%.dates: FORCE ; @scripts/headers.sh --dates $(@:.dates=)
$(compiled_headers): %.h.gch: $(MODEL_HEADERS)/made %.dates $(shell command -v $(firstword $(HEADERS_BY)))
	$(Q)scripts/headers.sh $(@:.h.gch=)
-include $(compiled_headers:.h.gch=.makefile)
$(model_libraries): | $(filter %/fast.h.gch,$(compiled_headers))
$(full_libraries): | $(filter %/full.h.gch,$(compiled_headers))
models: $(model_libraries)
# ccache has a folder here where its own cannot be written. It asks the compiler what was read instead of running the
# preprocessor; the answer leaves out headers of the system, for which the list of installed packages stands.
installed := $(wildcard /var/lib/dpkg/status)
$(foreach v,CCACHE_SLOPPINESS:=pch_defines$(comma)time_macros CCACHE_PCH_EXTSUM:=1 CCACHE_BASEDIR:=$(CURDIR) \
    $(if $(CCACHE),$(if $(shell d=$$($(CCACHE) -k cache_dir) && mkdir -p "$$d" 2>/dev/null && [ -w "$$d" ] || echo no),\
    CCACHE_DIR:=$(CURDIR)/build/ccache)) $(installed:%=CCACHE_DEPEND:=1 CCACHE_EXTRAFILES_TO_HASH:=%),\
    $(eval export $(v)))
