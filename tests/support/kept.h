#ifndef TESTS_SUPPORT_KEPT_H
#define TESTS_SUPPORT_KEPT_H

/* Records and texts that a test need not free: TestSuite(NAME, .fini = release_kept) does it after each test. */

#include "harness/journal/record.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct kept {
    struct kept *next;
    struct record *record;
    char *text;
};

static struct kept *kept;

static inline void keep(struct record *record, char *text)
{
    struct kept *one = malloc(sizeof *one);
    cr_assert(one);
    *one = (struct kept){ kept, record, text };
    kept = one;
}

static inline struct record *new_record(void)
{
    struct record *record = record_new();
    cr_assert(record);
    keep(record, NULL);
    return record;
}

static inline char *kept_text(char *text)
{
    keep(NULL, text);
    return text;
}

static inline void release_kept(void)
{
    while (kept) {
        struct kept *one = kept;
        kept = one->next;
        if (one->record)
            record_free(one->record);
        free(one->text);
        free(one);
    }
}

#endif
