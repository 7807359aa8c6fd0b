#ifndef TESTS_SUPPORT_NOTED_H
#define TESTS_SUPPORT_NOTED_H

/* The notes on a cell, and those on a run, a line each. */

#include "harness/base/text.h"
#include "harness/report/content/notes.h"
#include "tests/support/kept.h"

#include <string.h>

/* On the run where there are no figures. */
static inline char *noted(const struct figures *figures, const struct record *record)
{
    struct pool pool = { 0 };
    struct string_builder text = { .pool = &pool };
    const struct notes notes = figures ? notes_read(&pool, figures) : notes_read_run(&pool, record);
    for (unsigned i = 0; i < notes.count; i++)
        string_append(&text, "%s%s", i > 0 ? "\n" : "", notes.note[i].text);
    char *copy = kept_text(strdup(string_text(&text)));
    pool_release(&pool);
    return copy;
}

static inline char *noted_on(const struct record *record, const char *cell)
{
    struct figures figures;
    figures_read_cell(&figures, record, record_cell(record, cell));
    return noted(&figures, record);
}

#endif
