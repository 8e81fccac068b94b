/* SPDX-License-Identifier: MIT */
/* test_answers.c - what explain and advise print for machines keeps to docs/, and their exit codes say yes or no. */
#include "tests/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "tests/schema.h"

/* Run @cmd and give what it printed on the standard output, for free(), and its exit code. */
static char *printed_by(const struct command *cmd, const char *const *argv, int *code)
{
	char *text = NULL;
	size_t size = 0;
	FILE *into = tmpfile();
	int before = dup(STDOUT_FILENO), argc = 0;

	while (argv[argc])
		argc++;
	fflush(stdout);
	dup2(fileno(into), STDOUT_FILENO);
	*code = cmd->run(cmd, argc, (char **)(uintptr_t)argv);
	fflush(stdout);
	dup2(before, STDOUT_FILENO);
	close(before);
	size = (size_t)lseek(fileno(into), 0, SEEK_END);
	text = calloc(size + 1, 1);
	CHECK_EQ(pread(fileno(into), text, size, 0), (s64)size);
	fclose(into);
	return text;
}

static void check(const char *schema, const struct command *cmd, const char *const *argv, int code, const char *member)
{
	struct schema s;
	struct json *v;
	int got;
	char *text = printed_by(cmd, argv, &got);

	CHECK_ROW(got, code, argv[1]);
	schema_open(&s, schema, NULL);
	v = schema_parse(&s, text);
	if (!schema_holds(&s, v))
		fail_msg("%s %s: %s", argv[0], argv[1], s.why);
	CHECK(json_get(v, member) != NULL);
	schema_close(&s);
	free(text);
}

#define ARGS(...) (const char *const[]){ __VA_ARGS__, "--json", NULL }

TEST(answers, explain_keeps_to_its_schema)
{
	static const char schema[] = "docs/explain.schema.json";

	check(schema, &cmd_explain, ARGS("explain", "scenarios/nested.json", "-d1"), EXIT_FINE, "scenario");
	check(schema, &cmd_explain, ARGS("explain", "scenarios/fibtest-36.json", "-d1"), EXIT_FINE, "scenario");
	check(schema, &cmd_explain, ARGS("explain", "scenarios/pipe-test.json", "-d1"), EXIT_FINE, "scenario");
	check(schema, &cmd_explain, ARGS("explain", "tests/data/own/own_burn5_q25.ftrace.txt"), EXIT_FINE, "trace");
	check(schema, &cmd_explain, ARGS("explain", "tests/data/own/own_burn5_q25.cpu.stat", "--limit", "250m"), EXIT_FINE, "source");
	check(schema, &cmd_explain, ARGS("explain", "tests/data/metrics/range.csv", "--fleet"), EXIT_FINE, "source");
}

/* 0: something meets the target; 1: nothing that was tried does. */
TEST(answers, advise_keeps_to_its_schema)
{
	static const char schema[] = "docs/advise.schema.json";

	check(schema, &cmd_advise, ARGS("advise", "scenarios/two-hogs.json", "-d1", "--phases", "2", "--curve"), EXIT_FINE, "answer");
	check(schema, &cmd_advise, ARGS("advise", "scenarios/one-hog.json", "-d1", "--phases", "2", "--target", "p99<1ms"), EXIT_NO, "answer");
	check(schema, &cmd_advise, ARGS("advise", "scenarios/web.json", "-d2", "--phases", "2", "--limit", "550m", "--target", "p95<20ms"), EXIT_FINE,
	      "answer");
	check(schema, &cmd_advise, ARGS("advise", "tests/data/own/own_burn5_q25.ftrace.txt", "--phases", "2", "--no-throttle", "0.9"), EXIT_FINE,
	      "answer");
}

/* The checker can say no to each of the two. */
TEST(answers, schemas_refuse)
{
	struct schema s;

	schema_open(&s, "docs/advise.schema.json", NULL);
	CHECK(!schema_holds(&s, schema_parse(&s, "{\"target\":\"x\"}")));
	schema_close(&s);
	schema_open(&s, "docs/explain.schema.json", NULL);
	CHECK(schema_holds(&s, schema_parse(&s, "{\"groups\":{},\"sentences\":[]}")));
	CHECK(!schema_holds(&s, schema_parse(&s, "{\"groups\":{\"/a\":{\"active_periods\":1,\"wall_periods\":1,\"throttled_periods\":1,"
						 "\"causes\":[{\"cause\":\"moon\",\"periods\":1,\"usec\":1}]}},\"sentences\":[]}")));
	schema_close(&s);
}

TEST_MAIN("answers")
