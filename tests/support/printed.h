#ifndef TESTS_SUPPORT_PRINTED_H
#define TESTS_SUPPORT_PRINTED_H

/* The report of a record as text, for tests that look at what is printed. */

#include "harness/report/report.h"
#include "tests/support/kept.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* In the format of that name. */
__attribute__((noinline, unused)) static char *printed_runs(const struct results *results, const char *format,
                                                            const struct layout *layout)
{
    char *text = NULL;
    size_t size;
    struct error err = { 0 };
    FILE *out = open_memstream(&text, &size);
    cr_assert(report_runs(report_find(reports, format), results, layout, out, &err), "%s", err.message);
    fclose(out);
    cr_assert_eq(strlen(text), size, "a NUL byte");
    return kept_text(text);
}

__attribute__((unused)) static char *printed_as(struct record *record, const char *format, const struct layout *layout)
{
    struct result run = { .path = "", .record = record };
    return printed_runs(&(struct results){ &run, 1 }, format, layout);
}

__attribute__((unused)) static char *printed(struct record *record, const char *format)
{
    return printed_as(record, format, &(struct layout){ .all_columns = true });
}

#endif
