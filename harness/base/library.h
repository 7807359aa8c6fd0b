#ifndef HARNESS_BASE_LIBRARY_H
#define HARNESS_BASE_LIBRARY_H

/* Libraries that methods compute with. They are loaded when a method is first prepared and never linked, so that the
 * program runs without them, and a worker has no other in its process than the one it measures. */

#include "harness/base/error.h"

/* The functions of a library, from one list: LIST(CALL) has a CALL(member, "symbol", parameters...) for each function
 * that returns int. LIBRARY_DECLARE makes a struct of pointers, and one of their names with the same members in the
 * same order; LIBRARY_DEFINE makes the latter's value. */
#define LIBRARY_MEMBER(member, symbol, ...) int (*member)(__VA_ARGS__);
#define LIBRARY_NAME(member, symbol, ...)   const char *member;
#define LIBRARY_NAMED(member, symbol, ...)  .member = symbol,
#define LIBRARY_DECLARE(type, names, LIST)                                                                             \
    struct type {                                                                                                      \
        LIST(LIBRARY_MEMBER)                                                                                           \
    };                                                                                                                 \
    struct names {                                                                                                     \
        LIST(LIBRARY_NAME)                                                                                             \
    };                                                                                                                 \
    extern const struct names names;
#define LIBRARY_DEFINE(names, LIST) const struct names names = { LIST(LIBRARY_NAMED) };

/* Loads the first of `sonames` (NULL-terminated) that exists. It stays loaded, because threads of a library may run its
 * code until the process ends. NULL with STATUS_UNSUPPORTED, the system's message about the last one, and the Debian
 * package that has it. */
void *library_load(const char *const sonames[], const char *package, struct error *err);

/* Fills the pointers of `table`, a struct of nothing else, with the functions of these names in their order; those that
 * the library lacks are NULL. False with STATUS_UNSUPPORTED when the library, called `name`, lacks one. */
bool library_bind(void *library, const char *name, const char *const symbols[], unsigned count, void *table,
                  struct error *err);
/* An array or a struct of names, as two arguments. */
#define LIBRARY_NAMES(names) (const char *const *)&(names), sizeof(names) / sizeof(const char *)

/* Loads the files in the directory of `path` that match `pattern` ("libcublasLt.so.13*") before a library there asks
 * the loader for them by name: the loader reuses what is loaded, and would otherwise search other places. Failures are
 * ignored; the library reports what it lacks. */
void library_load_beside(const char *path, const char *pattern);

#endif
