#ifndef TESTS_BACKEND_SUITE_BED_H
#define TESTS_BACKEND_SUITE_BED_H

/* One suite for every backend: what backend.h promises, asked of one device. Which one comes from the environment:
 *
 *   SUITE_BACKEND      "opencl", "cpu", ...
 *   SUITE_SOURCE       a part of the source's text, such as "pocl"; the first source when absent
 *   SUITE_CLASS        "dGPU", ...: what to take the device for, so that kernels run in the form that they have there
 *   SUITE_ARCHITECTURE "intel xe-lp", ...: the same of its architecture, which decides which kernel shapes there are
 *   SUITE_EVENT_CLOCK  "yes" or "no" where it is known whether the device times its computations
 *   SUITE_METHOD       the only methods to try, by name; those of our own code when absent
 *   SUITE_WORKLOAD     the only workload to try, by name
 *   SUITE_LARGEST      no shapes of more operations than this, for a device that is a simulator
 *   SUITE_TYPES        the only element type to try, by name; or "few": no bf16 and tf32, whose kernels differ from
 * those of f16 and f32 in conversions alone, and f64 at the shapes that narrow types have SUITE_SCRATCH      "no": only
 * methods whose kernels have no buffers beside the operands SUITE_PLANT        set: run the kernel that writes past its
 * end too, for a checker of kernels to find */

#include "bench/backends/registry.h"

#include <stdint.h>

enum { SEED = 7 };

/* The device under test. */
struct bed {
    const struct backend *backend;
    struct device device;
    struct session *session;
    struct error err;
    unsigned tried;       /* computations that took place */
    struct error refusal; /* why the first that did not was refused */
};

/* Finds the device, and opens it too; each skips the test, with the reason, where there is none. */
struct bed bed_find(void);
struct bed bed_make(void);
void bed_open(struct bed *bed);
void bed_close(struct bed *bed);

/* Skips the test, with the reason, where the device has nothing that compiles a kernel text that it has never seen:
 * what the program carries for GPUs is compiled already. */
void compiler_need(const struct bed *bed);

/* A buffer, or NULL where the device honestly has no such memory; buffer_need skips the test then. */
struct buffer *buffer_make(struct bed *bed, size_t bytes, enum memory memory);
struct buffer *buffer_need(struct bed *bed, size_t bytes, enum memory memory);

/* The host's bytes into a buffer and back, by the way that goes with the memory; complete on return. */
void buffer_put(struct bed *bed, struct buffer *to, const void *from, size_t bytes, enum memory memory);
void buffer_get(struct bed *bed, void *to, struct buffer *from, size_t bytes, enum memory memory);

/* Bytes that nothing else would leave there; the caller frees them. */
unsigned char *pattern_make(size_t bytes, uint64_t stream);

/* A device either has no clock, or one that runs forward and no faster than the host's `wall` seconds. */
void span_check(const struct bed *bed, struct span span, double wall);

#endif
