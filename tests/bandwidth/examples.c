/* SPDX-License-Identifier: MIT */
/*
 * examples.c - the worked examples of docs/rules/bandwidth.md, one test or more for each; see hog.c, crowd.c, slack.c and
 * others.
 */
#include "tests/test.h"

TEST_MAIN("bandwidth: worked examples")
