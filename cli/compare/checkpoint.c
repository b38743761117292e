// SPDX-License-Identifier: MIT
#include "checkpoint.h"

#include "../../common/escape.h"
#include "../../common/file.h"
#include "../../common/json.h"
#include "../../common/say.h"
#include "../cli.h"
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT 1

static int write_line(int fd, json_t *value)
{
	char *text = value ? json_dumps(value, JSON_COMPACT) : NULL;
	size_t len, done = 0;
	int r = 0;

	json_decref(value);
	if (!text)
		return -ENOMEM;
	len = strlen(text);
	text[len++] = '\n'; /* in the place of NUL: one write(2), hence whole lines */
	while (r == 0 && done < len) {
		ssize_t n = write(fd, text + done, len - done);

		if (n < 0 && errno != EINTR)
			r = -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	free(text);
	if (r == 0 && fdatasync(fd) < 0 && errno != EINVAL && errno != EROFS)
		r = -errno; /* EINVAL: a pipe or the like, which has no disk behind it */
	return r;
}

static json_t *header(int argc, char **argv, uint64_t seed, const struct machine *machine)
{
	char here[PATH_MAX];
	json_t *words = json_array();

	for (int i = 0; i < argc; i++) {
		/* Not json_text(): what cannot be kept as it is must not be run in its place. */
		json_t *word = json_string(argv[i]);

		if (!word) {
			json_decref(words);
			return NULL;
		}
		json_array_append_new(words, word);
	}
	return json_pack("{s:i, s:s, s:o, s:o, s:I, s:o}", "thpctl_compare", FORMAT, "version",
			 THP_VERSION, "argv", words, "directory",
			 json_text(getcwd(here, sizeof(here)) ? here : ""), "seed",
			 (json_int_t)seed, "machine", record_machine(machine));
}

static int cannot(const char *what, const char *path, int err)
{
	char shown[CLI_SHOWN_MAX];

	say("compare: cannot %s checkpoint '%s': %s", what, escape_text(shown, sizeof(shown), path),
	    strerror(-err));
	return err;
}

int checkpoint_create(struct checkpoint *checkpoint, const char *path, int argc, char **argv,
		      uint64_t seed, const struct machine *machine)
{
	char shown[CLI_SHOWN_MAX];
	json_t *first = header(argc, argv, seed, machine);
	int fd, r;

	if (!first) {
		say("compare: a checkpoint keeps the command line, and this one is not UTF-8");
		return -EILSEQ;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
	r = fd < 0 ? -errno : write_line(fd, first);
	if (fd < 0)
		json_decref(first);
	if (r == -EEXIST) {
		say("compare: checkpoint '%s' is there already: --resume goes on with it",
		    escape_text(shown, sizeof(shown), path));
		return r;
	}
	if (r < 0) {
		if (fd >= 0)
			close(fd);
		return cannot("write", path, r);
	}
	checkpoint->fd = fd;
	checkpoint->path = path;
	return 0;
}

int checkpoint_read(const char *path, json_t **ret_lines)
{
	json_t *lines = json_array();
	char *text = NULL, *at, *end, shown[CLI_SHOWN_MAX];
	ssize_t r = file_read(path, &text);

	if (r < 0) {
		json_decref(lines);
		return cannot("read", path, (int)r);
	}
	/* A line without its end was cut off by a crash: it never happened. */
	for (at = text; (end = strchr(at, '\n')) != NULL; at = end + 1) {
		json_t *value = json_loadb(at, (size_t)(end - at), 0, NULL);

		if (!value)
			break;
		json_array_append_new(lines, value);
	}
	free(text);
	if (!end && json_integer_value(json_object_get(json_array_get(lines, 0),
						       "thpctl_compare")) == FORMAT) {
		*ret_lines = lines;
		return 0;
	}
	json_decref(lines);
	say("compare: '%s' is no checkpoint of this version, or damaged",
	    escape_text(shown, sizeof(shown), path));
	return -EBADMSG;
}

int checkpoint_same_machine(const json_t *lines, const struct machine *machine)
{
	json_t *then = json_object_get(json_array_get(lines, 0), "machine");
	json_t *now = record_machine(machine);
	const char *key;
	json_t *value;
	int r = 0;

	json_object_foreach(now, key, value)
	{
		if (json_equal(value, json_object_get(then, key)))
			continue;
		say("compare: the checkpoint is of another machine or setting: '%s' differs; "
		    "start anew, or --best-effort mixes the two",
		    key);
		r = -ESTALE;
	}
	json_decref(now);
	return r;
}

int checkpoint_continue(struct checkpoint *checkpoint, const char *path)
{
	char *text = NULL, *end;
	ssize_t len = file_read(path, &text);
	int fd;

	if (len < 0)
		return cannot("read", path, (int)len);
	end = strrchr(text, '\n');
	len = end ? end + 1 - text : 0;
	free(text);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0)
		return cannot("write", path, -errno);
	if (ftruncate(fd, len) < 0) {
		int err = -errno;

		close(fd);
		return cannot("write", path, err);
	}
	checkpoint->fd = fd;
	checkpoint->path = path;
	return 0;
}

int checkpoint_add(struct checkpoint *checkpoint, const struct compare *compare,
		   const struct run *run)
{
	int r;

	if (checkpoint->fd < 0)
		return 0;
	r = write_line(checkpoint->fd, record_run(compare, run));
	return r < 0 ? cannot("write", checkpoint->path, r) : 0;
}

void checkpoint_close(struct checkpoint *checkpoint)
{
	if (checkpoint->fd >= 0)
		close(checkpoint->fd);
	checkpoint->fd = -1;
}
