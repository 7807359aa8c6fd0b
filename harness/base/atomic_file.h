#ifndef HARNESS_BASE_ATOMIC_FILE_H
#define HARNESS_BASE_ATOMIC_FILE_H

/* A file that is there as a whole or not at all: it is written beside its place, under another name, and takes it once
 * it is complete. Whatever was there before stays until then. */

#include "harness/base/error.h"

#include <limits.h>
#include <stdio.h>

struct draft {
    FILE *out;             /* NULL: none is open */
    char path[PATH_MAX];   /* where it goes */
    char beside[PATH_MAX]; /* where it is written; "" where that is one, as what is no file cannot be replaced */
};

/* Fails with a sentence when the path is a directory, or nothing can be written there. */
bool draft_open(struct draft *draft, const char *path, struct error *err);

/* Closes it and puts it in its place. Fails, leaving what was there, when not all of it could be written. */
bool draft_keep(struct draft *draft, struct error *err);

/* Closes it and leaves nothing behind; of one that is not open, or was kept, nothing happens. */
void draft_drop(struct draft *draft);

#endif
