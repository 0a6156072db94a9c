# A make of its own, because make wants the launcher's answers before it knows what to build:
#
#     build/nicxbar        the launcher, which knows the options of all programs and none of their models
#                          (sim/app/launcher); by scripts/launcher.sh
#     build/fuzz/fuzzer    CLANG=...: the targets of tb/fuzz with libFuzzer, ASan and UBSan; by scripts/fuzz.py
#
# Functions that lead to simulations are left out by the linker, or missing, as those of a register map that is not made
# yet (sw/coherent/nc_ni.c): a target that called one would crash.
.DELETE_ON_ERROR .SUFFIXES:
options := $(wildcard sim/app/launcher/*.c) $(addprefix sim/,system/chips/switch_chip.c \
           $(addprefix app/nicxbar/,options.c options_links.c) \
           $(addprefix traffic/,$(addprefix workload/,option.c pattern.c) scenario/scenario_options.c \
           $(addprefix faults/,plan.c classes.c line.c)) $(addprefix model/axi/axi_,cpu.c memory.c) \
           $(addprefix app/packet_mode/pm_,figures.c options.c setup.c traffic.c) \
           $(addprefix app/disk/disk_,options.c plan.c) $(addprefix app/linux/linux_,options.c plan.c) \
           app/coherent/coherent_options.c \
           $(addprefix app/roce/,roce_options.c $(addprefix board/roce_,asked.c board.c limits.c system.c) \
           $(addprefix linux/roce_,guest.c linux.c rping.c) $(addprefix storage/roce_storage,.c _options.c) \
           traffic/roce_traffic.c) $(addprefix core/kernel/,event.c ports.c sim.c) model/ethernet/ethernet_wire.c) \
           $(filter-out %/nc_ni.c,$(wildcard sw/coherent/*.c))
parsers := $(addprefix sim/,$(addprefix app/disk/disk_,record_read.c wire.c) model/ethernet/pcap.c \
           $(addprefix model/guest/,guest_memory.c guest_ring.c time_travel.c vhost_user.c) \
           model/rnic/rnic_packet.c core/kernel/text_table.c) $(addprefix sw/roce/rn_,mad.c net.c) \
           $(wildcard sw/driver/*.c sw/switch/*.c sim/observe/cycles/*.c tb/fuzz/*r.c tb/fuzz/targets/*.c)
headers := $(addprefix -iquote ,$(sort $(shell find sw -name '*.h' -printf '%h\n')))
checks  := -fsanitize=address,undefined -fno-sanitize-recover=undefined
objects  = $(patsubst %.c,build/$(1)/%.o,$(sort $(2)))
compile  = mkdir -p $(@D) && $(1) -std=gnu11 -Wall -Wextra -DFAULT_WORDS -MMD -MP -I. $(headers) -MT $@ -MF $@.d \
           -c -o $@.part $< && mv $@.part $@
build/nicxbar: $(call objects,launcher,$(options))
	$(CC) -no-pie -Wl,--gc-sections,--unresolved-symbols=ignore-all -o $@.part $^ -lm && mv $@.part $@
build/launcher/%.o: %.c
	$(call compile,$(CC) -O0 -Werror -ffunction-sections -fdata-sections)
build/fuzz/fuzzer: $(call objects,fuzz/obj,$(filter-out %/nicxbar.c,$(options)) $(parsers))
	$(CLANG) $(checks) -fsanitize=fuzzer -no-pie -Wl,--unresolved-symbols=ignore-all -o $@.part $^ -lm -ljansson -lz && \
	    mv $@.part $@
build/fuzz/obj/%.o: %.c
	$(call compile,$(CLANG) $(checks) -fsanitize=fuzzer-no-link -O1 -g -iquote build/generated)
-include $(addsuffix .d,$(call objects,launcher,$(options)) $(call objects,fuzz/obj,$(options) $(parsers)))
