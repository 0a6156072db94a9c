# build/nicxbar: the launcher, which knows the options of all programs and none of their models (sim/app/launcher). A
# make of its own, started by scripts/launcher.sh, because make wants its answers before it knows what to build.
# Functions that lead to simulations are left out by the linker.
.DELETE_ON_ERROR .SUFFIXES:
sources := $(wildcard sim/app/launcher/*.c) $(addprefix sim/,app/nicxbar/options.c system/chips/switch_chip.c \
           $(addprefix traffic/,$(addprefix workload/,option.c pattern.c) scenario/scenario_options.c \
           $(addprefix faults/,plan.c classes.c line.c)) $(addprefix model/axi/axi_,cpu.c memory.c) \
           $(addprefix app/packet_mode/pm_,figures.c options.c setup.c traffic.c) \
           $(addprefix app/disk/disk_,options.c plan.c) $(addprefix app/linux/linux_,options.c plan.c) \
           $(addprefix app/roce/,roce_options.c $(addprefix board/roce_,asked.c board.c limits.c system.c) \
           $(addprefix linux/roce_,guest.c linux.c rping.c) $(addprefix storage/roce_storage,.c _options.c) \
           traffic/roce_traffic.c) $(addprefix core/kernel/,event.c ports.c sim.c) model/ethernet/ethernet_wire.c)
folder  := build/launcher
headers := $(sort $(shell find sw -name '*.h' -printf '%h\n'))
objects := $(patsubst %.c,$(folder)/%.o,$(sources))
build/nicxbar: $(objects)
	$(CC) -Wl,--gc-sections -o $@.part $^ -lm && mv $@.part $@
$(folder)/%.o: %.c
	mkdir -p $(@D)
	$(CC) -O0 -std=gnu11 -Wall -Wextra -Werror -DFAULT_WORDS -ffunction-sections -fdata-sections -MMD -MP -I. \
	    $(addprefix -iquote ,$(headers)) -MT $@ -MF $@.d -c -o $@.part $< && mv $@.part $@
-include $(addsuffix .d,$(objects))
