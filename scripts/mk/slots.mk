# ---- blocks in slots: OUTPUT_SCHEDULER=name RTL=path (scripts/slots.sh) ----
ifneq ($(filter-out help help-all clean,$(goals)),)
ifneq ($(findstring $(quote),$(RTL)$(SLOT)$(BLOCK)$(SIZE)$(CLOCKS)$(foreach v,$(slot_variables),$($(v)))),)
$(error RTL, SIZE, CLOCKS and the names of blocks are expected without quotes)
endif
# make contract SLOT=module BLOCK=name: the block in the slot for this run is BLOCK. make compare: it is one of those compared.
ifneq ($(filter contract compare,$(goals)),)
slot_variable := $(shell awk -v slot='$(SLOT)' '/^[A-Z]/ && $$2 == slot { print $$1 }' scripts/slots)
ifeq ($(slot_variable),)
$(error SLOT=$(SLOT): expected one of $(shell awk '/^[A-Z]/ { print $$2 }' scripts/slots))
endif
ifneq ($(BLOCK),)
$(slot_variable) := $(BLOCK)
endif
ifneq ($(shell printf '%s\n' '$(CLOCKS)' | grep -cEx '[0-9]*'),1)
$(error CLOCKS=$(CLOCKS): expected a number, of clocks that each size is judged for at least)
endif
started := $(shell date +%s)
else ifneq ($(SLOT)$(BLOCK)$(SIZE)$(if $(filter packet-mode packet-mode-full packet-mode-crossbar shares,$(goals)),,$(CLOCKS)),)
$(error SLOT, BLOCK, SIZE and CLOCKS belong to make contract, SLOT and BLOCK to make compare, too; \
    a block is put into a slot by $(wordlist 1,1,$(slot_variables))=name)
endif
# A switch for long packets has the slots of its architecture; the blocks are put into that one's models only.
ifneq ($(filter packet-mode packet-mode-full curves shares,$(goals)),)
packet_mode_arch := $(or $(ARCH),$(if $(filter shares,$(goals)),sm,dpm))
ifneq ($(filter shares,$(goals)),)
$(if $(call not_one_of,$(packet_mode_arch),sm ppm dpm vps),$(error ARCH=$(ARCH): make shares expects sm, ppm, dpm or vps))
PM_INPUT_SCHEDULER  := $(or $(PM_INPUT_SCHEDULER),pm_input_scheduler_wrr)
PM_OUTPUT_SCHEDULER := $(or $(PM_OUTPUT_SCHEDULER),pm_output_scheduler_wrr)
endif
slots_of_arch    := $(if $(filter iq,$(packet_mode_arch)),PM_MATCHER,PM_INPUT_SCHEDULER PM_OUTPUT_SCHEDULER \
                    $(if $(filter dpm,$(packet_mode_arch)),PM_LOCKS))
$(foreach v,$(filter-out $(slots_of_arch),$(slot_variables)),\
    $(if $($(v)),$(error $(v)=$($(v)): ARCH=$(packet_mode_arch) has no such slot; expected one of $(slots_of_arch))))
models_with_slots := $(if $(filter sm ppm dpm vps iq,$(packet_mode_arch)),pm_$(packet_mode_arch))
endif
unexport RTL
slots_set := $(strip $(foreach v,$(slot_variables),$(if $($(v)),$(v)=$($(v)))))
ifneq ($(if $(filter 1,$(CHECK)),,$(slots_set)$(RTL)),)
slot_found := $(shell VERILATOR='$(VERILATOR)' PYTHON='$(PYTHON)' RTL='$(RTL)' ONLY='$(models_with_slots)' \
    scripts/slots.sh $(foreach s,$(slots_set),'$(s)'))
ifeq ($(slot_found),)
$(error stopped: $(or $(slots_set),RTL=$(RTL)) cannot be used, see above)
endif
slot_search  := $(shell cat $(slot_found)/search)
slot_folder  := $(if $(slots_set),$(slot_found))
endif
endif
