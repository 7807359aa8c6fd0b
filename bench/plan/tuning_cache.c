#include "bench/plan/tuning_cache.h"

#include "bench/backends/common/kernel.h"
#include "harness/base/atomic_file.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The version is in the file's name too, so that programs of two versions do not replace each other's file. */
static const char format[] = "bench-tuning/3";

enum { VALUES_MAX = 5000 /* then the file begins anew */ };

/* What is remembered is found anew after so many days: a machine changes in more ways than a key can say. */
enum { DAYS_KEPT = 30, DAY = 24 * 60 * 60 };

/* The texts of all kernels of the workload, and the names of their kernel shapes. These are added up, as sizes have
 * them in different orders. */
static uint64_t hash_kernels(const struct cell *cell)
{
    uint64_t hash = TEXT_HASH, names = 0;
    char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX];
    for (const struct method *method = cell->problem.workload->methods; method && method->name; method++) {
        const unsigned count = kernel_shape_names(&cell->problem, method, cell->device, name);
        hash = text_hash(hash, method->portable ? method->portable->source : "");
        for (unsigned i = 0; i < count; i++)
            names += text_hash(TEXT_HASH, name[i]);
    }
    return hash ^ names;
}

/* What must be as it was, and then what it is for: "PoCL 3.1; avx512, 2 threads; OpenBLAS 0.3.21; 2 worker threads;
 * bench 0.1.0, kernels 9f...". */
const char *tuning_key(char to[TUNING_KEY_MAX], const char *what, const struct cell *cell, unsigned threads,
                       const char *more)
{
    const struct device *device = cell->device;
    snprintf(to, TUNING_KEY_MAX, "%s; %s %s", device->key, device->platform, device->driver_version);
    if (*device->isa || device->threads > 0)
        text_append(to, TUNING_KEY_MAX, "; %s, %u threads", device->isa, device->threads);
    for (unsigned i = 0; i < DEVICE_LIBRARIES_MAX && *device->library[i].name; i++)
        text_append(to, TUNING_KEY_MAX, "; %s %s", device->library[i].name, device->library[i].version);
    text_append(to, TUNING_KEY_MAX, "; %u worker threads; bench " BENCH_VERSION ", kernels %016" PRIx64, threads,
                hash_kernels(cell));
    text_append(to, TUNING_KEY_MAX, "; %s %s %s %s", what, cell->problem.workload->name,
                dtype_name(cell->problem.dtype), more);
    return to;
}

/* The values of the file as a new object, which is empty without a file, and for one that is damaged. */
static json_t *read_values(const char *path)
{
    json_t *file = json_load_file(path, 0, NULL), *values = json_object_get(file, "values");
    const bool is_valid = json_is_object(values) && strcmp(journal_text(file, "format"), format) == 0;
    values = is_valid ? json_incref(values) : json_object();
    json_decref(file);
    return values;
}

void tuning_cache_open(struct tuning_cache *out, bool anew)
{
    char folder[PATH_MAX];
    *out = (struct tuning_cache){ .found = json_object(), .own = json_object() };
    if (folder_of_user(FOLDER_CACHE, folder))
        snprintf(out->path, sizeof out->path, "%s/bench/tuning-3.json", folder);
    json_t *values = *out->path && !anew ? read_values(out->path) : NULL, *value;
    const char *key;
    const time_t now = time(NULL);
    json_object_foreach (values, key, value) {
        const time_t until = (time_t)json_integer_value(json_object_get(value, "until"));
        if (until > now && until <= now + (time_t)DAYS_KEPT * DAY)
            json_object_set(out->found, key, json_object_get(value, "text"));
    }
    json_decref(values);
}

void tuning_cache_close(struct tuning_cache *cache)
{
    json_decref(cache->found);
    json_decref(cache->own);
    *cache = (struct tuning_cache){ .found = NULL };
}

const char *tuning_cache_find(const struct tuning_cache *cache, const char *key)
{
    const char *value = json_string_value(json_object_get(cache->found, key));
    return value && strlen(value) < TUNING_VALUE_MAX ? value : NULL;
}

void tuning_cache_set(struct tuning_cache *cache, const char *key, const char *value, bool is_lasting)
{
    if (is_lasting)
        json_object_set_new(
            cache->own, key,
            json_pack("{s:s, s:I}", "text", value, "until", (json_int_t)time(NULL) + (json_int_t)DAYS_KEPT * DAY));
    json_object_set_new(cache->found, key, json_string(value));
}

bool tuning_cache_write(const struct tuning_cache *cache, struct error *err)
{
    struct atomic_file file = { .out = NULL };
    if (!*cache->path || json_object_size(cache->own) == 0)
        return true;
    if (!folder_make_for(cache->path, err))
        return false;
    json_t *values = read_values(cache->path);
    if (json_object_size(values) > VALUES_MAX)
        json_object_clear(values);
    json_object_update(values, cache->own);
    json_t *all = json_pack("{s:s, s:o}", "format", format, "values", values);
    bool ok = atomic_file_open(&file, cache->path, err) &&
              (json_dumpf(all, file.out, JSON_INDENT(1)) == 0 ||
               fail(err, STATUS_FAILED, "%.100s cannot be written", cache->path)) &&
              atomic_file_keep(&file, err);
    json_decref(all);
    atomic_file_drop(&file);
    return ok;
}
