#ifndef BENCH_DOCTOR_DOCTOR_PARTS_H
#define BENCH_DOCTOR_DOCTOR_PARTS_H

/* What the diagnosis*.c files share, and nobody else needs. */

#include "bench/doctor/diagnosis.h"

/* Fills a finding: what is well, and what wants mending with the command that does. */
void finding_fine(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void finding_mend(struct finding *finding, const char *command, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next finding, about this; the last one again where there is no more room. */
struct finding *diagnosis_add(struct diagnosis *diagnosis, const char *about);

/* Why no API shows an adapter; always says something. */
void diagnosis_unseen(struct finding *out, const struct machine_view *machine_view, const struct adapter *adapter);

/* Everything but the adapters: libraries, clock, pages (diagnosis_host.c). */
void diagnosis_host(struct diagnosis *out, const struct machine_view *machine_view);

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

/* Whether a file is there, and a library where the system's loader looks for them. */
bool machine_view_has(const struct machine_view *machine_view, const char *path);
bool machine_view_has_library(const struct machine_view *machine_view, const char *soname);
/* Inside a container, which sees only what it is given: by whose file or variable; NULL outside. */
const char *machine_view_container(const struct machine_view *machine_view);

/* The command that installs something here, by the distribution that /etc/os-release names; one for Debian's name
 * where that is not known. Returns `to`. */
enum install_hint {
    HINT_INTEL_OPENCL,
    HINT_INTEL_LEGACY,
    HINT_AMD_OPENCL,
    HINT_NVIDIA_OPENCL,
    HINT_NVIDIA_DRIVER,
    HINT_INTEL_FIRMWARE,
    HINT_AMD_FIRMWARE,
    HINT_OPENBLAS,
    HINT_ONEDNN,
    HINT_CLBLAST,
    HINTS
};
enum { COMMAND_ROOM = 256 };
const char *install_hint_command(const struct machine_view *machine_view, enum install_hint install_hint,
                                 char to[COMMAND_ROOM]);

#endif
