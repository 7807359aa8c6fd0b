#ifndef BENCH_DOCTOR_DRIVER_FILE_H
#define BENCH_DOCTOR_DRIVER_FILE_H

/* The .icd files by which OpenCL's loader finds its drivers. Nothing is loaded here. */

#include "bench/doctor/machine_view.h"

#include <stdbool.h>

struct driver_file {
    char path[128];
    char library[160]; /* the driver that the file names */
    bool has_library;  /* that library exists */
};

enum { DRIVER_FILES_MAX = 24 };
struct driver_files {
    const struct machine_view *view;
    struct driver_file file[DRIVER_FILES_MAX];
    unsigned count;
    char place[160]; /* where they were looked for, for a message */
};

/* Reads the files that the loader reads, as OCL_ICD_VENDORS and OPENCL_VENDOR_PATH direct it. */
void driver_files_read(struct driver_files *out, const struct machine_view *view);

/* The first file whose driver serves the adapters of this vendor; one of rusticl, which serves all, only if there is no
 * other. NULL: none. */
const struct driver_file *driver_files_find(const struct driver_files *files, unsigned vendor);

bool driver_file_is_rusticl(const struct driver_file *file);

#endif
