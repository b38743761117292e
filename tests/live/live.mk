# SPDX-License-Identifier: MIT
# Targets of the live tests: one program per file of tests/live/targets.

LIVE_SRC := $(wildcard tests/live/targets/*.c)
LIVE_BIN := $(LIVE_SRC:tests/live/targets/%.c=$(BUILD)/live/%) $(BUILD)/live/odd-static \
	$(if $(filter x86_64,$(shell uname -m)),$(BUILD)/live/target32)

# Those that change others; what is changed is a plain program, never with sanitizers.
LIVE_ACTORS := $(BUILD)/live/inject $(BUILD)/live/battery

$(LIVE_ACTORS): $(BUILD)/live/%: tests/live/targets/%.c $(BUILD)/libthp.a
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE -Iinclude $(WARN) -O2 -g $(SANFLAGS) $^ -pthread -o $@

$(BUILD)/live/%: tests/live/targets/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O2 -g $< -pthread -o $@

$(BUILD)/live/odd-static: tests/live/targets/odd.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O2 -g -static $< -pthread -o $@

# Without a C library, so that no 32-bit one is needed.
$(BUILD)/live/target32: tests/live/targets/target32.S
	@mkdir -p $(@D)
	$(CC) -m32 -nostdlib -static $< -o $@

live-targets: $(LIVE_BIN)

.PHONY: live-targets
