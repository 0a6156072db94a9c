# ---- Verilog checks ----
lint: $(GENERATED)
	@VERILATOR='$(VERILATOR)' IVERILOG='$(IVERILOG)' YOSYS='$(YOSYS)' scripts/lint.sh
# Proofs, and faults with which they must fail: tb/proofs/proofs.
prove: $(GENERATED)
	@$(release) YOSYS='$(YOSYS)' $(call in_texts,make prove) scripts/prove.sh $(PROOF)
# Without MODULE: the NIC and switches of all sizes, beside the documents' figures, and memories of the packet-mode
# switches; or the RoCE chip.
ifeq ($(CHIP),roce)
synth: $(GENERATED)
	@$(release) YOSYS='$(YOSYS)' FAMILY=xcup $(call in_texts,make synth CHIP=roce) \
	    scripts/$(if $(MODULE),synth.sh $(MODULE),roce_sizes.sh $(BYTES))
else
synth: $(GENERATED)
	@$(release) YOSYS='$(YOSYS)' SLOT_FOLDER='$(if $(MODULE),$(slot_found),$(slot_folder))' $(call in_texts,make synth) \
	    scripts/$(if $(MODULE),synth.sh $(MODULE),sizes.sh)
	$(if $(MODULE),,@YOSYS='$(YOSYS)' scripts/packet_mode_sizes.sh)
endif
