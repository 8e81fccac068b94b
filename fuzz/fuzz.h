/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h - what every fuzz target is: one function that gets bytes and must neither crash, nor leak, nor hang.
 *
 * Built with clang's libFuzzer by meson -Dfuzz=true; seeds for a target stand in fuzz/corpus/NAME/.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
