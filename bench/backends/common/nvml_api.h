#ifndef BENCH_BACKENDS_COMMON_NVML_API_H
#define BENCH_BACKENDS_COMMON_NVML_API_H

/* The parts of NVIDIA's management library that are used, by the reference manual of NVML. It comes with every driver
 * and is loaded at run time. Every call but the first three may be missing, as from an older driver, or answer that it
 * is not supported, as on a GeForce, in a virtual machine, on Jetson or on a part of a GPU: what it would have told is
 * then unknown. */

enum nvml_answer { NVML_OK = 0, NVML_TOO_SHORT = 7, NVML_LOST = 15 };
enum nvml_clock { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };

/* nvmlBrandType_t. What is made for servers calls itself Tesla, and NVIDIA since that name was given up. */
enum nvml_brand { NVML_BRAND_TESLA = 2, NVML_BRAND_NVIDIA = 14 };

enum { NVML_TEMPERATURE_CHIP = 0, NVML_ERROR_UNCORRECTED = 1, NVML_SINCE_LOADED = 0 };

/* nvmlClocksEventReason..., as bits. */
enum nvml_reason {
    NVML_IDLE = 0x1,
    NVML_CLOCK_SETTING = 0x2,
    NVML_POWER_CAP = 0x4,
    NVML_HARDWARE_SLOWDOWN = 0x8, /* also stands beside the two that say which */
    NVML_SYNC_BOOST = 0x10,
    NVML_THERMAL = 0x20,
    NVML_HARDWARE_THERMAL = 0x40,
    NVML_POWER_BRAKE = 0x80,
    NVML_DISPLAY_CLOCK = 0x100
};

/* Bytes of the whole card; what the driver keeps for itself counts as used. */
struct nvml_memory {
    unsigned long long all, free, used;
};

/* nvmlProcessInfo_t as the call that ends in _v2 writes it, from driver 450 on; all bits of `bytes`: not known. The one
 * that ends in _v3 is not asked: it began as the same, and drivers 535.43 to 535.86 write a longer entry under its
 * name.
 */
struct nvml_process {
    unsigned pid;
    unsigned long long bytes;
    unsigned instance, part;
};
static const unsigned long long nvml_unknown_bytes = ~0ull;

struct nvml_api {
    int (*init)(void);
    int (*shutdown)(void);
    int (*handle_by_pci)(const char *bus_id, void **gpu);

    int (*brand)(void *gpu, int *brand);
    int (*max_clock)(void *gpu, int clock, unsigned *megahertz);
    int (*bus_width)(void *gpu, unsigned *bits);               /* from driver 510 on */
    int (*mig_mode)(void *gpu, unsigned *now, unsigned *next); /* 1: it is cut into parts; from 450 on */
    int (*ecc_mode)(void *gpu, unsigned *now, unsigned *next); /* 1: on */
    int (*persistence)(void *gpu, unsigned *mode);             /* 1: the driver stays when nobody uses it */
    int (*power_limit)(void *gpu, unsigned *milliwatts);       /* the lowest of all limits that hold */
    int (*energy)(void *gpu, unsigned long long *millijoules); /* since the driver was loaded; from Volta on */
    int (*clock)(void *gpu, int clock, unsigned *megahertz);
    int (*event_reasons)(void *gpu, unsigned long long *bits);    /* its name since driver 535 */
    int (*throttle_reasons)(void *gpu, unsigned long long *bits); /* the same before that */
    int (*temperature)(void *gpu, int sensor, unsigned *celsius);
    int (*power)(void *gpu, unsigned *milliwatts); /* from Ampere on, but for GA100, the mean of a second */
    int (*memory)(void *gpu, struct nvml_memory *out);
    int (*ecc_errors)(void *gpu, int kind, int since, unsigned long long *count);
    int (*processes)(void *gpu, unsigned *count, struct nvml_process out[]);
};

/* Loads and starts the library, and finds the GPU at that place, "0000:65:00.0". NULL, with nothing to give back, where
 * any of this cannot be. Otherwise the caller ends with shutdown(). */
void *nvml_start(struct nvml_api *api, const char *pci);

#endif
