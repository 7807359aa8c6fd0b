#include "harness/report/plots/roofline_model.h"

#include "harness/analysis/cell_metrics.h"
#include "harness/machine/theory.h"

#include <math.h>
#include <string.h>

enum { MOVES_MAX = 128 }; /* the most cells without computing that are read */

static void read_theory(struct device_roof *roof, const char *dtype_text)
{
    enum dtype dtype;
    struct theory theory;
    struct theory_memory memory;
    bool is_known = dtype_parse(dtype_text, &dtype) && theory_peak(roof->device, dtype, &theory);
    roof->theory_rate = is_known ? theory.flops : NAN;
    roof->theory_bandwidth = theory_bandwidth(roof->device, &memory) ? memory.bandwidth : NAN;
}

static void read_roofs(struct roofline_model *out, const struct record *record, const char *dtype)
{
    for (unsigned i = 0; i < record->devices; i++) {
        struct device_roof roof = { .device = &record->device[i], .link = NAN };
        roof.rate = roofline_flops(record, roof.device->id, dtype).wall;
        roof.bandwidth = roofline_bandwidth(record, roof.device->id, ROOFLINE_TOP).wall;
        if (!(roof.rate > 0 && roof.bandwidth > 0))
            continue;
        read_theory(&roof, dtype);
        if (out->roofs < ROOFS_MAX)
            out->roof[out->roofs++] = roof;
        else
            out->more_roofs++;
    }
}

static struct device_roof *roof_of(struct roofline_model *model, const char *device_id)
{
    for (unsigned i = 0; i < model->roofs; i++)
        if (strcmp(model->roof[i].device->id, device_id) == 0)
            return &model->roof[i];
    return NULL;
}

static void read_point(struct roofline_model *model, struct device_roof *roof, const struct cell_metrics *metrics)
{
    const struct cell_record *cell = metrics->cell;
    struct point point = { .roof = (unsigned)(roof - model->roof), .cell = cell };
    point.intensity = cell->flops / cell->bytes;
    point.rate = metrics->rate;
    point.offload = metrics->whole.value > metrics->time.value ? cell->flops / metrics->whole.value : NAN;
    if (metrics->roof.bound == BOUND_LAUNCH)
        model->by_launch++;
    else
        model->point[model->points++] = point;
}

/* Whether a cell has a rate but its device has no ceilings; not examined if there are too many devices to show. */
static bool is_without_roof(struct roofline_model *model, const struct cell_record *cell)
{
    return model->more_roofs == 0 && !cell->is_ceiling && cell->roof == ROOF_NONE &&
           cell->outcome.status == STATUS_OK && !roof_of(model, cell->device_id);
}

/* Cells beyond the limit are not examined. */
static void read_cells(struct roofline_model *model, const struct record *record, const char *dtype)
{
    unsigned moving = 0;
    for (unsigned i = 0; i < record->cells; i++) {
        struct cell_metrics metrics;
        const struct cell_record *cell = record->cell[i];
        struct device_roof *roof = cell->is_ceiling || cell->roof != ROOF_NONE ? NULL : roof_of(model, cell->device_id);
        bool has_work = cell->flops > 0 && cell->bytes > 0, moves_only = !(cell->flops > 0) && moving < MOVES_MAX;
        bool has_row = moves_only || (has_work && strcmp(cell->dtype, dtype) == 0);
        if (!roof && has_row && has_work && is_without_roof(model, cell))
            model->roofless++;
        if (!roof || !has_row)
            continue;
        if (has_work && model->points == POINTS_MAX) {
            model->left_out++;
            continue;
        }
        moving += moves_only;
        cell_metrics_read(&metrics, record, cell);
        const bool moves = metrics.only_moves && !metrics.is_fixed && !roof->device->works_in_host_memory;
        if (metrics.measured && moves && metrics.bandwidth > 0)
            roof->link = fmax(roof->link, metrics.bandwidth);
        else if (metrics.measured && !metrics.only_moves && has_work && metrics.rate > 0)
            read_point(model, roof, &metrics);
    }
}

void roofline_model_read(struct roofline_model *out, const struct record *record, const char *dtype)
{
    *out = (struct roofline_model){ .roofs = 0 };
    read_roofs(out, record, dtype);
    if (out->roofs > 0)
        read_cells(out, record, dtype);
}
