of_checks := $(if $(SANITIZE),/sanitize$(if $(filter thread,$(SANITIZE)),-thread))$(if $(COVERED),/coverage)
BUILT     := $(or $(slot_folder),build)$(of_checks)
SHARED    := build$(of_checks)# what no slot changes
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
$(call stop,$(packet_mode_program),stopped: there is no such switch$(comma) see above)
endif
$(call stop,$(shell mkdir -p build $(BUILT) && SLOT_FOLDER='$(slot_folder)' PORTS_FOLDER='$(ports_folder)' \
    $(python) programs --into $(BUILT)/programs.mk && echo yes),scripts/programs.py failed$(comma) see above)
include $(BUILT)/programs.mk
# ---- generated files ----
registers := $(foreach c,nic switch roce coherent sync,\
                 build/generated/$(c)_registers.vh build/generated/$(c)_register_map.h) \
             $(foreach c,nic coherent,build/generated/$(c)_register_block.vh build/generated/$(c)_register_wires.vh) \
             $(foreach c,coherent sync,build/generated/$(c)_register_access.vh)
GENERATED := $(registers) $(addprefix build/generated/,nic_states.h slots.vh cycles_page.h bus_rules.vh)
format_of  = $(if $(filter %.h,$@),c,$(or $(strip $(foreach f,block wires access,\
                 $(if $(filter %_$f.vh,$@),$f))),verilog))
build/generated/switch_%: options := prefix=SWITCH window=17408 place='the monitor port'
build/generated/coherent_%: options := prefix=CNI window=1024 copy=copy_read place='the window of registers'
build/generated/sync_%: options := prefix=SYNC window=8192
build/generated/roce_%: options := prefix=ROCE window=65536 place='the AXI4-Lite port'
$(foreach c,nic/monitor switch roce coherent sync,$(eval \
    $(filter build/generated/$(firstword $(subst /, ,$(c)))_%,$(registers)): rtl/$(c)/registers.map))
$(registers): scripts/registers.py
	$(into)'$(PYTHON)' -S scripts/registers.py format=$(format_of) $(options) $(filter %.map,$^) > $@.part && $(whole)
build/generated/slots.vh: scripts/slots scripts/slots.py
	$(into)$(python) slots --defaults > $@.part && $(whole)
build/generated/bus_rules.vh: scripts/bus_rules.py \
    $(foreach l,axi/axi axi/axi_lite axi/axi_stream host/pcix,sim/model/$(l)_rules.h)
build/generated/nic_states.h: scripts/states.py $(shell find rtl -name '*.v')
build/generated/bus_rules.vh build/generated/nic_states.h:
	$(into)$(python) $(basename $(<F)) $(filter-out $<,$^) > $@.part && $(whole)
# The pages of make cycles and make curves as text in C; one style.
build/generated/cycles_page.h: $(addprefix sim/observe/cycles/page.,html css js)
build/generated/curves_page.h: $(addprefix sim/,app/packet_mode/curves.html observe/cycles/page.css \
    app/packet_mode/curves.css)
in_place = $(if $(2),-e '/^@$(1)@$$/{' $(patsubst %,-e 'r %',$(2)) -e d})
build/generated/cycles_page.h build/generated/curves_page.h:
	$(into)sed $(call in_place,STYLE,$(filter %.css,$^)) $(call in_place,SCRIPT,$(filter %.js,$^)) $< | { \
	    echo 'static const char $(basename $(@F))[] ='; sed 's/[\\"]/\\&/g; s/.*/    "&\\n"/'; echo '    ;'; \
	} > $@.part && $(whole)
$(SHARED)/obj/sim/app/packet_mode/pm_page.o: | build/generated/curves_page.h
