#include "bench/schedule/admission.h"

#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <math.h>

/* Dead workers of a method, or lost rows of a device, after which no more of it is tried. */
enum { FAILURES_MAX = 3 };

static const double budgets_of_run = 10;

double admission_deadline(const struct options *options)
{
    return fmin(options->timeout, budgets_of_run * plan_budget(options));
}

void admission_record_death(struct admission *admission, const struct cell *cell)
{
    if (admission->deaths < DEATHS_KEPT)
        admission->death[admission->deaths++] = (struct death){ cell->device, cell->method };
}

void admission_record_loss(struct admission *admission, const struct device *device)
{
    admission->losses[device - admission->listing->device]++;
}

bool admission_allows(const struct admission *admission, const struct cell *cell, struct error *why)
{
    char limit[ADDRESS_LIMIT_WORDS];
    const double bytes = cell_host_bytes(cell), available = host_memory_available(""), most = host_address_limit(limit);
    unsigned deaths = 0;
    for (unsigned i = 0; i < admission->deaths; i++)
        deaths += admission->death[i].device == cell->device && admission->death[i].method == cell->method;
    if (cell->refused.status != STATUS_OK)
        return fail_in(why, cell->refused.where, cell->refused.status, "%s", cell->refused.message);
    if (admission->losses[cell->device - admission->listing->device] >= FAILURES_MAX)
        return fail(why, STATUS_ABANDONED,
                    "%d rows of this device were lost before: its workers died, or could not open it", FAILURES_MAX);
    if (cell->method && deaths >= FAILURES_MAX)
        return fail(why, STATUS_ABANDONED, "%d workers of this method died on this device before", FAILURES_MAX);
    if (bytes > most)
        return fail(why, STATUS_NO_MEMORY, "needs %s of host memory, and %s", text_bytes(TEXT_HERE, bytes), limit);
    return isnan(available) || bytes <= available ||
           fail(why, STATUS_NO_MEMORY, "needs %s of host memory, %s are available", text_bytes(TEXT_HERE, bytes),
                text_bytes(TEXT_HERE, available));
}
