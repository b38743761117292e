// SPDX-License-Identifier: MIT
#include "machine.h"

#include "../../common/file.h"
#include "numa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* x86 names the model; others name numbers of it, which say less than the architecture. */
static void read_cpu(struct machine *machine)
{
	static const char key[] = "\nmodel name";
	char *text, *at;

	if (file_read("/proc/cpuinfo", &text) < 0)
		return;
	at = strstr(text, key);
	at = at ? strchr(at, ':') : NULL;
	if (at) {
		at += strspn(at, ": ");
		snprintf(machine->cpu, sizeof(machine->cpu), "%.*s", (int)strcspn(at, "\n"), at);
	}
	free(text);
}

void machine_read(struct thp_ctx *ctx, struct machine *ret_machine)
{
	struct machine machine = {.thp = {.size = sizeof(machine.thp)}};
	struct utsname names;

	if (uname(&names) == 0) {
		snprintf(machine.host, sizeof(machine.host), "%s", names.nodename);
		snprintf(machine.kernel, sizeof(machine.kernel), "%.60s %.65s", names.sysname,
			 names.release);
		snprintf(machine.arch, sizeof(machine.arch), "%s", names.machine);
	}
	read_cpu(&machine);
	machine.cpus = sysconf(_SC_NPROCESSORS_ONLN);
	machine.nodes = numa_nodes();
	machine.memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	if (thp_system_read(ctx, &machine.thp) < 0)
		machine.thp.presence = THP_HIDDEN;
	*ret_machine = machine;
}
