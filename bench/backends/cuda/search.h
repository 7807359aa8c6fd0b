#ifndef BENCH_BACKENDS_CUDA_SEARCH_H
#define BENCH_BACKENDS_CUDA_SEARCH_H

/* The places of a shared library of CUDA, found without loading it: libcublas.so alone takes a third of a second to
 * load. */

#include <limits.h>
#include <stdbool.h>

/* Writes the path of a file of that name, the first for number 0: some may not load. The order: the folders of
 * BENCH_LIBRARY_PATH, those of LD_LIBRARY_PATH, CUDA_HOME, and where CUDA is usually installed. False if there are no
 * more: the system's loader may know another place. One place may be found twice. */
bool search_find(const char *file, unsigned number, char path[PATH_MAX]);

/* Loads a library that only the system's loader finds, by ldconfig's cache or the program's run path; NULL: none. */
void *search_load(const char *file);

/* The places as a message names them after "not found". */
extern const char search_places[];

#endif
