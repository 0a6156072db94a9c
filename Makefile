# `make` alone says what can be done. What is built is found, not listed: see scripts/programs.py and
# scripts/README.md.
odd_characters := ( ) $$ \# ' " ` ; & | < > * ? : %
odd := $(if $(word 2,[$(CURDIR)]),a space,$(firstword $(foreach c,$(odd_characters),$(findstring $(c),$(CURDIR)))))
$(if $(odd),$(error $(CURDIR): make cannot handle a path with $(odd) in it; expected a clone in a folder without))
goals := $(or $(MAKECMDGOALS),help)
include scripts/mk/tools.mk

.PHONY: help help-all clean elsewhere FORCE
help:
	@scripts/launcher.sh help $(filter-out help,$(goals))
help-all:
	@scripts/launcher.sh help-all
ifneq ($(filter help,$(goals)),)
$(filter-out help,$(goals)): help ; @:
endif
Q := $(if $(V),,@)
include scripts/mk/variables.mk scripts/mk/slots.mk

# ---- what there is ----
ifeq ($(made),)
else ifeq ($(CHECK),1)
$(made): ; @:
else
include $(addprefix scripts/mk/,$(addsuffix .mk,generate models c))
# ---- tests ----
# TEST: folders (tb/unit/link) and programs (tb/unit/link/test_credits, also with .c); CASE is a test case of Check.
TEST     ?= tb
tests_of  = $(filter $(patsubst %.c,%,$(1:/=)) $(1:/=)/%,$(TESTS))
chosen   := $(sort $(foreach t,$(TEST),$(call tests_of,$(t))))
unknown  := $(strip $(foreach t,$(TEST),$(if $(call tests_of,$(t)),,$(t))))
similar  := $(strip $(foreach u,$(unknown),$(foreach t,$(TESTS),$(if $(findstring $(u),$(t)),$(t)))))
tests_found  = $(if $(unknown)$(if $(chosen),,none),$(no_such_test))
no_such_test = $(error TEST=$(unknown): no test program of that name; expected \
    $(or $(similar),a program in one of $(sort $(patsubst %/,%,$(dir $(TESTS))))))
$(if $(filter test tests coverage sanitize,$(goals)),$(tests_found))
# $(call test_run,goal of the rerun,folder and programs,its settings if others)
run_tests = $(call with,SEED WAVES JOBS) FULL='$(BUILT)/full' SETTINGS='$(slots_set)$(if $(RTL), RTL=$(RTL))'
test_run  = $(run_tests) $(call with,CASE) $(3) GOAL=$(1) $(python) run_tests $(2)
tests: $(addprefix $(bin)/,$(chosen))
before_tests := $(if $(filter-out tb,$(TEST)),,lint) tests
test: $(addprefix $(if $(REPORT),report-),$(before_tests))
	@$(if $(times_shown),$(subst exec ,,$(replacing)),$(replacing)) $(report_settings) \
	    $(call test_run,$(if $(SANITIZE),sanitize,test),$(bin) $(chosen))$(times_shown)
# With REPORT what comes before the tests is a step of the report.
report_file     := build/test.$(if $(filter tap,$(REPORT)),tap,xml)
report_folder   := $(BUILT)/report
report_settings := $(if $(REPORT),REPORT=$(REPORT) REPORTED=$(report_folder) REPORT_TO=$(report_file))
report-begins:
	@rm -rf $(report_folder) $(report_file) && mkdir -p $(report_folder)
report-lint report-tests: report-begins
	+@REPORTED=$(report_folder) $(python) run_tests --step $(patsubst tests,build,$(@:report-%=%)) \
	    $(MAKE) --no-print-directory REPORT= $(@:report-%=%)
contract_suite := $(if $(SLOT),$(filter tb/contract/$(SLOT)/test_$(SLOT)_contract,$(TESTS)))
contract: $(addprefix $(BUILT)/,$(contract_suite))
	$(if $(contract_suite),,$(error SLOT=$(SLOT): there is no suite in tb/contract/$(SLOT)))
	@$(replacing) $(run_tests) BLOCK=$(or $($(slot_variable)),$(SLOT)) STARTED=$(started) FILLED='$(slots_set)' \
	    SETTINGS='$(if $(RTL),RTL=$(RTL))' $(call with,SLOT SIZE CLOCKS YOSYS) \
	    $(python) contract $(BUILT) $(contract_suite)
slots: ; @$(python) slots --list
compare: $(GENERATED)
	@$(replacing) MAKE='$(MAKE)' $(call with,YOSYS JOBS RTL BLOCK SEED) \
	    SETTINGS='$(filter-out $(slot_variable)=%,$(slots_set))' $(python) compare $(SLOT)
tutorial:
	@$(release) rm -rf build/tutorial && $(python) tutorial build/tutorial && cmp build/tutorial/work/flows.svg \
	    scripts/pictures/flows.svg
block:
	@$(release) $(call with,CC VERILATOR PYTHON $(if $(FROM),NAME MODULE PARAMETERS)) $(python) block \
	    $(if $(FROM),--from '$(FROM)','$(NAME)' $(if $(FOLDER),'$(FOLDER)'))
# Programs, recordings and builds that are stopped at random moments, KILLS times by each signal.
kill: $(BUILT)/tb/system/test_kill
	@$(replacing) KILLS=$(or $(KILLS),20) $(call test_run,kill,$(BUILT) tb/system/test_kill)
# Random inputs for all that parses (tb/fuzz/targets), SECONDS for each target.
fuzz: $(GENERATED)
	@$(replacing) $(call with,MAKE JOBS SECONDS VERILATOR PASSES) '$(PYTHON)' scripts/fuzz.py $(TARGET)
# Changes of the RTL, and whether the tests notice: MODULE, COUNT of each module, QUICK=1.
mutants: $(GENERATED)
	@$(replacing) $(call with,MAKE YOSYS JOBS MODULE COUNT SEED QUICK SECONDS) $(python) mutants
# Systems in which all that can be is switched at random, in full traffic: COUNT runs of each kind.
lives := $(filter $(chosen),$(addprefix tb/system/test_,life fabric_life roce_life))
life: $(addprefix $(bin)/,$(lives))
	$(call stop,$(lives),TEST=$(TEST): expected tb/system/test_life$(comma) test_fabric_life or test_roce_life)
	@$(replacing) LONG_FORM=1 COUNT=$(COUNT) $(call test_run,life,$(bin) $(lives))
# What of the RTL the tests run: TEST, MODULE, BASE=older.json.
coverage: $(GENERATED)
	$(if $(slots_set),$(error $(slots_set): means nothing for make coverage, which counts what ships))
	@$(replacing) $(call with,MAKE JOBS SEED MODULE BASE) $(python) coverage $(chosen)
turnaround: ; @$(replacing) MAKE='$(MAKE)' scripts/turnaround.sh
# TSan without TEST: the programs in which threads, ranks or tasks share something. It wants addresses that it knows,
# which kernels with more random bits do not give.
of_threads := $(addprefix tb/unit/runtime/test_,clocks lanes lookahead machine run_waves runs tasks) \
              $(addprefix tb/system/test_,disk disk_server lanes ranks rest windows) tb/unit/sw/test_notify
as_it_knows = $(if $(filter thread,$(SANITIZE)),$(shell setarch -R true 2>/dev/null && echo setarch -R))
sanitize:
	+$(Q)$(replacing) $(as_it_knows) $(MAKE) --no-print-directory SANITIZE=$(or $(SANITIZE),1) CFLAGS='-O1 -g' \
	    TEST='$(if $(filter-out tb,$(TEST)),$(TEST),$(if $(filter thread,$(SANITIZE)),$(of_threads),tb/))' test
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
include $(addprefix scripts/mk/,run.mk linux.mk)
endif

ifeq ($(BUILD),)
clean:
	rm -rf build
endif
# Recipes get the language from what is exported.
ifeq ($(times_shown),)
SHELL := /bin/sh
endif
FORCE:
