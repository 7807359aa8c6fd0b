#ifndef HARNESS_BASE_LOADER_H
#define HARNESS_BASE_LOADER_H

/* The system's loader of shared libraries, as library.h and the backends use it. */

#include <limits.h>
#include <stdbool.h>

/* Loads a library by its path or its name, for good: threads of a library may run its code until the process ends. Its
 * symbols are visible to nothing else. NULL: loader_error says why. */
void *loader_open(const char *file);

/* The library of this name that is loaded already, NULL if none is. To be closed. */
void *loader_find(const char *file);
void loader_close(void *library);

/* The address of a function; NULL where the library has none of that name. */
void *loader_symbol(void *library, const char *name);

/* Where the file of a loaded library is. False if that is unknown. */
bool loader_path(void *library, char to[PATH_MAX]);

/* Why the last call failed. Valid until the next. */
const char *loader_error(void);

#endif
