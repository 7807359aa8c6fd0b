#ifndef BENCH_PLAN_RESUME_H
#define BENCH_PLAN_RESUME_H

/* A run to resume: its journal, the record of that, and its options. Complete blocks stay; the others get the rest of
 * their visits, on the same machine with the same versions, so that both parts make one run. */

#include "bench/cli/options.h"
#include "bench/plan/devices.h"
#include "harness/journal/results.h"
#include "harness/journal/run_log.h"
#include "harness/machine/host.h"

/* Must not move once it is open: options point into it. */
struct resume {
    struct journal *journal; /* owned until resume_take or resume_close */
    struct result result;    /* what it holds */
    struct options options;  /* of the run; how to print the report is taken from the resuming command */
    char **word;             /* the words of the command that began it */
};

/* Reads and locks the journal that asked->resume names. Fails (STATUS_USAGE) if another run writes to it, or it is
 * damaged, of another version, or of another command. Close it either way. */
bool resume_open(struct resume *out, const struct options *asked, struct error *err);
void resume_close(struct resume *resume);

/* Whether processor, system, libraries, and each device with its driver are the same as when it began. If not, err
 * names the difference. */
bool resume_check(const struct resume *resume, const struct host *host, const json_t *libraries,
                  const struct listing *listing, const bool takes_part[DEVICES_MAX], struct error *err);

/* Hands journal and record over to a run log (run_log_reopen), the last line mended. */
bool resume_take(struct resume *resume, struct run_log *run_log, bool *interrupted, struct error *err);

#endif
