# ---- tools and settings; override on the command line: make CC=clang sim ----
# CHECK=1 checks goals and variables, and needs no tools.
checking   := $(and $(findstring command line,$(origin CHECK)),$(filter 1,$(CHECK)))
# Verilator itself, without the Perl script around it, whose start takes as long as it takes to read most modules.
ifeq ($(origin VERILATOR),undefined)
VERILATOR  := $(if $(checking),,$(shell v=$$(command -v verilator) && [ -x "$${v}_bin" ] && echo verilator_bin || \
              echo verilator))
endif
IVERILOG   ?= iverilog
YOSYS      ?= yosys
GTKWAVE    ?= gtkwave
PYTHON     ?= $(or $(wildcard /usr/bin/python3),python3)
PKG_CONFIG ?= pkg-config
CCACHE     := $(if $(checking),,$(shell command -v ccache 2>/dev/null))
ifeq ($(origin CC),default)
CC         := $(CCACHE) gcc
endif
ifeq ($(origin CXX),default)
CXX        := $(CCACHE) g++
endif
# What Verilator prints runs fastest when clang compiles it, and with clang 16 a fifth faster than with Debian 12's
# own 14.
CLANG_CXX  := $(if $(checking),,$(notdir $(shell scripts/setup.sh --clang 2>/dev/null)))
ifeq ($(origin MODEL_CXX),undefined)
MODEL_CXX  := $(if $(and $(filter file,$(origin CXX)),$(CLANG_CXX)),$(CCACHE) $(CLANG_CXX),$(CXX))
endif
AR         := gcc-ar
OBJCOPY    := objcopy
# What is built, and how many test programs run, at the same time.
JOBS       ?= $(if $(checking),1,$(shell nproc))
JOBS       := $(JOBS)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(JOBS)
endif
# What is generated must not depend on the user's language: tolower() of I, the order of sort.
SHELL := $(if $(filter-out C,$(or $(LC_ALL),none)),env LC_ALL=C )/bin/sh
export LC_ALL := C
# Recipes write $@.part, which becomes $@ when it is whole: a build may be killed at any time.
whole = mv $@.part $@
# What runs long is no shell's child: it gets the signals that make gets, and make waits for it. If make is killed, it
# gets SIGTERM. From then on others may build.
release    = $(if $(lock_holder),kill $(lock_holder) 2>/dev/null;)
as_ours   := exec $(if $(if $(checking),,$(shell command -v setpriv 2>/dev/null)),setpriv --pdeathsig TERM) env
replacing  = $(release) $(as_ours)
# A file with this text, which becomes newer only if the text changes.
note = @mkdir -p $(@D); echo '$(1)' | cmp -s - $@ || echo '$(1)' >$@
