# ---- goals and variables, checked by build/nicxbar (sim/app/launcher) before anything is built; then the tools ----
# What it says are words of the form name=text. A refusal stops make.
quote := '
comma := ,
quoted = '$(subst $(quote),'\'',$(value $(1)))'
made := $(if $(filter help,$(goals)),,$(filter-out help-all clean,$(goals)))
# BUILD=folder: there are links to the files of this tree, and make goes on there. Nothing is written here.
ifneq ($(and $(BUILD),$(made)),)
.PHONY: elsewhere
elsewhere:
	@scripts/elsewhere.sh '$(BUILD)'
	@unset MAKELEVEL; exec env MAKEFLAGS='$(subst ','\'',$(filter-out -j% --jobserver%,$(MAKEFLAGS)))' '$(MAKE)' \
	    -C '$(BUILD)' --no-print-directory BUILD= $(elsewhere)
$(goals): elsewhere ; @:
elsewhere := $(goals)
made      :=
else ifneq ($(made)$(MAKEOVERRIDES),)
ifneq ($(shell mkdir -p build 2>/dev/null && test -w build && echo yes),yes)
$(error $(CURDIR)/build cannot be written; expected a tree of your own, or BUILD=folder to build in:\
    make BUILD=/tmp/nicxbar $(goals))
endif
# Where the launcher cannot be built, as without a compiler, the tools come first; help and distro do without.
without  := $(filter distro,$(goals))$(if $(made),,help)
tools_of := $(foreach t,VERILATOR IVERILOG YOSYS GTKWAVE,$(t)='$($(t))')
ready     = $(shell NO_INSTALL='$(NO_INSTALL)' $(tools_of) scripts/setup.sh $(1) >&2 && echo ready)
ask       = $(shell MAKELEVEL=$(MAKELEVEL) MAKE='$(MAKE)' scripts/launcher.sh make '$(goals)' \
            '$(subst $(quote),'\'',$(MAKEOVERRIDES))')
said     := $(ask)
ifeq ($(said)$(without),)
$(if $(call ready,build),,$(error stopped: tools are missing, see above))
said     := $(ask)
endif
says      = $(subst ␣, ,$(patsubst $(1)=%,%,$(filter $(1)=%,$(said))))
$(if $(said)$(without),,$(error stopped: build/nicxbar cannot be built, see above))
$(if $(call says,wrong),$(error $(call says,wrong)))
# The environment may say what builds; what a goal does stands on the command line alone: FILE or NODES may be there
# for something else.
$(foreach v,$(call says,environment),$(if $(findstring environment,$(origin $(v))),$(eval override undefine $(v))))
endif
slot_variables := $(shell awk '/^[A-Z]/ { print $$1 }' scripts/slots)
SEED ?= 1
.PHONY: $(call says,phony)
ifneq ($(filter distro,$(goals)),)
# The last commit in a bare Debian. Of this machine it needs no tool but those that scripts/distro.py names.
distro_options := '$(RELEASE)' $(if $(ARCH),--arch '$(ARCH)') $(if $(GOALS),--goals '$(GOALS)') \
                  $(if $(filter 1,$(REMOVE)),--remove) $(if $(filter 1,$(DOC)),--doc)
distro_wrong   := $(if $(checking),,$(shell scripts/distro.py $(distro_options) --check 2>&1))
$(if $(distro_wrong),$(error $(distro_wrong)))
.PHONY: distro
distro:
	@$(if $(checking),:,exec scripts/distro.py $(distro_options))
made :=
endif
ifneq ($(made),)
not_one_of = $(filter-out 0 1,$(words $(1)))$(filter-out $(2),$(1))
given_variables    := $(call says,given)
scenario_variables := $(call says,scenario)
system_variables   := $(call says,system)
run_variables      := $(call says,run)
packet_mode_variables := $(call says,packet_mode)
disk_variables    := $(call says,disk)
chip_variables     := $(call says,chip)
options_of          = $(strip $(foreach v,$(1),$(call says,--$(v))))
ifneq ($(WAVE_FROM)$(WAVE_TO)$(WAVE_BEFORE)$(WAVE_SIZE),)
WAVES := $(or $(WAVES),1)
endif
# A command that measures: what it prints goes into the texts, too.
in_texts = $(if $(filter 1,$(DOC)),VERILATOR='$(VERILATOR)' YOSYS='$(YOSYS)' '$(PYTHON)' scripts/doc.py '$(1)')
ifneq ($(filter-out 0,$(TIMES)),)
export TIMES_IN := build/times
$(if $(checking),,$(if $(filter 0,$(MAKELEVEL)),$(shell mkdir -p build; rm -f $(TIMES_IN))))
SHELL = scripts/times.sh $@
times_shown = ; code=$$?; scripts/times.sh --show $(TIMES_IN); exit $$code
endif
# Where results and waves go.
results := $(or $(OUT),build)
# Several links: programs of their own, whose NICs are named by NIC and LINKS.
ifeq ($(SWITCHES),0)
override SWITCH := 0
endif
ifneq ($(filter 2 4,$(LINKS)),)
bundle := $(if $(filter byte,$(BOND)),$(LINKS)links)
paths  := $(if $(bundle),,$(LINKS)paths)
endif
override LINKS :=
# make cycles TEST=...: of the models of tests, not of a system.
test_cycles := $(and $(filter cycles,$(goals)),$(TEST))
# BASE: another commit that make speed measures beside this one, by turns.
ifneq ($(filter speed,$(goals)),)
speed_nodes := $(or $(NODES),2 4 8 16)
ifneq ($(BASE),)
ifneq ($(shell git rev-parse --is-inside-work-tree 2>/dev/null),true)
$(error BASE=$(BASE): this is no clone of a git repository, or git is missing; expected both)
endif
base := $(shell git rev-parse --verify --quiet --short '$(subst $(quote),,$(BASE))^{commit}')
$(if $(base),,$(error BASE=$(BASE): no such commit here; expected one that git log shows))
endif
endif
cycles_options := $(if $(SORT),--sort $(SORT)) \
                  $(if $(filter cycles,$(goals)),$(if $(BASE),--base $(call quoted,BASE))) \
                  $(if $(THRESHOLD),--threshold $(THRESHOLD))
# One make builds at a time in this folder; those that it starts are part of it, as is one that has begun anew.
dry_run := $(strip $(foreach f,n q,$(findstring $(f),$(filter-out --%,$(firstword -$(MAKEFLAGS))))))
ifeq ($(MAKELEVEL)$(MAKE_RESTARTS)$(dry_run)$(filter 1,$(CHECK)),0)
lock_holder := $(shell mkdir -p build && exec scripts/lock.sh build/lock)
endif
ifeq ($(filter 1,$(CHECK)),)
$(if $(call ready,$(call says,needs)),,$(error stopped: tools are missing, see above))
endif
endif
