#include "bench/schedule/supplement.h"

#include "harness/analysis/figures.h"

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

/* The problems, each a plan of one block. */
static bool plan_all(struct supplement *supplement, const struct context *context, const bool chosen[DEVICES_MAX],
                     const struct device *first, struct error *err)
{
    const enum dtype types[SUPPLEMENTS] = { DTYPE_F32, first->computes[DTYPE_BF16] ? DTYPE_BF16 : DTYPE_F16 };
    bool ok = true;
    for (unsigned i = 0; ok && i < SUPPLEMENTS; i++) {
        struct options *options = &supplement->options[i];
        *options = *context->options;
        options->workload[0] = "matmul";
        options->size[0] = sizes[i];
        options->dtype[types[i]] = true;
        ok = plan_make(&supplement->plan[i], options, &context->host, &context->listing, chosen, context->baseline, err);
    }
    return ok;
}

/* Those that are not measured yet and fit into the rotation. */
static bool add_all(struct supplement *supplement, struct rotation *rotation, struct error *err)
{
    struct context *context = rotation->context;
    bool ok = true;
    for (unsigned i = 0; ok && i < SUPPLEMENTS && !context->interrupted; i++) {
        const struct plan *plan = &supplement->plan[i];
        char label[CELL_TEXT];
        if (plan->cells == 0 || record_find_block(context->run_log.record, plan->cell->block) ||
            (rotation->blocks > 0 && !timetable_has_room(supplement->timetable, rotation, plan->cell, plan->cells)))
            continue;
        const struct room_problem room = room_needed(context, plan->cell, plan->cells);
        const struct forecast forecast = forecast_block(context, &context->rule, plan->cell, plan->cells);
        context->blocks++;
        context->progress.planned += forecast_seconds(&forecast);
        if (rotation_has_time(rotation, &forecast))
            ok = rotation_add(rotation, &context->rule, context->baseline, plan->cell, plan->cells, &room,
                              context->blocks, err);
        else
            run_log_note(&context->run_log, "", "left out, as --time would not allow for it: %s",
                         cell_label(plan->cell, label));
    }
    return ok;
}

bool supplement_join(void *with, struct rotation *rotation, struct error *err)
{
    struct supplement *supplement = with;
    const struct context *context = rotation->context;
    bool chosen[DEVICES_MAX] = { false };
    const struct device *first;
    if (strcmp(record_suite(context->run_log.record), "standard") != 0)
        return true;
    if (!supplement->is_known) {
        if (!find_fast(context, chosen, &first))
            return true;
        supplement->is_known = true;
        if (!plan_all(supplement, context, chosen, first, err))
            return false;
    }
    return add_all(supplement, rotation, err);
}

bool supplement_measure(struct supplement *supplement, struct error *err)
{
    struct context *context = supplement->timetable->context;
    bool ok = true;
    for (unsigned i = 0; ok && i < SUPPLEMENTS; i++) { /* each is a rotation where they do not fit together */
        struct rotation rotation = { .context = context, .end = context->reserved };
        ok = supplement_join(supplement, &rotation, err);
        rotation_finish(&rotation);
    }
    return ok;
}

void supplement_free(struct supplement *supplement)
{
    for (unsigned i = 0; i < SUPPLEMENTS; i++)
        plan_free(&supplement->plan[i]);
}
