/* SPDX-License-Identifier: MIT */
/* test_printed.c - what commands print as JSON keeps to the schemas in docs/. */
#include "tests/test.h"

#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "record/record.h"
#include "tests/schema.h"
#include "trace/unpack.h"

/* What the command prints on its standard output, for free(); its exit code into @code. */
static char *printed(const struct command *cmd, int argc, const char *const *argv, int *code)
{
	FILE *kept = tmpfile();
	int out;
	char *text;
	long len;

	assert_non_null(kept);
	fflush(stdout);
	out = dup(STDOUT_FILENO);
	dup2(fileno(kept), STDOUT_FILENO);
	*code = cmd->run(cmd, argc, (char **)(uintptr_t)argv);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	len = lseek(fileno(kept), 0, SEEK_END);
	text = calloc(1, (size_t)len + 1);
	assert_non_null(text);
	CHECK_EQ(pread(fileno(kept), text, (size_t)len, 0), len);
	fclose(kept);
	return text;
}

#define WORDS_MAX 12

/* Run "@line", words with single blanks between them, and hold what it prints against the schema at @path. */
static void check_line(const char *path, const struct command *cmd, const char *line)
{
	char words[512], *rest = words, *word;
	const char *argv[WORDS_MAX + 1] = { NULL };
	struct schema s;
	int argc = 0, code;
	char *text;

	snprintf(words, sizeof(words), "%s", line);
	while ((word = strsep(&rest, " ")) && argc < WORDS_MAX)
		argv[argc++] = word;
	text = printed(cmd, argc, argv, &code);
	CHECK_ROW(code, EXIT_FINE, line);
	schema_open(&s, path, NULL);
	if (!schema_holds(&s, schema_parse(&s, text)))
		fail_msg("%s: %s", line, s.why);
	schema_close(&s);
	free(text);
}

/* Recordings of every kind, whole and damaged; some hold limits, some nothing. */
TEST(printed, doctor)
{
	static const char *const patterns[] = { "fuzz/corpus/fuzz_recording/*", "fuzz/corpus/fuzz_recover/*", "tests/data/own/*.txt", "tests/data/own/*.gz", "tests/data/own/*.light",
						  "fuzz/corpus/fuzz_light/whole" };
	char line[256];

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		glob_t files;

		CHECK_EQ(glob(patterns[i], 0, NULL, &files), 0);
		for (size_t k = 0; k < files.gl_pathc; k++) {
			if (strstr(files.gl_pathv[k], "packed") && !unpack_knows(PACKING_ZSTD))
				continue; /* this build cannot read it */
			snprintf(line, sizeof(line), "doctor --json %s", files.gl_pathv[k]);
			check_line("docs/doctor.schema.json", &cmd_doctor, line);
		}
		globfree(&files);
	}
}

/* A recording, a scenario and counters: one schema for all three. */
TEST(printed, explain)
{
	static const char *const lines[] = {
		"explain --json tests/data/own/own_burn5_q25.ftrace.txt",
		"explain --json tests/data/own/own_burn5_q25.perf-script.txt",
		"explain --json tests/data/own/own_two_q25.dat.gz",
		"explain --json tests/data/own/own_two_q25.light",
		"explain --json scenarios/nested.json",
		"explain --json tests/data/marks.txt --request GET",
		"explain --json tests/data/own/own_burn5_q25.cpu.stat",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		check_line("docs/explain.schema.json", &cmd_explain, lines[i]);
}

TEST(printed, advise)
{
	check_line("docs/advise.schema.json", &cmd_advise, "advise --json --target p50<60ms --phases 2 tests/data/own/own_burn5_q25.ftrace.txt");
	check_line("docs/advise.schema.json", &cmd_advise, "advise --json --target p50<200ms --phases 4 tests/data/own/own_two_q25.light");
}

/* Counters of this very process; of events where that is allowed. */
TEST(printed, record)
{
	char line[160], file[96];
	struct record_end end;
	struct record_ask ask = { .output = file, .duration = 100 * MS };
	struct err err = { 0 };

	snprintf(file, sizeof(file), "/tmp/fairground-printed-%d", getpid());
	ask.who.pid = getpid();
	ask.light = true;
	if (!record_run(&end, &ask, &err)) { /* a group of this process has a cpu.stat */
		unlink(file);
		snprintf(line, sizeof(line), "record --json --light --pid %d -d 0.1 -o %s", getpid(), file);
		check_line("docs/record.schema.json", &cmd_record, line);
		unlink(file);
	}
	ask.light = false;
	err = (struct err){ 0 };
	if (!record_run(&end, &ask, &err)) {
		unlink(file);
		snprintf(line, sizeof(line), "record --json --all -d 0.1 -o %s", file);
		check_line("docs/record.schema.json", &cmd_record, line);
		unlink(file);
	}
}

/* What-ifs, the whole node, kinds of threads; and the results inside. */
TEST(printed, replay)
{
	static const char *const lines[] = {
		"replay --json tests/data/own/own_burn5_q25.ftrace.txt --limit 500m --burst 25ms --phases 2",
		"replay --json tests/data/own/own_2busy_pin_q50.ftrace.txt --threads 1 --limit *=max --phases 1",
		"replay --json tests/data/own/own_burn5_q25.perf-script.txt --comm * --limit max",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		check_line("docs/replay.schema.json", &cmd_replay, lines[i]);
}

/* This host, machines by their words and names, a scenario, groups that overlap. */
TEST(printed, machine)
{
	static const char *const lines[] = {
		"machine --json", "machine --json 1", "machine --json c5.9xlarge --kernel 4.14", "machine --json 2sx2nx2lx2kx2cx2t --kernel 6.12",
		"machine --json 17nx2c -k 3.2", "machine --json scenarios/two-hogs.json --hz 1000", "machine --json fuzz/corpus/fuzz_machine/line",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		check_line("docs/machine.schema.json", &cmd_machine, lines[i]);
}

TEST(printed, compare)
{
	static const char *const lines[] = {
		"compare --json scenarios/one-hog.json --limit 500m --vs --limit max",
		"compare --json scenarios/two-hogs.json --limit 1 --vs --limit 1/20ms --phases 3",
		"compare --json scenarios/sleeper.json --kernel 5.15 --kernel 6.6 --why --duration 2",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		check_line("docs/compare.schema.json", &cmd_compare, lines[i]);
}

/* All rows, one, two beside each other, and this host. */
TEST(printed, kernels)
{
	static const char *const lines[] = { "kernels --json", "kernels --json 3.2", "kernels --json 5.3 5.4", "kernels --json 4.14 7.2", "kernels --json --detect" };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		check_line("docs/kernels.schema.json", &cmd_kernels, lines[i]);
}

TEST(printed, oracle)
{
	check_line("docs/oracle.schema.json", &cmd_oracle, "oracle --json --case fib4 --row 5.10");
	check_line("docs/oracle.schema.json", &cmd_oracle, "oracle --json --case hogs --row 6.18");
}

TEST_MAIN("printed")
