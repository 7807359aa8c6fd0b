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
 * POCL_CACHE_DIR of this process), whose name begins so. */
#define DRIVER_CACHE_OURS "bench-kernels"
void driver_cache_prepare(void);

#endif
