#ifndef BENCH_SCHEDULE_TUNING_CACHE_H
#define BENCH_SCHEDULE_TUNING_CACHE_H

/* What races of earlier runs found, in one file: $XDG_CACHE_HOME/bench/tuning-1.json, or ~/.cache/bench/tuning-1.json
 * (XDG base directory specification; the number is the version). It only saves time. A damaged file counts as empty,
 * and one that cannot be written is no failure of the run.
 *
 * An entry serves a class of sizes: each dimension within a factor of 4 of the one that was raced and as well aligned
 * (to 2, 4, 8 or 16 elements), or equal if both are below 16. */

#include "bench/workloads/workload.h"
#include "harness/base/error.h"

#include <jansson.h>

enum { TUNED_MAX = 128, TUNED_METHOD_MAX = 32, TUNED_DATE_MAX = 11 };

/* Which race. The device stands for its driver, libraries, instruction set and threads, too; the workload for its
 * kernel texts and the names of their kernel shapes. */
struct tuning_key {
    const struct problem *problem;
    const struct device *device;
    enum memory memory;
    unsigned threads; /* of our own loops on the CPU, which prepare data for every device */
};

/* Fast: within 5 % of the winner, for data that stay or for data that move, or too noisy to tell. Bad: gave wrong
 * answers, crashed or hung. Left: the race had no time to try it; without a kernel shape, all of its method. */
enum tuned_end { TUNED_FAST, TUNED_BAD, TUNED_LEFT, TUNED_ENDS };

/* What the race found of a contender. Those that it does not name were slower. */
struct tuned_contender {
    char method[TUNED_METHOD_MAX], kernel_shape[KERNEL_SHAPE_MAX];
    enum tuned_end end;
};

struct tuned {
    struct tuned_contender contender[TUNED_MAX];
    unsigned count;
    char since[TUNED_DATE_MAX]; /* "2026-11-22" */
};

struct tuning_cache {
    char path[4096];   /* of the file; "": there is no place for it */
    char trouble[200]; /* why the file was ignored, or why there is no place for it, in a sentence; "": neither */
    json_t *entries;   /* the file's, and those of this run */
    json_t *own;       /* those of this run */
};

/* Reads the file; `anew`: the entries of this run are all that is ever found. Never fails; to be closed. */
void tuning_cache_open(struct tuning_cache *out, bool anew);
void tuning_cache_close(struct tuning_cache *cache);

/* The latest entry for the key, or false: there is none, or driver, libraries, threads or kernel texts were others
 * then.
 */
bool tuning_cache_find(const struct tuning_cache *cache, const struct tuning_key *key, struct tuned *out);

/* Replaces the entry that tuning_cache_find gives, or adds one. `since` is set to today. */
void tuning_cache_remember(struct tuning_cache *cache, const struct tuning_key *key, struct tuned *tuned);

/* Writes the entries of this run into the file, beside those that other runs have written meanwhile. Does nothing if
 * there are none, or no place for the file. Waits while another process writes. The file appears complete or not at
 * all. */
bool tuning_cache_write(const struct tuning_cache *cache, struct error *err);

#endif
