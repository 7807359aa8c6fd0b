#ifndef HARNESS_JOURNAL_RESULTS_H
#define HARNESS_JOURNAL_RESULTS_H

/* What reports are made of: the records of one or several journals, with what was wrong with each file. A damaged
 * journal gives what of it could be read, and sentences that say so. */

#include "harness/base/error.h"
#include "harness/journal/journal.h"
#include "harness/journal/record.h"

#include <stdbool.h>

struct result {
    const char *path;             /* as it was given; "" where a run reports itself */
    struct record *record;        /* NULL: the file could not be read at all */
    struct journal_faults faults; /* of the file */
    unsigned long contradictions; /* lines that contradict earlier ones, and were left out */
    unsigned long first_line;     /* the number of the first of them */
    struct error first;           /* what it says */
};

struct results {
    struct result *run;
    unsigned runs;
};

/* What a run is called among several, in the order they were given: "A" to "Z", "AA" and on. Returns `to`. */
enum { LETTER_ROOM = 8 };
const char *results_letter(char to[LETTER_ROOM], unsigned run);

/* Reads a journal into a record. `path` must outlive the result, which is to be released either way. Fails when the
 * file cannot be opened or is no journal, and when memory is short. */
bool result_read(struct result *out, const char *path, struct error *err);
void result_release(struct result *result);

/* Whether everything in the file could be made use of, but for a last line that a run did not live to end. */
bool result_is_whole(const struct result *result);

/* What was wrong with the file, one sentence each without the path; returns how many. */
enum { FAULTS_MAX = 5, FAULT_ROOM = 320 };
unsigned result_faults(const struct result *result, char out[FAULTS_MAX][FAULT_ROOM]);

#endif
