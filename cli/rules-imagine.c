// SPDX-License-Identifier: MIT
/* thpctl rules test --exec: a process that is only thought of. */
#include "cli.h"
#include "rules.h"

#include "../common/escape.h"
#include "../common/say.h"
#include "../daemon/script.h"
#include "../daemon/subject-text.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the kernel keeps of a name. */
#define COMM_LEN 15

static int wrong(const char *what, const char *text)
{
	char shown[CLI_SHOWN_MAX];

	say("rules: no %s '%s' here", what, escape_text(shown, sizeof(shown), text));
	return CLI_USAGE;
}

/* A program by its real path; of a script, who interprets it. */
static int imagine_exec(const struct rules_request *request, struct subject *subject)
{
	char interpreter[PATH_MAX], path[PATH_MAX];

	if (request->exec[0] != '/') {
		say("rules: --exec takes a path from the root, as a process would have it");
		return CLI_USAGE;
	}
	snprintf(path, sizeof(path), "%s", request->exec);
	if (script_interpreter(request->exec, interpreter) < 0)
		interpreter[0] = '\0'; /* not there, or not to be read: just a path */
	else if (!realpath(request->exec, path))
		snprintf(path, sizeof(path), "%s", request->exec);
	snprintf(subject->exe, sizeof(subject->exe), "%s", interpreter[0] ? interpreter : path);
	snprintf(subject->script, sizeof(subject->script), "%s", interpreter[0] ? path : "");
	snprintf(subject->argv, sizeof(subject->argv), "%s",
		 interpreter[0] ? interpreter : request->exec);
	subject->argv_len = strlen(subject->argv) + 1;
	snprintf(subject->comm, sizeof(subject->comm), "%.*s", COMM_LEN, base_name(request->exec));
	subject->known |= SUBJECT_EXE | SUBJECT_SCRIPT | SUBJECT_ARGV | SUBJECT_COMM;
	return 0;
}

static int imagine_user(const struct rules_request *request, struct subject *subject)
{
	const struct passwd *user = getpwnam(request->user);
	gid_t groups[1024];
	int nr = sizeof(groups) / sizeof(groups[0]);
	size_t len = 0;
	char *end;

	subject->uid = (uid_t)strtoul(request->user, &end, 10);
	if (!user && (end == request->user || *end))
		return wrong("user", request->user);
	subject->known |= SUBJECT_USER;
	if (!user)
		user = getpwuid(subject->uid);
	if (!user)
		return 0;
	subject->uid = user->pw_uid;
	subject->gid = user->pw_gid;
	if (getgrouplist(user->pw_name, user->pw_gid, groups, &nr) < 0)
		nr = sizeof(groups) / sizeof(groups[0]);
	for (int i = 0; i < nr && len + 16 < sizeof(subject->members); i++)
		len += (size_t)sprintf(subject->members + len, "%u ", (unsigned)groups[i]);
	subject->known |= SUBJECT_GROUP | SUBJECT_MEMBER;
	return 0;
}

static int imagine_group(const struct rules_request *request, struct subject *subject)
{
	const struct group *group = getgrnam(request->group);
	char *end;

	subject->gid = group ? group->gr_gid : (gid_t)strtoul(request->group, &end, 10);
	if (!group && (end == request->group || *end))
		return wrong("group", request->group);
	subject->members[0] = '\0';
	subject->known |= SUBJECT_GROUP | SUBJECT_MEMBER;
	return 0;
}

/* As lines of /proc/PID/cgroup. */
static void imagine_cgroups(const struct rules_request *request, struct subject *subject)
{
	size_t len = 0;

	for (size_t i = 0; i < request->nr_cgroups && len < sizeof(subject->groups); i++) {
		const char *text = request->cgroups[i];
		bool is_v2 = text[0] == '/' || strncmp(text, "v2:", 3) == 0;

		if (is_v2)
			text = strchr(text, '/');
		len += (size_t)snprintf(subject->groups + len, sizeof(subject->groups) - len,
					"0:%s%s\n", is_v2 ? ":" : "", text);
	}
	subject->known |= SUBJECT_CGROUP;
}

int rules_imagine(const struct rules_request *request, struct subject *subject)
{
	int status = 0;

	subject_start(subject, 0);
	if (request->exec)
		status = imagine_exec(request, subject);
	if (status == 0 && request->user)
		status = imagine_user(request, subject);
	if (status == 0 && request->group)
		status = imagine_group(request, subject);
	if (request->nr_cgroups)
		imagine_cgroups(request, subject);
	if (request->command) {
		snprintf(subject->comm, sizeof(subject->comm), "%s", request->command);
		subject->known |= SUBJECT_COMM;
	}
	if (request->cpuset) {
		snprintf(subject->cpuset, sizeof(subject->cpuset), "%s", request->cpuset);
		subject->known |= SUBJECT_CPUSET;
	}
	if (request->parent) {
		subject->parent_rule = request->parent;
		subject->known |= SUBJECT_PARENT;
	}
	return status;
}
