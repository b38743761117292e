// SPDX-License-Identifier: MIT
/* Rules of texts: what is wrong with them, and who wins over processes that are only thought of. */
#include "unit.h"

#include "../../daemon/rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct remarks {
	char text[4096];
	unsigned nr;
};

static void tell(void *arg, const struct rules_remark *remark)
{
	struct remarks *remarks = arg;
	size_t len = strlen(remarks->text);

	snprintf(remarks->text + len, sizeof(remarks->text) - len, "%u%s %s\n", remark->line,
		 remark->is_warning ? "w" : "", remark->text);
	remarks->nr++;
}

static int load(const char *text, struct remarks *remarks, struct rules **ret_rules)
{
	FILE *file = fmemopen((char *)text, strlen(text), "r");
	int r;

	ck_assert_ptr_nonnull(file);
	*remarks = (struct remarks){0};
	r = rules_load_file(file, "f", tell, remarks, ret_rules);
	fclose(file);
	return r;
}

static struct rules *load_good(const char *text)
{
	struct remarks remarks;
	struct rules *rules = NULL;

	ck_assert_msg(load(text, &remarks, &rules) == 0, "%s", remarks.text);
	return rules;
}

/* ---- what is wrong -----------------------------------------------------------------------------
 */

#define RULE "[r]\nmode = never\nexec = /x\n" /* lines 1 to 3 */

static const struct {
	const char *text;
	const char *remark; /* "LINE WORDS": beginning of the one remark; a "w": a warning */
} faults[] = {
	{"exec = /x\n", "1 'exec' stands before the first [rule]"},
	{RULE "execc = /x\n", "4 unknown key 'execc': did you mean 'exec'?"},
	{RULE "comm = x\n", "4 unknown key 'comm': did you mean 'command'?"},
	{RULE "colour = x\n", "4 unknown key 'colour'"},
	{RULE "exec /y\n", "4 not a line KEY = VALUE"},
	{RULE "exec: /y\n", "4 not a line KEY = VALUE"},
	{RULE "exec =\n", "4 'exec' has no value"},
	{RULE "exec = ; /y\n", "4 'exec' has no value"},
	{RULE "mode = never\n", "4 a second 'mode'"},
	{RULE "mode = always\n", "4 a second 'mode'"},
	{RULE "  always\n", "4 'always' is no path"},
	{RULE "split = no\nsplit = no\n", "5 a second 'split'"},
	{"[r]\nexec = /x\nmode = nevr\n",
	 "3 'nevr' is not never, madvise, always, default or leave: "
	 "did you mean 'never'?"},
	{"[r]\nexec = /x\nmode = never # off\n", "3 'never # off' is not never, madvise, always, "
						 "default or leave; a comment"},
	{RULE "split = 1\n", "4 '1' is not no or yes"},
	{RULE "apply = start\n", "4 'start' is not exec, existing or both"},
	{"[r]\nexec = /x\n", "1 rule 'r' has no mode"},
	{"[r]\nexec = /x\n[s]\nexec = /y\nmode = never\n", "1 rule 'r' has no mode"},
	{"[r]\nmode = never\n", "1 rule 'r' asks for nothing"},
	{"\n[r]\n" RULE, "2 rule 'r' has no mode\n2 rule 'r' asks for nothing"},
	{RULE "\n[r]\nmode = never\nexec = /y\n", "5 rule 'r' is there already: f:1"},
	{RULE "[a b]\nmode = x\n", "4 'a b' is no name of a rule"},
	{RULE "[]\n", "4 '' is no name of a rule"},
	{RULE "[0123456789012345678901234567890123456789012345678]\n",
	 "4 '0123456789012345678901234567890123456789012345678' is no name of a rule"},
	{RULE "[s\nmode = never\n", "4 a '[' without a ']'"},
	{RULE "[s] x\nmode = never\nexec = /y\n", "4 behind ']' nothing is read"},
	{RULE " [s]\n", "4 a [rule] begins at the very left"},
	{RULE "exec = x\n", "4 'x' is no path from the root; 'command' takes names"},
	{RULE "exec = x/y\n", "4 'x/y' is no path from the root"},
	{RULE "exec = /a/../b\n", "4 '/a/../b': '.' and '..'"},
	{RULE "script = /a/./b\n", "4 '/a/./b': '.' and '..'"},
	{RULE "exec = /a**\n", "4 '/a**': '**' must stand alone"},
	{RULE "exec = /a[\n", "4 '/a[': a '[' has no ']'"},
	{RULE "exec = /a\\\n", "4 '/a\\\\': a '\\'"},
	{RULE "exec = /etc\n", "4w '/etc' is a directory; what is in it is meant by '/etc/**'"},
	{RULE "cpuset = a\n",
	 "4 'a' is no group: a path that begins with /, as in /proc/PID/cpuset"},
	{RULE "cpuset = cpu:/a\n", "4 'cpu:/a' is no group"},
	{RULE "cgroup = cpu:a\n", "4 'cpu:a' is no group"},
	{RULE "cgroup = :/a\n", "4 ':/a': no controller before the ':'"},
	{RULE "command = /usr/bin/x\n", "4 '/usr/bin/x' is no name: it has a slash; 'exec' takes"},
	{RULE "user = 10-5\n", "4 '10-5' is no user: a name, N or FIRST-LAST"},
	{RULE "user = 1-2-3\n", "4 '1-2-3' is no user"},
	{RULE "user = 5x\n", "4 '5x' is no user"},
	{RULE "user = 4294967296\n", "4 '4294967296' is no user"},
	{RULE "group = a, b\n", "4 'a, b' is no group: one name, number or range a line"},
	{RULE "user = no-such-user\n", "4w no user 'no-such-user' here"},
	{RULE "group = no-such-group\n", "4w no group 'no-such-group' here"},
	{RULE "parent = s\n[sx]\nexec = /y\nmode = never\n",
	 "4 'parent': no rule is called 's': did "
	 "you mean"},
	{RULE "parent = s*\n", "4 'parent': no rule is called 's*'"},
	{"[r]\nexec = /x\nmode = always\nsplit = yes\n", "1 rule 'r': 'split' goes with"},
	{"[r]\nexec = /x\nmode = leave\nsplit = yes\n", "1 rule 'r': 'split' goes with"},
	{RULE "split = yes\napply = exec\n",
	 "1w rule 'r': 'split' is for processes that are there"},
	{RULE "[s]\nexec = /x\nuser = 0\nmode = never\n", "4w rule 's' never wins: rule 'r' (f:1)"},
	{"[r]\nexec = /a/*\nuser = 1-9\nmode = never\n[s]\nexec = /a/b\nexec = /a/c\nuser = 2\n"
	 "mode = never\n",
	 "5w rule 's' never wins: rule 'r' (f:1)"},
	{"[r]\ncpuset = /a\nmode = never\n[s]\ncpuset = /a/b\nmode = never\n",
	 "4w rule 's' never wins"},
	{"[system]\ndefalt = madvise\n", "2 unknown key 'defalt' of [system]: did you mean"},
	{"[system]\ndefault = always\n", "2 'always' is not madvise or never"},
	{"[system]\nmanage-sysfs = yes\n", "1 'manage-sysfs = yes' goes with 'default = madvise'"},
	{"[system]\n[system]\n", "2 [system] is there already: f:1"},
	{"[r]\nmode = never\nexec = /\x1b[2J]\n", "3 '/\\x1b[2J]': "},
};

START_TEST(fault)
{
	const char *wanted = faults[_i].remark;
	struct rules *rules = NULL;
	struct remarks remarks;
	bool is_warning = wanted[strspn(wanted, "0123456789")] == 'w';
	int r = load(faults[_i].text, &remarks, &rules);

	/* The escape in the last row is a good pattern: what matters is that nothing raw is told.
	 */
	if (strchr(faults[_i].text, '\x1b')) {
		ck_assert_ptr_null(strchr(remarks.text, '\x1b'));
		rules_free(rules);
		return;
	}
	ck_assert_msg(strncmp(remarks.text, wanted, strlen(wanted)) == 0, "%s: %s", faults[_i].text,
		      remarks.text);
	ck_assert_msg(remarks.nr == 1 || strchr(wanted, '\n'), "%s", remarks.text);
	ck_assert_int_eq(r, is_warning ? 0 : -EINVAL);
	rules_free(rules);
}
END_TEST

/* Every bad line is told, not only the first. */
START_TEST(all_faults)
{
	struct rules *rules;
	struct remarks remarks;

	ck_assert_int_eq(load("x\n[a]\ny = 1\nmode = z\nexec = q\n[b]\n[a]\n", &remarks, &rules),
			 -EINVAL);
	ck_assert_msg(remarks.nr == 9, "%s", remarks.text);
}
END_TEST

START_TEST(long_line)
{
	char text[8192] = "[r]\nmode = never\nexec = /";
	struct rules *rules;
	struct remarks remarks;

	memset(text + strlen(text), 'a', 5000);
	strcat(text, "\nexec = /x\n# ");
	memset(text + strlen(text), 'c', 1000);
	strcat(text, "\nuser = 5x\n");
	ck_assert_int_eq(load(text, &remarks, &rules), -EINVAL);
	ck_assert_msg(strncmp(remarks.text, "3 5008 bytes: a line can have", 29) == 0, "%s",
		      remarks.text);
	ck_assert_ptr_nonnull(strstr(remarks.text, "\n6 '5x'"));
}
END_TEST

START_TEST(nul_byte)
{
	static char text[] = RULE "user = 1\0 2\n";
	FILE *file = fmemopen(text, sizeof(text) - 1, "r");
	struct remarks remarks = {0};
	struct rules *rules;

	ck_assert_int_eq(rules_load_file(file, "f", tell, &remarks, &rules), -EINVAL);
	ck_assert_str_eq(remarks.text, "4 a NUL byte\n");
	fclose(file);
}
END_TEST

START_TEST(no_directory)
{
	struct remarks remarks = {0};
	struct rules *rules;

	ck_assert_int_eq(rules_load("/no/such/dir", tell, &remarks, &rules), 0);
	ck_assert_str_eq(remarks.text, "0w no such directory, so no rules\n");
	ck_assert_uint_eq(rules->nr, 0);
	rules_free(rules);
}
END_TEST

/* ---- what is right -----------------------------------------------------------------------------
 */

static void has_texts(const struct rule *rule, enum rule_key key, const char *const texts[])
{
	size_t nr = 0;

	for (; texts[nr]; nr++) {
		ck_assert_uint_lt(nr, rule->match[key].nr);
		ck_assert_str_eq(rule->match[key].values[nr].text, texts[nr]);
	}
	ck_assert_uint_eq(nr, rule->match[key].nr);
}

START_TEST(values)
{
	static const char text[] = "\xef\xbb\xbf; first\n"
				   "[system]\r\n"
				   "default = madvise\r\n"
				   "manage-sysfs = yes\n"
				   "[a] ; comment\n"
				   "exec = /x y:z=1/b ; comment\n"
				   "  /second # no comment\n"
				   "\n"
				   "  /third\n"
				   "command = \" a b \"\n"
				   "command = \"\n"
				   "user = 5\n"
				   "user = 100-200\n"
				   "mode = never\n"
				   "apply = exec\n"
				   "inherit = no\n"
				   "reapply = no\n"
				   "[b.2]\n"
				   "command = c\n"
				   "mode = leave\n"
				   "[c]\n"
				   "script = /s\n"
				   "exec = /e\n"
				   "mode = madvise\n"
				   "split = yes\n"
				   "apply = existing";
	struct rules *rules = load_good(text);
	const struct rule *rule = rules->rules;

	ck_assert_uint_eq(rules->nr, 3);
	ck_assert_int_eq(rules->others, THP_MODE_MADVISE);
	ck_assert(rules->manage_sysfs);
	ck_assert_uint_eq(rules->needs, SUBJECT_EXE | SUBJECT_COMM | SUBJECT_USER | SUBJECT_SCRIPT);

	ck_assert_str_eq(rule->name, "a");
	ck_assert_str_eq(rule->file, "f");
	ck_assert_uint_eq(rule->line, 5);
	has_texts(rule, RULE_EXEC,
		  (const char *const[]){"/x y:z=1/b", "/second # no comment", "/third", NULL});
	has_texts(rule, RULE_COMMAND, (const char *const[]){" a b ", "\"", NULL});
	has_texts(rule, RULE_USER, (const char *const[]){"5", "100-200", NULL});
	ck_assert_uint_eq(rule->match[RULE_USER].values[1].first, 100);
	ck_assert_uint_eq(rule->match[RULE_USER].values[1].last, 200);
	ck_assert_int_eq(rule->mode, THP_MODE_NEVER);
	ck_assert(rule->on_exec && !rule->on_existing && !rule->split);
	ck_assert(!rule->inherit && !rule->reapply && !rule->leave);
	ck_assert_ptr_eq(rules_programs(rule), &rule->match[RULE_EXEC]);

	ck_assert(rule[1].leave && rule[1].inherit && rule[1].reapply);
	ck_assert(rule[1].on_exec && rule[1].on_existing);
	ck_assert_uint_eq(rules_programs(&rule[1])->nr, 0);
	ck_assert_str_eq(rules_mode_name(&rule[1]), "leave");

	ck_assert(!rule[2].on_exec && rule[2].on_existing && rule[2].split);
	ck_assert_str_eq(rules_program_path(rules_programs(&rule[2])->values), "/s");
	rules_free(rules);
}
END_TEST

/* Programs are known by their real paths; what stands before a wildcard is one as well. */
START_TEST(symbolic_links)
{
	char dir[] = "/tmp/thp-rules-XXXXXX", text[512], path[128], wanted[128];
	struct rules *rules;
	const struct rule_value *value;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/re*al", dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/link", dir);
	ck_assert_int_eq(symlink("re*al", path), 0);
	snprintf(text, sizeof(text),
		 "[r]\nmode = never\nexec = %s/link/*/x\nexec = %s/link/gone/x\n"
		 "exec = /no-such/x\n",
		 dir, dir);
	rules = load_good(text);
	value = rules->rules[0].match[RULE_EXEC].values;
	snprintf(wanted, sizeof(wanted), "%s/re\\*al/*/x", dir);
	ck_assert_str_eq(rules_program_path(&value[0]), wanted);
	snprintf(wanted, sizeof(wanted), "%s/re\\*al/gone/x", dir);
	ck_assert_str_eq(rules_program_path(&value[1]), wanted);
	ck_assert_str_eq(rules_program_path(&value[2]), "/no-such/x");
	rules_free(rules);
	unlink(path);
	snprintf(path, sizeof(path), "%s/re*al", dir);
	rmdir(path);
	rmdir(dir);
}
END_TEST

/* ---- who wins ----------------------------------------------------------------------------------
 */

static struct subject subject;

/* A process that is only thought of: nothing else is known of it. */
static void think(void)
{
	memset(&subject, 0, sizeof(subject));
	subject_start(&subject, 0);
}

static void think_exec(const char *exe, const char *comm)
{
	think();
	strcpy(subject.exe, exe);
	strcpy(subject.comm, comm);
	subject.known = SUBJECT_EXE | SUBJECT_SCRIPT | SUBJECT_ARGV | SUBJECT_COMM;
}

static int decide(const char *text)
{
	struct rules *rules = load_good(text);
	int rule = rules_decide(rules, &subject);

	rules_free(rules);
	return rule;
}

START_TEST(first_wins)
{
	think_exec("/usr/bin/x", "x");
	ck_assert_int_eq(decide("[a]\nexec = /usr/bin/y\nmode = never\n"
				"[b]\nexec = /usr/bin/*\nmode = never\n"
				"[c]\nexec = /usr/bin/x\nmode = always\n"),
			 1);
	ck_assert_int_eq(decide("[a]\nexec = /usr/bin/y\nmode = never\n"), RULES_NONE);
	ck_assert_int_eq(decide("[a]\nexec = /usr/bin/y\nexec = /usr/bin/x\nmode = never\n"), 0);
	ck_assert_int_eq(decide("# none\n"), RULES_NONE);
}
END_TEST

START_TEST(all_keys_must_be_met)
{
	static const char text[] = "[a]\nexec = /x\nuser = 5\nuser = 7-9\nmode = never\n";

	think_exec("/x", "x");
	subject.known |= SUBJECT_USER;
	subject.uid = 6;
	ck_assert_int_eq(decide(text), RULES_NONE);
	subject.uid = 8;
	ck_assert_int_eq(decide(text), 0);
	strcpy(subject.exe, "/y");
	ck_assert_int_eq(decide(text), RULES_NONE);
}
END_TEST

/* What is not known decides nothing, unless another key does. */
START_TEST(unknown)
{
	struct rules *rules = load_good("[a]\nexec = /x\ncpuset = /b\nmode = never\n");
	enum rule_key key = RULE_KEYS;

	think_exec("/x", "x");
	ck_assert_int_eq(rules_decide(rules, &subject), RULES_NONE - 1);
	ck_assert_int_eq(subject.err, -ENODATA);
	ck_assert_int_eq(rules_match(rules->rules, &subject, &key), -ENODATA);
	ck_assert_int_eq(key, RULE_CPUSET);
	strcpy(subject.exe, "/y");
	ck_assert_int_eq(rules_match(rules->rules, &subject, &key), 0);
	ck_assert_int_eq(key, RULE_EXEC);
	ck_assert_int_eq(rules_decide(rules, &subject), RULES_NONE);
	rules_free(rules);
}
END_TEST

static const struct {
	const char *rule;
	const char *cpuset;
	const char *groups;
	bool match;
} group_rows[] = {
	{"cpuset = /batch:a b", "/batch:a b", "", true},
	{"cpuset = /batch:a b", "/batch:a b/c", "", true},
	{"cpuset = /batch:a b", "/batch:a b2", "", false},
	{"cpuset = /batch*", "/batch:a b2", "", true},
	{"cpuset = /", "/any", "", true},
	{"cgroup = /batch:a b", "", "4:cpuset:/batch:a b\n0::/\n", true},
	{"cgroup = /batch:a b", "", "4:cpuset:/batch:a b2\n0::/\n", false},
	{"cgroup = /a", "", "4:cpuset:/\n0::/a/b\n", true},
	{"cgroup = v2:/a", "", "4:cpuset:/\n0::/a/b\n", true},
	{"cgroup = v2:/a", "", "4:cpuset:/a\n0::/b\n", false},
	{"cgroup = cpuset:/a", "", "4:cpuset:/a\n0::/b\n", true},
	{"cgroup = cpuset:/a", "", "4:cpu:/a\n0::/a\n", false},
	{"cgroup = cpuacct:/a:b", "", "4:cpu,cpuacct:/a:b\n", true},
	{"cgroup = name=systemd:/user.slice", "", "1:name=systemd:/user.slice/x\n", true},
	{"cgroup = /**/*.scope", "", "0::/user.slice/user-1000.slice/session-1.scope\n", true},
	{"cgroup = /../other", "", "0::/../other/x\n", true},
};

START_TEST(group)
{
	char text[256];

	think();
	strcpy(subject.cpuset, group_rows[_i].cpuset);
	strcpy(subject.groups, group_rows[_i].groups);
	subject.known = SUBJECT_CPUSET | SUBJECT_CGROUP;
	snprintf(text, sizeof(text), "[r]\nmode = never\n%s\n", group_rows[_i].rule);
	ck_assert_msg(decide(text) == (group_rows[_i].match ? 0 : RULES_NONE), "%s",
		      group_rows[_i].rule);
}
END_TEST

/* The kernel cuts names at 15 bytes. */
static const struct {
	const char *pattern, *comm, *exe, *script, *argv;
	bool match;
} names[] = {
	{"redis-server", "redis-server", "/usr/bin/redis-check-rdb", "", "x", true},
	{"redis-*", "redis-server", "/x", "", "x", true},
	{"a b", "a b", "/x", "", "x", true},
	{"very-long-script-name.sh", "very-long-scrip", "/bin/sh", "/a/very-long-script-name.sh",
	 "sh", true},
	{"very-long-program-name", "very-long-progr", "/very-long-program-name", "", "x", true},
	{"very-long-program-name", "very-long-progr", "/x", "", "/bin/very-long-program-name",
	 true},
	{"very-long-program-name", "very-long-progr", "/very-long-program-nam", "", "x", false},
	/* Renamed: what the file is called does not matter. */
	{"very-long-program-name", "short", "/very-long-program-name", "", "x", false},
	{"very-long-program-name", "other-long-prog", "/very-long-program-name", "", "x", false},
	/* The cut name itself can be meant. */
	{"very-long-progr", "very-long-progr", "/very-long-program-name", "", "x", true},
	/* No script, as vim FILE */
	{"very-long-script-name.sh", "vim", "/usr/bin/vim", "", "vim", false},
};

START_TEST(command)
{
	char text[256];

	think_exec(names[_i].exe, names[_i].comm);
	strcpy(subject.script, names[_i].script);
	strcpy(subject.argv, names[_i].argv);
	subject.argv_len = strlen(names[_i].argv) + 1;
	snprintf(text, sizeof(text), "[r]\nmode = never\ncommand = %s\n", names[_i].pattern);
	ck_assert_int_eq(decide(text), names[_i].match ? 0 : RULES_NONE);
}
END_TEST

START_TEST(groups_of_users)
{
	static const char text[] = "[r]\nmode = never\ngroup = 20-30\n";

	think();
	subject.known = SUBJECT_GROUP;
	subject.gid = 25;
	ck_assert_int_eq(decide(text), 0);
	subject.gid = 5;
	ck_assert_int_eq(decide(text), RULES_NONE - 1); /* supplementary groups are not known */
	subject.known |= SUBJECT_MEMBER;
	strcpy(subject.members, "1 30 200");
	ck_assert_int_eq(decide(text), 0);
	strcpy(subject.members, "1 31 200");
	ck_assert_int_eq(decide(text), RULES_NONE);
}
END_TEST

START_TEST(nobody)
{
	struct remarks remarks;
	struct rules *rules;

	think();
	subject.known = SUBJECT_USER | SUBJECT_GROUP | SUBJECT_MEMBER;
	ck_assert_int_eq(load("[r]\nmode = never\nuser = no-such-user\n", &remarks, &rules), 0);
	for (unsigned id = 0; id < 3; id++) {
		subject.uid = id;
		ck_assert_int_eq(rules_decide(rules, &subject), RULES_NONE);
	}
	rules_free(rules);
}
END_TEST

START_TEST(script_and_parent)
{
	static const char text[] = "[s]\nmode = never\nscript = /a b/*.sh\n"
				   "[p]\nmode = never\nparent = s\n";

	think_exec("/bin/sh", "sh");
	strcpy(subject.script, "/a b/c.sh");
	ck_assert_int_eq(decide(text), 0);
	subject.script[0] = '\0';
	ck_assert_int_eq(decide(text), RULES_NONE - 1);
	subject.known |= SUBJECT_PARENT;
	subject.parent_rule = "";
	ck_assert_int_eq(decide(text), RULES_NONE);
	subject.parent_rule = "s";
	ck_assert_int_eq(decide(text), 1);
	ck_assert_int_eq(decide("[s]\nmode = never\nscript = /**\n"), RULES_NONE); /* no script */
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("rules");

	unit_add_rows(suite, fault, NR(faults));
	unit_add(suite, all_faults);
	unit_add(suite, long_line);
	unit_add(suite, nul_byte);
	unit_add(suite, no_directory);
	unit_add(suite, values);
	unit_add(suite, symbolic_links);
	unit_add(suite, first_wins);
	unit_add(suite, all_keys_must_be_met);
	unit_add(suite, unknown);
	unit_add_rows(suite, group, NR(group_rows));
	unit_add_rows(suite, command, NR(names));
	unit_add(suite, groups_of_users);
	unit_add(suite, nobody);
	unit_add(suite, script_and_parent);
	return suite;
}
