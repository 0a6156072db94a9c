# ---- guests of make linux: the kernel, its module, and programs for user space (sw/linux) ----
linux_user := $(patsubst %.c,$(SHARED)/obj/%.o,$(wildcard sw/linux/user/nx_*.c)) $(SHARED)/lib/sw/driver.a \
              $(SHARED)/lib/sw/switch.a
linux_bin  := $(patsubst sw/programs/%.c,build/linux/bin/%,$(wildcard sw/programs/*.c))
# Static: a guest starts them faster.
link_linux  = $(call into,LINK   ,$@)$(CC) -static -o $@.part -Wl,--start-group $^ -Wl,--end-group -lm && $(whole)
$(linux_bin): build/linux/bin/%: $(SHARED)/obj/sw/programs/%.o $(SHARED)/obj/sw/linux/user/host.o $(linux_user)
	$(link_linux)
build/linux/bin/nicxbar-file: $(SHARED)/obj/tb/linux/nicxbar_file.o $(linux_user) ; $(link_linux)
linux-guest: $(linux_bin) build/linux/bin/nicxbar-file
	@JOBS=$(JOBS) $(python) linux build/linux
.PHONY: linux-guest
