#include "harness/report/formats/thresholds.h"

#include "harness/analysis/threshold.h"
#include "harness/base/atomic_file.h"
#include "harness/journal/record_members.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define THRESHOLDS_SCHEMA "bench-thresholds/2"

/* A size; null if there is none. */
static json_t *size(double size)
{
    return isfinite(size) ? json_integer((json_int_t)size) : json_null();
}

static json_t *both_ends(double low, double high)
{
    return json_pack("[o, o]", size(low), size(high));
}

/* A program may assume that the result holds for all sizes, so it must be certain at the largest size too. */
static bool is_sure_to_the_end(const struct threshold *threshold)
{
    return threshold->sure_to >= threshold->last;
}

/* A range that begins between two sizes and has no end yet. */
static json_t *stretch_add(json_t *stretches, double low, double high)
{
    json_t *open = json_pack("{s:o, s:n}", "from", both_ends(low, high), "until");
    json_array_append_new(stretches, open);
    return open;
}

/* The ranges of sizes in which the device is faster. The last one is open if the result is certain up to the end. */
static json_t *pays(const struct threshold *threshold)
{
    json_t *stretches = json_array(), *open = NULL;
    bool begins_faster =
        threshold->outcome == THRESHOLD_ALWAYS || (threshold->crossings > 0 && !threshold->crossing[0].is_up);
    if (begins_faster)
        open = stretch_add(stretches, threshold->sure_from, threshold->sure_from);
    for (unsigned i = 0; i < threshold->crossings; i++) {
        const struct crossing *crossing = &threshold->crossing[i];
        if (!crossing->is_up)
            json_object_set_new(open, "until", both_ends(crossing->low, crossing->high));
        open = crossing->is_up ? stretch_add(stretches, crossing->low, crossing->high) : NULL;
    }
    if (open && !is_sure_to_the_end(threshold))
        json_object_set_new(open, "until", both_ends(threshold->sure_to, threshold->last));
    return stretches;
}

static json_t *mode_to_json(const struct curve *curve, enum mode mode, unsigned uses)
{
    static const char *const outcomes[] = { [THRESHOLD_UNSURE] = "unsure",
                                            [THRESHOLD_NEVER] = "never",
                                            [THRESHOLD_ALWAYS] = "always",
                                            [THRESHOLD_CROSSES] = "crosses" };
    struct threshold threshold;
    threshold_find(&threshold, curve, mode);
    const bool is_one_sided = threshold.outcome == THRESHOLD_NEVER || threshold.outcome == THRESHOLD_ALWAYS;
    const bool is_sure = threshold.outcome != THRESHOLD_UNSURE;
    json_t *object =
        json_pack("{s:s, s:o, s:o, s:o, s:o}", "outcome",
                  outcomes[is_one_sided && !is_sure_to_the_end(&threshold) ? THRESHOLD_UNSURE : threshold.outcome],
                  "from", size(threshold.first), "to", size(threshold.last), "sure",
                  is_sure ? both_ends(threshold.sure_from, threshold.sure_to) : json_null(), "pays", pays(&threshold));
    if (mode == MODE_USES)
        json_object_set_new(object, "count", json_integer(uses));
    return object;
}

/* { device: { "multiply f32": { what all memories share, memory: { its name: modes } } } } */
static json_t *curve_to_json(const struct record *record, const struct curves *curves, const struct curve *curve)
{
    struct pool pool = { 0 };
    const char *entry = pool_print(&pool, "%s %s", curves->workload, curves->dtype), *method = curve->method;
    const char *memory = pool_print(&pool, "%s%s%s", curve->memory, method ? " " : "", method ? method : "");
    json_t *json =
        json_pack("{s:{s:{s:s, s:s, s:s, s:s, s:s, s:s, s:{s:{s:o, s:o, s:o}}}}}", curve->device->key, entry, "id",
                  curve->device->id, "name", curve->device->name, "unit", curves->unit, "shape",
                  journal_text(record->sweep, "shape"), "baseline", curves->baseline ? curves->baseline->key : "",
                  "measured", journal_text(record->head, "started"), "memory", memory, mode_names[MODE_RESIDENT],
                  mode_to_json(curve, MODE_RESIDENT, curves->uses), mode_names[MODE_USES],
                  mode_to_json(curve, MODE_USES, curves->uses), mode_names[MODE_COPIED],
                  mode_to_json(curve, MODE_COPIED, curves->uses));
    pool_release(&pool);
    return json;
}

json_t *thresholds_to_json(const struct record *record)
{
    struct curves curves;
    json_t *devices = json_object();
    bool complete = curves_read(&curves, record) && devices;
    for (unsigned i = 0; complete && i < curves.curves; i++) {
        bool is_sound = false; /* of a device that failed at every size the earlier entry stays */
        for (unsigned k = 0; k < curves.curve[i].points; k++)
            is_sound |= curves.curve[i].point[k].is_sound;
        json_t *one = is_sound ? curve_to_json(record, &curves, &curves.curve[i]) : json_object();
        complete = one && json_object_update_recursive(devices, one) == 0;
        json_decref(one);
    }
    curves_free(&curves);
    if (complete)
        return devices;
    json_decref(devices);
    return NULL;
}

/* The content of the file; an empty one if there is no file. NULL with err if it is not a file of thresholds. */
static json_t *load(const char *path, struct error *err)
{
    json_error_t why;
    if (access(path, F_OK) != 0)
        return json_pack("{s:s, s:{}}", "schema", THRESHOLDS_SCHEMA, "devices");
    json_t *file = json_load_file(path, 0, &why);
    if (strcmp(journal_text(file, "schema"), THRESHOLDS_SCHEMA) == 0 &&
        json_is_object(json_object_get(file, "devices")))
        return file;
    fail(err, STATUS_USAGE, "--thresholds %.80s: exists already, and is not a file of thresholds (%s)%s%.60s", path,
         THRESHOLDS_SCHEMA, file ? "" : ": ", file ? "" : why.text);
    json_decref(file);
    return NULL;
}

bool thresholds_check(const char *path, struct error *err)
{
    struct atomic_file file;
    json_t *known = load(path, err);
    bool is_writable = known && atomic_file_open(&file, path, err);
    json_decref(known);
    if (is_writable)
        atomic_file_drop(&file);
    return is_writable;
}

/* Merges into the file's content: other devices, workloads and memories stay. Entries for another shape or baseline are
 * removed first: they must not be mixed with new ones. */
static bool merge(json_t *file, json_t *devices)
{
    static const char *const same[] = { "shape", "unit", "baseline" };
    json_t *known = json_object_get(file, "devices"), *found, *entry;
    const char *key, *name;
    json_object_foreach (devices, key, found)
        json_object_foreach (found, name, entry) {
            json_t *before = json_object_get(known, key), *old = json_object_get(before, name);
            bool is_same = true;
            for (unsigned i = 0; i < sizeof same / sizeof *same; i++)
                is_same &= strcmp(journal_text(old, same[i]), journal_text(entry, same[i])) == 0;
            if (!is_same)
                json_object_del(before, name);
        }
    return devices && json_object_update_recursive(known, devices) == 0;
}

bool thresholds_save(const struct record *record, const char *path, struct error *err)
{
    struct atomic_file file;
    json_t *known = load(path, err), *devices = thresholds_to_json(record);
    bool is_merged = known && merge(known, devices);
    json_decref(devices);
    bool is_open = is_merged && atomic_file_open(&file, path, err);
    bool is_complete = is_open && json_dumpf(known, file.out, JSON_INDENT(1) | JSON_SORT_KEYS) == 0;
    json_decref(known);
    if (is_open && !is_complete)
        atomic_file_drop(&file);
    if (known && (!is_merged || (is_open && !is_complete)))
        return fail(err, STATUS_NO_MEMORY, "no memory for the thresholds");
    return is_complete && atomic_file_keep(&file, err);
}
