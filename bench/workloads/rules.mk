# SPDX-License-Identifier: MIT
# The open workloads, as rules for the top-level Makefile to include (paths are relative to the top).
# Alone: make -f bench/workloads/rules.mk workloads
# Debian packages: gcc, gfortran, make; musl-tools for the musl programs; perl (prove) for the tests.

WL_DIR   := bench/workloads
WL_BUILD := build/bench/workloads
WL_CC    ?= gcc
WL_FC    ?= gfortran
WL_MUSL  ?= musl-gcc
WL_WARN  := -Wall -Wextra -Werror
# -ffp-contract=off: the same numbers whether or not the compiler may use fused multiply-add.
WL_FLAGS  := -O2 -g $(WL_WARN) -ffp-contract=off
WL_CFLAGS := -std=gnu17 $(WL_FLAGS) -I$(WL_DIR)/common
WL_FFLAGS := -std=f2018 $(WL_FLAGS) -fopenmp

WL_C    := $(patsubst $(WL_DIR)/%.c,%,$(wildcard $(WL_DIR)/*.c))
WL_F    := $(patsubst $(WL_DIR)/%.f90,%,$(wildcard $(WL_DIR)/*.f90))
WL_ALL  := $(WL_C) $(WL_F)
# Threads by pthreads alone: these can be static musl programs, which an initrd holds.
WL_BARE := touchwalk chase mallocmix

WL_COMMON_H := $(WL_DIR)/common/wl.h

.PHONY: workloads workloads-static workloads-musl check-workloads check-workload-mutants
workloads: $(WL_ALL:%=$(WL_BUILD)/%)
workloads-static: $(WL_ALL:%=$(WL_BUILD)/static/%)
workloads-musl: $(WL_BARE:%=$(WL_BUILD)/musl/%)

# libgfortran.a refers to these weakly and takes all of them to be there if one is; from a static
# glibc (seen with 2.36 and gcc 12) the linker brings only the strongly wanted, and the end of the
# program calls address 0.
comma := ,
WL_WEAK := $(addprefix -Wl$(comma)-u$(comma)pthread_,mutex_init mutex_destroy mutex_trylock \
	cond_init cond_destroy cond_wait cond_broadcast key_create key_delete getspecific \
	setspecific create join)

# Each flavour has its own directory, so that none overwrites another's objects.
# $(1): directory, $(2): flags of all programs, $(3): flags of Fortran ones.
define wl_flavour
$(1)/wl.o: $$(WL_DIR)/common/wl.c $$(WL_COMMON_H)
	@mkdir -p $$(@D)
	$$(WL_CC) $$(WL_CFLAGS) -fopenmp -c $$< -o $$@

$(1)/wl_mod.o: $$(WL_DIR)/common/wl_mod.f90
	@mkdir -p $$(@D)
	$$(WL_FC) $$(WL_FFLAGS) -J$(1) -c $$< -o $$@

$$(WL_C:%=$(1)/%): $(1)/%: $$(WL_DIR)/%.c $(1)/wl.o $$(WL_COMMON_H)
	$$(WL_CC) $$(WL_CFLAGS) -fopenmp $(2) $$< $(1)/wl.o -o $$@ -lm

# A Fortran program's own module (NAME_mod.mod) lands beside it; only wl.mod is shared.
$$(WL_F:%=$(1)/%): $(1)/%: $$(WL_DIR)/%.f90 $(1)/wl_mod.o $(1)/wl.o
	$$(WL_FC) $$(WL_FFLAGS) $(2) $(3) -J$(1) $$< $(1)/wl_mod.o $(1)/wl.o -o $$@
endef
$(eval $(call wl_flavour,$(WL_BUILD),,))
$(eval $(call wl_flavour,$(WL_BUILD)/static,-static,$(WL_WEAK)))

$(WL_BARE:%=$(WL_BUILD)/musl/%): $(WL_BUILD)/musl/%: $(WL_DIR)/%.c $(WL_DIR)/common/wl.c $(WL_COMMON_H)
	@mkdir -p $(@D)
	$(WL_MUSL) $(WL_CFLAGS) -static $< $(WL_DIR)/common/wl.c -o $@ -lm -pthread

check-workloads: workloads
	WL_BUILD=$(WL_BUILD) prove $(WL_DIR)/check.t

# Breaks each workload on purpose and sees its self-check fail: for whoever changes one.
check-workload-mutants:
	WL_CC='$(WL_CC)' WL_FC='$(WL_FC)' prove $(WL_DIR)/mutants.t
