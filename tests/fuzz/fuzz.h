#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

/* What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput. libFuzzer calls it with mutated inputs
 * (-Dfuzz=true, clang); replay.c calls it with the inputs in corpus/ in every build, as an ordinary test. A target that
 * finds something wrong aborts. */

#include "harness/journal/results.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory with these bytes, which path[] names until it is closed. Returns its descriptor. */
enum { FUZZ_PATH = 32 };
int fuzz_file(char path[FUZZ_PATH], const void *data, size_t size);

/* Aborts with a sentence unless it holds. */
void must(bool holds, const char *sentence);

/* A failure names its status and says why; success leaves both empty. */
void must_agree(bool succeeded, const struct error *err);

/* What a program prints has no control characters but line breaks, and is UTF-8. */
void must_be_clean(const char *text, size_t size, const char *what);

/* A stream whose bytes are kept, to be closed by fuzz_sink_close. */
struct fuzz_sink {
    FILE *out;
    char *text;
    size_t size;
};
void fuzz_sink_open(struct fuzz_sink *sink);
void fuzz_sink_close(struct fuzz_sink *sink); /* text and size are valid from here on; free(text) is the caller's */

#endif
