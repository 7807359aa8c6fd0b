#ifndef HARNESS_MACHINE_DEVICE_H
#define HARNESS_MACHINE_DEVICE_H

/* What is known of a device, as one value that travels: a worker lists it, the parent plans with it, the journal keeps
 * it. Nothing in it is a handle. Unknown numbers are 0, unknown texts empty; neither is ever guessed. */

#include "harness/base/dtype.h"
#include "harness/base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum device_class { CLASS_CPU, CLASS_IGPU, CLASS_DGPU, CLASS_ACCELERATOR, CLASS_COUNT };

/* Which memory the host's side of an operand lives in, and who moves it:
 *   pageable     ordinary host memory; the driver copies to and from the device's own buffer
 *   pinned       page-locked host memory; the same copies
 *   mapped       the host writes into and reads from the buffer itself, in place ("data born in the buffer")
 *   mapped-copy  the buffer is mapped, and the host copies ordinary memory into and out of it inside the timed part */
enum memory { MEMORY_PAGEABLE, MEMORY_PINNED, MEMORY_MAPPED, MEMORY_MAPPED_COPY, MEMORY_COUNT };

enum { DEVICES_MAX = 64, DEVICE_LIBRARIES_MAX = 6 };

/* A library of the maker's that methods on a device compute with: where its file is, or why there is none to use. */
struct device_library {
    char name[16];     /* "cuBLAS"; "" after the last */
    char version[40];  /* "13.1.0"; the first number at least */
    char path[200];    /* "" where none can be used */
    char trouble[200]; /* why, in one sentence; "" where one can */
};

struct device {
    char id[24];      /* what people type: "cpu", "opencl:0"; numbered in the order of listing, for one run only */
    char key[160];    /* the same on every run of this machine: "opencl/PoCL/cpu-haswell-..." ; no blanks, no commas */
    char backend[16]; /* "cpu", "opencl" */
    char source[200]; /* the backend's own word for where it was found (an ICD file); "" where there is one source only
                       */
    unsigned index;   /* the device's place within its source */
    unsigned peers;   /* devices of its source, itself included, that can be copied to without the host; 0: none */

    char name[128], vendor[64], platform[128];
    char api_version[64], driver_version[96];
    enum device_class class;
    char architecture[48]; /* what theory.c finds the units in its tables by: "intel 6-142" (a CPU's family and model),
                            * "intel gen9", "nvidia 9.0" (compute capability), "amd gfx1030"; "" unknown */
    unsigned units;        /* cores, compute units, multiprocessors */
    unsigned lanes;        /* f32 lanes of one unit, where the driver tells; 0: by architecture */
    double clock;          /* Hz */
    char clock_origin[24]; /* "measured", "reported maximum" */
    double max_clock;      /* Hz: the highest that the system knows of */
    char max_clock_origin[32]; /* "intel_pstate", "gt_RP0_freq_mhz" */
    bool max_clock_is_limit;   /* nothing lets the clock go beyond it */
    char features[128];    /* CPU: those of its instruction sets that tell one model from another, as /proc/cpuinfo has
                              them */
    char hypervisor[32];   /* CPU: whose guest the machine is, which may show another model than it has; "": none */
    double cache;          /* bytes of the last-level cache, all of its parts together */
    double core_cache;     /* CPU: bytes of the largest cache that a core has to itself */
    double memory_clock;   /* Hz, of the memory itself */
    unsigned memory_width; /* bits that it moves at once */
    double power_limit;    /* watts that the board may take, as it is set now */
    char ecc[8];           /* whether its memory corrects errors: "on", "off"; "" where it does not tell */
    char persistence[8];   /* whether its driver stays loaded while nobody uses it: "on", "off"; "" */
    double memory;         /* bytes the device may use */
    double largest_buffer; /* bytes in one allocation */
    bool shares_host_memory;
    bool works_in_host_memory;  /* operands are host memory itself: nothing to upload, download or map */
    bool computes[DTYPE_COUNT]; /* operands of the type, in whatever arithmetic: f16, bf16 and tf32 wherever f32 */
    char silicon[64];           /* equal, non-empty texts mean the same piece of silicon: "cpu", "pci 0000:00:02.0" */
    char isa[32];               /* CPU: the widest instruction set that our kernels use there */
    unsigned threads;           /* CPU: threads that a run uses; 0 elsewhere */
    struct device_library library[DEVICE_LIBRARIES_MAX];
    char note[160]; /* one sentence worth saying about it, such as "event clock is always 0" */
};

const char *class_name(enum device_class class); /* "CPU", "iGPU", "dGPU", "accelerator" */
bool class_is_gpu(enum device_class class);

/* The API that the device is reached by, as its version begins: "OpenCL" of "OpenCL 3.0". The backend's name if that is
 * unknown. Returns `to`. */
enum { DEVICE_API = 32 };
const char *device_api(char to[DEVICE_API], const struct device *device);

const char *memory_name(enum memory memory);
bool memory_parse(const char *word, enum memory *out);
/* Says of the types whose sums are f32 what holds for f32. */
void device_computes_small(struct device *device);
bool memory_is_mapped(enum memory memory); /* the host reaches the buffer itself: mapped and mapped-copy */

/* Makes `key` out of a text: keys are typed, and stand between commas and blanks in files, so that a run of these
 * becomes one '-'. */
void device_key_write(struct device *device, const char *text);

/* A new JSON object holding every field by name, libraries only where there are any; never NULL but for exhausted
 * memory. */
json_t *device_to_json(const struct device *device);

/* The reverse, from anybody's JSON: texts are cleaned and cut, absent fields are left unknown. Fails, naming the field,
 * when one that identifies the device (id, key, backend, class) is absent or any has the wrong type; *out is then
 * untouched. Members that this version does not know are ignored. */
bool device_from_json(struct device *out, const json_t *json, struct error *err);

#endif
