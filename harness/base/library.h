#ifndef HARNESS_BASE_LIBRARY_H
#define HARNESS_BASE_LIBRARY_H

/* Libraries that methods compute with. They are loaded when a method is first prepared and never linked, so that the
 * program runs without them, and a worker has no other in its process than the one it measures. */

#include "harness/base/error.h"

#include <stddef.h>

/* A function of a library, and its offset in a struct of pointers: { "cblas_sgemm", offsetof(...) }. */
struct library_symbol {
    const char *name; /* NULL after the last */
    size_t offset;
};

/* Both from one list: LIST(CALL) has a CALL(member, "symbol", parameters...) for each function that returns int. With
 * LIBRARY_MEMBER it makes the members of the struct, and with a macro by LIBRARY_ROW the symbols. */
#define LIBRARY_MEMBER(member, symbol, ...) int (*member)(__VA_ARGS__);
#define LIBRARY_ROW(type, member, symbol)                                                                              \
    {                                                                                                                  \
        symbol, offsetof(type, member)                                                                                 \
    }

/* Of the same list, the names of the functions: LIBRARY_NAME makes the members of a struct, and LIBRARY_NAMED their
 * values. */
#define LIBRARY_NAME(member, symbol, ...)  const char *member;
#define LIBRARY_NAMED(member, symbol, ...) .member = symbol,

/* Loads the first of `sonames` (NULL-terminated) that exists. It stays loaded, because threads of a library may run its
 * code until the process ends. NULL with STATUS_UNSUPPORTED, the system's message about the last one, and the Debian
 * package that has it. */
void *library_load(const char *const sonames[], const char *package, struct error *err);

/* Fills the pointers of `table`. False with STATUS_UNSUPPORTED when the library, called `name`, lacks one. */
bool library_bind(void *library, const char *name, const struct library_symbol symbols[], void *table,
                  struct error *err);

/* The same for functions that older versions lack: their pointers are then NULL. */
void library_bind_newer(void *library, const struct library_symbol symbols[], void *table);

/* Loads the files in the directory of `path` that match `pattern` ("libcublasLt.so.13*") before a library there asks
 * the loader for them by name: the loader reuses what is loaded, and would otherwise search other places. Failures are
 * ignored; the library reports what it lacks. */
void library_load_beside(const char *path, const char *pattern);

#endif
