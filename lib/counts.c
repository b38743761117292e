// SPDX-License-Identifier: MIT
/* Sums of counts. */
#include "internal.h"

EXPORT uint64_t thp_counts_huge(const struct thp_counts *counts)
{
	return counts->huge_anon + counts->huge_shmem + counts->huge_file;
}

EXPORT void thp_counts_add(struct thp_counts *sum, const struct thp_counts *counts)
{
	sum->bytes += counts->bytes;
	sum->resident += counts->resident;
	sum->huge_anon += counts->huge_anon;
	sum->huge_shmem += counts->huge_shmem;
	sum->huge_file += counts->huge_file;
	sum->hugetlb += counts->hugetlb;
	sum->swapped += counts->swapped;
	if (sum->zero == THP_BYTES_UNKNOWN || counts->zero == THP_BYTES_UNKNOWN)
		sum->zero = THP_BYTES_UNKNOWN;
	else
		sum->zero += counts->zero;
	for (unsigned i = 0; i < THP_NODES_MAX; i++)
		sum->nodes[i] += counts->nodes[i];
	sum->node_unknown += counts->node_unknown;
	for (unsigned i = 0; i < THP_ORDERS_MAX; i++)
		sum->orders[i] += counts->orders[i];
	sum->order_unknown += counts->order_unknown;
	sum->part_held += counts->part_held;
}
