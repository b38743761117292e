// SPDX-License-Identifier: MIT
/* Rule files: whatever stands in one, it is told or can be used. */
#include "fuzz.h"

#include "../../daemon/rules.h"

#include <errno.h>
#include <string.h>

struct told {
	unsigned faults;
	unsigned lines;
};

static void tell(void *arg, const struct rules_remark *remark)
{
	struct told *told = arg;

	MUST(remark->text[0] != '\0' && !strchr(remark->text, '\n'));
	MUST(remark->line <= told->lines);
	told->faults += !remark->is_warning;
}

static void use(const struct rules *rules)
{
	static struct subject subject = {
		.exe = "/usr/bin/x",
		.script = "/opt/a b/c.sh",
		.comm = "very-long-scrip",
		.argv = "x",
		.argv_len = 2,
		.cpuset = "/batch/a",
		.groups = "4:cpuset:/batch:a b\n0::/x\n",
		.members = "4 24 1000",
		.parent_rule = "r",
	};
	int rule;

	subject.known = ~0u;
	rule = rules_decide(rules, &subject);
	MUST(rule >= RULES_NONE && rule < (int)rules->nr);
	for (size_t i = 0; i < rules->nr; i++) {
		const struct rule_values *programs = rules_programs(&rules->rules[i]);

		MUST(rules->rules[i].leave == (rules->rules[i].mode == THP_MODE_UNKNOWN));
		for (size_t j = 0; j < programs->nr; j++)
			MUST(rules_program_path(&programs->values[j])[0] == '/');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct told told = {.lines = 1};
	struct rules *rules = NULL;
	FILE *file;
	int r;

	if (size == 0)
		return 0;
	for (size_t i = 0; i < size; i++)
		told.lines += data[i] == '\n';
	file = fmemopen((void *)data, size, "r");
	MUST(file);
	r = rules_load_file(file, "f", tell, &told, &rules);
	MUST(r == (told.faults ? -EINVAL : 0));
	if (r == 0)
		use(rules);
	rules_free(rules);
	fclose(file);
	return 0;
}
