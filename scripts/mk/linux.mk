# ---- guests of make linux: the kernel, its module, and programs for user space (sw/linux) ----
linux_user := $(patsubst %.c,$(SHARED)/obj/%.o,$(wildcard sw/linux/user/*.c)) $(SHARED)/lib/sw/driver.a \
              $(SHARED)/lib/sw/switch.a
linux_bin  := $(patsubst sw/programs/%.c,build/linux/bin/%,$(wildcard sw/programs/*.c))
# Static: a guest starts them faster.
$(linux_bin): build/linux/bin/%: $(SHARED)/obj/sw/programs/%.o $(linux_user)
	$(call into,LINK   ,$@)$(CC) -static -o $@.part -Wl,--start-group $^ -Wl,--end-group -lm && $(whole)
linux-guest: $(linux_bin)
	@JOBS=$(JOBS) $(python) linux build/linux
.PHONY: linux-guest
