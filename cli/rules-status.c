// SPDX-License-Identifier: MIT
/* thpctl rules status: what the running thpd tells of itself. */
#include "cli.h"
#include "output.h"
#include "rules.h"

#include "../common/escape.h"
#include "../common/json.h"
#include "../common/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* thpd answers within milliseconds, or hangs. */
#define PATIENCE 5

/* What thpd could possibly have to say. */
#define ANSWER_MAX (64u << 20)

/* ---- asking ------------------------------------------------------------------------------------
 */

static int open_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const struct timeval patience = {.tv_sec = PATIENCE};
	int fd, r;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	return fd;
}

/* Reads to the end; the text is ended by NUL and the caller's. */
static int read_answer(int fd, char **ret_text)
{
	size_t len = 0, size = 0;
	char *text = NULL;
	ssize_t n = 1;

	while (n > 0 && len < ANSWER_MAX) {
		if (size - len < 2) {
			char *grown = realloc(text, size + 65536);

			if (!grown) {
				free(text);
				return -ENOMEM;
			}
			text = grown;
			size += 65536;
		}
		n = recv(fd, text + len, size - len - 1, 0);
		len += n > 0 ? (size_t)n : 0;
	}
	if (n != 0 || len == 0) {
		int err = n < 0 ? errno : EPROTO;

		free(text);
		return err == EAGAIN ? -ETIMEDOUT : -err;
	}
	text[len] = '\0';
	*ret_text = text;
	return 0;
}

static int ask(const char *path, const char *request, char **ret_text)
{
	int fd = open_socket(path), r;

	if (fd < 0)
		return fd;
	r = send(fd, request, strlen(request), MSG_NOSIGNAL) < 0 ? -errno
								 : read_answer(fd, ret_text);
	close(fd);
	return r;
}

/* ---- telling -----------------------------------------------------------------------------------
 */

/* A text of the answer, made safe; names and paths fit, since the terminal is not that wide. */
static const char *shown(char *buf, size_t size, const json_t *value)
{
	return escape_text(buf, size, json_is_string(value) ? json_string_value(value) : "-");
}

static long long number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void print_rules(const json_t *rules)
{
	const json_t *rule;
	size_t i;

	if (json_array_size(rules))
		printf("%-20s %-8s %9s  %s\n", "rule", "mode", "processes", "where");
	json_array_foreach(rules, i, rule)
	{
		char name[CLI_SHOWN_MAX], mode[32], file[CLI_SHOWN_MAX];

		printf("%-20s %-8s %9lld  %s:%lld\n",
		       shown(name, sizeof(name), json_object_get(rule, "name")),
		       shown(mode, sizeof(mode), json_object_get(rule, "mode")),
		       number(rule, "processes"),
		       shown(file, sizeof(file), json_object_get(rule, "file")),
		       number(rule, "line"));
	}
}

static void print_status(const json_t *status)
{
	const json_t *others = json_object_get(status, "default");
	char version[32], dir[CLI_SHOWN_MAX], mode[32];

	printf("thpd %s, PID %lld, rules of %s\n",
	       shown(version, sizeof(version), json_object_get(status, "version")),
	       number(status, "pid"),
	       shown(dir, sizeof(dir), json_object_get(status, "rules_dir")));
	print_rules(json_object_get(status, "rules"));
	if (json_is_string(others))
		printf("all others: %s\n", shown(mode, sizeof(mode), others));
	printf("new programs: %s; %lld executables watched\n",
	       json_is_true(json_object_get(status, "gate"))
		       ? "caught before their first instruction where a rule names them"
	       : json_is_true(json_object_get(status, "events"))
		       ? "caught right after they start"
		       : "found by walks through all processes only",
	       number(status, "executables"));
	printf("%lld control groups watched; %lld processes under rules, %lld waiting; events lost "
	       "%lld times\n",
	       number(status, "groups"), number(status, "processes"), number(status, "queue"),
	       number(status, "overflows"));
}

static void print_processes(const json_t *answer)
{
	const json_t *processes = json_object_get(answer, "processes"), *process;
	size_t i;

	printf("%10s  %-8s %-8s %s\n", "PID", "mode", "state", "rule");
	json_array_foreach(processes, i, process)
	{
		char mode[32], state[32], rule[CLI_SHOWN_MAX];

		printf("%10lld  %-8s %-8s %s%s\n", number(process, "pid"),
		       shown(mode, sizeof(mode), json_object_get(process, "mode")),
		       shown(state, sizeof(state), json_object_get(process, "state")),
		       shown(rule, sizeof(rule), json_object_get(process, "rule")),
		       json_is_true(json_object_get(process, "inherited")) ? ", inherited" : "");
	}
}

static int say_trouble(const struct rules_request *request, int err)
{
	char path[CLI_SHOWN_MAX];

	say("rules: no thpd answers at %s: %s; is it running?",
	    escape_text(path, sizeof(path), request->socket_path), strerror(-err));
	return CLI_FAILURE;
}

int rules_status(const struct rules_request *request)
{
	char *text = NULL;
	json_t *answer;
	int r = ask(request->socket_path, request->processes ? "processes\n" : "status\n", &text);

	if (r < 0)
		return say_trouble(request, r);
	answer = json_loads(text, 0, NULL);
	free(text);
	if (!json_is_object(answer)) {
		json_decref(answer);
		return say_trouble(request, -EPROTO);
	}
	if (request->json)
		json_print(json_incref(answer));
	else if (request->processes)
		print_processes(answer);
	else
		print_status(answer);
	json_decref(answer);
	return output_end("rules", CLI_OK);
}
