// SPDX-License-Identifier: MIT
/* thpctl map --svg: a row for each mapping with room for a huge page, wide enough to see blocks. */
#include "map.h"

#include "../common/escape.h"
#include "../common/number.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define CELLS      256 /* in a row at most */
#define CELL_LEAST 3   /* width of a cell, wider in short rows */
#define CELL_MOST  12
#define ROW_HEIGHT 34
#define TOP        92 /* above the first row: title and legend */
#define MARGIN     16u
#define TEXT_RIGHT (MARGIN + CELLS * CELL_LEAST + 12)
#define WIDTH      (TEXT_RIGHT + 230)
#define NAME_SHOWN 400

int map_svg_begin(struct map_svg *svg)
{
	memset(svg, 0, sizeof(*svg));
	svg->picture.mapping = UINT64_MAX;
	svg->body = tmpfile();
	return svg->body ? 0 : -errno;
}

static void follow(struct map_svg *svg, const struct map *map, const struct thp_mapping *mapping)
{
	if (svg->picture.mapping != mapping->start)
		picture_begin(&svg->picture, mapping, map->info.block, CELLS);
}

void map_svg_range(struct map_svg *svg, const struct map *map, const struct thp_mapping *mapping,
		   uint64_t start, uint64_t end, enum thp_range_kind kind)
{
	follow(svg, map, mapping);
	picture_add(&svg->picture, start, end, kind);
}

/* Names are bytes: made printable first, then fit for XML. */
static void put_text(FILE *file, const char *text)
{
	char shown[NAME_SHOWN];

	for (const char *p = escape_text(shown, sizeof(shown), text); *p; p++) {
		switch (*p) {
		case '&':
			fputs("&amp;", file);
			break;
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		default:
			putc(*p, file);
			break;
		}
	}
}

static unsigned cell_width(const struct picture *picture)
{
	unsigned width = CELLS * CELL_LEAST / picture->nr;

	return width > CELL_MOST ? CELL_MOST : width;
}

/* Neighbours of one class are one rectangle. */
static void put_cells(FILE *file, const struct picture *picture, unsigned y)
{
	unsigned width = cell_width(picture);

	for (unsigned i = 0; i < picture->nr;) {
		enum picture_class class = picture_class(picture, i);
		unsigned first = i;

		while (i < picture->nr && picture_class(picture, i) == class)
			i++;
		fprintf(file, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"14\" fill=\"%s\"/>\n",
			MARGIN + first * width, y, (i - first) * width,
			picture_style(class)->colour);
	}
}

void map_svg_mapping(struct map_svg *svg, const struct map *map, const struct thp_mapping *mapping)
{
	const struct thp_counts *counts = &mapping->counts;
	char cell[NUMBER_BYTES_MAX], bytes[NUMBER_BYTES_MAX];
	char resident[NUMBER_BYTES_MAX], huge[NUMBER_BYTES_MAX];
	unsigned y = TOP + svg->rows * ROW_HEIGHT;

	if (counts->bytes < map->info.block) {
		svg->nr_small++;
		svg->small_bytes += counts->resident;
		return;
	}
	if (counts->resident + counts->hugetlb + counts->swapped == 0) {
		svg->nr_empty++;
		return;
	}
	follow(svg, map, mapping);
	fprintf(svg->body, "<text x=\"%u\" y=\"%u\" class=\"name\">%" PRIx64 "-%" PRIx64 "  ",
		MARGIN, y + 10, mapping->start, mapping->end);
	put_text(svg->body, mapping->name[0] ? mapping->name : "[anon]");
	fprintf(svg->body, "</text>\n");
	put_cells(svg->body, &svg->picture, y + 14);
	fprintf(svg->body,
		"<text x=\"%u\" y=\"%u\">%s of %s huge</text>\n"
		"<text x=\"%u\" y=\"%u\" class=\"note\">%s a cell, %s in all</text>\n",
		TEXT_RIGHT, y + 14, number_bytes(huge, thp_counts_huge(counts)),
		number_bytes(resident, counts->resident), TEXT_RIGHT, y + 27,
		number_bytes(cell, svg->picture.cell), number_bytes(bytes, counts->bytes));
	svg->rows++;
}

static void put_legend(FILE *file)
{
	unsigned x = MARGIN, y = 48;

	for (enum picture_class class = PICTURE_NONE; class < PICTURE_CLASSES; class ++) {
		const struct picture_style *style = picture_style(class);

		if (class == PICTURE_SMALL) {
			x = MARGIN;
			y += 18;
		}
		fprintf(file,
			"<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" fill=\"%s\"/>"
			"<text x=\"%u\" y=\"%u\">%s</text>\n",
			x, y, style->colour, x + 17, y + 10, style->word);
		x += 34 + 7 * (unsigned)strlen(style->word);
	}
}

static void put_head(FILE *file, const struct map_svg *svg, const struct map *map)
{
	char resident[NUMBER_BYTES_MAX], huge[NUMBER_BYTES_MAX];
	unsigned height = TOP + svg->rows * ROW_HEIGHT + 40;

	fprintf(file,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		"viewBox=\"0 0 %u %u\">\n"
		"<style>text{font:11px monospace;fill:#222}.title{font-size:15px}"
		".name{fill:#444}.note{fill:#777}</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
		"<text x=\"%u\" y=\"26\" class=\"title\">PID %d (",
		WIDTH, height, WIDTH, height, MARGIN, map->info.pid);
	put_text(file, map->info.comm);
	fprintf(file, "): %s huge of %s resident</text>\n",
		number_bytes(huge, thp_counts_huge(&map->total)),
		number_bytes(resident, map->total.resident));
}

static void put_foot(FILE *file, const struct map_svg *svg)
{
	char size[NUMBER_BYTES_MAX];

	fprintf(file,
		"<text x=\"%u\" y=\"%u\" class=\"note\">and %" PRIu64
		" mappings too small for a huge page, %s resident; %" PRIu64
		" with nothing in memory</text>\n</svg>\n",
		MARGIN, TOP + svg->rows * ROW_HEIGHT + 20, svg->nr_small,
		number_bytes(size, svg->small_bytes), svg->nr_empty);
}

int map_svg_end(struct map_svg *svg, const struct map *map, const char *path)
{
	FILE *file = fopen(path, "we");
	char buf[8192];
	size_t n;
	int err;

	if (!file) {
		err = errno;
		fclose(svg->body);
		return -err;
	}
	put_head(file, svg, map);
	put_legend(file);
	rewind(svg->body);
	while ((n = fread(buf, 1, sizeof(buf), svg->body)) > 0)
		fwrite(buf, 1, n, file);
	put_foot(file, svg);
	err = ferror(file) || ferror(svg->body) ? EIO : 0;
	errno = 0;
	if (fclose(file) != 0)
		err = errno ? errno : EIO;
	fclose(svg->body);
	return -err;
}
