#ifndef BENCH_BACKENDS_CUDA_SEARCH_H
#define BENCH_BACKENDS_CUDA_SEARCH_H

/* The places of a shared library of CUDA, found without loading it: libcublas.so alone takes a third of a second to
 * load. */

#include <limits.h>
#include <stdbool.h>

/* Writes the path of the first file of that name in the folders of BENCH_LIBRARY_PATH, those of LD_LIBRARY_PATH,
 * CUDA_HOME, and where CUDA is usually installed. False if there is none: the system's loader may know another place.
 */
bool search_find(const char *file, char path[PATH_MAX]);

/* Loads a library that only the system's loader finds, by ldconfig's cache or the program's run path; NULL: none. */
void *search_load(const char *file);

/* The places as a message names them after "not found". */
extern const char search_places[];

#endif
