/* SPDX-License-Identifier: MIT */
/*
 * The socket by which thpd tells of itself: a line comes in, a text goes out, and that was it.
 * Everybody may ask; who may change something is for the asked to say, by the peer's user.
 */
#ifndef DAEMON_SOCKET_H
#define DAEMON_SOCKET_H

#include "loop.h"

#include <stdio.h>
#include <sys/types.h>

#define CLIENTS_MAX  16
#define CLIENTS_USER 4 /* of one user other than root */
#define REQUEST_MAX  64

struct client {
	struct server *server;
	struct loop_watch watch; /* fd -1: free */
	struct loop_timer timer;
	uid_t uid;
	char request[REQUEST_MAX + 1];
	size_t len;
	char *answer; /* NULL: still listening */
	size_t size;
	size_t sent;
};

struct server {
	struct loop *loop;
	struct loop_watch watch;
	struct client clients[CLIENTS_MAX];
	const char *path;
	/* Answers a request, without its newline, of a user. */
	void (*answer)(void *arg, const char *request, uid_t uid, FILE *file);
	void *arg;
};

/* Makes the socket, in place of one that nobody listens to any more. 0 or -errno. */
int server_open(struct server *server, struct loop *loop, const char *path,
		void (*answer)(void *arg, const char *request, uid_t uid, FILE *file), void *arg);
void server_close(struct server *server);

#endif /* DAEMON_SOCKET_H */
