#include "harness/analysis/curve.h"

#include "harness/base/text.h"
#include "harness/journal/record_members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const mode_names[] = { [MODE_RESIDENT] = "resident", [MODE_USES] = "uses", [MODE_COPIED] = "copied" };

/* The value of a dimension in a shape; NAN if it is not there. */
static double size_in(const char *shape, const char *dim)
{
    size_t length;
    const char *value = text_value(shape, dim, &length);
    return value ? strtod(value, NULL) : NAN;
}

/* (B + c_1 + ... + c_N) / (M + g_1 + ... + g_N) for N uses, where B is the baseline's repacking and M the device's
 * transfers. It is the harmonic mean, weighted by the baseline's times, of the speed-up with every transfer (N = 1) and
 * without any (N unbounded). Both are ratios of paired slices, unlike a quotient of columns. */
static double between(double copied, double resident, double weight)
{
    return 1 / (weight / copied + (1 - weight) / resident);
}

/* Of a use on the average, where data are copied once for so many. */
static struct estimate with_uses(const struct curve_point *point, unsigned uses)
{
    const struct figure *stays = &point->use[USE_RESIDENT], *moves = &point->use[USE_COPIED];
    const struct estimate *resident = &stays->speedup, *copied = &moves->speedup;
    const double more = uses - 1.0,
                 weight = moves->baseline_seconds / (moves->baseline_seconds + more * stays->baseline_seconds);
    return (struct estimate){
        .value = between(copied->value, resident->value, weight),
        .low = between(copied->low, resident->low, weight),
        .high = between(copied->high, resident->high, weight),
        .samples = copied->samples < resident->samples ? copied->samples : resident->samples,
    };
}

static void read_point(struct curve_point *out, const struct record *record, const struct cell_record *cell,
                       const char *dim, unsigned uses)
{
    *out = (struct curve_point){ .size = size_in(cell->shape, dim), .cell = cell };
    for (enum use use = 0; use < USES; use++) {
        struct figure *figure = &out->use[use];
        *figure = figure_read(record, record_cell_for(record, cell, use), use);
        const bool is_sound = record_is_sound(record, figure->cell) && record_is_sound(record, figure->baseline);
        if (use == USE_RESIDENT)
            out->is_sound = is_sound;
        if (is_sound && out->is_sound)
            continue;
        figure->time = figure->speedup = estimate_unknown;
        figure->baseline_seconds = NAN;
    }
    out->speedup[MODE_RESIDENT] = out->use[USE_RESIDENT].speedup;
    out->speedup[MODE_COPIED] = out->use[USE_COPIED].speedup;
    out->speedup[MODE_USES] = with_uses(out, uses);
}

/* The curve that a cell belongs to, made when it is new; NULL when memory is short. */
static struct curve *curve_of(struct curves *curves, const struct device *device, const struct cell_record *cell,
                              bool each_method)
{
    for (unsigned i = 0; i < curves->curves; i++) {
        struct curve *curve = &curves->curve[i];
        if (curve->device == device && strcmp(curve->memory, cell->memory) == 0 &&
            (!curve->method || strcmp(curve->method, cell->method) == 0))
            return curve;
    }
    const struct curve added = { device, cell->memory, .method = each_method ? cell->method : NULL };
    return pool_add(&curves->pool, &curves->curve, &curves->curves, &added, sizeof added);
}

/* If a method failed and the next one took its place, the usable one is the point of that size. */
static void add_point(struct pool *pool, struct curve *curve, const struct curve_point *point)
{
    unsigned at = curve->points;
    while (at > 0 && curve->point[at - 1].size > point->size)
        at--;
    if (at > 0 && curve->point[at - 1].size == point->size) {
        if (!curve->point[at - 1].is_sound)
            curve->point[at - 1] = *point;
        return;
    }
    if (!pool_add(pool, &curve->point, &curve->points, point, sizeof *point))
        return;
    memmove(&curve->point[at + 1], &curve->point[at], (curve->points - 1 - at) * sizeof *curve->point);
    curve->point[at] = *point;
}

/* Reads the record's sweep line. */
static void read_line(struct curves *out, const struct record *record)
{
    const json_t *line = record->sweep;
    const double uses = number_member(line, "uses");
    *out = (struct curves){
        .workload = journal_text(line, "workload"),
        .dtype = journal_text(line, "dtype"),
        .unit = journal_text(line, "unit"),
        .baseline = record_device(record, journal_text(line, "baseline")),
        .from = number_member(line, "from"),
        .to = number_member(line, "to"),
        .uses = uses >= 1 && uses <= 1e9 ? (unsigned)uses : 1,
    };
}

bool curves_read(struct curves *out, const struct record *record)
{
    const bool each_method = json_is_true(json_object_get(record->sweep, "each_method"));
    const char *dim = journal_text(record->sweep, "dim");
    read_line(out, record);
    if (!record->sweep)
        return true;
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        const struct device *device = record_device(record, cell->device_id);
        struct curve_point point;
        bool is_counted = cell->measures == MEASURES_COPIED; /* with the cell that computes */
        if (!device || device == out->baseline || is_counted || isnan(size_in(cell->shape, dim)))
            continue;
        read_point(&point, record, cell, dim, out->uses);
        struct curve *curve = curve_of(out, device, cell, each_method);
        if (!curve)
            return false;
        add_point(&out->pool, curve, &point);
        curve->moves = curve->moves || !record_is_in_place(record, cell);
    }
    return !out->pool.is_short;
}

void curves_free(struct curves *curves)
{
    pool_release(&curves->pool);
    *curves = (struct curves){ 0 };
}
