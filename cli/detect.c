/* SPDX-License-Identifier: MIT */
/*
 * detect.c - which row stands for the kernel that runs here, and how it was built.
 *
 * Law: what the kernel says of itself beats the table of distributions, and every figure names the file it was read from.
 */
#include "cli/detect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/model.h"
#include "text/say.h"
#include "text/table.h"

#define PROC "/proc"
#define LINE 4096

static char *path_in(char *buf, size_t size, const char *dir, const char *file)
{
	snprintf(buf, size, "%s/%s", dir, file);
	return buf;
}

/* The first line of @dir/@file, without its end; false where there is none. */
static bool first_line(const char *dir, const char *file, char *line, size_t size)
{
	char path[LINE];
	FILE *in = fopen(path_in(path, sizeof(path), dir, file), "r");
	bool ok;

	if (!in)
		return false;
	ok = fgets(line, (int)size, in) != NULL;
	fclose(in);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

/* ---- what was built ---- */

static int model_called(const char *word)
{
	int i;

	for (i = PREEMPT_NONE; i <= PREEMPT_LAZY; i++)
		if (!strcmp(word, preempt_name(i)))
			return i;
	return -1;
}

/* One line of a configuration: CONFIG_HZ=250, CONFIG_PREEMPT_VOLUNTARY=y. */
static void read_setting(struct detected *d, const char *line, const char *path)
{
	static const struct { const char *line; int model; } models[] = {
		{ "CONFIG_PREEMPT_NONE=y", PREEMPT_NONE },
		{ "CONFIG_PREEMPT_VOLUNTARY=y", PREEMPT_VOLUNTARY },
		{ "CONFIG_PREEMPT=y", PREEMPT_FULL },
		{ "CONFIG_PREEMPT_LAZY=y", PREEMPT_LAZY },
	};
	size_t i;

	if (!strncmp(line, "CONFIG_HZ=", 10)) {
		d->hz = (u32)strtoul(line + 10, NULL, 10);
		snprintf(d->hz_from, sizeof(d->hz_from), "%s", path);
	}
	for (i = 0; i < ARRAY_SIZE(models); i++) {
		if (strcmp(line, models[i].line))
			continue;
		d->preempt = models[i].model;
		snprintf(d->preempt_from, sizeof(d->preempt_from), "%s", path);
	}
}

/* Compressed or not.  False where it cannot be opened. */
static bool read_config(struct detected *d, const char *path)
{
	gzFile in = gzopen(path, "rb");
	char line[LINE];

	if (!in)
		return false;
	while (gzgets(in, line, sizeof(line))) {
		line[strcspn(line, "\n")] = '\0';
		read_setting(d, line, path);
	}
	gzclose(in);
	return true;
}

/* A model chosen at boot: preempt=full. */
static void read_command_line(struct detected *d, const char *proc)
{
	char line[LINE], *word, *rest = line, path[LINE];
	int model;

	if (!first_line(proc, "cmdline", line, sizeof(line)))
		return;
	while ((word = strsep(&rest, " "))) {
		if (strncmp(word, "preempt=", 8))
			continue;
		model = model_called(word + 8);
		if (model < 0)
			continue;
		d->preempt = model;
		snprintf(d->preempt_from, sizeof(d->preempt_from), "%.100s", path_in(path, sizeof(path), proc, "cmdline"));
	}
}

static void read_slice(struct detected *d, const char *proc)
{
	static const char file[] = "sys/kernel/sched_cfs_bandwidth_slice_us";
	char line[LINE], path[LINE];

	if (!first_line(proc, file, line, sizeof(line)))
		return;
	d->slice_us = strtoull(line, NULL, 10);
	snprintf(d->slice_from, sizeof(d->slice_from), "%.100s", path_in(path, sizeof(path), proc, file));
}

/* What the kernel does not say, the table may know. */
static void fill_from_table(struct detected *d)
{
	if (!d->hz && d->kernel.hz) {
		d->hz = d->kernel.hz;
		snprintf(d->hz_from, sizeof(d->hz_from), "%s", d->kernel.source);
	}
	if (d->preempt < 0 && d->kernel.preempt >= 0) {
		d->preempt = d->kernel.preempt;
		snprintf(d->preempt_from, sizeof(d->preempt_from), "%s", d->kernel.source);
	}
}

/* "Linux version 5.15.0-1051-aws (buildd@...) ..." */
static int read_release(const char *proc, char *release, size_t size, struct err *err)
{
	static const char front[] = "Linux version ";
	char line[LINE];

	if (!first_line(proc, "version", line, sizeof(line)))
		return err_at(err, proc, 0, 0, "version", "cannot be read: %s", strerror(errno));
	if (strncmp(line, front, strlen(front))) {
		err_at(err, proc, 0, 0, "version", "expected \"Linux version ...\", found \"%.60s\"", line);
		return -1;
	}
	snprintf(release, size, "%.*s", (int)strcspn(line + strlen(front), " "), line + strlen(front));
	return 0;
}

int detect_kernel(const char *proc, struct detected *d, struct err *err)
{
	const char *dir = proc ? proc : PROC;
	char release[RELEASE_MAX], path[LINE], boot[LINE];

	memset(d, 0, sizeof(*d));
	if (read_release(dir, release, sizeof(release), err))
		return -1;
	distro_kernel(release, &d->kernel);
	d->preempt = -1;
	snprintf(boot, sizeof(boot), "/boot/config-%s", release);
	if (!read_config(d, path_in(path, sizeof(path), dir, "config.gz")) && !proc && !strchr(release, '/'))
		read_config(d, boot);
	read_command_line(d, dir);
	read_slice(d, dir);
	fill_from_table(d);
	return 0;
}

/* ---- to say it ---- */

static void line_of(struct table *t, const char *what, const char *value, const char *from)
{
	table_cell(t, "%s", what);
	table_cell(t, "%s", value);
	table_cell(t, "%s", from);
}

void detect_print(FILE *out, const struct detected *d)
{
	const struct distro_kernel *k = &d->kernel;
	char hz[24] = "not known", slice[40] = "not known", row[64];
	struct table t;

	if (d->hz)
		snprintf(hz, sizeof(hz), "%u", d->hz);
	if (d->slice_us)
		snprintf(slice, sizeof(slice), "%" PRIu64 " us", d->slice_us);
	snprintf(row, sizeof(row), "%s%s%s", k->row ? k->row : "none is old enough", k->rules[0] ? " with " : "",
		 k->rules[0] ? k->rules[0] : "");
	table_init(&t, "lll");
	line_of(&t, "kernel", k->release, k->distro ? k->distro : "");
	line_of(&t, "row", row, !k->row || k->exact ? "" : "the nearest that is not newer");
	line_of(&t, "HZ", hz, d->hz_from);
	line_of(&t, "preemption", preempt_name(d->preempt), d->preempt_from);
	line_of(&t, "slice", slice, d->slice_from);
	table_print(&t, out);
	table_fini(&t);
	fputs("not known: ", out);
	text_put(out, k->distro ? k->doubt : "what was back-ported to it");
	fputc('\n', out);
}

void detect_json(struct json_write *j, const struct detected *d)
{
	const struct distro_kernel *k = &d->kernel;

	json_begin(j, '{');
	json_put_string(j, "release", k->release);
	json_put_string(j, "distribution", k->distro);
	json_put_string(j, "row", k->row);
	json_put_bool(j, "exact", k->exact);
	json_put_begin_line(j, "rules", '[');
	if (k->rules[0])
		json_string(j, k->rules[0]);
	json_end(j);
	json_key(j, "hz");
	if (d->hz)
		json_u64(j, d->hz);
	else
		json_string(j, NULL);
	json_put_string(j, "preempt", d->preempt >= 0 ? preempt_name(d->preempt) : NULL);
	json_key(j, "slice_usec");
	if (d->slice_us)
		json_u64(j, d->slice_us);
	else
		json_string(j, NULL);
	json_put_begin(j, "sources", '{');
	json_put_string(j, "hz", *d->hz_from ? d->hz_from : NULL);
	json_put_string(j, "preempt", *d->preempt_from ? d->preempt_from : NULL);
	json_put_string(j, "slice_usec", *d->slice_from ? d->slice_from : NULL);
	json_end(j);
	json_put_string(j, "not_known", k->doubt);
	json_end(j);
}
