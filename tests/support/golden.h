#ifndef TESTS_SUPPORT_GOLDEN_H
#define TESTS_SUPPORT_GOLDEN_H

/* The journals that tests/golden holds. Every name in them is made up. */

#include "harness/journal/journal.h"
#include "tests/support/kept.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const char *const journals[] = { "mixed", "interrupted", "hostile" };
enum { JOURNALS = sizeof journals / sizeof *journals };

/* Those that tests/golden/make_journals.py made up. */
static const char *const machines[] = { "made-uhd620", "made-h200",  "made-laptop",
                                        "made-nogpu",  "made-apart", "made-rare" };
enum { MACHINES = sizeof machines / sizeof *machines };

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
    cr_assert(journal_read(path, golden_take, record, NULL, &err), "%s", err.message);
    return record;
}

/* Compares with the file of that name, byte for byte. UPDATE_GOLDEN=1 writes it anew: read the difference. */
static inline void expect_golden(const char *folder, const char *name, const char *text)
{
    char path[512], *golden = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, getenv("UPDATE_GOLDEN") ? "w+" : "r");
    cr_assert(file, "cannot open %s", path);
    if (getenv("UPDATE_GOLDEN"))
        fputs(text, file);
    rewind(file);
    const bool has_text = getdelim(&golden, &size, '\0', file) >= 0;
    fclose(file);
    cr_expect_str_eq(text, has_text ? golden : "", "%s differs:\n%s", path, text);
    free(golden);
}

#endif
