/* SPDX-License-Identifier: MIT */
/* Why a process must not, or cannot, be made to run a system call. */
#ifndef THP_REMOTE_REFUSE_H
#define THP_REMOTE_REFUSE_H

#include "remote-thread.h"
#include "target.h"

/* What is known before anything is touched: -EINVAL no user memory, -ESRCH, -EAGAIN frozen. */
int refuse_target(struct thp_ctx *ctx, const struct thp_target *target);

/* Whether a thread with a seccomp filter is out of reach for this process: 0 or -EPERM. */
int refuse_filter(struct thp_ctx *ctx);

/* What is behind the kernel's EPERM at an attempt to trace; returns err. */
int explain_seize(struct thp_ctx *ctx, const struct thread *thread, int err);

#endif /* THP_REMOTE_REFUSE_H */
