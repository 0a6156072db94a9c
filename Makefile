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
include $(addprefix scripts/mk/,$(addsuffix .mk,generate models c tests run linux synth))
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
