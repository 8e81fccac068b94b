/* SPDX-License-Identifier: MIT */
/* test_record.c - what a recording writes is what was there, of whom it was asked for, and nothing is left behind. */
#include "tests/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/dat.h"
#include "record/facts.h"
#include "record/guard.h"
#include "record/held.h"
#include "record/record.h"
#include "record/tracer.h"
#include "tests/tiny.h"
#include "trace/facts.h"
#include "trace/light.h"
#include "trace/read.h"

/* ---- files to record from ---- */

static void make_dir(const char *root, const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", root, path);
	CHECK_EQ(mkdir(full, 0755), 0);
}

static void put_file(const char *root, const char *path, const char *text)
{
	char full[512];
	FILE *out;

	snprintf(full, sizeof(full), "%s%s", root, path);
	out = fopen(full, "w");
	assert_non_null(out);
	fputs(text, out);
	CHECK_EQ(fclose(out), 0);
}

static void remove_all(const char *root)
{
	char line[600];

	snprintf(line, sizeof(line), "rm -r '%s'", root);
	CHECK_EQ(system(line), 0);
}

#define STAT "usage_usec 500\nuser_usec 400\nnr_periods 5\nnr_throttled 4\nthrottled_usec 311000\nnr_bursts 0\nburst_usec 0\n"

static void put_group(const char *root, const char *path, const char *max)
{
	char file[400], self[32] = "";

	make_dir(root, path);
	snprintf(file, sizeof(file), "%s/cpu.stat", path);
	put_file(root, file, STAT);
	snprintf(file, sizeof(file), "%s/cpu.max", path);
	put_file(root, file, max);
	snprintf(file, sizeof(file), "%s/cpu.weight", path);
	put_file(root, file, "79\n");
	snprintf(file, sizeof(file), "%s/cgroup.threads", path);
	if (!strcmp(path, "/pod/docker-abcdef0123.scope"))
		snprintf(self, sizeof(self), "%d\n", getpid());
	put_file(root, file, self);
}

/* What /sys/fs/cgroup is under cgroup v2, with a pod of two containers; this process is in one. */
static void put_tree(char *root)
{
	strcpy(root, "/tmp/fairground-tree-XXXXXX");
	assert_non_null(mkdtemp(root));
	put_file(root, "/cgroup.controllers", "cpuset cpu io\n");
	put_file(root, "/cpu.stat", "usage_usec 5\n");
	put_group(root, "/pod", "40000 100000\n");
	put_group(root, "/pod/docker-abcdef0123.scope", "25000 100000\n");
	put_group(root, "/pod/docker-abc999.scope", "max 100000\n");
	put_group(root, "/pod/libpod-conmon-abcdef0123.scope", "max 100000\n");
}

/* ---- whom ---- */

TEST(target, groups_and_containers)
{
	static const struct {
		const char *cgroup, *container, *path, *says;
	} rows[] = {
		{ "/pod", NULL, "/pod", "" },
		{ "pod/", NULL, "/pod", "" },
		{ "%s/pod/docker-abc999.scope", NULL, "/pod/docker-abc999.scope", "" },
		{ "/nothing", NULL, NULL, "there is no group /nothing" },
		{ "/pod/../pod", NULL, NULL, "there is no group" },
		{ NULL, "abcdef", "/pod/docker-abcdef0123.scope", "" },
		{ NULL, "abc999", "/pod/docker-abc999.scope", "" },
		{ NULL, "docker-abc", NULL, "2 groups are meant" },
		{ NULL, "abc", NULL, "is no id" },
		{ NULL, "ffff", NULL, "has \"ffff\" in its name" },
	};
	char root[64], text[512];

	put_tree(root);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct target_ask ask = { .container = rows[i].container, .cgroup_root = root };
		struct err err = { 0 };
		struct target t;
		int ret;

		if (rows[i].cgroup)
			snprintf(text, sizeof(text), "%s%s", rows[i].cgroup[0] == '%' ? root : "", rows[i].cgroup + (rows[i].cgroup[0] == '%' ? 2 : 0));
		ask.cgroup = rows[i].cgroup ? text : NULL;
		ret = target_find(&t, &ask, &err);
		CHECK_ROW(ret, rows[i].path ? 0 : -1, rows[i].says);
		if (rows[i].path)
			CHECK_STR(t.path, rows[i].path);
		if (!strstr(err.message, rows[i].says))
			fail_msg("\"%s\" does not say \"%s\"", err.message, rows[i].says);
	}
	remove_all(root);
}

/* A process of the host; one that is none. */
TEST(target, processes)
{
	struct target_ask ask = { .pid = getpid() };
	struct members m;
	struct err err = { 0 };
	struct target t;

	CHECK_EQ(target_find(&t, &ask, &err), 0);
	members_init(&m);
	CHECK_EQ(members_look(&m, &t), 0);
	CHECK(m.nr >= 1 && m.v[0].pid == getpid() && m.v[0].seen);
	CHECK_STR(m.v[0].name, "test_record");
	CHECK_EQ(members_look(&m, &t), m.nr); /* nobody new */
	members_fini(&m);
	ask.pid = INT32_MAX;
	CHECK_EQ(target_find(&t, &ask, &err), -1);
}

/* ---- what is told beside ---- */

static void take_line(void *ctx, const char *line)
{
	FILE *out = ctx;

	fprintf(out, "%s\n", line);
}

/* The group, those above and those below, as lines that the reader understands. */
TEST(facts, lines_of_a_tree)
{
	char root[64], *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct fact_sink sink = { take_line, out };
	struct target_ask ask = { .container = "abcdef", .cgroup_root = root };
	struct trace_facts f;
	struct fact_groups groups;
	struct members m;
	struct err err = { 0 };
	struct fact_place at = { "lines", 1, &err };
	struct target t;

	put_tree(root);
	CHECK_EQ(target_find(&t, &ask, &err), 0);
	members_init(&m);
	members_look(&m, &t);
	facts_groups(&groups, &t);
	facts_head(&sink, "record", &t, true, 0);
	facts_limits(&sink, &t, &groups);
	facts_stats(&sink, &t, &groups, "before");
	facts_members(&sink, &m, 0);
	fclose(out);
	trace_facts_init(&f);
	for (char *line = text, *nl; *line; line = nl + 1) {
		nl = strchr(line, '\n');
		CHECK((size_t)(nl - line) <= FACT_LINE_MOST);
		CHECK_ROW(trace_facts_line(&f, line, (size_t)(nl - line), &at), 1, err.message);
	}
	CHECK(f.any && f.filtered && f.cgroup == 2);
	CHECK_STR(f.target, "/pod/docker-abcdef0123.scope");
	CHECK_EQ(trace_facts_group(&f, f.target)->quota, 25 * MS);
	CHECK_EQ(trace_facts_group(&f, f.target)->weight, 79);
	CHECK_EQ(trace_facts_group(&f, "/pod")->quota, 40 * MS);
	CHECK_EQ(trace_facts_group(&f, "/pod")->before.nr_throttled, 4);
	CHECK(trace_facts_group(&f, "/pod/docker-abc999.scope") == NULL);
	CHECK_EQ(f.nr_members, 1);
	CHECK_EQ(f.members[0].tid, getpid());
	trace_facts_fini(&f);
	facts_groups_fini(&groups);
	members_fini(&m);
	free(text);
	remove_all(root);
}

/* ---- trace.dat ---- */

static const char print_format[] =
	"name: print\nID: 5\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n";

/* A page that holds one mark, longer than an event whose length fits its head. */
static void put_mark(struct tiny *t)
{
	static const char text[] = "fairground {\"fairground\": \"record\", \"version\": 1, \"hz\": 250, \"cpus\": 2, \"target\": \"/web\", "
				   "\"kernel\": \"6.1.0-18-amd64\", \"events\": \"members\"}\n";
	size_t len = (16 + sizeof(text) + 3) / 4 * 4, start = t->len;

	tiny_put(t, TINY_START, 8);
	tiny_put(t, 4 + 4 + len, 8);
	tiny_put(t, 0, 4);
	tiny_put(t, len + 4, 4);
	tiny_put(t, 5, 8);
	tiny_put(t, 0, 8);
	tiny_bytes(t, text, sizeof(text));
	while (t->len < start + 1024)
		tiny_put(t, 0, 1);
}

static int file_of(const struct tiny *t)
{
	FILE *f = tmpfile();
	int fd;

	assert_non_null(f);
	fd = dup(fileno(f));
	fclose(f);
	CHECK_EQ(write(fd, t->p, t->len), (ssize_t)t->len);
	return fd;
}

static struct dat_text text_of(const char *s) { return (struct dat_text){ s, strlen(s) }; }

/* A trace.dat of the tiny recording's pages, with a mark, into @out. */
static void write_dat(FILE *out)
{
	struct dat_format formats[16] = { { "ftrace", text_of(print_format) } };
	struct dat_text stats[2] = { text_of("CPU: 0\nentries: 0\noverrun: 3\n"), text_of("CPU: 1\nentries: 0\noverrun: 4\n") };
	struct tiny pages[2] = { 0 };
	u64 sizes[2];
	int fds[2];
	struct dat d = { .page_size = 1024, .header_page = text_of(tiny_header_page), .header_event = text_of("none"), .formats = formats,
			 .names = text_of("100 web\n200 db\n"), .clock = text_of("local [mono]"), .uname = text_of("Linux host 6.1.0-18-amd64 #1 x86_64"),
			 .stats = stats, .cpus = 2, .fds = fds, .sizes = sizes };
	const char *text;

	for (d.nr_formats = 1; (text = tiny_format(d.nr_formats - 1)); d.nr_formats++)
		formats[d.nr_formats] = (struct dat_format){ d.nr_formats <= 5 ? "sched" : "others", text_of(text) };
	put_mark(&pages[0]);
	for (u32 cpu = 0; cpu < 2; cpu++) {
		tiny_page(&pages[cpu], cpu);
		fds[cpu] = file_of(&pages[cpu]);
		sizes[cpu] = pages[cpu].len;
		free(pages[cpu].p);
	}
	CHECK(dat_write(out, &d));
	close(fds[0]);
	close(fds[1]);
}

TEST(dat, it_is_read_back)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct err err = { 0 };
	struct trace tr;

	write_dat(out);
	fclose(out);
	trace_init(&tr);
	CHECK_EQ(trace_read_bytes(&tr, text, len, "written", &err), 0);
	CHECK_STR(tr.format, "trace.dat, version 6");
	CHECK_EQ(tr.counts.events, 9);
	CHECK_EQ(tr.counts.lost, 7);
	CHECK_EQ(tr.counts.bad_events + tr.counts.half_lines + tr.counts.unknown_lines, 0);
	CHECK_EQ(tr.cpus, 2);
	CHECK_STR(tr.kernel, "6.1.0-18-amd64");
	CHECK_STR(tr.clock, "mono");
	CHECK_STR(tr.tasks[trace_task_find(&tr, 200)].name, "db");
	CHECK(tr.facts && tr.facts->filtered && tr.facts->hz == 250);
	CHECK_STR(tr.facts->target, "/web");
	trace_fini(&tr);
	free(text);
}

/* trace-cmd, where it is here, shows every event and the mark. */
TEST(dat, trace_cmd_reads_it)
{
	char path[] = "/tmp/fairground-dat-XXXXXX", line[600];
	int fd = mkstemp(path), switches = 0, marks = 0;
	FILE *out = fdopen(fd, "w"), *in;

	assert_non_null(out);
	write_dat(out);
	CHECK_EQ(fclose(out), 0);
	snprintf(line, sizeof(line), "command -v trace-cmd > /dev/null && trace-cmd report %s 2> /dev/null", path);
	in = popen(line, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		switches += strstr(line, "sched_switch") != NULL;
		marks += strstr(line, "\"target\": \"/web\"") != NULL;
	}
	unlink(path);
	if (WEXITSTATUS(pclose(in)) == 1 && !switches)
		skip(); /* it is not here */
	CHECK_EQ(switches, 4);
	CHECK_EQ(marks, 1);
}

/* ---- polls ---- */

static int file_with(const char *text)
{
	struct tiny t = { .p = (u8 *)(uintptr_t)text, .len = strlen(text) };

	return file_of(&t);
}

static void now_says(int fd, const char *text)
{
	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK_EQ(pwrite(fd, text, strlen(text), 0), (ssize_t)strlen(text));
}

/* Only what has changed is told again; v1's times are ns, and its usage is in another file. */
TEST(held, lines_of_polls)
{
	static const char want[] = "{\"t\":1000,\"stat\":[7,5,4,311,0,0],\"threads\":[[11,100,200,3],[12,0,0,0]]}\n"
				   "{\"t\":2000,\"part\":true}\n"
				   "{\"t\":3000,\"stat\":[8,6,5,411,0,0],\"threads\":[[12,50,0,1]],\"gone\":[11]}\n";
	struct member members[] = { { .tid = 11 }, { .tid = 12 } };
	struct members m = { .v = members, .nr = 2 };
	int stat = file_with("nr_periods 5\nnr_throttled 4\nthrottled_time 311999\nnr_bursts 0\nburst_time 0\n"), usage = file_with("7999\n");
	int one = file_with("100 200 3\n"), two = file_with("0 0 0\n");
	struct held h;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	CHECK(held_init(&h, out, true));
	for (int i = 0; i < 3; i++) {
		held_poll(&h, 1000 * (u64)(i + 1));
		CHECK(held_read(&h, stat, HELD_STAT));
		CHECK(held_read(&h, usage, HELD_USAGE));
		CHECK(i == 2 || held_read(&h, one, 0));
		if (i != 1)
			CHECK(held_read(&h, two, 1));
		else
			held_part(&h);
		if (i == 1)
			held_lines(&h, &m); /* at any moment between two polls */
		if (i == 1) {
			now_says(stat, "nr_periods 6\nnr_throttled 5\nthrottled_time 411000\nnr_bursts 0\nburst_time 0\n");
			now_says(usage, "8000\n");
			now_says(two, "50 0 1\n");
		}
		if (i == 2)
			held_gone(&h, 0);
	}
	held_lines(&h, &m);
	fclose(out);
	CHECK_STR(text, want);
	held_fini(&h);
	free(text);
	close(stat);
	close(usage);
	close(one);
	close(two);
}

/* A whole recording of counters, of a tree of files: it is read back, and does not replace a file that is there. */
TEST(record, light_of_a_tree)
{
	char root[64], file[96], *text;
	struct record_ask ask = { .who = { .cgroup = "/pod/docker-abcdef0123.scope" }, .light = true, .duration = 200 * MS, .poll = 50 * MS };
	struct record_end end;
	struct err err = { 0 };
	struct light l;
	bool half;
	size_t len;
	FILE *in;

	put_tree(root);
	snprintf(file, sizeof(file), "%s/out.light", root);
	ask.who.cgroup_root = root;
	ask.output = file;
	if (record_run(&end, &ask, &err))
		fail_msg("%s", err.message);
	CHECK(end.complete && end.threads == 1 && end.polls >= 2 && end.cpu > 0);
	CHECK_WITHIN(end.wall, 190 * MS, 5 * SEC);
	in = fopen(file, "r");
	assert_non_null(in);
	text = calloc(1, 65536);
	len = fread(text, 1, 65535, in);
	fclose(in);
	CHECK_EQ(len, end.bytes);
	if (light_read(&l, (const u8 *)text, len, file, &half, &err))
		fail_msg("%d: %s", err.line, err.message);
	CHECK(l.ended && l.nr_polls == end.polls);
	CHECK_EQ(l.polls[0].stat.nr_throttled, 4);
	CHECK_EQ(l.threads[0].tid, getpid());
	CHECK_EQ(light_limited(&l)->quota, 25 * MS);
	light_fini(&l);
	CHECK_EQ(record_run(&end, &ask, &err), -1);
	CHECK(strstr(err.message, "there is such a file already") != NULL);
	free(text);
	remove_all(root);
}

/* ---- the keeper ---- */

struct shared {
	int alive_says;
	bool cleared;
};

static void wait_long(void *ctx, int alive)
{
	(void)ctx;
	_exit(guard_wait(alive, 20 * SEC) == GUARD_END ? 0 : 7);
}

static void be_killed(void *ctx, int alive)
{
	(void)ctx;
	(void)alive;
	raise(SIGKILL);
}

static bool clear(void *ctx)
{
	((struct shared *)ctx)->cleared = true;
	return true;
}

/* A signal asks the keeper to end; where it is killed, the caller clears up. */
TEST(guard, who_is_killed_is_cleared_up_after)
{
	struct shared s = { 0 };
	struct err err = { 0 };
	int got, status;
	pid_t helper = fork();

	if (!helper) {
		usleep(100000);
		kill(getppid(), SIGTERM);
		_exit(0);
	}
	CHECK_EQ(guard_run(wait_long, clear, &s, &got, &err), 0);
	CHECK_EQ(got, SIGTERM);
	CHECK(!s.cleared);
	CHECK_EQ(waitpid(helper, &status, 0), helper);
	CHECK_EQ(guard_run(be_killed, clear, &s, &got, &err), -1);
	CHECK(s.cleared && strstr(err.message, "was killed (signal 9)"));
}

/* ---- the tracer ---- */

TEST(tracer, what_is_missing_is_said)
{
	char root[] = "/tmp/fairground-fs-XXXXXX";
	struct err err = { 0 }, no = { 0 };
	struct tracer t;

	assert_non_null(mkdtemp(root));
	CHECK_EQ(tracer_find(&t, root, 5, &no), -1);
	CHECK(strstr(no.message, "holds no tracefs") != NULL);
	make_dir(root, "/instances");
	CHECK_EQ(tracer_find(&t, root, 5, &err), 0);
	CHECK_EQ(tracer_rights(&t, &err), -1);
	CHECK(strstr(err.message, "read permission on") && strstr(err.message, "sched_switch") && strstr(err.message, "header_page"));
	CHECK(strstr(err.hint, "--light") != NULL);
	remove_all(root);
}

/* Where tracing is allowed: an instance is made, set up and removed, and what a dead recording left is swept away. */
TEST(tracer, made_and_removed)
{
	struct err err = { 0 };
	char left[700], path[700];
	struct tracer t;
	u32 events = 0;

	if (tracer_find(&t, NULL, getpid(), &err) || tracer_rights(&t, &err))
		skip();
	CHECK_EQ(tracer_make(&t, 0, &err), 0);
	while (tracer_event(&t, events))
		events++;
	CHECK_WITHIN(events, 4, 9); /* those that must be there, and those that are wished for */
	CHECK(t.page_size >= 4096 && t.cpus >= 1);
	CHECK_EQ(access(tracer_path(&t, "trace_marker", path, sizeof(path)), W_OK), 0);
	CHECK_EQ(tracer_switch(&t, true), 0);
	CHECK(tracer_remove(&t, 1000));
	CHECK_EQ(access(t.dir, F_OK), -1);
	snprintf(left, sizeof(left), "%s/instances/%s%d", t.root, TRACER_NAME, INT32_MAX - 1);
	CHECK_EQ(mkdir(left, 0750), 0);
	CHECK(tracer_sweep(&t) >= 1);
	CHECK_EQ(access(left, F_OK), -1);
}

TEST_MAIN("record")
