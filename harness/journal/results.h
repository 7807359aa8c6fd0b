#ifndef HARNESS_JOURNAL_RESULTS_H
#define HARNESS_JOURNAL_RESULTS_H

/* The input of reports: the records of one or several journals, and what was wrong with each file. A damaged journal
 * gives whatever could be read, with sentences about the rest. */

#include "harness/base/error.h"
#include "harness/journal/journal.h"
#include "harness/journal/record.h"
#include "harness/journal/schema.h"

#include <stdbool.h>

struct result {
    const char *path;             /* as it was given; "": a report does not name it */
    struct record *record;        /* NULL: the file could not be read */
    struct journal_faults faults; /* of the file */
    unsigned long unusable;       /* lines that were left out: they contradict earlier ones, or lack a member */
    unsigned long first_line;     /* the number of the first of them */
    struct error first;           /* why */
    struct schema_faults wrong;   /* values that make no sense, and were left out */
    unsigned long first_wrong;    /* the number of the line of the first of them */
    struct schema *schema;        /* while it is read */
};

struct results {
    struct result *run;
    unsigned runs;
};

/* The letter of a run, in the given order: "A" and so on; a command takes 16 at most. The second: "" if there is only
 * one run. */
const char *results_letter(unsigned run);
const char *results_letter_if_several(const struct results *results, unsigned run);

/* Reads a journal into a record. A cell whose figures are impossible has that outcome (plausible.h). `path` must
 * outlive the result; release it even after a failure. Fails when the file cannot be opened or is no journal, and when
 * memory is short. */
bool result_read(struct result *out, const char *path, struct error *err);
void result_release(struct result *result);

/* Whether the run that writes the journal goes on. */
bool result_is_running(const struct result *result);

/* Whether two journals are of the same run: a copy has the same head, whatever the file is called. */
bool result_is_of_same_run(const struct result *one, const struct result *other);

/* How many lines and values could not be used; an incomplete last line does not count. */
unsigned long result_left_out(const struct result *result);

/* What was wrong with the file: sentences without the path. Returns how many. */
enum { FAULTS_MAX = 7, FAULT_ROOM = 640 };
unsigned result_faults(const struct result *result, char out[FAULTS_MAX][FAULT_ROOM]);

#endif
