# SPDX-License-Identifier: MIT
# The whole build. Everything it makes goes to $(BUILD).
#
#: make            build the command, its verbs and the library
#: make run        build, then run one real program in every mode and show what it got
#: make check      build, then run all tests; as root it installs what they need
#: make soak       changes running processes 100,000 times, and is killed 3,000 times
#: make lint       clang-format, cppcheck, shellcheck, clang-tidy
#: make bench      all benchmarks; make bench-NAME, one of them (THPMAPS=: see bench/map/run.sh)
#: make conformance     the table of what this kernel does with THP, and a JSON of it
#: make lab-kernels     the same on every Debian kernel that can be had, in QEMU
#: make lab-short       two of these kernels against what was seen before, and four nodes
#: make lab-numa        local and remote memory on NODES=4 nodes, in QEMU
#: make lab-compare     compare on four nodes, in QEMU: does it see what is remote?
#: make workloads       the open workloads
#: make table           the mail's table of them: THP off and on, in five minutes; also table.html
#: make install    to $(DESTDIR)$(PREFIX)
#: SAN=1           with address and undefined-behaviour sanitizers

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
LIBEXECDIR ?= $(PREFIX)/libexec/thpctl
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DESTDIR ?=

VERSION := $(shell sed -n 's/^.define THP_VERSION "\(.*\)"/\1/p' include/thp.h)
SONAME := libthp.so.0

BUILD := build$(if $(SAN),/san)
OBJ := $(BUILD)/obj
comma := ,

CC ?= gcc
CFLAGS ?= -O2 -g
SANFLAGS := $(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer)
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 \
	$(if $(NO_WERROR),,-Werror)
BASE_CFLAGS := -std=gnu17 -D_GNU_SOURCE -Iinclude -DLIBEXECDIR='"$(LIBEXECDIR)"' \
	-fvisibility=hidden $(WARN) -MMD -MP

# The front is started once for every command that people run. Static, and by musl where there is
# one, it costs a fifth of what a dynamic program does. Sanitizers need the usual C library.
MUSL_CC := $(if $(SAN),,$(shell command -v musl-gcc))
FRONT_CC := $(or $(MUSL_CC),$(CC))
FRONT_CFLAGS := $(if $(SAN),$(SANFLAGS) -O1 -g,-Os -ffunction-sections -fdata-sections)
FRONT_LDFLAGS := $(if $(SAN),$(SANFLAGS),-static -no-pie -Wl$(comma)--gc-sections)

# One verb is one executable, of cli/cmd-VERB.c and what it takes from the archive of the rest.
VERBS := show map-json top set collapse split compare rules
LIBS_show = $(shell pkg-config --libs jansson)
LIBS_map-json = $(shell pkg-config --libs jansson)
LIBS_top = $(shell pkg-config --libs ncursesw)
LIBS_set = $(shell pkg-config --libs jansson)
LIBS_collapse = $(shell pkg-config --libs jansson)
LIBS_split = $(shell pkg-config --libs jansson)
LIBS_compare = $(shell pkg-config --libs jansson inih) -lm
LIBS_rules = $(shell pkg-config --libs jansson inih)

# map is the front's: it needs no library but ours. Its JSON is a program apart.
FRONT_CLI := cli/map-main.c cli/map-text.c cli/map-svg.c cli/map-group.c cli/picture.c \
	cli/cause-text.c cli/family.c cli/options.c

FRONT_SRC := cli/main.c cli/cmd-run.c cli/cmd-map.c cli/exec-command.c
FRONT_COMMON := cli/output.c cli/exec-verb.c common/say.c common/escape.c common/nearest.c common/number.c
VERB_SRC := $(VERBS:%=cli/cmd-%.c)
# exec-command.c is the front's and compare's: both become the command.
CLI_SRC := $(filter-out cli/main.c cli/cmd-%,$(wildcard cli/*.c cli/compare/*.c))
COMMON_SRC := $(wildcard common/*.c)
LIB_SRC := $(wildcard lib/*.c)

VERB_BIN := $(VERBS:%=$(BUILD)/thpctl-%)
LIBTHP := $(BUILD)/libthp.a $(BUILD)/$(SONAME)

all: $(BUILD)/thpctl $(VERB_BIN) $(LIBTHP) $(BUILD)/thpd

# ---- the front --------------------------------------------------------------------------------

$(OBJ)/front/%.o: %.c
	@mkdir -p $(@D)
	$(FRONT_CC) $(BASE_CFLAGS) $(CPPFLAGS) $(FRONT_CFLAGS) -c $< -o $@

# From an archive, so that no more than what is used is linked: a smaller image faults less.
$(BUILD)/libfront.a: $(patsubst %.c,$(OBJ)/front/%.o,$(FRONT_COMMON) $(FRONT_CLI) $(LIB_SRC))
	rm -f $@
	ar rcs $@ $^

$(BUILD)/thpctl: $(FRONT_SRC:%.c=$(OBJ)/front/%.o) $(BUILD)/libfront.a
	$(FRONT_CC) $(FRONT_LDFLAGS) $(LDFLAGS) $^ -o $@

# ---- the library and the verbs ----------------------------------------------------------------

# Position-independent throughout, so that one set of objects serves .a and .so.
$(OBJ)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(SANFLAGS) -fPIC -c $< -o $@

$(BUILD)/libthp.a: $(LIB_SRC:%.c=$(OBJ)/%.o)
	rm -f $@
	ar rcs $@ $^

$(BUILD)/$(SONAME): $(LIB_SRC:%.c=$(OBJ)/%.o) lib/libthp.map
	$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=lib/libthp.map -Wl,-z,defs \
		$(SANFLAGS) $(LDFLAGS) $(filter %.o,$^) -o $@

$(BUILD)/libcli.a: $(patsubst %.c,$(OBJ)/%.o,$(CLI_SRC) $(COMMON_SRC))
	rm -f $@
	ar rcs $@ $^

# Archives may need each other.
GROUP = $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group

# Bound at once: while another process is held is no time to look symbols up.
$(VERB_BIN): $(BUILD)/thpctl-%: $(OBJ)/cli/cmd-%.o $(BUILD)/libcli.a $(BUILD)/libthp.a
	$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -Wl,-z,now $(GROUP) $(LIBS_$*) -o $@

# It reads rules as thpd does.
$(BUILD)/thpctl-rules: $(BUILD)/libdaemon.a

# ---- the daemon --------------------------------------------------------------------------------

DAEMON_SRC := $(filter-out daemon/main.c,$(wildcard daemon/*.c))
LIBS_thpd = $(shell pkg-config --libs jansson inih)

$(BUILD)/libdaemon.a: $(DAEMON_SRC:%.c=$(OBJ)/%.o)
	rm -f $@
	ar rcs $@ $^

$(BUILD)/thpd: $(OBJ)/daemon/main.o $(BUILD)/libdaemon.a $(BUILD)/libcli.a $(BUILD)/libthp.a
	$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -Wl,-z,now $(GROUP) $(LIBS_thpd) -o $@

# ---- running and measuring --------------------------------------------------------------------

$(BUILD)/bench/halves: bench/demo/halves.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) $(CFLAGS) -static $< -o $@

$(BUILD)/bench/launch: bench/launch/launch.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) $(CFLAGS) $< -o $@

# What is missing is installed before make looks for it, hence a second make.
run:
	@dist/deps build
	@$(MAKE) --no-print-directory -s all $(BUILD)/bench/halves
	@BUILD=$(BUILD) sh bench/demo/run.sh

bench-launch: $(BUILD)/bench/launch $(BUILD)/thpctl
	@dist/deps bench
	$(BUILD)/bench/launch $(BUILD)/thpctl

$(BUILD)/bench/map: bench/map/map.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) $(CFLAGS) $< -o $@

bench-map: $(BUILD)/bench/map all
	@dist/deps bench
	@BUILD=$(BUILD) THPMAPS=$(THPMAPS) bench/map/run.sh

$(BUILD)/bench/stop-watch: bench/stop/watch.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE $(WARN) -O2 $< -o $@

bench-stop: all $(BUILD)/bench/stop-watch
	@dist/deps bench
	bench/stop/run

# Runs for some minutes; wants a machine that is quiet otherwise.
bench-compare: all $(BUILD)/bench/halves
	@dist/deps bench
	bench/compare/overhead.sh $(BUILD)/thpctl $(BUILD)/bench/halves
	bench/compare/false-alarms.sh $(BUILD)/thpctl

bench-bandwidth: all workloads
	@dist/deps bench
	bench/compare/bandwidth.sh $(BUILD)/thpctl $(WL_BUILD)/bandwidth

bench-drift: all workloads
	@dist/deps bench
	bench/compare/drift.sh $(BUILD)/thpctl $(WL_BUILD)/extrawork

bench: bench-launch bench-map bench-stop bench-compare bench-bandwidth bench-drift

# What is missing is installed before make looks for it, hence a second make.
table:
	@dist/deps build bench
	@$(MAKE) --no-print-directory -s all workloads
	@BUILD=$(BUILD) bench/compare/table.sh $(BUILD)/thpctl

# The open workloads: what `thpctl compare` and the lab run.
include bench/workloads/rules.mk

# ---- tests ------------------------------------------------------------------------------------

TESTS := $(BUILD)/tests

# One file of tests/unit is one suite and one program.
UNIT := $(patsubst tests/unit/%.c,$(TESTS)/unit/%,$(filter-out %/main.c,$(wildcard tests/unit/*.c)))

$(OBJ)/tests/unit/%.o: CPPFLAGS += -DTESTS_ROOTS='"$(CURDIR)/tests/roots"'

.SECONDARY: $(OBJ)/tests/unit/main.o $(UNIT:$(TESTS)/%=$(OBJ)/tests/%.o)
$(TESTS)/unit/%: $(OBJ)/tests/unit/%.o $(OBJ)/tests/unit/main.o $(BUILD)/libcli.a \
		$(BUILD)/libdaemon.a $(BUILD)/libthp.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) $(GROUP) $(shell pkg-config --libs check jansson inih) -lm -o $@

# One file of tests/fuzz is one target. make check replays its corpus; make fuzz-NAME looks for
# more, with libFuzzer (clang), for FUZZ_SECONDS.
FUZZ := $(patsubst tests/fuzz/%.c,$(TESTS)/fuzz/%,$(filter-out %/replay.c,$(wildcard tests/fuzz/*.c)))
FUZZ_SECONDS ?= 60
FUZZED_SRC := $(LIB_SRC) $(COMMON_SRC) daemon/glob.c daemon/script.c \
	$(wildcard daemon/rules*.c daemon/subject*.c)

.SECONDARY: $(OBJ)/tests/fuzz/replay.o $(FUZZ:$(TESTS)/%=$(OBJ)/tests/%.o)
$(TESTS)/fuzz/%: $(OBJ)/tests/fuzz/%.o $(OBJ)/tests/fuzz/replay.o $(BUILD)/libcli.a \
		$(BUILD)/libdaemon.a $(BUILD)/libthp.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) $(GROUP) $(shell pkg-config --libs inih) -o $@

# A program that tests/run can start: the target with its corpus.
$(TESTS)/fuzz/%.t: $(TESTS)/fuzz/%
	printf '#!/bin/sh\nexec "%s" "%s"\n' "$(abspath $<)" "$(CURDIR)/tests/fuzz/corpus/$*" > $@
	chmod +x $@

fuzz-%:
	@mkdir -p $(BUILD)/fuzz/$*
	clang $(BASE_CFLAGS) -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/$*.c $(FUZZED_SRC) \
		$(shell pkg-config --libs inih jansson) -o $(BUILD)/fuzz/fuzz-$*
	$(BUILD)/fuzz/fuzz-$* -max_total_time=$(FUZZ_SECONDS) $(BUILD)/fuzz/$* \
		tests/fuzz/corpus/$*

# What tests run under thpctl and look at with it: plain programs, never with sanitizers.
TARGET_CFLAGS := -std=gnu17 -D_GNU_SOURCE $(WARN) -O1 -g
TARGETS := $(patsubst tests/targets/%.c,$(TESTS)/%,$(wildcard tests/targets/*.c)) \
	$(patsubst tests/live/targets-usage/%.c,$(TESTS)/%,$(wildcard tests/live/targets-usage/*.c)) \
	$(TESTS)/state-static $(TESTS)/state-musl $(TESTS)/openmp

$(TESTS)/%: tests/targets/%.c
	@mkdir -p $(@D)
	$(CC) $(TARGET_CFLAGS) $< -pthread -o $@

$(TESTS)/%: tests/live/targets-usage/%.c
	@mkdir -p $(@D)
	$(CC) $(TARGET_CFLAGS) $< -pthread -o $@

$(TESTS)/state-static: tests/targets/state.c
	@mkdir -p $(@D)
	$(CC) $(TARGET_CFLAGS) -static $< -o $@

# Where there is no musl or Fortran, the tests of it say so and are skipped.
$(TESTS)/state-musl: tests/targets/state.c
	@mkdir -p $(@D)
	-command -v musl-gcc >/dev/null && musl-gcc $(TARGET_CFLAGS) -static $< -o $@

$(TESTS)/openmp: tests/targets/openmp.f90
	@mkdir -p $(@D)
	-command -v gfortran >/dev/null && gfortran -O1 -fopenmp $< -o $@

# The kernel's half, without libthp. Also as one static file, which serves as /init elsewhere.
CONFORMANCE := $(BUILD)/tests/conformance $(BUILD)/tests/conformance-static

$(CONFORMANCE): $(wildcard tests/conformance/*.c tests/conformance/*.h)
	@mkdir -p $(@D)
	$(CC) $(TARGET_CFLAGS) -Wno-missing-prototypes $(if $(findstring -static,$@),-static) \
		$(filter %.c,$^) $(shell pkg-config --libs jansson) -o $@

# A program of one line, so that tests/run can start it.
$(TESTS)/conformance.t: $(CONFORMANCE)
	printf '#!/bin/sh\nexec "%s" --tap --json "%s"\n' "$(abspath $(TESTS)/conformance)" \
		"$(abspath $(TESTS)/conformance.json)" > $@
	chmod +x $@

conformance: $(CONFORMANCE)
	$(TESTS)/conformance --json $(TESTS)/conformance.json

TEST_PROGRAMS := $(UNIT) $(FUZZ:%=%.t) $(TESTS)/conformance.t \
	$(wildcard tests/lint/*.t tests/cli/*.t tests/live/*.t tests/compare/*.t tests/daemon/*.t \
	tests/smoke/*.t tests/conformance/*.t)
# Plain programs of others': their self-checks do not depend on how thpctl was built.
TEST_PROGRAMS += $(if $(SAN),,bench/workloads/check.t)

test: all $(UNIT) $(FUZZ) $(FUZZ:%=%.t) $(TARGETS) live-targets daemon-targets $(TESTS)/conformance.t $(if $(SAN),,workloads)
	@BUILD=$(BUILD) CONFORMANCE=$(abspath $(TESTS)/conformance) WL_BUILD=$(WL_BUILD) \
		tests/run $(TEST_PROGRAMS)

# What is missing is installed before make looks for it, hence a second make.
check:
	@dist/deps build check
	@$(MAKE) --no-print-directory test

# Hours of use in some minutes: 100,000 injections under a storm of signals, 3 x 1,000 kills.
soak: all live-targets
	@BUILD=$(BUILD) SOAK=1 TIME_LIMIT=7200 tests/run tests/live/remote-storm.t tests/live/remote-kill.t

# ---- the lab ----------------------------------------------------------------------------------

LAB_PROGRAMS = --program '$(TESTS)/conformance-static --tap --lock /tmp/thp.lock --file-dir /ramfs'
NODES ?= 4
THREADS ?= 1

lab-kernels: $(CONFORMANCE)
	@dist/deps build lab
	lab/matrix $(LAB_PROGRAMS)

lab-roots:
	@dist/deps build lab
	lab/matrix --roots tests/roots

lab-numa:
	@dist/deps build lab
	lab/numa --nodes $(NODES) --threads-per-node $(THREADS) --count

lab-plugin-check:
	@dist/deps build lab
	lab/plugin/selftest

lab-figures:
	@dist/deps build lab
	lab/figures

# For a guest, which has nothing but what is brought along.
$(BUILD)/lab/thpctl-compare: $(OBJ)/cli/cmd-compare.o $(BUILD)/libcli.a $(BUILD)/libthp.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -static $^ $(LIBS_compare) -o $@

lab-compare: $(BUILD)/lab/thpctl-compare workloads-musl
	@dist/deps build lab
	lab/compare $(BUILD)/lab/thpctl-compare $(WL_BUILD)/musl/touchwalk

lab-short: $(CONFORMANCE)
	@dist/deps build lab
	lab/short $(LAB_PROGRAMS)

# ---- lint -------------------------------------------------------------------------------------

C_FILES = $(shell git ls-files '*.c')
SH_FILES = $(shell git ls-files | xargs -r grep -lE '^.!/(usr/)?bin/(env )?(ba)?sh' --)

lint:
	@dist/deps build lint
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --std=c11 \
		--inline-suppr -Iinclude $(C_FILES)
	clang-format --dry-run --Werror $(shell git ls-files '*.c' '*.h')
	shellcheck -x $(SH_FILES)
	@echo clang-tidy
	@printf '%s\n' $(filter lib/% cli/% common/%,$(C_FILES)) | xargs -P 2 -n 8 sh -c \
		'clang-tidy --quiet "$$@" -- $(subst ','\'',$(BASE_CFLAGS)) 2>/dev/null' tidy

# ---- installing -------------------------------------------------------------------------------

install: all
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR) \
		$(DESTDIR)$(LIBEXECDIR)
	install -m 755 $(BUILD)/thpctl $(DESTDIR)$(BINDIR)/thpctl
	install -m 755 $(VERB_BIN) $(DESTDIR)$(LIBEXECDIR)
	install -m 644 include/thp.h $(DESTDIR)$(INCLUDEDIR)/thp.h
	install -m 644 $(BUILD)/libthp.a $(DESTDIR)$(LIBDIR)/libthp.a
	install -m 644 $(BUILD)/$(SONAME) $(DESTDIR)$(LIBDIR)/libthp.so.$(VERSION)
	ln -sf libthp.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libthp.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
		lib/libthp.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/libthp.pc
	chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/libthp.pc
	man/install.sh $(DESTDIR)$(MANDIR)
	install -D -m 644 completions/thpctl.bash \
		$(DESTDIR)$(DATADIR)/bash-completion/completions/thpctl
	install -D -m 644 completions/_thpctl $(DESTDIR)$(DATADIR)/zsh/site-functions/_thpctl
	install -D -m 644 completions/thpctl.fish \
		$(DESTDIR)$(DATADIR)/fish/vendor_completions.d/thpctl.fish

include tests/live/live.mk
include tests/daemon/daemon.mk

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

clean:
	rm -rf build

help:
	@sed -n 's/^#: //p' Makefile

.PHONY: soak all run bench bench-bandwidth bench-compare bench-drift bench-launch bench-map bench-stop test check conformance lint install clean help
.PHONY: lab-compare lab-kernels lab-roots lab-numa lab-plugin-check lab-figures lab-short
.DELETE_ON_ERROR:
