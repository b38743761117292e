/* SPDX-License-Identifier: MIT */
/*
 * Pattern: image operations: blur (rows above and below), rotation by 90 degrees (columns become
 * rows, the TLB's worst case), and pixelwise tone mapping by a table.
 * Mail rows: imagick (OMP2012).
 *
 * Why THP may help (0.9 in the mail): the rotation writes each pixel of a row to another 4 KiB
 * page. Why it may hurt: hardly; whoever wrote a part of the image is not the one that reads it
 * next.
 */
#include "wl.h"

#include <math.h>
#include <stdlib.h>

enum { CHANNELS = 4, KERNEL = 5, LEVELS = 65536 };

static const struct wl_program program = {
	.name = "image",
	.help = "blur, rotate and tone-map an image of 16-bit RGBA pixels",
	.size_unit = "pixels along the longer side (times three quarters of it; 24 bytes each)",
	.metric_unit = "Mpixels/s",
	.size = {200, 2800, 12000, 36000},
	.iterations = {2, 2, 6, 10},
	.has_touch = true,
};

struct pixel {
	uint16_t channel[CHANNELS];
};

struct image {
	long width, height;
	struct pixel *pixel;
};

static const unsigned int binomial[KERNEL] = {1, 4, 6, 4, 1}; /* their sum is 16 */
static uint16_t tone[LEVELS];

static struct pixel *at(const struct image *image, long x, long y)
{
	return &image->pixel[y * image->width + x];
}

static long clamp(long value, long limit)
{
	return value < 0 ? 0 : value >= limit ? limit - 1 : value;
}

static struct image make_image(long width, long height, uint64_t seed, bool parallel)
{
	struct image image = {width, height, NULL};

	image.pixel = wl_alloc((size_t)(width * height) * sizeof(*image.pixel));
#pragma omp parallel for schedule(static) if (parallel)
	for (long y = 0; y < height; y++) {
		for (long x = 0; x < width; x++) {
			uint64_t random = wl_random(seed, (uint64_t)(y * width + x));

			for (int c = 0; c < CHANNELS; c++)
				at(&image, x, y)->channel[c] = (uint16_t)(random >> 16 * c);
		}
	}
	return image;
}

static struct pixel blurred(const struct image *from, long x, long y)
{
	unsigned int sum[CHANNELS] = {0};
	struct pixel result;

	for (int j = 0; j < KERNEL; j++) {
		long row = clamp(y + j - KERNEL / 2, from->height);

		for (int i = 0; i < KERNEL; i++) {
			const struct pixel *p =
				at(from, clamp(x + i - KERNEL / 2, from->width), row);

			for (int c = 0; c < CHANNELS; c++)
				sum[c] += binomial[i] * binomial[j] * p->channel[c];
		}
	}
	for (int c = 0; c < CHANNELS; c++)
		result.channel[c] = (uint16_t)((sum[c] + 128) / 256);
	return result;
}

static void blur(const struct image *from, struct image *to)
{
	to->width = from->width;
	to->height = from->height;
#pragma omp parallel for schedule(static)
	for (long y = 0; y < to->height; y++)
		for (long x = 0; x < to->width; x++)
			*at(to, x, y) = blurred(from, x, y);
}

/* Clockwise: the left column becomes the top row. */
static void rotate(const struct image *from, struct image *to)
{
	to->width = from->height;
	to->height = from->width;
#pragma omp parallel for schedule(static)
	for (long y = 0; y < from->height; y++)
		for (long x = 0; x < from->width; x++)
			*at(to, from->height - 1 - y, x) = *at(from, x, y);
}

static void make_tone_table(void)
{
	for (int i = 0; i < LEVELS; i++)
		tone[i] = (uint16_t)(LEVELS - 1 - i);
}

/* Pixelwise, in place. */
static void map_tones(struct image *image)
{
#pragma omp parallel for schedule(static)
	for (long y = 0; y < image->height; y++)
		for (long x = 0; x < image->width; x++)
			for (int c = 0; c < CHANNELS; c++)
				at(image, x, y)->channel[c] = tone[at(image, x, y)->channel[c]];
}

/*
 * What one pixel must be after the three operations on an image, computed backwards from its place
 * and with the two-dimensional weights written out: wrong channels of all pixels.
 */
static double count_wrong(const struct image *before, const struct image *after)
{
	static const long weights[KERNEL][KERNEL] = {
		{1, 4, 6, 4, 1},    {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6},
		{4, 16, 24, 16, 4}, {1, 4, 6, 4, 1},
	};
	double wrong = 0;

#pragma omp parallel for schedule(static) reduction(+ : wrong)
	for (long i = 0; i < after->width * after->height; i++) {
		long x = i / after->width, y = before->height - 1 - i % after->width;

		for (int c = 0; c < CHANNELS; c++) {
			long sum = 0, expected;

			for (long j = -2; j <= 2; j++) {
				long row = clamp(y + j, before->height);

				for (long k = -2; k <= 2; k++)
					sum += weights[j + 2][k + 2] *
					       at(before, clamp(x + k, before->width), row)
						       ->channel[c];
			}
			expected = LEVELS - 1 - (long)floor((double)sum / 256 + 0.5);
			wrong += after->pixel[i].channel[c] != expected;
		}
	}
	return wrong;
}

int main(int argc, char **argv)
{
	struct wl_run run = wl_start(&program, argc, argv);
	long width = run.size, height = run.size * 3 / 4;
	struct image from, blurry, to;
	double work = (double)width * (double)height * (double)run.iterations * 1e-6;
	uint64_t hash;

	if (run.size < 8 || run.size > 1000000)
		wl_usage("--size must be 8 to 1000000");
	make_tone_table();
	from = make_image(width, height, run.seed, run.touch_parallel);
	blurry = make_image(width, height, 0, run.touch_parallel);
	to = make_image(width, height, 0, run.touch_parallel);

	wl_begin();
	for (long i = 0; i < run.iterations; i++) {
		if (i > 0) {
			struct image done = to;

			to = from;
			from = done;
		}
		blur(&from, &blurry);
		rotate(&blurry, &to);
		map_tones(&to);
	}
	wl_end();

	if (wl_corrupt_wanted())
		at(&to, to.width / 2, to.height / 2)->channel[1] ^= 1;
	wl_check("pixels of the last pass", count_wrong(&from, &to), 0);
	hash = wl_hash(to.pixel, (size_t)(width * height) * sizeof(*to.pixel));
	free(from.pixel);
	free(blurry.pixel);
	free(to.pixel);
	return wl_finish(work, hash);
}
