#ifndef BENCH_COMMANDS_RESULTS_DIR_H
#define BENCH_COMMANDS_RESULTS_DIR_H

/* A folder of published journals: TO/MACHINE/DATE-SUITE.jsonl, with their reports beside them and an index on top,
 * which follow from the journals alone. */

#include "harness/base/error.h"
#include "harness/publish/publication.h"

/* Files the redacted journal in the machine's folder, which is made where it is new. The file gets the journal's name,
 * or that with a number where another run has it; nothing is ever overwritten. `path` receives its place; *is_new is
 * false where the very same journal was there already. */
enum { RESULTS_PATH = 4096 };
bool results_dir_add(const char *to, const char *machine, struct publication *publication, char path[RESULTS_PATH],
                     bool *is_new, struct error *err);

/* Writes the report of every journal beside it, and the index into TO/README.md, between its two marks; what it has
 * around them stays. Files that would not change are left alone. Fails at the first journal that cannot be read. */
struct results_dir_tally {
    unsigned machines, runs; /* in the index */
    unsigned written;        /* files that changed */
};
bool results_dir_update(const char *to, struct results_dir_tally *out, struct error *err);

/* Whether the very same journal as that at `path` is filed elsewhere in the folder; `duplicate` receives the place. */
bool results_dir_duplicate(const char *to, const char *path, char duplicate[RESULTS_PATH]);

#endif
