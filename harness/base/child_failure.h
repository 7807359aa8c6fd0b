#ifndef HARNESS_BASE_CHILD_FAILURE_H
#define HARNESS_BASE_CHILD_FAILURE_H

/* Why a child failed, in the same words on every system. `end` keeps the reason. */

#include "harness/base/error.h"
#include "harness/base/lines.h"

/* It exited: `how` describes that. `received` may have a part of its reply. */
void child_failure_exited(struct error *end, const char *where, const char *how, const struct lines *received);

/* It did not reply within so many seconds, or closed its reply pipe. */
void child_failure_silent(struct error *end, bool is_closed, const struct lines *received, double seconds);

/* Hands the reason on, unless err has an older one. Returns false. */
bool child_failure_repeat(const struct error *end, struct error *err);

#endif
