#ifndef BENCH_CLI_OPTION_WORDS_H
#define BENCH_CLI_OPTION_WORDS_H

/* The words that are right after an option, for its row of the table: of lists that others keep, so that what is
 * plugged in is known to the command line. Each writes them with a NULL behind the last. */

#include "bench/cli/option.h"

void suite_words(const char *out[WORDS_MAX]);
void order_words(const char *out[WORDS_MAX]);
void dtype_words(const char *out[WORDS_MAX]);
void memory_words(const char *out[WORDS_MAX]);
void workload_words(const char *out[WORDS_MAX]);
void method_words(const char *out[WORDS_MAX]);
void format_words(const char *out[WORDS_MAX]);
void comparison_words(const char *out[WORDS_MAX]);
void explanation_words(const char *out[WORDS_MAX]);
void fail_on_words(const char *out[WORDS_MAX]);

#endif
