/* SPDX-License-Identifier: MIT */
#include "init.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <sys/io.h>
#define DEBUG_EXIT_PORT 0xf4
#endif

static void mount_at(const char *type, const char *target)
{
	mkdir(target, 0755);
	/* EBUSY: the kernel has mounted it already (devtmpfs). */
	if (mount(type, target, type, 0, NULL) < 0 && errno != EBUSY)
		fprintf(stderr, "# init: cannot mount %s: %m\n", target);
}

static void open_console(void)
{
	int fd = open("/dev/console", O_RDWR);

	for (int i = 0; fd >= 0 && i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
}

static _Noreturn void power_off(int result)
{
	printf("# init: result %d\n", result);
	fflush(NULL);
	sync();
	tcdrain(STDOUT_FILENO);
#if defined(DEBUG_EXIT_PORT)
	if (iopl(3) == 0)
		outb((unsigned char)result, DEBUG_EXIT_PORT);
#endif
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

_Noreturn void init_main(int (*program)(int argc, char **argv), int argc, char **argv)
{
	int status = 0;
	pid_t child, ended;

	mount_at("devtmpfs", "/dev");
	open_console();
	mount_at("proc", "/proc");
	mount_at("sysfs", "/sys");
	mount_at("tmpfs", "/run");
	mkdir("/run/lock", 0755);
	mount_at("ramfs", INIT_FILE_DIR);
	chmod(INIT_FILE_DIR, 01777);
	/* As a child: signals and orphans are different for PID 1, and must not be for the suite.
	 */
	child = fork();
	if (child == 0)
		_exit(program(argc, argv));
	do
		ended = wait(&status);
	while (ended != child && (ended > 0 || errno == EINTR));
	power_off(WIFEXITED(status) ? WEXITSTATUS(status) : 120);
}
