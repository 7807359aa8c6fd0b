#ifndef BENCH_PLAN_DEVICES_H
#define BENCH_PLAN_DEVICES_H

/* The devices of this machine, each source of each backend asked in a worker of its own, so that a driver that crashes
 * while it lists takes no other with it. */

#include "bench/worker/client.h"
#include "harness/machine/device.h"

struct listing {
    struct device device[DEVICES_MAX];
    unsigned devices;
    json_t *absent; /* array of journal lines: what gave no device, and why */
};

/* Asks everybody. Never fails as a whole: what could not be listed is in `absent`. */
void listing_read(struct listing *out, const struct worker_setup *setup);
void listing_free(struct listing *listing);

/* Marks what the words of an option ("--device") ask for: "all", "cpu", "gpu", a backend, an id, or a part of a name.
 * False, naming the word, what there is and the nearest id, when a word matches nothing. */
bool listing_select(const struct listing *listing, const char *option, const char *const words[],
                    bool chosen[DEVICES_MAX], struct error *err);

/* The device with that id, or NULL. */
const struct device *listing_find(const struct listing *listing, const char *id);

/* Whether the device is a second entry for silicon that an earlier device stands for: that one, or NULL. */
const struct device *listing_twin(const struct listing *listing, const struct device *device);

#endif
