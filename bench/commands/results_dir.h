#ifndef BENCH_COMMANDS_RESULTS_DIR_H
#define BENCH_COMMANDS_RESULTS_DIR_H

/* A folder of published journals: TO/MACHINE/DATE-SUITE.jsonl. Beside each journal are its reports, and TO/README.md
 * has the index; both are made from the journals alone. */

#include "harness/base/error.h"
#include "harness/publish/publication.h"

/* Writes the redacted journal into the folder of the machine, which is created if it is new. If another run has the
 * journal's name, a number is added; nothing is overwritten. `path` receives the path; *is_new is false if the same
 * journal was there already. */
enum { RESULTS_PATH = 4096 };
bool results_dir_add(const char *to, const char *machine, struct publication *publication, char path[RESULTS_PATH],
                     bool *is_new, struct error *err);

/* Writes the reports of every journal, and the index into TO/README.md between its two marks; the rest of that file
 * stays. Files that would not change are not written. Fails at the first journal that cannot be read. */
struct results_dir_tally {
    unsigned machines, runs; /* in the index */
    unsigned written;        /* files that changed */
};
bool results_dir_update(const char *to, struct results_dir_tally *out, struct error *err);

/* Whether a file with the same content as `path` is elsewhere in the folder; `duplicate` receives its path. */
bool results_dir_duplicate(const char *to, const char *path, char duplicate[RESULTS_PATH]);

#endif
