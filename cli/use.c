// SPDX-License-Identifier: MIT
#include "use.h"

/*
 * Advice stands in smaps only, whose every line costs a walk of the mapping's page tables with the
 * process's mmap lock held: 103 ms for 4 GiB of small pages, nothing for huge ones. So much holds
 * it up no longer than a time slice.
 */
#define CHEAP_SMALL (512ull << 20)

unsigned use_for(struct thp_ctx *ctx, const struct thp_process *process, unsigned asked)
{
	const unsigned more = THP_USE_WHY | THP_USE_NODES;
	uint64_t small = process->resident;

	/* Where it cannot be counted, smaps is all there is: it is read in any case. */
	if (small > CHEAP_SMALL && thp_usage_small(ctx, process->pid, CHEAP_SMALL, &small) == 0 &&
	    small > CHEAP_SMALL)
		return asked;
	return asked | more;
}

uint64_t use_block(const struct thp_system *system)
{
	return system->pmd_bytes ? system->pmd_bytes : 2ull << 20;
}
