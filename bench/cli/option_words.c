#include "bench/cli/option_words.h"

#include "bench/backends/registry.h"
#include "harness/report/formats/comparison.h"
#include "harness/report/report.h"

#include <string.h>

static const char *const suite_names[] = { "quick", "standard", "full", "uhd620", NULL };

static void copy_words(const char *out[WORDS_MAX], const char *const words[])
{
    unsigned count = 0;
    for (; words[count] && count < WORDS_MAX - 1; count++)
        out[count] = words[count];
    out[count] = NULL;
}

void suite_words(const char *out[WORDS_MAX])
{
    copy_words(out, suite_names);
}

void order_words(const char *out[WORDS_MAX])
{
    copy_words(out,
               (const char *const[]){ [ORDER_INTERLEAVED] = "interleaved", [ORDER_SEQUENTIAL] = "sequential", NULL });
}

void dtype_words(const char *out[WORDS_MAX])
{
    for (unsigned i = 0; i < DTYPE_COUNT; i++)
        out[i] = dtype_name((enum dtype)i);
    out[DTYPE_COUNT] = NULL;
}

void memory_words(const char *out[WORDS_MAX])
{
    for (unsigned i = 0; i < MEMORY_COUNT; i++)
        out[i] = memory_name((enum memory)i);
    out[MEMORY_COUNT] = NULL;
}

void workload_words(const char *out[WORDS_MAX])
{
    unsigned count = 0;
    for (; workloads[count] && count < WORDS_MAX - 1; count++)
        out[count] = workloads[count]->name;
    out[count] = NULL;
}

void swept_words(const char *out[WORDS_MAX])
{
    unsigned count = 0;
    for (unsigned w = 0; workloads[w] && count < WORDS_MAX - 1; w++)
        if (workloads[w]->range)
            out[count++] = workloads[w]->name;
    out[count] = NULL;
}

static bool holds(const char *const words[], unsigned count, const char *word)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* The methods of all workloads, each name once, and "all". */
void method_words(const char *out[WORDS_MAX])
{
    unsigned count = 0;
    for (unsigned w = 0; workloads[w]; w++) {
        for (const struct method *method = workloads[w]->methods; method && method->name; method++)
            if (count < WORDS_MAX - 2 && !holds(out, count, method->name))
                out[count++] = method->name;
    }
    out[count++] = "all";
    out[count] = NULL;
}

void format_words(const char *out[WORDS_MAX])
{
    unsigned count = 0;
    for (; reports[count] && count < WORDS_MAX - 1; count++)
        out[count] = reports[count]->name;
    out[count] = NULL;
}

void comparison_words(const char *out[WORDS_MAX])
{
    unsigned count = 0;
    for (; comparison_reports[count] && count < WORDS_MAX - 1; count++)
        out[count] = comparison_reports[count]->name;
    out[count] = NULL;
}

void explanation_words(const char *out[WORDS_MAX])
{
    copy_words(out, (const char *const[]){ "table", "markdown", NULL });
}

void fail_on_words(const char *out[WORDS_MAX])
{
    copy_words(out,
               (const char *const[]){
                   [FAIL_ON_NOTHING] = "nothing", [FAIL_ON_SLOWER] = "slower", [FAIL_ON_UNSURE] = "unsure", NULL });
}
