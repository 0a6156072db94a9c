# ---- C ----
CFLAGS    ?= -O2 -g
sanitizers := -fsanitize=$(if $(filter thread,$(SANITIZE)),thread,address$(comma)undefined)
warnings  := -std=gnu11 -Wall -Wextra -Werror
# Objects do not tell the folder, so another clone finds them in the cache of the compiler.
c_flags   := $(warnings) -fdebug-prefix-map=$(CURDIR)=. -MMD -MP -I. \
             $(addprefix -iquote ,$(sort $(shell find sw tb -name '*.h' -printf '%h\n' 2>/dev/null)) build/generated \
             $(MODEL_FOLDERS)) -isystem $(VERILATOR_SHARE)/include \
             $(if $(SANITIZE),$(sanitizers) -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
# a compiler for another processor (aarch64-linux-gnu-g++) has its own linker
link_flags := $(if $(findstring -g++,$(CXX)),,$(if $(shell command -v mold 2>/dev/null),-fuse-ld=mold)) \
              $(if $(SANITIZE),$(sanitizers))
libraries := -lz -llz4 -lpthread -latomic -lm -lnettle -ljansson
archive    = rm -f $@.part && $(AR) rcs $@.part $^ && $(whole)
# Test programs spend their time in models and benches: to optimize themselves costs more than it gains.
of_tests   = $(if $(filter file,$(origin CFLAGS)),$(if $(filter test_%,$(<F)),-O0))
# What goes into the Linux module, too, has frames as small as the kernel wants them.
small_frame = $(if $(SANITIZE),,$(if $(filter sw/driver/% sw/disk/%,$<),-Wframe-larger-than=2048))
define c_objects
$(1)/obj/%.o: %.c | $$(GENERATED)
	$$(into)$$(CC) $$(CFLAGS) $$(of_tests) $$(small_frame) $$(c_flags) -MT $$@ -MF $$@.d.part -c -o $$@.part $$< && \
	    mv $$@.d.part $$(@:.o=.d) && $$(whole)
$(1)/lib/%.a:
	$$(into)$$(archive)
endef
$(foreach d,$(sort $(BUILT) $(SHARED)),$(eval $(call c_objects,$(d))))
plugin     = -shared -fPIC -o $@.part $(1) && $(whole)
# Ranks of a run by MPI: a library that programs load with --ranks.
$(BUILT)/ranks-mpi.so: sim/bin/plugins/mpi.c sim/app/nicxbar/ranks.h sim/core/kernel/sim.h
	$(call into,LINK   ,$@)OMPI_CC='$(lastword $(CC))' mpicc $(CFLAGS) $(filter-out -MMD -MP,$(c_flags)) \
	    $(call plugin,$<)
# The plugin that nbdkit loads: the server of a disk over RDMA.
$(BUILT)/nbd-plugin.so: sim/bin/plugins/nbd_plugin.c sim/app/disk/disk_wire.h sw/disk/nx_disk.h
	$(call into,LINK   ,$@)$(CC) $(CFLAGS) $(warnings) -I. $(addprefix -iquote ,sw/disk sw/driver) $(call plugin,$<)
$(BUILT)/full/%.so: $(BUILT)/%.so
	$(into)cp $< $@.part && $(whole)
link = @mkdir -p $(@D) && echo "  LINK    $@"; $(if $(V),set -x;) \
       $(CXX) $(link_flags) -o $@.part $(filter %.o,$^) $(2) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
           $(libraries) $(1) && $(whole)
# Programs with the full models are in the folder full.
both = $(addprefix $(BUILT)/,$(1)) $(addprefix $(BUILT)/full/,$(1))
without_driver := $(sort packet-mode packet-mode-lanes $(packet_mode_program)) packet-shares pm-curves disk-bench disk \
                  $(addprefix roce-,sim storage rping verbs) nicxbar-cycles nicxbar-linux
check_programs := $(call both,$(TESTS) $(patsubst %.c,%,$(shell find tb -name 'long_*.c')))
$(check_programs) $(call both,$(TOOL_PROGRAMS) $(SIM_PROGRAMS)): $(VERILATED)
$(check_programs): ; $(call link,$(shell $(PKG_CONFIG) --libs check))
$(call both,$(TOOL_PROGRAMS) $(without_driver)): ; $(call link)
guided_programs := build/guided/packet-mode build/guided/pm-curves
$(foreach p,$(guided_programs),$(eval $(p): $(call guided,guided,$(needs_$(notdir $(p)))) $(VERILATED)))
$(guided_programs): ; $(call link)
build/training/packet-mode: $(call guided,training,$(needs_packet-mode)) $(VERILATED)
	$(call link,-fprofile-instr-generate)
build/training/packet-mode: private CXX := $(filter clang%,$(notdir $(MODEL_CXX)))
# Host programs call the driver, sw/sync and the software of the switch's monitor, all of it, in the program that loads
# them.
called_libraries = -Wl,--whole-archive $(patsubst %,$(SHARED)/lib/sw/%.a,driver switch) $(filter %/lib/sw/sync.a,$^) \
                   -Wl,--no-whole-archive
$(call both,$(filter-out $(without_driver),$(SIM_PROGRAMS))):
	$(call link,,$(patsubst %,-Wl$(comma)--export-dynamic-symbol='%_*',nx sx) $(called_libraries))
-include $(shell find $(sort $(BUILT)/obj $(SHARED)/obj) -name '*.d' 2>/dev/null)
# The programs of a run that records something are linked with the full models.
waves := $(if $(filter-out 0,$(WAVES)),--waves \
         $(results)/waves/$(or $(filter soak run disk linux,$(goals)),$(roce),$(coherent:%=coherent),sim).fst \
         $(if $(filter-out 1,$(WAVES)),--wave-scopes '$(WAVES)'))
bin := $(BUILT)$(if $(waves)$(filter 1,$(TRACE))$(filter cycles,$(goals)),/full)
