#ifndef BENCH_PLAN_TUNING_CACHE_H
#define BENCH_PLAN_TUNING_CACHE_H

/* What earlier runs found, in one file: $XDG_CACHE_HOME/bench/tuning-3.json, or ~/.cache/bench/tuning-3.json (XDG base
 * directory specification; the number is the version). It only saves time. A damaged file counts as empty, and one that
 * cannot be written is no failure of the run.
 *
 * The file is a table of short texts by key. Keys begin with a device, its driver, libraries and threads, the kernel
 * texts of a workload and the version of this program: when one of them changes, or after 30 days, what was found
 * before is not used. */

#include "bench/plan/cell.h"

#include <jansson.h>
#include <limits.h>

enum { TUNING_KEY_MAX = 1024, TUNING_VALUE_MAX = 64 };

struct tuning_cache {
    char path[PATH_MAX + 32]; /* of the file; "": there is no place for it */
    json_t *found;            /* texts by key: the file's, and those of this run */
    json_t *own;              /* those of this run, as the file has them */
};

/* Reads the file; `anew`: what this run finds is all that is ever used. Never fails; to be closed. */
void tuning_cache_open(struct tuning_cache *out, bool anew);
void tuning_cache_close(struct tuning_cache *cache);

/* The key of `what` for a cell's workload, element type and device; `threads`: of our own loops. `more` may be "".
 * Returns `to`. */
const char *tuning_key(char to[TUNING_KEY_MAX], const char *what, const struct cell *cell, unsigned threads,
                       const char *more);

/* The text of that key; NULL: there is none. Valid until it is set anew. `is_lasting`: later runs find it, too. */
const char *tuning_cache_find(const struct tuning_cache *cache, const char *key);
void tuning_cache_set(struct tuning_cache *cache, const char *key, const char *value, bool is_lasting);

/* Writes what this run set into the file, beside what other runs have written meanwhile. Does nothing if that is
 * nothing, or if there is no place for the file. The file appears complete or not at all; of two that are written at
 * the same moment one stays. */
bool tuning_cache_write(const struct tuning_cache *cache, struct error *err);

#endif
