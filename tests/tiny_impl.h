/* SPDX-License-Identifier: MIT */
/* tiny_impl.h - what the writers of tiny recordings share. */
#ifndef TESTS_TINY_IMPL_H
#define TESTS_TINY_IMPL_H

#include "tests/tiny.h"

/* Overwrite @size bytes at @at; a text with its NUL; zeros up to @at; a length of 4 bytes and a text padded to 64 bytes. */
void tiny_set(struct tiny *t, size_t at, u64 v, u32 size);
void tiny_word(struct tiny *t, const char *s);
void tiny_pad(struct tiny *t, size_t at);
void tiny_name(struct tiny *t, const char *s);

/* The head of a trace.dat. */
void tiny_magic(struct tiny *t, const char *version);

/* One event of @cpu after the other: its time behind TINY_START in us, whose it is, its bytes. */
typedef void each_event(void *arg, u32 cpu, u64 us, u32 current, const struct tiny *event);
void tiny_events(each_event *each, void *arg, bool swap, u32 cpu);

void tiny_perf(struct tiny *t, enum tiny_kind kind);

#endif
