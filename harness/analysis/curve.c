#include "harness/analysis/curve.h"

#include "harness/analysis/figures.h"
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

static double time_of(const struct cell_record *cell, enum series series)
{
    return record_time(cell, cell->track[series].slices > 0 ? series : SERIES_RESIDENT).value;
}

/* (B + c_1 + ... + c_N) / (M + g_1 + ... + g_N) for N uses, where B is the baseline's repacking and M the device's
 * transfers. It is the harmonic mean, weighted by the baseline's times, of the speed-up with every transfer (N = 1) and
 * without any (N unbounded). Both are ratios of paired slices, unlike a quotient of columns. */
static double between(double copied, double resident, double weight)
{
    return 1 / (weight / copied + (1 - weight) / resident);
}

static void read_uses(struct curve_point *point, unsigned uses)
{
    const struct estimate *resident = &point->speedup[MODE_RESIDENT], *copied = &point->speedup[MODE_COPIED];
    const double *own = point->seconds, *base = point->baseline_seconds;
    double more = uses - 1.0, weight = base[MODE_COPIED] / (base[MODE_COPIED] + more * base[MODE_RESIDENT]);
    point->seconds[MODE_USES] = (own[MODE_COPIED] + more * own[MODE_RESIDENT]) / uses;
    point->baseline_seconds[MODE_USES] = (base[MODE_COPIED] + more * base[MODE_RESIDENT]) / uses;
    point->speedup[MODE_USES] = (struct estimate){
        .value = between(copied->value, resident->value, weight),
        .low = between(copied->low, resident->low, weight),
        .high = between(copied->high, resident->high, weight),
        .samples = copied->samples < resident->samples ? copied->samples : resident->samples,
    };
}

static void read_point(struct curve_point *out, const struct record *record, const struct cell_record *cell,
                       const char *dim, unsigned uses)
{
    static const enum series series[] = { [MODE_RESIDENT] = SERIES_RESIDENT, [MODE_COPIED] = SERIES_COPIED };
    *out = (struct curve_point){
        .size = size_in(cell->shape, dim),
        .cell = cell,
        .baseline = record_cell(record, cell->baseline),
    };
    out->is_sound = record_is_sound(record, cell) && record_is_sound(record, out->baseline);
    for (enum mode mode = 0; mode < MODES; mode++) {
        out->seconds[mode] = out->baseline_seconds[mode] = NAN;
        out->speedup[mode] = estimate_unknown;
        if (!out->is_sound || mode == MODE_USES)
            continue;
        bool moves = mode == MODE_COPIED;
        const struct cell_record *own = moves ? record_copied_of(record, cell) : cell;
        const struct cell_record *baseline = moves ? record_cell(record, own->baseline_copied) : out->baseline;
        bool is_missing = moves && own->track[SERIES_COPIED].slices == 0 && !record_is_in_place(record, own);
        if (!record_is_sound(record, own) || !record_is_sound(record, baseline))
            continue;
        out->baseline_seconds[mode] = time_of(baseline, series[mode]);
        if (is_missing)
            continue;
        out->seconds[mode] = time_of(own, series[mode]);
        out->speedup[mode] = record_speedup(record, own, series[mode]);
    }
    read_uses(out, uses);
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
    curves->curve = pool_grow(&curves->pool, curves->curve, curves->curves, &curves->room, sizeof *curves->curve);
    if (curves->pool.is_short)
        return NULL;
    struct curve *curve = &curves->curve[curves->curves++];
    *curve = (struct curve){ .device = device, .memory = cell->memory, .method = each_method ? cell->method : NULL };
    return curve;
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
    curve->point = pool_grow(pool, curve->point, curve->points, &curve->room, sizeof *curve->point);
    if (pool->is_short)
        return;
    memmove(&curve->point[at + 1], &curve->point[at], (curve->points - at) * sizeof *curve->point);
    curve->point[at] = *point;
    curve->points++;
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

/* The points of one mode; NULL when memory is short. */
static struct threshold_point *points_of(const struct curve *curve, enum mode mode)
{
    struct threshold_point *point = calloc(curve->points + 1, sizeof *point);
    for (unsigned i = 0; point && i < curve->points; i++)
        point[i] = (struct threshold_point){ curve->point[i].size, curve->point[i].speedup[mode] };
    return point;
}

bool curve_threshold(const struct curve *curve, enum mode mode, struct threshold *out)
{
    struct threshold_point *point = points_of(curve, mode);
    bool found = point && threshold_find(out, point, curve->points);
    free(point);
    return found;
}

double curve_next(const struct curve *curve, enum mode mode, double multiple, double *gap)
{
    struct threshold_point *point = points_of(curve, mode);
    double next = point ? threshold_next(point, curve->points, multiple, gap) : NAN;
    free(point);
    return next;
}
