#ifndef TESTS_SUPPORT_GOLDEN_H
#define TESTS_SUPPORT_GOLDEN_H

/* The journals that tests/golden holds. Every name in them is made up. */

#include "harness/journal/journal.h"
#include "tests/support/kept.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const char *const journals[] = { "mixed", "interrupted", "hostile" };
enum { JOURNALS = sizeof journals / sizeof *journals };

static inline bool golden_take(void *context, const json_t *line, struct error *err)
{
    return record_add(context, line, err);
}

/* The record of one of them. folder: where they are, which the build says. */
static inline struct record *read_golden(const char *folder, const char *name)
{
    char path[512];
    struct error err = { 0 };
    struct record *record = new_record();
    snprintf(path, sizeof path, "%s/%s.jsonl", folder, name);
    cr_assert(journal_read(path, NULL, golden_take, record, NULL, &err), "%s", err.message);
    return record;
}

#endif
