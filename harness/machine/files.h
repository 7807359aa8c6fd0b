#ifndef HARNESS_MACHINE_FILES_H
#define HARNESS_MACHINE_FILES_H

/* Small text files of /proc, /sys and /etc, below a `root` that is "" except in tests, where it names a recorded tree.
 * What cannot be read is NAN or "". */

#include "harness/base/text.h"

#include <stdbool.h>
#include <stdio.h>

/* Whether this system describes itself in such files: without a root it is asked by calls otherwise. */
bool host_has_files(void);

/* Opens <root><path> for reading; NULL if it cannot. */
FILE *host_open(const char *root, const char *path);

/* First line of a file, cleaned. */
struct text host_line(const char *root, const char *path);

/* The number that a file begins with. */
double host_number(const char *root, const char *path);

/* In a file of lines such as "key: value", "key=value" or "key value": the value of the first line with that key,
 * cleaned. */
struct text host_member(const char *root, const char *path, const char *key);
double host_member_number(const char *root, const char *path, const char *key);

/* Calls `take` for each file that matches a pattern, with its path below root. */
void host_each(const char *root, const char *pattern, void (*take)(void *context, const char *root, const char *path),
               void *context);

/* The path of a file in the same folder as another. */
struct text host_beside(const char *path, const char *name);

/* The first number from 0 on that a file matching the pattern begins with. */
double host_first_number(const char *root, const char *pattern);

#endif
