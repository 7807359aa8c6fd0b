#ifndef HARNESS_BASE_FILING_H
#define HARNESS_BASE_FILING_H

/* A file that is there as a whole or not at all: written under another name beside its place, and put there when all of
 * it is on the disk. A link that stands in its place is replaced or refused, and never followed. */

#include "harness/base/error.h"

#include <stdbool.h>
#include <stdio.h>

enum { FILING_PATH = 4096 };

struct filing {
    FILE *out;              /* to write to */
    char path[FILING_PATH]; /* where it is until it is kept; "": nowhere any more */
};

/* In that folder; to be kept or dropped. Fails when it cannot be written there. */
bool filing_open(struct filing *out, const char *folder, struct error *err);

/* Saves what was written, and closes `out`: what there is can be read at `path`. Fails when not all of it arrived. */
bool filing_save(struct filing *filing, struct error *err);

/* Puts a saved filing into its place. What is there already is replaced, unless it is the same bytes: then it stays as
 * it is, and so does its date, and it is not counted among those written. */
bool filing_keep(struct filing *filing, const char *path, unsigned *written, struct error *err);

/* Whether both are files, and the same bytes. */
bool filing_are_same(const char *a, const char *b);

/* The same where nothing may be replaced: *taken tells that something is there, which is no failure; *same whether that
 * is a file of the same bytes. The filing is then still to be kept elsewhere, or dropped. */
bool filing_keep_new(struct filing *filing, const char *path, bool *taken, bool *same, struct error *err);

/* Removes it unless it was kept. */
void filing_drop(struct filing *filing);

#endif
