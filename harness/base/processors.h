#ifndef HARNESS_BASE_PROCESSORS_H
#define HARNESS_BASE_PROCESSORS_H

/* The processors on which a thread may run, by the system's numbers. */

#include <stdbool.h>
#include <stdint.h>

enum { PROCESSORS_MAX = 1024 };
struct processors {
    uint64_t bits[PROCESSORS_MAX / 64];
};

/* Those of this thread, and of the first thread of the process that started this one. False where that is unknown. */
bool processors_read(struct processors *out);
bool processors_read_parent(struct processors *out);

/* Keeps this thread on them. False where the system does not allow it. */
bool processors_use(const struct processors *processors);

/* Whether OpenMP can keep threads on them: its runtime here knows how, and the system allows it. */
bool processors_may_bind(void);

/* Lets all other threads of this process that are kept on `from` run on `to`. */
void processors_widen(const struct processors *from, const struct processors *to);

unsigned processors_count(const struct processors *processors);
bool processors_have(const struct processors *processors, unsigned number);
bool processors_equal(const struct processors *a, const struct processors *b);
void processors_add(struct processors *to, const struct processors *more);
struct processors processors_one(unsigned number);

#endif
