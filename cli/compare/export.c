// SPDX-License-Identifier: MIT
#include "export.h"

#include "../../common/escape.h"
#include "../../common/say.h"
#include "../cli.h"

#include <errno.h>
#include <string.h>

static int write_format(const struct report *report, enum export_format format, FILE *out)
{
	switch (format) {
	case EXPORT_JSON:
		return export_json(report, out);
	case EXPORT_CSV:
		return export_csv(report, out);
	case EXPORT_MD:
		return export_md(report, out);
	case EXPORT_SVG:
		return export_svg(report, out);
	case EXPORT_PNG:
		return export_plot(report, "pngcairo", out);
	default:
		return export_html(report, out);
	}
}

static int export_one(const struct report *report, const struct export *to)
{
	bool standard = strcmp(to->path, "-") == 0;
	FILE *out = standard ? stdout : fopen(to->path, "we");
	char shown[CLI_SHOWN_MAX];
	int r = out ? write_format(report, to->format, out) : -errno;

	/* Standard output is ended once, by whoever ends the program. */
	if (out && !standard) {
		bool lost = ferror(out);

		if ((fclose(out) != 0 || lost) && r == 0)
			r = lost ? -EIO : -errno;
	}
	if (r < 0)
		say("compare: cannot write '%s': %s", escape_text(shown, sizeof(shown), to->path),
		    strerror(-r));
	return r;
}

int export_all(const struct report *report)
{
	const struct settings *settings = report->compare->settings;
	int first = 0;

	for (size_t i = 0; i < settings->nr_exports; i++) {
		int r = export_one(report, &settings->exports[i]);

		first = first ? first : r;
	}
	return first;
}

bool export_takes_stdout(const struct settings *settings)
{
	for (size_t i = 0; i < settings->nr_exports; i++) {
		if (strcmp(settings->exports[i].path, "-") == 0)
			return true;
	}
	return false;
}
