/* SPDX-License-Identifier: MIT */
/* What the parts of thpctl rules share. */
#ifndef CLI_RULES_H
#define CLI_RULES_H

#include "../daemon/rules.h"

#include <jansson.h>

struct rules_request {
	enum { RULES_TEST, RULES_CHECK, RULES_STATUS } action;
	const char *dir;
	const char *socket_path;
	const char *sysroot; /* NULL: the running system */
	bool json;
	bool processes;
	char **pids;
	int nr_pids;
	/* A process that is only thought of: what is known of it, NULL nothing. */
	const char *exec;
	const char *command;
	const char *cpuset;
	const char **cgroups;
	size_t nr_cgroups;
	const char *user;
	const char *group;
	const char *parent;
};

/* Each carries an action out. An exit status. */
int rules_test(const struct rules_request *request);
int rules_status(const struct rules_request *request);

/* Reads the rules and says what is wrong with them. 0 or -errno. */
int rules_read(const struct rules_request *request, struct rules **ret_rules);

/* One process that is tested. */
struct rules_case {
	struct subject subject;
	const char *root;
	bool only_thought;
	int *results;        /* of each rule: 1 matches, 0 not, below: cannot be known */
	enum rule_key *keys; /* that is not met, or not known */
	int winner;          /* a number, RULES_NONE, or below that: cannot be told */
	int inherited; /* without a winner: the rule that it is under by its parent, or RULES_NONE
			*/
	pid_t parent;  /* of that */
};

/* Fills in what is only thought of. 0, or an exit status having said why. */
int rules_imagine(const struct rules_request *request, struct subject *subject);

/* Tell of one case. */
void rules_test_text(const struct rules *rules, struct rules_case *test);
json_t *rules_test_json(const struct rules *rules, struct rules_case *test);

/* What a process has where a key asks for something, for a person; not known: why. Cut at size. */
void rules_value_text(struct subject *subject, enum rule_key key, char *buf, size_t size);

#endif /* CLI_RULES_H */
