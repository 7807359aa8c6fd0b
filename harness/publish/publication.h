#ifndef HARNESS_PUBLISH_PUBLICATION_H
#define HARNESS_PUBLISH_PUBLICATION_H

/* A journal that is to be published: whether others can rely on it, the names of its directory and its file, and the
 * part of it that others may see (schema.h). It prints nothing and writes no files. */

#include "harness/base/pool.h"
#include "harness/journal/results.h"

#include <stdio.h>

enum { SLUG_ROOM = 96 };

struct publication {
    const char *path; /* of the journal, as it was given */
    struct result result;
    struct pool pool;
    struct labels flaws;     /* what is wrong with it, in sentences; with any of them it must not be published */
    char machine[SLUG_ROOM]; /* of its folder: small letters, digits, '-' and '.', never empty */
    char name[SLUG_ROOM];    /* "2026-11-21-standard" */
};

/* Reads a journal and checks it: it is whole and complete; every cell ended, was verified before and after, and ran on
 * a real device, not on one of `scripted_backend`; not all cells are too noisy; and no later bench than this `version`
 * wrote it. To be closed in any case; `path` must outlive it. Fails when the file is no journal that can be read. */
bool publication_open(struct publication *out, const char *path, const char *version, const char *scripted_backend,
                      struct error *err);
void publication_close(struct publication *publication);

/* Writes the part that others may see. Fails when the stream does, or memory is short. */
bool publication_write(const struct publication *publication, FILE *out, struct error *err);

/* A name for the machine of a record, from its processor and its GPUs. */
void publication_machine(char to[SLUG_ROOM], const struct record *record);

#endif
