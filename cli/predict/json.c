// SPDX-License-Identifier: MIT
/* A forecast as JSON, see thpctl-predict(1). */
#include "predict.h"

#include "../../common/json.h"

#include "thp.h"

#include <math.h>

static const char *const verdicts[] = {
	[OFF_FASTER] = "off",
	[ON_FASTER] = "on",
	[OPEN] = "open",
};

static json_t *range_json(struct range range)
{
	return json_pack("{s:f, s:f}", "low", range.low, "high", range.high);
}

static json_t *percent_json(double percent)
{
	return isnan(percent) ? json_null() : json_real(percent);
}

static json_t *text_or_null(const char *text)
{
	return text ? json_text(text) : json_null();
}

static json_t *parameters_json(const struct host *host)
{
	json_t *list = json_array();

	for (size_t i = 0; i < HOP + host->nr_hops; i++) {
		char name[16];

		json_array_append_new(list,
				      json_pack("{s:s, s:f, s:f, s:s, s:o}", "name",
						host_parameter(host, i, name), "low",
						host->parameters[i].low, "high",
						host->parameters[i].high, "unit", host_unit(i),
						"source", text_or_null(host->sources[i])));
	}
	return list;
}

static json_t *programs_json(const struct forecast *forecast)
{
	json_t *list = json_array();

	for (size_t i = 0; i < forecast->counted.nr_programs; i++) {
		const struct program *program = &forecast->counted.programs[i];
		const struct prediction *prediction = &forecast->predictions[i];

		json_array_append_new(list,
				      json_pack("{s:o, s:o, s:s, s:o, s:o, s:s, s:s}", "name",
						json_text(program->name), "ratio",
						range_json(prediction->ratio), "faster",
						verdicts[forecast_verdict(prediction->ratio)],
						"remote_percent_off",
						percent_json(counts_remote_percent(&program->off)),
						"remote_percent_on",
						percent_json(counts_remote_percent(&program->on)),
						"most_off", model_term(prediction->most_off),
						"most_on", model_term(prediction->most_on)));
	}
	return list;
}

static json_t *measured_json(const struct forecast *forecast)
{
	const struct host *host = &forecast->host;
	json_t *list = json_array();

	for (size_t i = 0; i < host->nr_measured; i++) {
		const struct measured *measured = &host->measured[i];
		const struct prediction *prediction = forecast_of(forecast, measured->stand_in);

		json_array_append_new(
			list, json_pack("{s:o, s:f, s:o, s:o}", "program", json_text(measured->row),
					"ratio", measured->ratio, "stand_in",
					json_text(measured->stand_in), "predicted",
					prediction ? range_json(prediction->ratio) : json_null()));
	}
	return list;
}

static json_t *notes_json(const struct forecast *forecast)
{
	json_t *list = json_array();
	const char *note;
	char buf[256];

	for (size_t i = 0; (note = forecast_note(forecast, i, buf)); i++) {
		if (*note)
			json_array_append_new(list, json_text(note));
	}
	return list;
}

int forecast_print_json(const struct forecast *forecast)
{
	const struct host *host = &forecast->host;
	const struct counted *counted = &forecast->counted;

	return json_print(json_pack(
		"{s:i, s:s, s:{s:o, s:i, s:i}, s:{s:o, s:i, s:i}, s:s, s:o, s:o, s:o, s:o, s:o}",
		"schema", 1, "version", THP_VERSION, "machine", "name", json_text(host->name),
		"nodes", (int)host->nodes, "threads_per_node", (int)host->threads_per_node,
		"counts", "origin", json_text(counted->origin), "nodes", (int)counted->nodes,
		"threads_per_node", (int)counted->threads_per_node, "formula", model_formula,
		"parameters", parameters_json(host), "programs", programs_json(forecast),
		"measured_title", text_or_null(host->measured_title), "measured",
		measured_json(forecast), "notes", notes_json(forecast)));
}
