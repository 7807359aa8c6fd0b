#ifndef BENCH_SCHEDULE_JOURNAL_PATH_H
#define BENCH_SCHEDULE_JOURNAL_PATH_H

/* Placeholders in the path of a journal, so that one command line serves all nodes of a cluster:
 *   {host}   the node's name, as Slurm calls it or the system's
 *   {date}   the day in UTC, 2026-11-23
 *   {job}    the number of the batch job, of Slurm, PBS or LSF */

#include "harness/base/error.h"

#include <stddef.h>

/* Fails (STATUS_USAGE) for another word in braces, {job} outside a job, and a path that does not fit. Characters of a
 * value that are not letters, digits, '.', '_' or '-' become '-', so that no value adds a folder. */
bool journal_path_expand(char *to, size_t room, const char *path, struct error *err);

#endif
