#ifndef HARNESS_MACHINE_DEVICE_H
#define HARNESS_MACHINE_DEVICE_H

/* The description of a device, as a value: a worker lists it, the parent plans with it, the journal keeps it. It
 * contains no handles. Unknown numbers are 0, unknown texts ""; nothing is guessed. */

#include "harness/base/dtype.h"
#include "harness/base/error.h"
#include "harness/base/text.h"

#include <jansson.h>
#include <stdbool.h>

enum device_class { CLASS_CPU, CLASS_IGPU, CLASS_DGPU, CLASS_ACCELERATOR, CLASS_COUNT };

/* Which memory the host's side of an operand lives in, and who moves it:
 *   pageable     ordinary host memory; the driver copies to and from the device's own buffer
 *   pinned       page-locked host memory; the same copies
 *   mapped       the host writes into and reads from the buffer itself, in place ("data written in the buffer")
 *   mapped-copy  the buffer is mapped, and the host copies ordinary memory into and out of it inside the timed part */
enum memory { MEMORY_PAGEABLE, MEMORY_PINNED, MEMORY_MAPPED, MEMORY_MAPPED_COPY, MEMORY_COUNT };

enum { DEVICES_MAX = 64, DEVICE_LIBRARIES_MAX = 6, DEVICE_SOURCE = 1024 };

/* A vendor library that methods on a device use: its file, or why there is none. */
struct device_library {
    char name[16];    /* "cuBLAS"; "" after the last */
    char version[40]; /* "13.1.0", at least the first number; "": none can be used */
    char path[200];
    char trouble[200]; /* why there is none, or why it is not a newer one, in one sentence; "" otherwise */
};

struct device {
    char id[24];      /* what users type: "cpu", "opencl:0"; numbered in listing order, for one run only */
    char key[160];    /* the same on every run of this machine: "opencl/PoCL/cpu-haswell-..." ; no blanks, no commas */
    char backend[16]; /* "cpu", "opencl" */
    char source[DEVICE_SOURCE]; /* the backend's name of the place it was found in (an ICD file); "": only one source */
    unsigned index;             /* index of the device in its source */
    unsigned peers; /* devices of its source, itself included, that can be copied to without the host; 0: none */

    char name[128], vendor[64], platform[128];
    char api_version[64], driver_version[96];
    enum device_class class;
    char architecture[48]; /* key of theory_units.txt's tables: "intel 6-142" (a CPU's family and model), "intel gen9",
                              "nvidia 9.0" (compute capability), "amd gfx1030"; "" unknown */
    unsigned units;        /* cores, compute units, multiprocessors */
    unsigned lanes;        /* f32 lanes of one unit, of a CPU's vectors, as reported; 0: by architecture */
    double clock;          /* Hz */
    char clock_origin[24]; /* "measured", "reported maximum" */
    double max_clock;      /* Hz: the highest known to the system */
    char max_clock_origin[32]; /* "intel_pstate", "gt_RP0_freq_mhz" */
    bool max_clock_is_limit;   /* the clock never exceeds it */
    char features[128];        /* CPU: instruction sets, by their names in /proc/cpuinfo, that distinguish models */
    char hypervisor[32];       /* CPU: the hypervisor, which may show another model than the real one; "": none */
    double cache;              /* bytes of the last-level cache, all instances */
    double core_cache;         /* CPU: bytes of the largest cache private to a core */
    double memory_clock;       /* Hz, of the memory itself */
    unsigned memory_width;     /* bits of the memory bus */
    double power_limit;        /* watts, the current power limit of the board */
    char ecc[8];               /* memory error correction: "on", "off"; "" unknown */
    char persistence[8];       /* driver persistence while unused: "on", "off"; "" unknown */
    double memory;             /* bytes the device may use */
    double largest_buffer;     /* bytes in one allocation */
    bool shares_host_memory;
    bool works_in_host_memory;  /* operands are host memory itself: nothing to upload, download or map */
    bool takes_one_process;     /* a second process cannot open it (NVIDIA's compute mode EXCLUSIVE_PROCESS) */
    bool computes[DTYPE_COUNT]; /* supported operand types, in whatever arithmetic: f16, bf16, tf32, i8 wherever f32 is
                                 */
    char silicon[64];           /* equal, non-empty texts mean the same chip: "cpu", "pci 0000:00:02.0" */
    char isa[32];               /* CPU: the widest instruction set that our kernels use */
    unsigned threads;           /* CPU: threads that a run uses; 0 elsewhere */
    /* CPU: the processor core whose kernels OpenBLAS uses by default, or by OPENBLAS_CORETYPE; ""
     * unknown. Then one with wider instruction sets, all enabled here, which workers make it use; "" none. Then what
     * prevents another core: "OPENBLAS_CORETYPE", "build" (for one core alone); "" nothing. */
    char blas_core[24], blas_better[24], blas_bound[24];
    struct device_library library[DEVICE_LIBRARIES_MAX];
    char note[160]; /* a remark in one sentence, such as "event clock is always 0" */
};

extern const char *const class_names[]; /* "CPU", "iGPU", "dGPU", "accelerator" */
bool class_is_gpu(enum device_class class);

/* Whether both are known to be the same chip, through whatever interface. */
bool device_same_silicon(const struct device *one, const struct device *other);

/* The API that the device is reached by, as its version begins: "OpenCL" of "OpenCL 3.0". The backend's name if that is
 * unknown. */
struct text device_api(const struct device *device);

extern const char *const memory_names[];
enum memory memory_parse(const char *word); /* MEMORY_COUNT: unknown */
/* Sets `computes` of the types whose sums are f32 as it is for f32. */
void device_computes_small(struct device *device);
bool memory_is_mapped(enum memory memory); /* the host accesses the buffer itself: mapped and mapped-copy */

/* Makes `key` from a text, and names a device whose name is blank. Keys are typed, and separated by commas and blanks
 * in files, so each run of these becomes one '-'. */
void device_key_write(struct device *device, const char *text);

/* A new JSON object with every field by name, libraries only if there are any. NULL when memory is short. */
json_t *device_to_json(const struct device *device);

/* The reverse, from untrusted JSON: texts are cleaned and cut; what is absent or of a wrong type stays unknown. Fails,
 * naming the field, if one that identifies the device (id, key, backend, class) is unknown; *out is then unchanged. */
bool device_from_json(struct device *out, const json_t *json, struct error *err);

#endif
