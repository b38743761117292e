// SPDX-License-Identifier: MIT
/* Truth tables of what settings mean together, from transhuge.rst of the kernel. */
#include "unit.h"

#include "thp.h"

#define KIB 1024ull
#define MIB (1024 * KIB)

#define ALWAYS  THP_SETTING_ALWAYS
#define MADVISE THP_SETTING_MADVISE
#define NEVER   THP_SETTING_NEVER
#define INHERIT THP_SETTING_INHERIT
#define UNKNOWN THP_SETTING_UNKNOWN
#define NONE    THP_SETTING_NONE
#define WITHIN  THP_SETTING_WITHIN_SIZE
#define ADVISE  THP_SETTING_ADVISE
#define DENY    THP_SETTING_DENY
#define FORCE   THP_SETTING_FORCE

/* A system with settings for 64 KiB and 2 MiB. */
static struct thp_system anon_system(enum thp_setting top, enum thp_setting k64,
				     enum thp_setting m2)
{
	return (struct thp_system){
		.size = sizeof(struct thp_system),
		.presence = THP_PRESENT,
		.enabled = top,
		.shmem_enabled = NEVER,
		.pmd_bytes = 2 * MIB,
		.nr_sizes = 2,
		.sizes = {{64 * KIB, k64, NEVER}, {2 * MIB, m2, NEVER}},
	};
}

static struct thp_system shmem_system(enum thp_setting top, enum thp_setting k64,
				      enum thp_setting m2)
{
	struct thp_system system = anon_system(NEVER, NEVER, NEVER);

	system.shmem_enabled = top;
	system.sizes[0].shmem_enabled = k64;
	system.sizes[1].shmem_enabled = m2;
	return system;
}

struct row {
	enum thp_setting top, k64, m2; /* settings */
	enum thp_setting k64_gets, m2_gets;
};

static const struct row anon_rows[] = {
	/* inherit takes the top level's word */
	{ALWAYS, NEVER, INHERIT, NEVER, ALWAYS},
	{MADVISE, NEVER, INHERIT, NEVER, MADVISE},
	{NEVER, NEVER, INHERIT, NEVER, NEVER},
	{MADVISE, INHERIT, NEVER, MADVISE, NEVER},
	/* any other word of a size decides, whatever the top says */
	{ALWAYS, NEVER, NEVER, NEVER, NEVER},
	{NEVER, ALWAYS, ALWAYS, ALWAYS, ALWAYS},
	{NEVER, MADVISE, ALWAYS, MADVISE, ALWAYS},
	{ALWAYS, ALWAYS, MADVISE, ALWAYS, MADVISE},
	{MADVISE, NEVER, ALWAYS, NEVER, ALWAYS},
	/* a size that anonymous memory cannot have */
	{ALWAYS, NONE, INHERIT, NEVER, ALWAYS},
	/* what is not known stays so */
	{UNKNOWN, NEVER, INHERIT, NEVER, UNKNOWN},
	{UNKNOWN, UNKNOWN, ALWAYS, UNKNOWN, ALWAYS},
	{ALWAYS, INHERIT, UNKNOWN, ALWAYS, UNKNOWN},
};

START_TEST(anon)
{
	const struct row *row = &anon_rows[_i];
	struct thp_system system = anon_system(row->top, row->k64, row->m2);

	ck_assert_int_eq(thp_system_anon(&system, 64 * KIB), row->k64_gets);
	ck_assert_int_eq(thp_system_anon(&system, 2 * MIB), row->m2_gets);
	ck_assert_int_eq(thp_system_anon(&system, 128 * KIB), NEVER); /* no such size */
}
END_TEST

static const struct row shmem_rows[] = {
	{ALWAYS, NEVER, INHERIT, NEVER, ALWAYS},
	{WITHIN, NEVER, INHERIT, NEVER, WITHIN},
	{ADVISE, INHERIT, INHERIT, ADVISE, ADVISE},
	{NEVER, NEVER, INHERIT, NEVER, NEVER},
	{NEVER, ALWAYS, WITHIN, ALWAYS, WITHIN},
	{ALWAYS, ADVISE, NEVER, ADVISE, NEVER},
	/* deny and force override the sizes' own words; force means the whole huge page */
	{DENY, ALWAYS, ALWAYS, NEVER, NEVER},
	{DENY, INHERIT, INHERIT, NEVER, NEVER},
	{FORCE, NEVER, NEVER, NEVER, ALWAYS},
	{FORCE, ALWAYS, INHERIT, NEVER, ALWAYS},
	/* per-size settings of anonymous memory only (Linux 6.8 to 6.10): the top counts */
	{ALWAYS, NONE, NONE, NEVER, ALWAYS},
	{NONE, NONE, NONE, NEVER, NEVER},
	{UNKNOWN, NEVER, INHERIT, NEVER, UNKNOWN},
};

START_TEST(shmem)
{
	const struct row *row = &shmem_rows[_i];
	struct thp_system system = shmem_system(row->top, row->k64, row->m2);

	ck_assert_int_eq(thp_system_shmem(&system, 64 * KIB), row->k64_gets);
	ck_assert_int_eq(thp_system_shmem(&system, 2 * MIB), row->m2_gets);
	ck_assert_int_eq(thp_system_shmem(&system, 128 * KIB), NEVER);
}
END_TEST

/* Before Linux 6.8 there are no sizes, before 4.11 not even hpage_pmd_size. */
START_TEST(no_sizes)
{
	struct thp_system system = {.presence = THP_PRESENT,
				    .enabled = MADVISE,
				    .shmem_enabled = ADVISE,
				    .pmd_bytes = 2 * MIB};

	ck_assert_int_eq(thp_system_anon(&system, 2 * MIB), MADVISE);
	ck_assert_int_eq(thp_system_anon(&system, 64 * KIB), NEVER);
	ck_assert_int_eq(thp_system_shmem(&system, 2 * MIB), ADVISE);
	ck_assert_int_eq(thp_system_shmem(&system, 64 * KIB), NEVER);
	system.pmd_bytes = 0;
	ck_assert_int_eq(thp_system_anon(&system, 0), MADVISE);
	ck_assert_int_eq(thp_system_shmem(&system, 0), ADVISE);
}
END_TEST

START_TEST(presence)
{
	struct thp_system system = anon_system(ALWAYS, ALWAYS, ALWAYS);

	system.shmem_enabled = ALWAYS;
	system.presence = THP_ABSENT;
	ck_assert_int_eq(thp_system_anon(&system, 2 * MIB), NEVER);
	ck_assert_int_eq(thp_system_shmem(&system, 2 * MIB), NEVER);
	ck_assert_uint_eq(thp_effective(&system, THP_MODE_BIT(THP_MODE_DEFAULT)), 1u << NEVER);
	system.presence = THP_HIDDEN;
	ck_assert_int_eq(thp_system_anon(&system, 2 * MIB), UNKNOWN);
	ck_assert_int_eq(thp_system_shmem(&system, 2 * MIB), UNKNOWN);
	ck_assert_uint_eq(thp_effective(&system, THP_MODE_BIT(THP_MODE_DEFAULT)), 0);
	/* Full disable is small pages whatever the system says. */
	ck_assert_uint_eq(thp_effective(&system, THP_MODE_BIT(THP_MODE_NEVER)), 1u << NEVER);
}
END_TEST

#define MODE(name) THP_MODE_BIT(THP_MODE_##name)
#define GETS(name) (1u << THP_SETTING_##name)

static const struct {
	enum thp_setting top;
	unsigned modes, gets;
} effective_rows[] = {
	{ALWAYS, MODE(DEFAULT), GETS(ALWAYS)},
	{ALWAYS, MODE(ALWAYS), GETS(ALWAYS)},
	{ALWAYS, MODE(MADVISE), GETS(MADVISE)},
	{ALWAYS, MODE(NEVER), GETS(NEVER)},
	{ALWAYS, MODE(DEFAULT) | MODE(MADVISE), GETS(ALWAYS) | GETS(MADVISE)},
	{ALWAYS, MODE(DEFAULT) | MODE(NEVER), GETS(ALWAYS) | GETS(NEVER)},
	{MADVISE, MODE(DEFAULT), GETS(MADVISE)},
	{MADVISE, MODE(MADVISE), GETS(MADVISE)},
	{MADVISE, MODE(NEVER), GETS(NEVER)},
	{MADVISE, MODE(DEFAULT) | MODE(MADVISE), GETS(MADVISE)}, /* makes no difference */
	{NEVER, MODE(DEFAULT), GETS(NEVER)},
	{NEVER, MODE(MADVISE), GETS(NEVER)}, /* the flag gives nothing */
	{NEVER, MODE(ALWAYS), GETS(NEVER)},
	{NEVER, MODE(DEFAULT) | MODE(MADVISE) | MODE(NEVER), GETS(NEVER)},
	{UNKNOWN, MODE(DEFAULT), 0},
	{UNKNOWN, MODE(MADVISE), 0},
	{UNKNOWN, MODE(NEVER), GETS(NEVER)},
	{UNKNOWN, MODE(NEVER) | MODE(DEFAULT), 0},
	{ALWAYS, 0, 0},
};

START_TEST(effective)
{
	struct thp_system system = anon_system(effective_rows[_i].top, NEVER, INHERIT);

	ck_assert_uint_eq(thp_effective(&system, effective_rows[_i].modes),
			  effective_rows[_i].gets);
}
END_TEST

START_TEST(effective_by_size)
{
	struct thp_system system = anon_system(ALWAYS, ALWAYS, NEVER);

	ck_assert_uint_eq(thp_effective(&system, MODE(DEFAULT)), GETS(NEVER));
	system = anon_system(NEVER, NEVER, ALWAYS);
	ck_assert_uint_eq(thp_effective(&system, MODE(DEFAULT)), GETS(ALWAYS));
	ck_assert_uint_eq(thp_effective(&system, MODE(MADVISE)), GETS(MADVISE));
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("policy");

	unit_add_rows(suite, anon, NR(anon_rows));
	unit_add_rows(suite, shmem, NR(shmem_rows));
	unit_add(suite, no_sizes);
	unit_add(suite, presence);
	unit_add_rows(suite, effective, NR(effective_rows));
	unit_add(suite, effective_by_size);
	return suite;
}
