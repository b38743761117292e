# SPDX-License-Identifier: MIT
# Targets of the live tests: one program per file of tests/live/targets.

LIVE_SRC := $(filter-out %-32.c,$(wildcard tests/live/targets/*.c))
LIVE_BIN := $(LIVE_SRC:tests/live/targets/%.c=$(BUILD)/live/%)

$(BUILD)/live/%: tests/live/targets/%.c $(BUILD)/libthp.a
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE -Iinclude $(WARN) -O2 -g $< $(BUILD)/libthp.a -pthread -o $@

live-targets: $(LIVE_BIN)

.PHONY: live-targets
