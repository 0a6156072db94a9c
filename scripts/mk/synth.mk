# ---- Verilog checks ----
lint: $(GENERATED) ; @$(call with,VERILATOR IVERILOG YOSYS) $(python) lint
# Proofs, and faults with which they must fail: tb/proofs/proofs.
prove: $(GENERATED)
	@$(replacing) $(call with,YOSYS JOBS QUICK) $(call in_texts,make prove) $(python) prove $(foreach p,$(PROOF),'$(p)')
# Without MODULE: the NIC and all switches, next to the documents' figures; or the RoCE chip.
synth: $(GENERATED)
	@$(release) $(call with,YOSYS) $(if $(roce),FAMILY=xcup,SLOT_FOLDER='$(if $(MODULE),$(slot_found),$(slot_folder))') \
	    $(call in_texts,make synth$(if $(roce), CHIP=roce)) \
	    $(if $(MODULE),$(python) synth $(MODULE),scripts/sizes.py $(if $(roce),roce $(BYTES),chips))
	$(if $(MODULE)$(roce),,@YOSYS='$(YOSYS)' scripts/sizes.py memories)
