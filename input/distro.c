/* SPDX-License-Identifier: MIT */
/*
 * distro.c - kernels by their distributions' spelling.
 *
 *	"5.15.0-1051-aws" --version--> 5.15.0 --rows--> 5.15	the newest row that is not newer
 *	        '---------spelling--> Ubuntu, a cloud flavour	HZ, preemption model, with their source
 *
 * Law: a figure stands here only with the place where it was read; what was not read is 0 or -1, and nobody guesses it.
 */
#include "input/distro.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "core/model.h"
#include "text/suggest.h"

struct version {
	u32 major, minor, patch;
	bool has_patch;
};

/* The last minor of each finished major: what lies beyond never existed. */
static const struct { u32 major, minor; } last_minors[] = { { 3, 19 }, { 4, 20 }, { 5, 19 }, { 6, 19 } };
#define NEWEST_MAJOR 7

/* ---- the table ---- */

#define V(major, minor) (1000 * (major) + (minor))
#define NO_END UINT32_MAX

static const struct spelling {
	const char *distro, *glob;
	u32 from, to; /* V(), both included */
	u32 hz;
	int preempt;
	const char *rule, *source, *doubt;
} spellings[] = {
	{ "Debian", "*-amd64", V(4, 19), V(4, 19), 0, -1, "bw_expiry=none", NULL,
	  "HZ, preemption model, back-ports within 4.19.y; the removal of slice expiry came during its life: before it, row 4.18 as it is" },
	{ "Debian", "*-amd64", V(5, 10), V(5, 10), 250, PREEMPT_VOLUNTARY, NULL,
	  "measured: linux-image-5.10.0-46-cloud-amd64 5.10.262-1 (tests/oracle)", "back-ports within 5.10.y" },
	{ "Debian", "*-amd64", V(6, 1), V(6, 1), 250, PREEMPT_VOLUNTARY, NULL,
	  "linux-config-6.1 6.1.192-3, amd64 and cloud-amd64", "back-ports within 6.1.y" },
	{ "Debian", "*deb1?*amd64", V(6, 12), V(6, 12), 250, PREEMPT_VOLUNTARY, NULL,
	  "linux-config-6.12 6.12.117-1~deb12u1, amd64 and cloud-amd64", "back-ports within 6.12.y" },
	{ "Debian", "*deb14*amd64", V(7, 0), NO_END, 250, PREEMPT_LAZY, NULL,
	  "measured: linux-binary-7.2.13+deb14-cloud-amd64 (tests/oracle)", "back-ports within 7.2.y" },
	{ "Debian", "*-arm64", V(4, 19), NO_END, 0, -1, NULL, NULL, "HZ, preemption model, back-ports" },

	{ "Ubuntu", "*-generic", V(4, 15), V(6, 5), 250, PREEMPT_VOLUNTARY, NULL,
	  "Ubuntu's kernel team on moving away from HZ=250 (discourse.ubuntu.com, topic 42255, January 2024)", "Ubuntu's back-ports" },
	{ "Ubuntu", "*-generic", V(6, 8), NO_END, 1000, PREEMPT_VOLUNTARY, NULL,
	  "24.04's configuration (debian.master/config/annotations: 1000 on amd64 and arm64, 250 elsewhere); voluntary as in "
	  "discourse.ubuntu.com, topic 44834",
	  "Ubuntu's back-ports" },
	{ "Ubuntu", "*-aws*", V(4, 15), V(6, 5), 250, PREEMPT_VOLUNTARY, NULL,
	  "builds on the generic kernel's configuration (debian.aws/config/annotations, read in part)", "Ubuntu's back-ports" },
	{ "Ubuntu", "*-azure*", V(4, 15), V(6, 5), 250, PREEMPT_VOLUNTARY, NULL,
	  "builds on the generic kernel's configuration (debian.azure/config/annotations, read in part; adds NO_HZ_FULL)", "Ubuntu's back-ports" },
	{ "Ubuntu", "*-gke*", V(4, 15), V(6, 5), 250, PREEMPT_VOLUNTARY, NULL,
	  "builds on the generic kernel's configuration and sets neither (debian.gke/config/annotations)", "Ubuntu's back-ports" },
	{ "Ubuntu", "*-aws*", V(6, 8), NO_END, 0, -1, NULL, NULL, "HZ and preemption model of this flavour since 6.8, Ubuntu's back-ports" },
	{ "Ubuntu", "*-azure*", V(6, 8), NO_END, 0, -1, NULL, NULL, "HZ and preemption model of this flavour since 6.8, Ubuntu's back-ports" },
	{ "Ubuntu", "*-gke*", V(6, 8), NO_END, 0, -1, NULL, NULL, "HZ and preemption model of this flavour since 6.8, Ubuntu's back-ports" },
	{ "Ubuntu", "*-gcp*", V(4, 15), NO_END, 0, -1, NULL, NULL, "HZ and preemption model of this flavour, Ubuntu's back-ports" },
	{ "Ubuntu", "*-lowlatency*", V(4, 15), NO_END, 0, -1, NULL, NULL, "HZ and preemption model of this flavour, Ubuntu's back-ports" },

	{ "Red Hat 7 and its rebuilds", "*.el7*.x86_64", V(3, 10), V(3, 10), 1000, -1, NULL,
	  "x86_64 is at 1000 Hz (kernel-ark, merge request 2637)",
	  "preemption model, Red Hat's back-ports, which are many: the row is only where this kernel began" },
	{ "Red Hat 8 and its rebuilds", "*.el8*.x86_64", V(4, 18), V(4, 18), 1000, -1, NULL,
	  "x86_64 is at 1000 Hz (kernel-ark, merge request 2637)",
	  "preemption model, Red Hat's back-ports, which are many: try --rule bw_expiry=none too" },
	{ "Red Hat 9 and its rebuilds", "*.el9*.x86_64", V(5, 14), V(5, 14), 1000, PREEMPT_VOLUNTARY, NULL,
	  "x86_64 is at 1000 Hz (kernel-ark, merge request 2637); voluntary is the default (Considerations in adopting RHEL 9, 17.2)",
	  "Red Hat's back-ports, which are many" },
	{ "Red Hat 10 and its rebuilds", "*.el10*.x86_64", V(6, 12), V(6, 12), 1000, -1, NULL,
	  "x86_64 is at 1000 Hz (kernel-ark, merge request 2637)", "preemption model, Red Hat's back-ports" },
	{ "Red Hat on arm64", "*.el[789]*.aarch64", V(4, 14), V(5, 14), 100, -1, NULL,
	  "aarch64 was at 100 Hz (kernel-ark, merge request 2637)", "preemption model, Red Hat's back-ports, which are many" },

	{ "Amazon Linux 2", "*.amzn2.*", V(4, 14), NO_END, 0, -1, NULL, NULL,
	  "HZ, preemption model, Amazon's back-ports; late 4.14.y have the removal of slice expiry (--rule bw_expiry=none)" },
	{ "Amazon Linux 2023", "*.amzn2023.*", V(6, 1), NO_END, 0, -1, NULL, NULL,
	  "HZ, preemption model, Amazon's back-ports" },
};

/* A distribution's name stands for the kernel it came with. */
static const struct { const char *name, *release; } names[] = {
	{ "debian-10", "4.19.0-27-amd64" },
	{ "debian-11", "5.10.0-46-amd64" },
	{ "debian-12", "6.1.0-57-amd64" },
	{ "debian-13", "6.12.117+deb13-amd64" },
	{ "ubuntu-18.04", "4.15.0-213-generic" },
	{ "ubuntu-20.04", "5.4.0-216-generic" },
	{ "ubuntu-22.04", "5.15.0-1-generic" },
	{ "ubuntu-24.04", "6.8.0-1-generic" },
	{ "rhel-7", "3.10.0-1160.el7.x86_64" },
	{ "rhel-8", "4.18.0-553.el8.x86_64" },
	{ "rhel-9", "5.14.0-427.el9.x86_64" },
	{ "rhel-10", "6.12.0-55.el10.x86_64" },
	{ "amazon-2023", "6.1.1-1.amzn2023.x86_64" },
};

/* ---- versions ---- */

static bool read_number(const char **s, u32 *n)
{
	const char *p = *s;

	*n = 0;
	while (*p >= '0' && *p <= '9' && *n < 100000)
		*n = 10 * *n + (u32)(*p++ - '0');
	if (p == *s)
		return false;
	*s = p;
	return true;
}

/* "5.15.0-1051-aws", "5.15", "v6.1.20": the numbers in front. */
static bool read_version(const char *s, struct version *v)
{
	memset(v, 0, sizeof(*v));
	if (*s == 'v')
		s++;
	if (!read_number(&s, &v->major) || *s++ != '.' || !read_number(&s, &v->minor))
		return false;
	if (*s != '.')
		return !*s || *s == '-' || *s == '+';
	s++;
	v->has_patch = read_number(&s, &v->patch);
	return v->has_patch;
}

/* Was there, or may there be by now, such a Linux? */
static bool exists(const struct version *v)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(last_minors); i++)
		if (v->major == last_minors[i].major)
			return v->minor <= last_minors[i].minor;
	return v->major == NEWEST_MAJOR;
}

/* A stable row (4.14.133) stands only for its own series, from its number on. */
static bool row_is_for(const struct version *row, const struct version *v)
{
	if (row->has_patch)
		return row->major == v->major && row->minor == v->minor && row->patch <= v->patch;
	return row->major < v->major || (row->major == v->major && row->minor <= v->minor);
}

static bool same_number(const struct version *a, const struct version *b)
{
	return a->major == b->major && a->minor == b->minor && (!a->has_patch || a->patch == b->patch);
}

/* Rows are in order of age, so the last that fits is the nearest. */
static const char *nearest_row(const struct version *v, bool *exact)
{
	const char *best = NULL;
	struct version row;
	int i;

	for (i = 0; model_row_name(i); i++) {
		if (!read_version(model_row_name(i), &row) || !row_is_for(&row, v))
			continue;
		best = model_row_name(i);
		*exact = same_number(&row, v);
	}
	return best;
}

/* ---- what is known ---- */

static const struct spelling *spelling_of(const char *release, const struct version *v)
{
	u32 i, number = V(v->major, v->minor);

	for (i = 0; i < ARRAY_SIZE(spellings); i++)
		if (number >= spellings[i].from && number <= spellings[i].to && !fnmatch(spellings[i].glob, release, 0))
			return &spellings[i];
	return NULL;
}

static const char *release_of(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i].name))
			return names[i].release;
	return name;
}

int distro_kernel(const char *name, struct distro_kernel *k)
{
	const char *release = release_of(name);
	const struct spelling *s;
	struct version v;

	memset(k, 0, sizeof(*k));
	k->preempt = -1;
	k->doubt = "how it was built, and what was back-ported to it";
	snprintf(k->release, sizeof(k->release), "%s", release);
	if (!read_version(release, &v) || !exists(&v))
		return -1;
	k->row = nearest_row(&v, &k->exact);
	if (!k->row)
		return -1;
	s = spelling_of(release, &v);
	if (!s)
		return 0;
	k->distro = s->distro;
	k->rules[0] = s->rule;
	k->hz = s->hz;
	k->preempt = s->preempt;
	k->source = s->source;
	k->doubt = s->doubt;
	return 0;
}

const char *nearest_kernel(const char *name)
{
	struct suggest s;
	u32 i;

	suggest_init(&s, name);
	for (i = 0; model_row_name((int)i); i++)
		suggest_offer(&s, model_row_name((int)i));
	for (i = 0; distro_name(i, NULL); i++)
		suggest_offer(&s, distro_name(i, NULL));
	return suggest_best(&s);
}

const char *preempt_name(int preempt)
{
	static const char *const words[] = { "none", "voluntary", "full", "lazy" };

	return preempt >= 0 && preempt < (int)ARRAY_SIZE(words) ? words[preempt] : "not known";
}

char *distro_note(const struct distro_kernel *k, char *buf, size_t size)
{
	char hz[32] = "", model[48] = "";

	if (k->hz)
		snprintf(hz, sizeof(hz), ", HZ %u", k->hz);
	if (k->preempt >= 0)
		snprintf(model, sizeof(model), ", preemption %s", preempt_name(k->preempt));
	snprintf(buf, size, "%s%s%s%s: row %s%s%s%s%s%s; not known: %s", k->release, k->distro ? " (" : "", k->distro ? k->distro : "",
		 k->distro ? ")" : "", k->row, k->rules[0] ? " with " : "", k->rules[0] ? k->rules[0] : "",
		 k->exact ? "" : ", the nearest that is not newer", hz, model, k->doubt);
	return buf;
}

/* ---- the table as text ---- */

static void span_text(const struct spelling *s, char *buf, size_t size)
{
	if (s->from == s->to)
		snprintf(buf, size, "%u.%u", s->from / 1000, s->from % 1000);
	else if (s->to == NO_END)
		snprintf(buf, size, "from %u.%u", s->from / 1000, s->from % 1000);
	else
		snprintf(buf, size, "%u.%u to %u.%u", s->from / 1000, s->from % 1000, s->to / 1000, s->to % 1000);
}

bool distro_text(u32 index, struct distro_text *text)
{
	const struct spelling *s = &spellings[index];

	if (index >= ARRAY_SIZE(spellings))
		return false;
	memset(text, 0, sizeof(*text));
	span_text(s, text->versions, sizeof(text->versions));
	text->distro = s->distro;
	text->spelling = s->glob;
	text->source = s->source;
	text->doubt = s->doubt;
	text->rule = s->rule;
	text->hz = s->hz;
	text->preempt = s->preempt;
	return true;
}

const char *distro_name(u32 index, const char **release)
{
	if (index >= ARRAY_SIZE(names))
		return NULL;
	if (release)
		*release = names[index].release;
	return names[index].name;
}
