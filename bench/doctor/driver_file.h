#ifndef BENCH_DOCTOR_DRIVER_FILE_H
#define BENCH_DOCTOR_DRIVER_FILE_H

/* The files by which OpenCL's loader finds its drivers. Nothing is loaded here, only looked at. */

#include "bench/doctor/machine_view.h"

#include <stdbool.h>
#include <stddef.h>

/* An .icd file of OpenCL's loader, and the driver library that it names. */
struct driver_file {
    char path[128], library[160];
    bool is_there; /* the library */
};
enum { ICDS_MAX = 24 };
/* Those that the loader looks at, as OCL_ICD_VENDORS has it where that is set; how many. The folder goes to `where`. */
unsigned driver_files_read(const struct machine_view *machine_view, struct driver_file out[ICDS_MAX], char *where,
                           size_t room);
/* Whether its driver is meant for adapters of this vendor; rusticl is for all. */
bool driver_file_serves(const struct driver_file *driver_file, unsigned vendor);
bool driver_file_is_rusticl(const struct driver_file *driver_file);

/* Why a driver file gave no device when it was listed; NULL where it did, or was not asked. */
const char *machine_view_told_of(const struct machine_view *machine_view, const char *source);

#endif
