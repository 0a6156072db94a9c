# ---- tools and settings; override on the command line: make CC=clang sim ----
# CHECK=1 checks goals and variables, and needs no tools.
checking   := $(and $(findstring command line,$(origin CHECK)),$(filter 1,$(CHECK)))
found       = $(if $(checking),,$(shell $(1)))
# A variable of that origin, or one that has been set so before, gets this value.
preset      = $(if $(filter $(2),$(origin $(1)))$(filter $(1),$(found_here)),$(eval \
              found_here += $(1))$(eval $(1) := $(3)))
found_here :=
# Variables as they are handed to a script.
with        = $(foreach v,$(1),$(v)='$($(v))')
$(foreach t,IVERILOG?=iverilog YOSYS?=yosys GTKWAVE?=gtkwave PKG_CONFIG?=pkg-config AR:=gcc-ar OBJCOPY:=objcopy,$(eval \
    $(t)))
PYTHON     ?= $(or $(wildcard /usr/bin/python3),python3)
python      = '$(PYTHON)' -S scripts/tool.py
# Looked for again behind the set-up, which may have installed them.
define find_tools
# Verilator itself, without the Perl script around it, whose start takes as long as it takes to read most modules.
$(call preset,VERILATOR,undefined,$(or $(call found,v=$$(command -v verilator) && [ -x "$${v}_bin" ] && \
    echo verilator_bin),verilator))
CCACHE     := $(call found,command -v ccache 2>/dev/null)
$(call preset,CC,default,$(CCACHE) gcc)
$(call preset,CXX,default,$(CCACHE) g++)
# Models run fastest when clang compiles them, and with clang 16 a fifth faster than with Debian 12's own 14.
CLANG_CXX  := $(notdir $(call found,scripts/setup.sh --clang 2>/dev/null))
$(call preset,MODEL_CXX,undefined,$(if $(and $(filter file,$(origin CXX)),$(CLANG_CXX)),$(CCACHE) $(CLANG_CXX),$(CXX)))
endef
$(eval $(value find_tools))
# What is built, and how many test programs run, at the same time.
$(call preset,JOBS,undefined,$(or $(call found,nproc),1))
.DEFAULT_GOAL := help
.DELETE_ON_ERROR .SUFFIXES:
MAKEFLAGS += --no-builtin-rules
$(if $(filter 0,$(MAKELEVEL)$(filter -j%,$(MAKEFLAGS))),$(eval MAKEFLAGS += -j$(JOBS)))
# What is generated must not depend on the user's language: tolower() of I, the order of sort.
SHELL := $(if $(filter-out C,$(or $(LC_ALL),none)),env LC_ALL=C )/bin/sh
export LC_ALL := C
# Python leaves nothing beside the scripts, also not for a moment; what is kept for tool.py is in build/pycache.
export PYTHONDONTWRITEBYTECODE := 1
# Recipes write $@.part, which becomes $@ when it is whole: a build may be killed at any time.
whole = mv $@.part $@
# A recipe makes the folder of its target first, and may say what it builds.
define into
@mkdir -p $(@D)$(if $(1), && echo "  $(1) $(2)")
$(Q)
endef
# What runs long is no shell's child: it gets the signals that make gets, and make waits for it. If make is killed, it
# gets SIGTERM. From then on others may build.
release    = $(if $(lock_holder),kill $(lock_holder) 2>/dev/null;)
as_ours   := exec $(if $(call found,command -v setpriv 2>/dev/null),setpriv --pdeathsig TERM) env
replacing  = $(release) $(as_ours)
# A file with this text, which becomes newer only if the text changes.
note = @mkdir -p $(@D); echo '$(1)' | cmp -s - $@ || echo '$(1)' >$@
