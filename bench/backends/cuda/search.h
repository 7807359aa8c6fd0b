#ifndef BENCH_BACKENDS_CUDA_SEARCH_H
#define BENCH_BACKENDS_CUDA_SEARCH_H

/* The places of a shared library of CUDA, found without loading it: libcublas.so alone takes a third of a second to
 * load. */

#include <stdbool.h>

/* Calls `visit` with the path of each file of that name that this process could load, until it returns true. The order:
 * the folders of BENCH_LIBRARY_PATH, those of LD_LIBRARY_PATH, the driver's own folder, CUDA_HOME, and where CUDA is
 * usually installed. The name alone comes last: dlopen() finds by it what the system's loader knows (ldconfig's cache,
 * the program's run path). False when `visit` never returned true. The same file may come more than once. */
typedef bool search_visit(void *context, const char *path);
bool search_each(const char *file, search_visit *visit, void *context);

/* The places as a message names them after "not found". */
extern const char search_places[];

#endif
