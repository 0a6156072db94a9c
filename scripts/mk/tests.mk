# ---- tests ----
# TEST is a folder (tb/unit/link) or a program (tb/unit/link/test_credits, with or without .c); CASE is one of Check's
# test cases.
TEST     ?= tb
chosen   := $(filter $(patsubst %.c,%,$(patsubst %/,%,$(TEST))) $(patsubst %/,%,$(TEST))/%,$(TESTS))
tests: $(addprefix $(bin)/,$(chosen))
before_tests := $(if $(filter-out tb,$(TEST)),,lint) tests
test: $(if $(REPORT),$(addprefix report-,$(before_tests)),$(before_tests))
	$(if $(chosen),,$(no_such_test))
	@$(if $(times_shown),$(subst exec ,,$(replacing)),$(replacing)) $(run_tests) $(report_settings) CASE='$(CASE)' \
	    GOAL=$(if $(SANITIZE),sanitize,test) scripts/run_tests.sh $(bin) $(chosen)$(times_shown)
# With REPORT what comes before the tests is a step of the report.
report_file     := build/test.$(if $(filter tap,$(REPORT)),tap,xml)
report_folder   := $(BUILT)/report
report_settings := $(if $(REPORT),REPORT=$(REPORT) REPORTED=$(report_folder) REPORT_TO=$(report_file))
report-begins:
	@rm -rf $(report_folder) $(report_file) && mkdir -p $(report_folder)
report-lint report-tests: report-begins
	+@REPORTED=$(report_folder) scripts/run_tests.sh --step $(patsubst tests,build,$(@:report-%=%)) \
	    $(MAKE) --no-print-directory REPORT= $(@:report-%=%)
similar      := $(strip $(foreach t,$(TESTS),$(if $(findstring $(TEST),$(t)),$(t))))
no_such_test = $(error TEST=$(TEST): no test program of that name; expected \
    $(or $(similar),a program in one of $(sort $(patsubst %/,%,$(dir $(TESTS))))))
run_tests = SEED=$(SEED) WAVES='$(WAVES)' JOBS=$(JOBS) FULL='$(BUILT)/full' \
            SETTINGS='$(slots_set)$(if $(RTL), RTL=$(RTL))'
# The contract of a slot: its suite checks the block that is in it.
contract_suite := $(if $(SLOT),$(filter tb/contract/$(SLOT)/test_$(SLOT)_contract,$(TESTS)))
contract: $(addprefix $(BUILT)/,$(contract_suite))
	$(if $(contract_suite),,$(error SLOT=$(SLOT): there is no suite in tb/contract/$(SLOT)))
	@$(replacing) SLOT=$(SLOT) BLOCK=$(or $($(slot_variable)),$(SLOT)) SIZE='$(SIZE)' CLOCKS='$(CLOCKS)' \
	    STARTED=$(started) SEED=$(SEED) \
	    JOBS=$(JOBS) FILLED='$(slots_set)' WAVES='$(WAVES)' FULL='$(BUILT)/full' SETTINGS='$(if $(RTL),RTL=$(RTL))' \
	    YOSYS='$(YOSYS)' scripts/contract.sh $(BUILT) $(contract_suite)
# Slots and what ships for them; the blocks for one, measured side by side.
slots:
	@scripts/slots.sh --list
compare: $(GENERATED)
	@$(replacing) MAKE='$(MAKE)' YOSYS='$(YOSYS)' JOBS=$(JOBS) RTL='$(RTL)' BLOCK='$(BLOCK)' SEED=$(SEED) \
	    SETTINGS='$(filter-out $(slot_variable)=%,$(slots_set))' scripts/compare.sh $(SLOT)
# The tutorial as it is written, from the clone on (some minutes).
tutorial:
	@$(release) rm -rf build/tutorial && scripts/tutorial.sh build/tutorial && cmp build/tutorial/work/flows.svg \
	    scripts/pictures/flows.svg
# A block of one's own.
block:
	@$(release) CC='$(CC)' VERILATOR='$(VERILATOR)' PYTHON='$(PYTHON)' \
	    $(if $(FROM),NAME='$(NAME)' MODULE='$(MODULE)' PARAMETERS='$(PARAMETERS)') \
	    scripts/block.sh $(if $(FROM),--from '$(FROM)','$(NAME)' $(if $(FOLDER),'$(FOLDER)'))
# Programs, recordings and builds that are stopped at random moments, KILLS times by each signal.
kill: $(BUILT)/tb/system/test_kill
	@$(replacing) $(run_tests) KILLS=$(or $(KILLS),20) CASE='$(CASE)' GOAL=kill scripts/run_tests.sh $(BUILT) \
	    tb/system/test_kill
# From an edit to a verdict.
turnaround:
	@$(replacing) MAKE='$(MAKE)' scripts/turnaround.sh
sanitize:
	+$(Q)$(replacing) $(MAKE) --no-print-directory SANITIZE=$(or $(SANITIZE),1) CFLAGS='-O1 -g' \
	    TEST=$(if $(filter-out tb,$(TEST)),$(TEST),tb/) test
