// SPDX-License-Identifier: MIT
#include "program.h"

#include "../path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCRIPTS_MAX 5   /* that interpret each other, as in the kernel */
#define LINE_MAX_   256 /* of a script that the kernel looks at (BINPRM_BUF_SIZE) */

static const char blanks[] = " \t";

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The command in what follows env in the first line of a script: "-S A=1 python3 -u". */
static bool find_behind_env(char *words, char ret_path[PATH_MAX])
{
	char *state = NULL;

	for (char *word = strtok_r(words, blanks, &state); word;
	     word = strtok_r(NULL, blanks, &state)) {
		if (word[0] != '-' && !strchr(word, '='))
			return path_find(word, ret_path);
	}
	return false;
}

/*
 * The interpreter of a script. What is neither ELF nor begins with "#!" the shell would run. False:
 * it is no script.
 */
static bool find_interpreter(const char *path, char ret_path[PATH_MAX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char line[LINE_MAX_ + 1], *word, *rest;
	ssize_t len = fd < 0 ? -1 : read(fd, line, LINE_MAX_);

	if (fd >= 0)
		close(fd);
	if (len < 0)
		return false;
	line[len] = '\0';
	if (strncmp(line, "#!", 2) != 0) {
		snprintf(ret_path, PATH_MAX, "/bin/sh");
		return !memchr(line, '\0', (size_t)len);
	}
	line[strcspn(line, "\n")] = '\0';
	word = line + 2 + strspn(line + 2, blanks);
	rest = word + strcspn(word, blanks);
	if (*rest)
		*rest++ = '\0';
	if (strcmp(base_name(word), "env") == 0)
		return find_behind_env(rest, ret_path);
	return *word && snprintf(ret_path, PATH_MAX, "%s", word) < PATH_MAX;
}

/* What the kernel does not tell before execve(2): whether it will give the program other rights. */
static bool has_other_rights(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	return ((st.st_mode & S_ISUID) && st.st_uid != getuid()) ||
	       ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getgid()) ||
	       (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

static int open_main(const char *command, struct program *program)
{
	char path[PATH_MAX], real[PATH_MAX];
	int r;

	if (!path_find(command, path))
		return -ENOENT;
	for (unsigned i = 0; i < SCRIPTS_MAX; i++) {
		/* What it is linked to decides where its libraries are. */
		if (!realpath(path, real))
			return -errno;
		r = image_open(real, &program->main);
		if (r != -ENOEXEC)
			break;
		program->script = true;
		if (!find_interpreter(real, path))
			return -ENOEXEC;
	}
	if (r == 0)
		program->other_rights = has_other_rights(real);
	return r;
}

int program_open(const char *command, struct program *ret_program)
{
	struct program program = {0};
	char loader[PATH_MAX];
	int r = open_main(command, &program);

	if (r < 0)
		return r;
	if (image_loader(program.main, loader) && image_open(loader, &program.loader) == 0)
		program.nr_libraries = libraries_list(loader, image_path(program.main),
						      program.libraries, PROGRAM_LIBRARIES_MAX);
	*ret_program = program;
	return 0;
}

void program_close(struct program *program)
{
	image_close(program->main);
	image_close(program->loader);
	for (size_t i = 0; i < program->nr_libraries; i++)
		free(program->libraries[i]);
	*program = (struct program){0};
}

const char *program_library(const struct program *program, const char *prefix)
{
	for (size_t i = 0; i < program->nr_libraries; i++) {
		if (strncmp(base_name(program->libraries[i]), prefix, strlen(prefix)) == 0)
			return program->libraries[i];
	}
	return NULL;
}
