#ifndef BENCH_COMMANDS_HISTORY_H
#define BENCH_COMMANDS_HISTORY_H

/* The runs in the default folder of journals, newest first. Commands that read journals call them "last", "last~1" and
 * so on. */

#include "bench/cli/options.h"

/* All zero at first. */
struct history {
    json_t *runs; /* array of objects: started, suite, machine, devices, outcome, path */
    char folder[3072];
};

/* To be closed in any case. A file that is no journal is no run. Fails where there is no folder. */
bool history_open(struct history *out, struct error *err);
void history_close(struct history *history);

unsigned history_runs(const struct history *history);
const char *history_path(const struct history *history, unsigned run);

/* Replaces "last" and "last~N" in a list of journals (up to NULL), unless there is a file of that name; opens the
 * history, which owns the new paths, when it has to. Fails where there is no such run. */
bool history_resolve(struct history *history, const char *list[], struct error *err);

#endif
