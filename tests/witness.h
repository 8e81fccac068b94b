/* SPDX-License-Identifier: MIT */
/*
 * witness.h - no rule without a witness: a figure that changes when that rule alone is flipped, and the sentence behind it.
 *
 *	rule x value ---> one queue or small machine, that rule flipped and nothing else ---> one figure
 *
 *	static const struct witness witnesses[] = {
 *		{ "place_lag", "6.12", NULL, place_of_a_creditor, "where one stands that is owed 2 ms, beside three at 100 ms", IN_NS,
 *		  { { "off", 100 * MS }, { "on", 97333334 } },
 *		  "4.4: it joins at the mean, or 2 ms stretched by 4/3 before it" },
 *	};
 *	WITNESS_MAIN("eevdf: ...", witnesses, RULE_PICK, RULE_PREEMPT)
 *
 * The program tests that every figure is what the table says, that each row names a rule and its values, and that each two values of every
 * rule of the range are told apart by some row.  A rule that changes no figure is dead or untested: then it fails.  With --list it prints the
 * table for docs/rules.md (tools/rules_page.sh).
 */
#ifndef TESTS_WITNESS_H
#define TESTS_WITNESS_H

#include "base/types.h"
#include "core/model.h"

/* Under what a figure is taken: the row, what must be so beside (or NULL), and the rule that is flipped, as "name=value". */
struct under {
	const char *row, *also, *flipped;
};

enum witness_unit { IN_NS, IN_NOTHING, YES_OR_NO };

#define WITNESS_VALUES 6

struct witness {
	const char *rule;
	const char *row, *also;
	s64 (*figure)(const struct under *u);
	const char *name; /* of the figure */
	enum witness_unit unit;
	struct {
		const char *value;
		s64 figure;
	} shows[WITNESS_VALUES];
	const char *sentence; /* begins with its section in docs/rules/ */
};

/* Two values that no figure tells apart, and why. */
struct witness_alike {
	const char *rule, *a, *b;
};

struct witness_table {
	const struct witness *rows;
	size_t nr;
	enum rule first, last; /* every rule of this range has a witness here */
	const struct witness_alike *alike; /* or NULL; ends with a rule NULL */
};

/* The tests of a table; each fails by cmocka. */
void witness_figures(const struct witness_table *t);
void witness_names(const struct witness_table *t);
void witness_complete(const struct witness_table *t);
/* One line per row: the rule, a tab, and what is shown of it in Markdown. */
void witness_list(const struct witness_table *t);

#define WITNESS_MAIN(suite, table, from, to) WITNESS_MAIN_ALIKE(suite, table, from, to, NULL)
#define WITNESS_MAIN_ALIKE(suite, table, from, to, the_same)                                                   \
	static const struct witness_table witness_table = {                                                    \
		.rows = (table), .nr = ARRAY_SIZE(table), .first = (from), .last = (to), .alike = (the_same),  \
	};                                                                                                     \
	TEST(witness, each_value_shows_its_figure) { witness_figures(&witness_table); }                        \
	TEST(witness, every_row_names_a_rule_and_its_values) { witness_names(&witness_table); }                \
	TEST(witness, each_two_values_of_a_rule_are_told_apart) { witness_complete(&witness_table); }          \
	struct CMUnitTest test_table[TEST_MAX];                                                                \
	size_t test_count;                                                                                     \
	int main(int argc, char **argv)                                                                        \
	{                                                                                                      \
		if (argc == 2 && !strcmp(argv[1], "--list")) {                                                 \
			witness_list(&witness_table);                                                          \
			return 0;                                                                              \
		}                                                                                              \
		return _cmocka_run_group_tests(suite, test_table, test_count, NULL, NULL);                     \
	}

#endif
