#ifndef BENCH_BACKENDS_CUDA_SEARCH_H
#define BENCH_BACKENDS_CUDA_SEARCH_H

/* Where a shared library may lie, without loading it: libcublas.so alone takes a third of a second to load. */

#include <stdbool.h>

/* Calls `visit` with the path of every file of that name which could be loaded into this process, until it returns
 * true: in the directories of BENCH_LIBRARY_PATH, where the loader looks (LD_LIBRARY_PATH, the directories of the
 * system, those that ldconfig has noted), in CUDA_HOME, and where CUDA is usually installed. Last comes the name
 * alone, as dlopen() takes it, since the loader may know of more. False when nobody stopped it. The same file may come
 * more than once. */
typedef bool search_visit(void *context, const char *path);
bool search_each(const char *file, search_visit *visit, void *context);

/* What search_each() says of where it looks, for sentences. */
extern const char search_places[];

#endif
