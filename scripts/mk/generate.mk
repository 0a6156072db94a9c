of_checks := $(if $(SANITIZE),/sanitize$(if $(filter thread,$(SANITIZE)),-thread))
BUILT     := $(or $(slot_folder),build)$(of_checks)
# What no slot changes.
SHARED    := build$(of_checks)
GENERATED := $(foreach c,nic switch roce,build/generated/$(c)_registers.vh build/generated/$(c)_register_map.h) \
             build/generated/nic_register_block.vh build/generated/nic_states.h build/generated/slots.vh \
             build/generated/cycles_page.h build/generated/axi_rules.vh
# make packet-mode: switches with priorities and sets of outputs are in a program of their own: they take longer to
# build. A switch of other than 16 or 4 ports has one for itself.
packet_mode_lanes   := $(if $(filter iq,$(packet_mode_arch)),,$(strip $(foreach v,\
                       PRIORITIES HIGH_LOAD MULTICAST FANOUT SET COPIES SPLIT,$($(v)))))
packet_mode_kind    := $(if $(packet_mode_lanes),$(if $(filter 1,$(SPLIT)),split,lanes),plain)
packet_mode_program := packet-mode$(if $(packet_mode_lanes),-lanes)
ifneq ($(if $(filter packet-mode packet-mode-full,$(goals)),$(filter-out 4 16,$(PORTS))),)
ports_folder        := build/ports/$(packet_mode_arch)-$(packet_mode_kind)-$(PORTS)
packet_mode_program := $(shell scripts/packet_mode_program.sh $(packet_mode_arch) $(packet_mode_kind) $(PORTS) \
                       $(ports_folder))
$(if $(packet_mode_program),,$(error stopped: there is no such switch, see above))
endif
ifneq ($(shell mkdir -p build $(BUILT) && SLOT_FOLDER='$(slot_folder)' PORTS_FOLDER='$(ports_folder)' \
               scripts/programs.sh --into $(BUILT)/programs.mk && echo yes),yes)
$(error scripts/programs.sh failed, see above)
endif
include $(BUILT)/programs.mk

# ---- generated registers ----
build/generated/%_registers.vh: FORMAT := verilog
build/generated/%_register_block.vh: FORMAT := block
build/generated/%_register_map.h:  FORMAT := c
build/generated/switch_%: MAP_OPTIONS := -v prefix=SWITCH -v window=17408 -v place='the monitor port'
build/generated/roce_%: MAP_OPTIONS := -v prefix=ROCE -v window=65536 -v place='the AXI4-Lite port'
build/generated/nic_registers.vh build/generated/nic_register_block.vh build/generated/nic_register_map.h: \
    rtl/nic/monitor/registers.map
build/generated/switch_registers.vh build/generated/switch_register_map.h: rtl/switch/registers.map
build/generated/roce_registers.vh build/generated/roce_register_map.h: rtl/roce/registers.map
$(filter-out %_states.h %slots.vh %_page.h %_rules.vh,$(GENERATED)): scripts/registers.awk
	@mkdir -p $(@D)
	$(Q)awk -f scripts/registers.awk -v format=$(FORMAT) $(MAP_OPTIONS) $(filter %.map,$^) > $@.part && $(whole)

build/generated/slots.vh: scripts/slots scripts/slots.sh
	@mkdir -p $(@D)
	$(Q)scripts/slots.sh --defaults > $@.part && $(whole)

build/generated/axi_rules.vh: scripts/axi_rules.awk $(foreach l,axi axi_lite axi_stream,sim/model/axi/$(l)_rules.h)
	@mkdir -p $(@D)
	$(Q)awk -f $^ > $@.part && $(whole)

build/generated/nic_states.h: scripts/waves/states.awk $(shell find rtl -name '*.v')
	@mkdir -p $(@D)
	$(Q)awk -f $^ > $@.part && $(whole)

# The pages of make cycles and make curves as text in C; one style.
build/generated/cycles_page.h: $(addprefix sim/observe/cycles/page.,html css js)
	@mkdir -p $(@D)
	$(Q)sed -e '/^@STYLE@$$/{r sim/observe/cycles/page.css' -e 'd}' -e '/^@SCRIPT@$$/{r sim/observe/cycles/page.js' -e 'd}' $< | \
	    $(page_to_c)
$(SHARED)/obj/sim/app/packet_mode/pm_page.o: | build/generated/curves_page.h
build/generated/curves_page.h: sim/app/packet_mode/curves.html sim/app/packet_mode/curves.css sim/observe/cycles/page.css
	@mkdir -p $(@D)
	$(Q)sed -e '/^@STYLE@$$/{r sim/observe/cycles/page.css' -e 'r sim/app/packet_mode/curves.css' -e 'd}' $< | $(page_to_c)
page_to_c = { echo 'static const char $(basename $(@F))[] ='; sed 's/[\\"]/\\&/g; s/.*/    "&\\n"/'; echo '    ;'; } \
            > $@.part && $(whole)
