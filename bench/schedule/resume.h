#ifndef BENCH_SCHEDULE_RESUME_H
#define BENCH_SCHEDULE_RESUME_H

/* A run that was broken off, and is to be completed: its journal, what is in it, and the options that it was begun
 * with. Blocks that are done stay; all else is measured anew, on the same machine with the same versions of everything,
 * so that the figures of both parts stand for one run. */

#include "bench/cli/options.h"
#include "bench/plan/devices.h"
#include "bench/schedule/run_log.h"
#include "harness/journal/results.h"
#include "harness/machine/host.h"

/* Not to be moved once it is open: options point into it. */
struct resume {
    struct journal *journal; /* ours until it is taken, or closed */
    struct result result;    /* what it holds */
    struct options options;  /* of the run, but shown as the command asks for that resumes it */
    char **word;             /* of the command that began it */
};

/* Reads the journal that asked->resume names, and locks it. Refused (STATUS_USAGE) where it is written to by another
 * run, damaged, of another version or of another verb. To be closed either way. */
bool resume_open(struct resume *out, const struct options *asked, struct error *err);
void resume_close(struct resume *resume);

/* Whether this is the machine that it was begun on: processor, system, libraries, and each device that takes part, with
 * its driver. Where it is not err names what differs. */
bool resume_check(const struct resume *resume, const struct host *host, const json_t *libraries,
                  const struct listing *listing, const bool takes_part[DEVICES_MAX], struct error *err);

/* Hands journal and record over to a ledger, the last line mended. */
bool resume_take(struct resume *resume, struct run_log *run_log, struct error *err);

#endif
