// SPDX-License-Identifier: MIT
#include "socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A client has so long for it all. */
#define PATIENCE_NS (2 * (uint64_t)1000000000)

static void hang_up(struct client *client)
{
	loop_unwatch(client->server->loop, &client->watch);
	loop_unset(client->server->loop, &client->timer);
	close(client->watch.fd);
	client->watch.fd = -1;
	free(client->answer);
	client->answer = NULL;
}

static void too_slow(void *arg)
{
	hang_up(arg);
}

static void send_more(struct client *client)
{
	ssize_t n = send(client->watch.fd, client->answer + client->sent,
			 client->size - client->sent, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		client->sent += (size_t)n;
	if (n <= 0 || client->sent == client->size)
		hang_up(client);
}

static void answer(struct client *client)
{
	struct server *server = client->server;
	FILE *file = open_memstream(&client->answer, &client->size);

	if (!file) {
		hang_up(client);
		return;
	}
	server->answer(server->arg, client->request, client->uid, file);
	if (fclose(file) != 0 || client->size == 0) {
		hang_up(client);
		return;
	}
	loop_rewatch(server->loop, &client->watch, EPOLLOUT);
	send_more(client);
}

static void client_ready(void *arg, uint32_t events)
{
	struct client *client = arg;
	char *end;
	ssize_t n;

	(void)events;
	if (client->answer) {
		send_more(client);
		return;
	}
	n = recv(client->watch.fd, client->request + client->len, REQUEST_MAX - client->len,
		 MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		hang_up(client);
		return;
	}
	client->len += (size_t)n;
	client->request[client->len] = '\0';
	end = strchr(client->request, '\n');
	if (end) {
		*end = '\0';
		answer(client);
	} else if (client->len == REQUEST_MAX) {
		hang_up(client);
	}
}

/* A place for one more client, NULL: there are too many, of this user or at all. */
static struct client *find_place(struct server *server, uid_t uid)
{
	struct client *place = NULL;
	unsigned of_user = 0;

	for (unsigned i = 0; i < CLIENTS_MAX; i++) {
		struct client *client = &server->clients[i];

		if (client->watch.fd < 0)
			place = client;
		else
			of_user += client->uid == uid;
	}
	/* Two places are root's, however many others there are. */
	return uid != 0 && of_user >= CLIENTS_USER ? NULL : place;
}

static void server_ready(void *arg, uint32_t events)
{
	struct server *server = arg;
	int fd = accept4(server->watch.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred peer;
	socklen_t len = sizeof(peer);
	struct client *client;

	(void)events;
	if (fd < 0)
		return;
	client = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0
			 ? NULL
			 : find_place(server, peer.uid);
	if (!client) {
		close(fd);
		return;
	}
	*client = (struct client){
		.server = server,
		.watch = {fd, client_ready, client},
		.timer = {.ring = too_slow, .arg = client},
		.uid = peer.uid,
	};
	if (loop_watch(server->loop, &client->watch, EPOLLIN) < 0) {
		close(fd);
		client->watch.fd = -1;
		return;
	}
	loop_set(server->loop, &client->timer, loop_now() + PATIENCE_NS);
}

static int make_address(const char *path, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(address->sun_path))
		return -ENAMETOOLONG;
	strcpy(address->sun_path, path);
	return 0;
}

/* Whether somebody answers at an address. */
static int is_in_use(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), r;

	if (fd < 0)
		return 0;
	r = connect(fd, (const struct sockaddr *)address, sizeof(*address));
	close(fd);
	return r == 0;
}

static int open_socket(const char *path)
{
	struct sockaddr_un address;
	int r = make_address(path, &address), fd;

	if (r < 0)
		return r;
	if (is_in_use(&address))
		return -EADDRINUSE;
	unlink(path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || chmod(path, 0666) < 0 ||
	    listen(fd, CLIENTS_MAX) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	return fd;
}

int server_open(struct server *server, struct loop *loop, const char *path,
		void (*answer_fn)(void *arg, const char *request, uid_t uid, FILE *file), void *arg)
{
	int fd = open_socket(path), r;

	*server = (struct server){
		.loop = loop,
		.watch = {fd, server_ready, server},
		.path = path,
		.answer = answer_fn,
		.arg = arg,
	};
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		server->clients[i].watch.fd = -1;
	if (fd < 0)
		return fd;
	r = loop_watch(loop, &server->watch, EPOLLIN);
	if (r < 0)
		server_close(server);
	return r;
}

void server_close(struct server *server)
{
	if (!server->loop || server->watch.fd < 0)
		return;
	for (unsigned i = 0; i < CLIENTS_MAX; i++) {
		if (server->clients[i].watch.fd >= 0)
			hang_up(&server->clients[i]);
	}
	loop_unwatch(server->loop, &server->watch);
	close(server->watch.fd);
	server->watch.fd = -1;
	unlink(server->path);
}
