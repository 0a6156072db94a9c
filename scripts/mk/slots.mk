# ---- blocks in slots: OUTPUT_SCHEDULER=name RTL=path (scripts/slots.py) ----
ifneq ($(made),)
# BLOCK=name: make contract has this block in the slot; make compare compares it with the others.
ifneq ($(filter contract compare,$(goals)),)
slot_variable := $(shell awk -v slot='$(SLOT)' '/^[A-Z]/ && $$2 == slot { print $$1 }' scripts/slots)
$(if $(BLOCK),$(eval $(slot_variable) := $(BLOCK)))
started := $(shell date +%s)
endif
# A switch for long packets has the slots of its architecture; the blocks are put into that one's models only.
ifneq ($(filter packet-mode packet-mode-full curves shares,$(goals)),)
packet_mode_arch := $(or $(ARCH),$(if $(filter shares,$(goals)),sm,dpm))
ifneq ($(filter shares,$(goals)),)
PM_INPUT_SCHEDULER  := $(or $(PM_INPUT_SCHEDULER),pm_input_scheduler_wrr)
PM_OUTPUT_SCHEDULER := $(or $(PM_OUTPUT_SCHEDULER),pm_output_scheduler_wrr)
endif
models_with_slots := $(if $(filter sm ppm dpm vps iq,$(packet_mode_arch)),pm_$(packet_mode_arch))
endif
unexport RTL
slots_set := $(strip $(foreach v,$(slot_variables),$(if $($(v)),$(v)=$($(v)))))
ifneq ($(if $(filter 1,$(CHECK)),,$(slots_set)$(RTL)),)
slot_found := $(shell $(call with,VERILATOR PYTHON RTL) ONLY='$(models_with_slots)' \
    $(python) slots $(foreach s,$(slots_set),'$(s)'))
$(call stop,$(slot_found),stopped: $(or $(slots_set),RTL=$(RTL)) cannot be used$(comma) see above)
slot_search  := $(shell cat $(slot_found)/search)
slot_folder  := $(if $(slots_set),$(slot_found))
endif
endif
