# build/fuzz/fuzzer: the targets of tb/fuzz by clang with libFuzzer, ASan and UBSan; started by scripts/fuzz.py.
# Functions that lead to simulations are left out: a target that called one would crash.
.DELETE_ON_ERROR .SUFFIXES:
folder  := build/fuzz
app     := $(filter-out %/nicxbar.c,$(wildcard sim/app/launcher/*.c)) $(addprefix sim/app/,nicxbar/options.c \
           $(addprefix packet_mode/pm_,figures.c options.c setup.c traffic.c) \
           $(addprefix disk/disk_,options.c plan.c record_read.c wire.c) $(addprefix linux/linux_,options.c plan.c) \
           $(addprefix roce/,roce_options.c traffic/roce_traffic.c \
           $(addprefix board/roce_,asked.c board.c limits.c system.c) $(addprefix linux/roce_,guest.c linux.c rping.c) \
           $(addprefix storage/roce_storage,.c _options.c)))
parts   := $(addprefix sim/,system/chips/switch_chip.c $(addprefix traffic/,scenario/scenario_options.c \
           $(addprefix workload/,option.c pattern.c) $(addprefix faults/,plan.c classes.c line.c)) \
           $(addprefix model/,$(addprefix axi/axi_,cpu.c memory.c) $(addprefix ethernet/,ethernet_wire.c pcap.c) \
           guest/guest_memory.c guest/guest_ring.c guest/time_travel.c guest/vhost_user.c \
           rnic/rnic_packet.c) $(addprefix core/kernel/,event.c ports.c sim.c)) $(addprefix sw/roce/rn_,mad.c net.c) \
           $(wildcard sw/driver/*.c sw/switch/*.c) $(wildcard sim/observe/cycles/*.c)
sources := $(sort $(wildcard tb/fuzz/*r.c tb/fuzz/targets/*.c) $(app) $(parts))
headers := $(sort $(shell find sw -name '*.h' -printf '%h\n')) build/generated
objects := $(patsubst %.c,$(folder)/obj/%.o,$(sources))
checks  := -fsanitize=address,undefined -fno-sanitize-recover=undefined
$(folder)/fuzzer: $(objects)
	$(CLANG) $(checks) -fsanitize=fuzzer -no-pie -Wl,--unresolved-symbols=ignore-all -o $@.part $^ -lm -ljansson -lz && \
	    mv $@.part $@
$(folder)/obj/%.o: %.c
	mkdir -p $(@D)
	$(CLANG) $(checks) -fsanitize=fuzzer-no-link -O1 -g -std=gnu11 -Wall -Wextra -DFAULT_WORDS \
	    -MMD -MP -I. $(addprefix -iquote ,$(headers)) -MT $@ -MF $@.d -c -o $@.part $< && mv $@.part $@
-include $(addsuffix .d,$(objects))
