/* SPDX-License-Identifier: MIT */
/*
 * digest.h - 64 bits that stand for a stream of numbers.
 *
 * One multiply and fold per number (value, not bytes: so endianness, padding and addresses cannot enter): cheap, the same
 * on every machine, and order matters.  Not a defence against anyone.
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include "base/types.h"

#define DIGEST_INIT 0xcbf29ce484222325u

/* @digest, which began as DIGEST_INIT, with @value put in. */
static inline u64 digest_u64(u64 digest, u64 value)
{
	digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
	return digest ^ (digest >> 32);
}

#endif
