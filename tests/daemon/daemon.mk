# SPDX-License-Identifier: MIT
# Targets of the daemon's tests and benchmark: plain programs, never with sanitizers.

DAEMON_TARGETS := $(patsubst tests/daemon/targets/%.c,$(BUILD)/daemon/%,\
	$(wildcard tests/daemon/targets/*.c)) $(BUILD)/daemon/tiny $(BUILD)/daemon/mode

# Static: nothing of a loader runs before their first line.
$(BUILD)/daemon/%: tests/daemon/targets/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O2 -g -static $< -pthread -o $@

$(BUILD)/daemon/tiny: tests/daemon/targets/tiny.S
	@mkdir -p $(@D)
	$(CC) -nostdlib -static $< -o $@

# Looks into others by libthp.
$(BUILD)/daemon/mode: tests/daemon/tools/mode.c $(BUILD)/libthp.a
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE -Iinclude $(WARN) -O2 -g $(SANFLAGS) $^ -pthread -o $@

daemon-targets: $(DAEMON_TARGETS)

.PHONY: daemon-targets
