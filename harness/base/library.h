#ifndef HARNESS_BASE_LIBRARY_H
#define HARNESS_BASE_LIBRARY_H

/* Libraries that a method computes with. They are loaded when the method is first prepared and never linked, so that
 * the program runs where they are absent, and that a worker has none in its process but the one it measures. */

#include "harness/base/error.h"

#include <stddef.h>

/* A function of a library, and where in a struct of pointers it belongs: { "cblas_sgemm", offsetof(...) }. */
struct library_symbol {
    const char *name; /* NULL after the last */
    size_t offset;
};

/* Loads the first of `sonames` (NULL-terminated) that there is. It stays until the process ends, because threads that a
 * library started may run its code for as long. NULL with STATUS_UNSUPPORTED, what the system said about the last, and
 * the package that has it. */
void *library_load(const char *const sonames[], const char *package, struct error *err);

/* Fills the pointers of `table`. False with STATUS_UNSUPPORTED when the library, called `name`, lacks one. */
bool library_bind(void *library, const char *name, const struct library_symbol symbols[], void *table,
                  struct error *err);

/* The same for functions that older ones lack: their pointers are NULL then. */
void library_bind_newer(void *library, const struct library_symbol symbols[], void *table);

/* Loads what lies in the directory of `path` and is called like `pattern` ("libcublasLt.so.13*"), before a library
 * there asks the loader for it by name: the loader takes what is loaded already, and would look in other places first,
 * or in that directory never. What does not load is missed by the library itself, which says so. */
void library_load_beside(const char *path, const char *pattern);

#endif
