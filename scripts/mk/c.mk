# ---- C ----
CFLAGS    ?= -O2 -g
sanitizers := -fsanitize=$(if $(filter thread,$(SANITIZE)),thread,address$(comma)undefined)
header_folders := $(sort $(shell find sw tb -name '*.h' -printf '%h\n' 2>/dev/null)) \
             build/generated $(MODEL_FOLDERS)
# Objects do not tell the folder, so another clone finds them in the cache of the compiler.
c_flags   := -std=gnu11 -Wall -Wextra -Werror -fdebug-prefix-map=$(CURDIR)=. -MMD -MP \
             -I. $(addprefix -iquote ,$(header_folders)) \
             -isystem $(VERILATOR_SHARE)/include \
             $(if $(SANITIZE),$(sanitizers) -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
link_flags := $(if $(shell command -v mold 2>/dev/null),-fuse-ld=mold) $(if $(SANITIZE),$(sanitizers))
libraries := -lz -llz4 -lpthread -latomic -lm -lnettle -ljansson

# Test programs spend their time in models and benches: to optimize themselves costs more than it gains.
of_tests   = $(if $(filter file,$(origin CFLAGS)),$(if $(filter test_%,$(<F)),-O0))
define c_objects
$(1)/obj/%.o: %.c | $$(GENERATED)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS) $$(of_tests) $$(c_flags) -MT $$@ -MF $$@.d.part -c -o $$@.part $$< && mv $$@.d.part \
	    $$(@:.o=.d) && $$(whole)
$(1)/lib/%.a:
	@mkdir -p $$(@D)
	$$(Q)rm -f $$@.part && $$(AR) rcs $$@.part $$^ && $$(whole)
endef
$(foreach d,$(sort $(BUILT) $(SHARED)),$(eval $(call c_objects,$(d))))
# Ranks of a run by MPI: a library that programs load with --ranks.
mpi_flags  = $(CFLAGS) $(filter-out -MMD -MP,$(c_flags)) -shared -fPIC
$(BUILT)/ranks-mpi.so: sim/bin/plugins/mpi.c sim/app/nicxbar/ranks.h sim/core/kernel/sim.h
	@mkdir -p $(@D) && echo "  LINK    $@"
	$(Q)OMPI_CC='$(lastword $(CC))' mpicc $(mpi_flags) -o $@.part $< && $(whole)
$(BUILT)/full/ranks-mpi.so: $(BUILT)/ranks-mpi.so
	@mkdir -p $(@D)
	$(Q)cp $< $@.part && $(whole)
# The plugin that nbdkit loads: the server of a disk over RDMA.
$(BUILT)/nbd-plugin.so: sim/bin/plugins/nbd_plugin.c sim/app/disk/disk_wire.h sw/disk/nx_disk.h
	@mkdir -p $(@D) && echo "  LINK    $@"
	$(Q)$(CC) $(CFLAGS) -std=gnu11 -Wall -Wextra -Werror -I. $(addprefix -iquote ,sw/disk sw/driver) -shared -fPIC \
	    -o $@.part $< && $(whole)
$(BUILT)/full/nbd-plugin.so: $(BUILT)/nbd-plugin.so
	@mkdir -p $(@D)
	$(Q)cp $< $@.part && $(whole)
link = @mkdir -p $(@D) && echo "  LINK    $@"; $(if $(V),set -x;) \
       $(CXX) $(link_flags) -o $@.part $(filter %.o,$^) $(2) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
           $(libraries) $(1) && $(whole)
# Programs with the full models are in the folder full.
both = $(addprefix $(BUILT)/,$(1)) $(addprefix $(BUILT)/full/,$(1))
without_driver := nicxbar-cycles $(sort packet-mode packet-mode-lanes $(packet_mode_program)) packet-shares pm-curves \
                  disk-bench disk \
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
waves := $(if $(filter-out 0,$(WAVES)),--waves $(results)/waves/$(or $(filter soak run disk,$(goals)),sim).fst \
         $(if $(filter-out 1,$(WAVES)),--wave-scopes '$(WAVES)'))
ifeq ($(CHIP),roce)
waves := $(subst /sim.fst,/roce.fst,$(waves))
endif
bin := $(BUILT)$(if $(waves)$(filter 1,$(TRACE))$(filter cycles,$(goals)),/full)
