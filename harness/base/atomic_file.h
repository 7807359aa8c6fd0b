#ifndef HARNESS_BASE_ATOMIC_FILE_H
#define HARNESS_BASE_ATOMIC_FILE_H

/* A file that appears complete or not at all: it is written beside its final place under another name, and renamed once
 * all of it is on the disk. What was there before stays until then. */

#include "harness/base/error.h"

#include <limits.h>
#include <stdio.h>

struct atomic_file {
    FILE *out;             /* to write to; NULL: saved, or not open */
    char path[PATH_MAX];   /* the final place */
    char beside[PATH_MAX]; /* where it is written until it is kept; "": at `path` itself, or nowhere any more */
};

/* Fails when the path is a directory or cannot be written. Of a symbolic link the target is replaced, not the link. A
 * device or a pipe cannot be replaced, and is written directly. */
bool atomic_file_open(struct atomic_file *file, const char *path, struct error *err);

/* The same for a file in that folder whose name is chosen later, by atomic_file_keep_as or _keep_new. A symbolic
 * link in its final place is replaced or refused, never followed. */
bool atomic_file_open_in(struct atomic_file *file, const char *folder, struct error *err);

/* Closes `out`: what was written can be read at `beside`. Fails when not all of it reached the disk. */
bool atomic_file_save(struct atomic_file *file, struct error *err);

/* Saves the file and moves it to its place. When that fails nothing has changed there. */
bool atomic_file_keep(struct atomic_file *file, struct error *err);

/* Moves a saved file to `path`, and replaces what is there. */
bool atomic_file_keep_as(struct atomic_file *file, const char *path, struct error *err);

/* Moves a saved file to `path` unless something is there, which is no failure: then *taken is true, *same says whether
 * it is a file with the same content, and the file is still to be kept elsewhere or dropped. */
bool atomic_file_keep_new(struct atomic_file *file, const char *path, bool *taken, bool *same, struct error *err);

/* Closes and removes the file unless it was kept. */
void atomic_file_drop(struct atomic_file *file);

/* Makes the folder of a file, and those above it, where they are missing. */
bool folder_make_for(const char *path, struct error *err);

#endif
