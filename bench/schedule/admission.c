#include "bench/schedule/admission.h"

#include "harness/base/pool.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdlib.h>

/* Dead workers of a method, or lost rows of a device, after which no more of it is tried. */
enum { FAILURES_MAX = 3 };

/* Workers are open together as long as they need less than this share of the available memory. */
static const double memory_share = 0.7;

static const double budgets_of_run = 10;

double admission_deadline(const struct options *options)
{
    return fmin(options->timeout, budgets_of_run * plan_budget(options));
}

void admission_free(struct admission *admission)
{
    free(admission->death);
    admission->death = NULL;
    admission->deaths = admission->room = 0;
}

void admission_record_death(struct admission *admission, const struct cell *cell)
{
    if (grow(&admission->death, admission->deaths, &admission->room, sizeof *admission->death))
        admission->death[admission->deaths++] = (struct death){ cell->device, cell->method };
    /* else memory is short: one death less */
}

void admission_record_loss(struct admission *admission, const struct device *device)
{
    admission->losses[device - admission->listing->device]++;
}

bool admission_allows(const struct admission *admission, const struct cell *cell, double held, struct error *why)
{
    double bytes = cell_host_bytes(cell), available = held + host_memory_available("");
    unsigned deaths = 0;
    for (unsigned i = 0; i < admission->deaths; i++)
        deaths += admission->death[i].device == cell->device && admission->death[i].method == cell->method;
    if (cell->refused.status != STATUS_OK)
        return fail_in(why, cell->refused.where, cell->refused.status, "%s", cell->refused.message);
    if (admission->losses[cell->device - admission->listing->device] >= FAILURES_MAX)
        return fail(why, STATUS_ABANDONED, "%d workers of this device died before, or could not open it", FAILURES_MAX);
    if (cell->method && deaths >= FAILURES_MAX)
        return fail(why, STATUS_ABANDONED, "%d workers of this method died on this device before", FAILURES_MAX);
    return bytes <= available || fail(why, STATUS_NO_MEMORY, "needs %s of host memory, %s are available",
                                      text_bytes(TEXT_HERE, bytes), text_bytes(TEXT_HERE, available));
}

void admission_hold(struct held *held, const struct cell *cell, const struct cell *open)
{
    held->workers++;
    held->host_bytes += cell_host_bytes(open);
    if (!device_same_silicon(open->device, cell->device))
        return;
    held->on_chip++;
    held->chip_bytes += cell_device_bytes(open);
}

bool admission_has_room(const struct held *held, const struct cell *cell, double available)
{
    const double memory = cell->device->memory, on_chip = held->chip_bytes + cell_device_bytes(cell);
    return held->host_bytes + cell_host_bytes(cell) <= memory_share * (held->host_bytes + available) &&
           (held->on_chip == 0 || memory <= 0 || on_chip <= memory_share * memory);
}
