#ifndef BENCH_BACKENDS_CUDA_LIBRARY_H
#define BENCH_BACKENDS_CUDA_LIBRARY_H

/* Finds the libraries of the CUDA Toolkit, of which several versions may be installed, in several places, or none. */

#include "harness/error.h"

/* Loads lib<stem>.so.<major> of the first of `majors` (0-terminated) that is found: in the directories of
 * BENCH_LIBRARY_PATH, where the loader looks, in CUDA_HOME, and where CUDA is usually installed. *major says which. It
 * stays loaded. NULL with STATUS_UNSUPPORTED, which names what was looked for and how to help. */
void *cuda_library_load(const char *stem, const unsigned majors[], unsigned *major, struct error *err);

#endif
