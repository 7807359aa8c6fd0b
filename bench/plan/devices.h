#ifndef BENCH_PLAN_DEVICES_H
#define BENCH_PLAN_DEVICES_H

/* The devices of this machine. Each source (driver) of each backend is listed in a worker of its own, so that a
 * driver that crashes does not end another. */

#include "bench/worker/client.h"
#include "harness/machine/device.h"

enum { STAYING_MAX = 4 };
struct listing {
    struct device *device; /* owned; room for DEVICES_MAX, too much for a small stack */
    unsigned devices;
    json_t *absent; /* array of journal lines: sources without a device, with the reason */
    struct worker_setup setup;
    struct client *stays[STAYING_MAX]; /* workers that stay until the list is freed */
    unsigned staying;
};

/* Lists all sources. Never fails as a whole: sources that failed are in `absent`. Do not copy or move *out: its workers
 * point to it. */
void listing_read(struct listing *out, const struct worker_setup *setup);
void listing_free(struct listing *listing);

/* "none from /etc/OpenCL/vendors/x.icd: its driver ...": why a source has no device. Returns `to`. */
struct text listing_absent_words(const json_t *absent);

/* Whether there is a GPU or an accelerator, scripted ones aside. */
bool listing_has_gpu(const struct listing *listing);

/* Marks the devices that the words of an option ("--device") choose: "all", "cpu", "gpu", a backend, an id, or part of
 * a name. Without words that is the CPU with every GPU, or without a GPU all devices. If a word matches nothing, fails
 * naming it, the devices there are and the nearest id. */
bool listing_select(const struct listing *listing, const char *option, const char *const words[],
                    bool chosen[DEVICES_MAX], struct error *err);

/* Unmarks the devices that another backend measures instead (backend.h) and that no word names by backend or id. Writes
 * them as "opencl:0 is cuda:0, opencl:1 is cuda:1"; "": none. */
void listing_leave_out(const struct listing *listing, const char *const words[], bool chosen[DEVICES_MAX], char *says,
                       size_t room);

/* The device with that id, or NULL. */
const struct device *listing_find(const struct listing *listing, const char *id);

/* The earlier device with the same silicon, or NULL. */
const struct device *listing_twin(const struct listing *listing, const struct device *device);

#endif
