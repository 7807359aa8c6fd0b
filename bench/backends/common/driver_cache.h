#ifndef BENCH_BACKENDS_COMMON_DRIVER_CACHE_H
#define BENCH_BACKENDS_COMMON_DRIVER_CACHE_H

/* The folder in which PoCL keeps compiled kernels. It shows no device where it cannot write there, calls a full disk a
 * failed build, and answers "invalid kernel name" for a file that is damaged (3.1). */

#include <stdbool.h>
#include <stddef.h>

bool driver_cache_is_of(const char *driver); /* by its library or its platform */

/* The folder in use. */
void driver_cache_find(char *to, size_t room);

/* Before the driver is loaded: where the folder has no room or cannot be written, a private one is used (the variable
 * POCL_CACHE_DIR of this process). */
void driver_cache_prepare(void);

/* The folder that was in use before; NULL: it is still. */
const char *driver_cache_refused(void);

/* The variable by which a user changes how PoCL compiles; NULL: none is set. `variable` reads the environment. */
const char *driver_cache_changed_by(char *(*variable)(const char *name));

/* Appends what may be the cause where a kernel of this driver does not compile or run, if it is PoCL. */
void driver_cache_suspect(const char *driver, char *to, size_t room);

#endif
