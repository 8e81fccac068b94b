/* SPDX-License-Identifier: MIT */
/*
 * reader.h - what the parts of the scenario reader share.  Private to input/.
 *
 *	scenario_file.c	top level, global, at, measure		read_machine.c	machine, kernel
 *	read_groups.c	groups, taskgroups			read_task.c	tasks, phases
 *	read_event.c	events					read_legacy.c	rt-app's grammar before 1.0
 *	read_supply.c	queues, devices, resources
 *	read_at.c	what happens at which time		value.c		one value, with its errors
 *	read_topology.c	what the CPUs of the machine share
 *
 * Every read_* function returns 0, or -1 with the reader's err set.
 */
#ifndef INPUT_READER_H
#define INPUT_READER_H

#include "input/names.h"
#include "input/scenario_file.h"
#include "text/json.h"

/* What the reader must know of a resource beside its spec. */
struct resource_note {
	const struct json *first; /* where it was named first */
	bool defined;		/* its numbers are known */
	u32 absolute_in;	/* 1 + index of the last task that used it as an absolute timer of its own */
};

struct reader {
	const char *file;
	struct scenario *sc;
	struct warnings *warn;
	struct err *err;
	struct arena scratch;	/* dies with the reading: the tree, the maps */
	struct read_options opt;
	bool cpus_said;		/* the file or the command line says how many CPUs there are */
	bool ours;		/* has machine, kernel or groups: unknown keys are errors at top level */
	struct json *resources;	/* top-level, or NULL */
	int default_policy;
	struct names names;	/* resources by kind, tasks, groups */
	struct resource_note *notes;
	u32 cap_resources, cap_groups;
	u32 nr_resumed;		/* conditions below this index are resumed by somebody */
	int highest_cpu;	/* that is named anywhere */
	u32 said;		/* bits of enum said: things worth one warning a file */
	u32 nr_declared;	/* groups that "groups" names; tasks may name further ones */
};

enum { NAMES_TASK = 1000, NAMES_GROUP, NAMES_SEEN }; /* kinds beside enum resource_kind */
enum said { SAID_MEM = 1, SAID_UTIL = 2, SAID_DEADLINE = 4, SAID_LEGACY = 8 };

/* ---- value.c ---- */

/* "expected ..., found ..." at @v; returns -1. */
int refuse(struct reader *rd, const struct json *v, const char *expected);
int out_of_memory(struct reader *rd);
/* Room for one more warning, or NULL. */
struct err *warnings_add(struct warnings *w);
/* A warning at @v (at its key, where it has one). */
void warn_at(struct reader *rd, const struct json *v, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void warn_hint(struct reader *rd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same, at most once a file for each @what. */
bool first_time(struct reader *rd, enum said what);

/* Is @key one of those by which people switch things off: begins with - _ # or "comment"? */
bool key_is_silent(const char *key);

int want_us(struct reader *rd, const struct json *v, u64 *ns);		/* microseconds, may be decimal */
int want_us_signed(struct reader *rd, const struct json *v, s64 *ns);
int want_whole(struct reader *rd, const struct json *v, s64 lowest, s64 highest, const char *what, s64 *out);
int want_bool(struct reader *rd, const struct json *v, bool *out);
int want_string(struct reader *rd, const struct json *v, const char *what, const char **out); /* into the scenario */
int want_object(struct reader *rd, const struct json *v, const char *what);
/* A list; its elements get its key, for errors. */
int want_list(struct reader *rd, struct json *v, const char *what);
/* One of @nr words: its index into @out. */
int want_word(struct reader *rd, const struct json *v, const char *const *words, u32 nr, u32 *out);
/* A fixed length or a distribution. */
int want_length(struct reader *rd, struct json *v, struct dist *out);
/* Is @v a distribution by itself: an object with one of the kinds of want_length() as a key? */
bool is_length_key(const char *key);
int want_length_of(struct reader *rd, const char *kind, struct json *v, struct dist *out);

/* Every CPU that [0, 2], "0-3,8" or 5 names, in order. */
int each_cpu(struct reader *rd, struct json *v, int (*fn)(struct reader *rd, const struct json *v, int cpu, void *ctx), void *ctx);
/* The same as a mask of CPUs of this machine. */
int want_cpus(struct reader *rd, struct json *v, const u64 **mask);
/* ... and as a list of CPUs of this machine. */
int want_cpu_list(struct reader *rd, struct json *v, const s32 **cpus, u32 *nr);
/* The list of all CPUs of the machine. */
int every_cpu(struct reader *rd, const s32 **cpus, u32 *nr);
/* The mask of all CPUs of the machine. */
const u64 *all_cpus(struct reader *rd);

/* ---- tables of keys ---- */

struct key_row {
	const char *key;
	int (*read)(struct reader *rd, struct json *v, void *into);
};
enum unknown { UNKNOWN_ERROR, UNKNOWN_WARNING, UNKNOWN_SILENT };

/*
 * Read each member of @obj by the row of its key.  A key that stands twice is an error where @unknown is, else a warning
 * and the last value counts.
 */
int read_keys(struct reader *rd, const struct json *obj, const struct key_row *rows, u32 nr, enum unknown unknown, void *into);
#define READ_KEYS(rd, obj, rows, unknown, into) read_keys(rd, obj, rows, ARRAY_SIZE(rows), unknown, into)

/* Room for one more element in @*array of @size bytes each (in the scenario's arena): the new element, zeroed, or NULL. */
void *append(struct reader *rd, void **array, u32 *nr, u32 *cap, size_t size);

/* ---- the parts ---- */

int read_machine(struct reader *rd, struct json *v);
int read_topology(struct reader *rd, struct json *v, void *into); /* into a struct machine_spec, which knows its cpus */
int read_kernel(struct reader *rd, struct json *v);
int read_groups(struct reader *rd, struct json *v);
/* The index of the group at @path, which is made with its parents where it is new. */
int group_at(struct reader *rd, const struct json *v, const char *path, u32 *index);
/* Say so where a task at @v names a group that "groups" has not, but nearly. */
void warn_if_misspelt(struct reader *rd, const struct json *v, const char *path);
/* "/web/cpu.max": "max" into @write, whose group must be known. */
int read_write(struct reader *rd, struct json *v, struct write_spec *write);
int write_value(struct reader *rd, struct json *v, struct write_spec *write);

int read_resources(struct reader *rd, struct json *v);
/* The index of resource @name of @kind, which is made where it is new. */
int resource_named(struct reader *rd, const struct json *v, enum resource_kind kind, const char *name, u32 *index);
int resources_complete(struct reader *rd);
int puts_complete(struct reader *rd);

int read_at(struct reader *rd, struct json *v);

int read_tasks(struct reader *rd, struct json *v);
/* Index of the task @v (a string) names. */
int task_named(struct reader *rd, const struct json *v, u32 *index);
/* Call @fn for every key inside tasks and phases of @tasks. */
int each_task_key(struct reader *rd, struct json *tasks, int (*fn)(struct reader *rd, struct json *v));

/* ---- building a program ---- */

struct body {			/* of the task that is being read */
	struct workload *load;
	u32 index;
	struct phase *phases;	/* the program's, while they grow */
	struct step *steps;
	u32 nr_phases, cap_phases, nr_steps, cap_steps;
	int policy, nice, rt_priority; /* in force at this point of the file */
	bool phase_cpus;	/* some phase names CPUs */
};

struct step *add_step(struct reader *rd, struct body *b, enum step_kind kind, const struct json *v);
struct phase *add_phase(struct reader *rd, struct body *b, const char *name);

/* Is @key an event of rt-app (by prefix) or of ours (exactly, or with digits behind)?  Its row, or NULL. */
struct event_row;
const struct event_row *event_of(const char *key);
enum step_kind event_kind(const struct event_row *row);
int read_event(struct reader *rd, struct body *b, const struct event_row *row, struct json *v);
/* Under which name the event @key stands in the table ("run" for "run0"), or NULL. */
const char *event_name(const char *key);
/* The condition that an event @v of kind @kind resumes, as it stands in the file, or NULL. */
const struct json *resumed_by(enum step_kind kind, const struct json *v);
/* All event keys, for suggestions. */
const char *event_key(u32 i);

/* What read_event.c and read_supply.c share. */
typedef int event_reader(struct reader *rd, struct body *b, struct json *v, struct step *st);
event_reader ev_put, ev_get, ev_io;
/* The resource in @v, a name or the "ref" of an object; @what was expected. */
int read_ref(struct reader *rd, const struct json *v, enum resource_kind kind, const char *what, u32 *ref);
int define_once(struct reader *rd, const struct json *v, u32 index);
int describe_arrivals(struct reader *rd, struct json *v, u32 index);
/* "spin" and "batch" of the object @v, so far as @allowed (STEP_SPINS, STEP_BATCH) has them, beside its "ref". */
int read_flags(struct reader *rd, struct json *v, u8 allowed, struct step *st);

/* Does this task or phase speak rt-app's grammar before 1.0 (exec, lock_order)? */
bool is_legacy(const struct json *obj);
int read_legacy(struct reader *rd, struct body *b, struct json *obj);
bool legacy_key(const char *key);

/* ---- hints ---- */

/* What @key looks like when it is right, or NULL. */
const char *example_of(const char *key);
/* The hint of an error that has none yet. */
void hint_example(struct err *err);

#endif
