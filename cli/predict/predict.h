/* SPDX-License-Identifier: MIT */
/* What thpctl predict tells. */
#ifndef CLI_PREDICT_PREDICT_H
#define CLI_PREDICT_PREDICT_H

#include "model.h"

struct forecast {
	struct host host;
	struct counted counted;
	struct prediction *predictions; /* one for each program that was counted */
};

enum verdict {
	OFF_FASTER,
	ON_FASTER,
	OPEN, /* the range holds 1 */
};

enum verdict forecast_verdict(struct range ratio);

/* The counted program of this name, NULL if there is none. */
const struct prediction *forecast_of(const struct forecast *forecast, const char *program);

/* What a reader must know before he believes a number; entry i, NULL behind the last. buf: 256. */
const char *forecast_note(const struct forecast *forecast, size_t i, char buf[256]);

void forecast_print(const struct forecast *forecast);

/* 0 or -ENOMEM. */
int forecast_print_json(const struct forecast *forecast);

#endif /* CLI_PREDICT_PREDICT_H */
