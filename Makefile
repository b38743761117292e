# SPDX-License-Identifier: MIT
# The whole build. Everything it makes goes to $(BUILD).
#
#: make            build the command, its verbs and the library
#: make run        build, then run one real program in every mode and show what it got
#: make check      build, then run all tests; as root it installs what they need
#: make lint       clang-format, cppcheck, shellcheck, clang-tidy
#: make bench      all benchmarks; make bench-NAME, one of them
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
VERBS := show compare
LIBS_show = $(shell pkg-config --libs jansson)
LIBS_compare = $(shell pkg-config --libs jansson inih) -lm

FRONT_SRC := cli/main.c cli/cmd-run.c cli/exec-command.c cli/exec-verb.c
FRONT_COMMON := common/say.c common/escape.c common/nearest.c
VERB_SRC := $(VERBS:%=cli/cmd-%.c)
# exec-command.c is the front's and compare's: both become the command in a process of their own.
CLI_SRC := $(filter-out cli/main.c cli/exec-verb.c cli/cmd-%,$(wildcard cli/*.c cli/compare/*.c))
COMMON_SRC := $(wildcard common/*.c)
LIB_SRC := $(wildcard lib/*.c)

VERB_BIN := $(VERBS:%=$(BUILD)/thpctl-%)
LIBTHP := $(BUILD)/libthp.a $(BUILD)/$(SONAME) $(BUILD)/libthp.pc

all: $(BUILD)/thpctl $(VERB_BIN) $(LIBTHP)

# ---- the front --------------------------------------------------------------------------------

$(OBJ)/front/%.o: %.c
	@mkdir -p $(@D)
	$(FRONT_CC) $(BASE_CFLAGS) $(CPPFLAGS) $(FRONT_CFLAGS) -c $< -o $@

# From an archive, so that no more than what is used is linked: a smaller image faults less.
$(BUILD)/libfront.a: $(patsubst %.c,$(OBJ)/front/%.o,$(FRONT_COMMON) $(LIB_SRC))
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

$(BUILD)/libthp.pc: lib/libthp.pc.in include/thp.h Makefile
	@mkdir -p $(@D)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' $< > $@

$(BUILD)/libcli.a: $(patsubst %.c,$(OBJ)/%.o,$(CLI_SRC) $(COMMON_SRC))
	rm -f $@
	ar rcs $@ $^

$(VERB_BIN): $(BUILD)/thpctl-%: $(OBJ)/cli/cmd-%.o $(BUILD)/libcli.a $(BUILD)/libthp.a
	$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) $^ $(LIBS_$*) -o $@

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

# Runs for some minutes; wants a machine that is quiet otherwise. The ruler of bench-drift comes with
# the workloads.
bench-compare: all $(BUILD)/bench/halves
	@dist/deps bench
	bench/compare/overhead.sh $(BUILD)/thpctl $(BUILD)/bench/halves
	bench/compare/false-alarms.sh $(BUILD)/thpctl

bench-drift: all
	@dist/deps bench
	bench/compare/drift.sh $(BUILD)/thpctl $(BUILD)/bench/workloads/extrawork

bench: bench-launch bench-compare

# ---- testing ----------------------------------------------------------------------------------

C_FILES = $(shell git ls-files '*.c')
SH_FILES = $(shell git ls-files | xargs -r grep -lE '^.!/(usr/)?bin/(env )?(ba)?sh' --)

lint:
	@dist/deps build lint
	cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --std=c11 \
		--inline-suppr -Iinclude $(C_FILES)
	clang-format --dry-run --Werror $(shell git ls-files '*.c' '*.h')
	shellcheck $(SH_FILES)
	@echo clang-tidy
	@printf '%s\n' $(C_FILES) | xargs -P 2 -n 8 sh -c \
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
	install -m 644 $(BUILD)/libthp.pc $(DESTDIR)$(LIBDIR)/pkgconfig/libthp.pc

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

clean:
	rm -rf build

help:
	@sed -n 's/^#: //p' Makefile

.PHONY: all run bench bench-launch bench-compare bench-drift lint install clean help
.DELETE_ON_ERROR:
