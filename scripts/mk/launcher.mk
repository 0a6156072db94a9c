# build/nicxbar: the launcher, which knows the options of all programs and none of their models (sim/launcher). A make
# of its own, started by scripts/launcher.sh, because make wants its answers before it knows what to build. Functions
# that lead to simulations are left out by the linker.
.DELETE_ON_ERROR:
.SUFFIXES:
sources := $(wildcard sim/launcher/*.c) sim/workload/option.c sim/workload/pattern.c sim/traffic/scenario_options.c \
           sim/program/options.c sim/faults/plan.c sim/faults/classes.c sim/chips/switch_chip.c \
           $(addprefix sim/packet_mode/pm_,figures.c options.c setup.c traffic.c) \
           $(addprefix sim/block/block_,options.c plan.c) sim/axi/axi_cpu.c sim/axi/axi_memory.c \
           $(addprefix sim/roce/roce_,asked.c board.c guest.c limits.c linux.c options.c rping.c storage.c \
           storage_options.c system.c traffic.c) \
           $(addprefix sim/runtime/,event.c ports.c sim.c) sim/ethernet/ethernet_wire.c
folder  := build/launcher
objects := $(patsubst %.c,$(folder)/%.o,$(sources))
headers := $(sort $(shell find sim sw -name '*.h' -printf '%h\n'))
build/nicxbar: $(objects)
	$(CC) -Wl,--gc-sections -o $@.part $^ -lm && mv $@.part $@
$(folder)/%.o: %.c
	mkdir -p $(@D)
	$(CC) -O0 -std=gnu11 -Wall -Wextra -Werror -DFAULT_WORDS -ffunction-sections -fdata-sections -MMD -MP -I. \
	    $(addprefix -iquote ,$(headers)) \
	    -MT $@ -MF $@.d -c -o $@.part $< && mv $@.part $@
-include $(addsuffix .d,$(objects))
