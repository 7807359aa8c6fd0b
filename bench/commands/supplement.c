#include "bench/commands/supplement.h"

#include "harness/analysis/times.h"

#include <string.h>

static const double fast = 20e12; /* FLOP/s */

static const char *const sizes[SUPPLEMENTS] = { "m=8192,n=8192,k=8192", "m=4096,n=4096,k=4096" };

static bool is_fast(const struct cell_record *cell)
{
    return strcmp(cell->workload, "matmul") == 0 && strcmp(cell->dtype, "f32") == 0 &&
           strcmp(cell->shape, sizes[1]) == 0 && cell->outcome.status == STATUS_OK &&
           cell->flops >= fast * record_time(cell, SERIES_RESIDENT).value;
}

/* The devices that are fast enough, of those that were chosen. */
static bool find_fast(const struct context *context, bool chosen[DEVICES_MAX], const struct device **first)
{
    const struct record *record = context->run_log.record;
    *first = NULL;
    for (unsigned i = 0; i < record->cells; i++) {
        const struct device *device = listing_find(&context->listing, record->cell[i]->device_id);
        if (!device || !class_is_gpu(device->class) || !is_fast(record->cell[i]))
            continue;
        chosen[device - context->listing.device] = true;
        *first = *first ? *first : device;
    }
    return *first != NULL;
}

bool supplement_join(void *with, struct error *err)
{
    struct supplement *supplement = with;
    const struct context *context = supplement->timetable->context;
    bool chosen[DEVICES_MAX] = { false }, ok = true;
    const struct device *first;
    if (supplement->is_added || context->interrupted ||
        strcmp(record_suite(context->run_log.record), "standard") != 0 || !find_fast(context, chosen, &first))
        return true;
    const enum dtype types[SUPPLEMENTS] = { DTYPE_F32, first->computes[DTYPE_BF16] ? DTYPE_BF16 : DTYPE_F16 };
    supplement->is_added = true;
    for (unsigned i = 0; ok && i < SUPPLEMENTS; i++) { /* each a plan of one block */
        struct plan *plan = &supplement->plan[i];
        struct options options = *context->options;
        options.workload[0] = "matmul";
        options.size[0] = sizes[i];
        options.dtype[types[i]] = true;
        ok = plan_make(plan, &options, &context->host, &context->listing, chosen, context->baseline, err) &&
             timetable_extend(supplement->timetable, plan->cell, plan->cells, err);
    }
    return ok;
}

void supplement_free(struct supplement *supplement)
{
    for (unsigned i = 0; i < SUPPLEMENTS; i++)
        plan_free(&supplement->plan[i]);
}
