#include "harness/report/formats/thresholds.h"

#include "harness/analysis/threshold.h"
#include "harness/base/atomic_file.h"
#include "harness/base/fields.h"
#include "harness/journal/record_members.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define THRESHOLDS_SCHEMA "bench-thresholds/3"

static json_t *both_ends(double low, double high)
{
    return json_pack("[o, o]", number_to_json(low), number_to_json(high));
}

/* The ranges of sizes in which the device is faster, each from a crossing to the next. The last one is open if the
 * result is certain up to the end. */
static json_t *pays(const struct threshold *threshold)
{
    json_t *ranges = json_array();
    bool is_faster =
        threshold->outcome == THRESHOLD_ALWAYS || (threshold->crossings > 0 && !threshold->crossing[0].is_up);
    struct crossing from = { threshold->sure_from, threshold->sure_from, false };
    for (unsigned i = 0; i <= threshold->crossings; i++, is_faster = !is_faster) {
        const bool is_last = i == threshold->crossings;
        const struct crossing end = { threshold->sure_to, threshold->last, false };
        const struct crossing until = is_last ? end : threshold->crossing[i];
        if (is_faster)
            ranges = array_with(
                ranges, json_pack("{s:o, s:o}", "from", both_ends(from.low, from.high), "until",
                                  !is_last || end.low < end.high ? both_ends(until.low, until.high) : json_null()));
        from = until;
    }
    return ranges;
}

static json_t *mode_to_json(const struct curve *curve, enum mode mode, unsigned uses)
{
    struct threshold threshold;
    threshold_find(&threshold, curve, mode);
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o*}", "from", number_to_json(threshold.first), "to", number_to_json(threshold.last),
        "sure", threshold.outcome == THRESHOLD_UNSURE ? json_null() : both_ends(threshold.sure_from, threshold.sure_to),
        "pays", pays(&threshold), "count", mode == MODE_USES ? json_integer(uses) : NULL);
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

/* An entry takes the place of that of the same device, workload and type. */
static bool merge(json_t *file, json_t *devices)
{
    json_t *known = json_object_get(file, "devices"), *found;
    bool is_complete = devices != NULL;
    const char *key;
    json_object_foreach (devices, key, found) {
        json_t *before = json_object_get(known, key);
        is_complete &= (before ? json_object_update(before, found) : json_object_set(known, key, found)) == 0;
    }
    return is_complete;
}

bool thresholds_save(const struct record *record, const char *path, struct error *err)
{
    struct atomic_file file;
    json_t *known = load(path, err), *devices = known ? thresholds_to_json(record) : NULL;
    const bool is_merged = merge(known, devices), is_open = is_merged && atomic_file_open(&file, path, err);
    const bool is_written = is_open && json_dumpf(known, file.out, JSON_INDENT(1) | JSON_SORT_KEYS) == 0;
    const bool is_kept = is_written && atomic_file_keep(&file, err);
    if (is_open)
        atomic_file_drop(&file);
    if (known && (!is_merged || (is_open && !is_written)))
        fail(err, STATUS_NO_MEMORY, "no memory for the thresholds");
    json_decref(devices);
    json_decref(known);
    return is_kept;
}
