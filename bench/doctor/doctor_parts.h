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
void diagnosis_unseen(struct finding *out, const struct patient *patient, const struct adapter *adapter);

/* Everything but the adapters: libraries, clock, pages (diagnosis_host.c). */
void diagnosis_host(struct diagnosis *out, const struct patient *patient);

/* An .icd file of OpenCL's loader, and the driver library that it names. */
struct icd {
    char path[128], library[160];
    bool is_there; /* the library */
};
enum { ICDS_MAX = 24 };
/* Those that the loader looks at, as OCL_ICD_VENDORS has it where that is set; how many. The folder goes to `where`. */
unsigned icds_read(const struct patient *patient, struct icd out[ICDS_MAX], char *where, size_t room);
/* Whether its driver is meant for adapters of this vendor; rusticl is for all. */
bool icd_serves(const struct icd *icd, unsigned vendor);
bool icd_is_rusticl(const struct icd *icd);

/* Why a driver file gave no device when it was listed; NULL where it did, or was not asked. */
const char *patient_told_of(const struct patient *patient, const char *source);

/* Whether a file is there, and a library where the system's loader looks for them. */
bool patient_has(const struct patient *patient, const char *path);
bool patient_has_library(const struct patient *patient, const char *soname);
/* Inside a container, which sees only what it is given: by whose file or variable; NULL outside. */
const char *patient_container(const struct patient *patient);

/* The command that installs something here, by the distribution that /etc/os-release names; one for Debian's name
 * where that is not known. Returns `to`. */
enum remedy {
    REMEDY_INTEL_OPENCL,
    REMEDY_INTEL_LEGACY,
    REMEDY_AMD_OPENCL,
    REMEDY_NVIDIA_OPENCL,
    REMEDY_NVIDIA_DRIVER,
    REMEDY_INTEL_FIRMWARE,
    REMEDY_AMD_FIRMWARE,
    REMEDY_OPENBLAS,
    REMEDY_ONEDNN,
    REMEDY_CLBLAST,
    REMEDIES
};
enum { COMMAND_ROOM = 256 };
const char *remedy_command(const struct patient *patient, enum remedy remedy, char to[COMMAND_ROOM]);

#endif
