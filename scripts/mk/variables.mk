# ---- goals and variables, checked by build/nicxbar (sim/app/launcher) before anything is built; then the tools ----
# What it says are words of the form name=text. A refusal stops make.
quote := '
comma := ,
quoted = '$(subst $(quote),'\'',$(value $(1)))'
stop   = $(if $(1),,$(error $(2)))
refuse = $(if $(1),$(error $(1)))
missing := stopped: tools are missing, see above
made  := $(if $(filter help,$(goals)),,$(filter-out help-all clean,$(goals)))
# BUILD=folder: there are links to the files of this tree, and make goes on there. Nothing is written here.
ifneq ($(and $(BUILD),$(made)),)
elsewhere:
	@scripts/elsewhere.sh '$(BUILD)'
	@unset MAKELEVEL; exec env MAKEFLAGS='$(subst ','\'',$(filter-out -j% --jobserver%,$(MAKEFLAGS)))' '$(MAKE)' \
	    -C '$(BUILD)' --no-print-directory BUILD= $(elsewhere)
$(goals): elsewhere ; @:
elsewhere := $(goals)
made      :=
else ifneq ($(made)$(MAKEOVERRIDES),)
$(call stop,$(shell mkdir -p build 2>/dev/null && test -w build && echo yes),$(CURDIR)/build cannot be written; \
    expected a tree of your own$(comma) or BUILD=folder to build in: make BUILD=/tmp/nicxbar $(goals))
# Where the launcher cannot be built, as without a compiler, the tools come first; help and distro do without.
without := $(filter distro,$(goals))$(if $(made),,help)
ready    = $(shell $(call with,NO_INSTALL VERILATOR IVERILOG YOSYS GTKWAVE) scripts/setup.sh $(1) >&2 && echo ready)
ask      = $(shell MAKELEVEL=$(MAKELEVEL) MAKE='$(MAKE)' scripts/launcher.sh make '$(goals)' \
           '$(subst $(quote),'\'',$(MAKEOVERRIDES))')
said    := $(ask)
said    := $(or $(said),$(if $(without),,$(call stop,$(call ready,build),$(missing))$(ask)))
says     = $(subst ␣, ,$(patsubst $(1)=%,%,$(filter $(1)=%,$(said))))
$(call stop,$(said)$(without),stopped: build/nicxbar cannot be built$(comma) see above)
$(call refuse,$(call says,wrong))
# The environment may say what builds, and nothing else: FILE or NODES may be there for something else.
$(foreach v,$(call says,environment),$(if $(findstring environment,$(origin $(v))),$(eval override undefine $(v))))
endif
slot_variables := $(shell awk '/^[A-Z]/ { print $$1 }' scripts/slots)
SEED ?= 1
.PHONY: $(call says,phony) distro
ifneq ($(filter distro,$(goals)),)
# The last commit in a bare Debian. Of this machine it needs no tool but those that scripts/distro.py names.
distro_options := '$(RELEASE)' $(if $(ARCH),--arch '$(ARCH)') $(if $(GOALS),--goals '$(GOALS)') \
                  $(if $(filter 1,$(REMOVE)),--remove) $(if $(filter 1,$(DOC)),--doc)
$(call refuse,$(call found,scripts/distro.py $(distro_options) --check 2>&1))
distro: ; @$(if $(checking),:,exec scripts/distro.py $(distro_options))
made :=
endif
# FAULTS=help: the launcher prints the classes, and nothing is built.
ifneq ($(call says,answer),)
answer: ; @$(if $(checking),:,build/nicxbar help faults $(call says,answer))
$(goals): answer ; @:
made :=
endif
ifneq ($(made),)
not_one_of = $(filter-out 0 1,$(words $(1)))$(filter-out $(2),$(1))
$(foreach k,given scenario system run packet_mode disk linux chip coherent,$(eval $(k)_variables := $(call says,$(k))))
options_of = $(strip $(foreach v,$(1),$(call says,--$(v))))
WAVES := $(or $(WAVES),$(if $(WAVE_FROM)$(WAVE_TO)$(WAVE_BEFORE)$(WAVE_SIZE),1))
# A command that measures: what it prints goes into the texts, too.
in_texts = $(if $(filter 1,$(DOC)),$(call with,VERILATOR YOSYS) $(python) doc '$(1)')
ifneq ($(filter-out 0,$(TIMES)),)
export TIMES_IN := build/times
$(call found,[ '$(MAKELEVEL)' != 0 ] || { mkdir -p build; rm -f $(TIMES_IN); })
# What make itself asks for is no recipe.
SHELL = $(if $@,$(python) times $@,/bin/sh)
times_shown = ; code=$$?; $(python) times --show $(TIMES_IN); exit $$code
endif
results := $(or $(OUT),build)
roce := $(filter roce,$(CHIP))
coherent := $(if $(filter sim cycles,$(goals)),$(NODE))
# Several links: programs of their own, whose NICs are named by NIC and LINKS.
$(if $(filter 0,$(SWITCHES)),$(eval override SWITCH := 0))
several := $(filter 2 4,$(LINKS))
bundle  := $(if $(and $(several),$(filter byte,$(BOND))),$(LINKS)links)
paths   := $(if $(bundle),,$(several:=paths))
override LINKS :=
# make cycles TEST=...: of the models of tests, not of a system.
test_cycles := $(and $(filter cycles,$(goals)),$(TEST))
# BASE: another commit that make speed measures alternately with this one.
$(call refuse,$(if $(and $(filter speed,$(goals)),$(BASE)),$(shell $(python) speed --check \
    $(call quoted,BASE))))
cycles_options := $(if $(SORT),--sort $(SORT)) $(if $(THRESHOLD),--threshold $(THRESHOLD)) \
                  $(if $(filter cycles,$(goals)),$(if $(BASE),--base $(call quoted,BASE)))
# One make builds at a time in this folder; those that it starts are part of it, as is one that has restarted.
dry_run := $(strip $(foreach f,n q,$(findstring $(f),$(filter-out --%,$(firstword -$(MAKEFLAGS))))))
lock_holder := $(strip $(if $(filter 0,$(MAKELEVEL)$(MAKE_RESTARTS)$(dry_run)$(filter 1,$(CHECK))),\
               $(shell mkdir -p build && exec scripts/lock.sh build/lock)))
$(if $(filter 1,$(CHECK)),,$(call stop,$(call ready,$(call says,needs)),$(missing)))
$(eval $(value find_tools))
endif
