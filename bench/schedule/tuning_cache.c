#include "bench/schedule/tuning_cache.h"

#include "bench/backends/common/kernel.h"
#include "harness/base/atomic_file.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* The version is in the file's name too, so that programs of two versions do not replace each other's file. */
static const char format[] = "bench-tuning/1";

/* Dimensions below this are classes of their own: a filter of 3 x 3 is not one of 5 x 5. */
enum { SMALL = 16, SETTING_MAX = 1024, ENTRIES_MAX = 2000 /* then the oldest goes */ };

static const char *const end_names[TUNED_ENDS] = { "fast", "bad", "left" };

/* --- what an entry is about --- */

/* FNV-1a, 64 bits (Fowler, Noll and Vo). */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);

/* The texts of all kernels of the workload, and the names of their kernel shapes. These are added up, as sizes have
 * them in different orders. */
static uint64_t hash_kernels(const struct tuning_key *key)
{
    uint64_t hash = hash_start, names = 0;
    char name[KERNEL_SHAPES_MAX][KERNEL_SHAPE_MAX];
    for (const struct method *method = key->problem->workload->methods; method && method->name; method++) {
        const unsigned count = kernel_shape_names(key->problem, method, key->device, name);
        hash = hash_text(hash, method->portable ? method->portable->source : "");
        for (unsigned i = 0; i < count; i++)
            names += hash_text(hash_start, name[i]);
    }
    return hash ^ names;
}

/* What must be as it was: "PoCL 3.1; avx512, 2 threads; OpenBLAS 0.3.21; 2 worker threads; bench 0.1.0, kernels 9f...".
 */
static void write_setting(const struct tuning_key *key, char to[SETTING_MAX])
{
    const struct device *device = key->device;
    snprintf(to, SETTING_MAX, "%s %s", device->platform, device->driver_version);
    if (*device->isa || device->threads > 0)
        text_append(to, SETTING_MAX, "; %s, %u threads", device->isa, device->threads);
    for (unsigned i = 0; i < DEVICE_LIBRARIES_MAX && *device->library[i].name; i++)
        text_append(to, SETTING_MAX, "; %s %s", device->library[i].name, device->library[i].version);
    text_append(to, SETTING_MAX, "; %u worker threads; bench " BENCH_VERSION ", kernels %016" PRIx64, key->threads,
                hash_kernels(key));
}

/* Elements that the dimension is a multiple of: 1, 2, 4, 8 or 16. */
static int64_t alignment(int64_t count)
{
    const int64_t power = count & -count;
    return power < SMALL ? power : SMALL;
}

static bool is_near(int64_t a, int64_t b)
{
    const int64_t low = a < b ? a : b, high = a < b ? b : a;
    return low == high || (high >= SMALL && low > 0 && high / 4 <= low && alignment(a) == alignment(b));
}

static bool is_same_class(const struct problem *a, const struct problem *b)
{
    bool is_same = problem_is_alike(a, b);
    for (unsigned i = 0; is_same && a->workload->dims[i].name; i++)
        is_same = is_near(a->dim[i], b->dim[i]);
    return is_same;
}

/* False where this program does not know such a problem. */
static bool entry_problem(const json_t *entry, struct problem *out)
{
    const struct workload *workload = workload_find(journal_text(entry, "workload"));
    enum dtype dtype;
    return workload && dtype_parse(journal_text(entry, "dtype"), &dtype) &&
           problem_parse(out, workload, dtype, journal_text(entry, "shape"), NULL);
}

/* Whether one entry serves the other's race, with whatever driver and kernels. */
static bool is_same_race(const json_t *a, const json_t *b)
{
    struct problem one, other;
    return strcmp(journal_text(a, "device"), journal_text(b, "device")) == 0 &&
           strcmp(journal_text(a, "memory"), journal_text(b, "memory")) == 0 && entry_problem(a, &one) &&
           entry_problem(b, &other) && is_same_class(&one, &other);
}

/* NULL for `tuned`: without contenders, to be compared with others. */
static json_t *entry_new(const struct tuning_key *key, const struct tuned *tuned)
{
    char setting[SETTING_MAX], shape[SHAPE_MAX];
    json_t *contenders = json_array();
    write_setting(key, setting);
    for (unsigned i = 0; tuned && i < tuned->count; i++)
        json_array_append_new(contenders,
                              json_pack("{s:s, s:s, s:s}", "method", tuned->contender[i].method, "kernel_shape",
                                        tuned->contender[i].kernel_shape, "end", end_names[tuned->contender[i].end]));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "device", key->device->key, "setting", setting,
                     "workload", key->problem->workload->name, "dtype", dtype_name(key->problem->dtype), "shape",
                     problem_shape(key->problem, shape), "memory", memory_name(key->memory), "since",
                     tuned ? tuned->since : "", "contenders", contenders);
}

/* The index of the entry that serves another one: the latest in the same setting. The number of entries: there is none.
 */
static size_t serving(const json_t *entries, const json_t *wanted)
{
    for (size_t i = json_array_size(entries); i-- > 0;) {
        const json_t *entry = json_array_get(entries, i);
        if (strcmp(journal_text(entry, "setting"), journal_text(wanted, "setting")) == 0 && is_same_race(entry, wanted))
            return i;
    }
    return json_array_size(entries);
}

/* Puts an entry in the place of the one that serves it. Others stay: they serve other sizes, and other settings. */
static void entries_put(json_t *entries, json_t *entry)
{
    json_array_remove(entries, serving(entries, entry)); /* beyond the last it does nothing */
    json_array_append(entries, entry);
    if (json_array_size(entries) > ENTRIES_MAX)
        json_array_remove(entries, 0);
}

/* --- the file --- */

static void find_place(struct tuning_cache *cache)
{
    const char *folder = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (folder && folder[0] == '/') /* a relative one is invalid, and ignored */
        length = snprintf(cache->path, sizeof cache->path, "%s/bench/tuning-1.json", folder);
    else if (home && home[0] == '/')
        length = snprintf(cache->path, sizeof cache->path, "%s/.cache/bench/tuning-1.json", home);
    if (length > 0 && (size_t)length < sizeof cache->path)
        return;
    cache->path[0] = '\0';
    snprintf(cache->trouble, sizeof cache->trouble,
             "no folder for what was tuned: set XDG_CACHE_HOME or HOME to an absolute path");
}

/* The entries of the file as a new array, which is empty without a file; NULL with the trouble. */
static json_t *read_entries(const char *path, char trouble[200])
{
    json_error_t why;
    if (access(path, F_OK) != 0)
        return json_array();
    json_t *file = json_load_file(path, 0, &why), *entries = json_object_get(file, "entries");
    bool is_valid = json_is_array(entries) && strcmp(journal_text(file, "format"), format) == 0;
    if (!file)
        snprintf(trouble, 200, "%.80s is ignored, it is damaged: %.60s", path, why.text);
    else if (!is_valid)
        snprintf(trouble, 200, "%.80s is ignored, it is damaged: it does not have the form of %s", path, format);
    json_incref(*trouble ? NULL : entries);
    json_decref(file);
    return *trouble ? NULL : entries;
}

void tuning_cache_open(struct tuning_cache *out, bool anew)
{
    *out = (struct tuning_cache){ .own = json_array() };
    find_place(out);
    if (*out->path && !anew)
        out->entries = read_entries(out->path, out->trouble);
    if (!out->entries)
        out->entries = json_array();
}

void tuning_cache_close(struct tuning_cache *cache)
{
    json_decref(cache->entries);
    json_decref(cache->own);
    *cache = (struct tuning_cache){ .entries = NULL };
}

bool tuning_cache_find(const struct tuning_cache *cache, const struct tuning_key *key, struct tuned *out)
{
    json_t *wanted = entry_new(key, NULL);
    const json_t *found = json_array_get(cache->entries, serving(cache->entries, wanted)), *contender;
    size_t i;
    *out = (struct tuned){ .count = 0 };
    json_decref(wanted);
    text_clean(out->since, sizeof out->since, journal_text(found, "since"));
    json_array_foreach (json_object_get(found, "contenders"), i, contender) {
        const unsigned end = name_find(journal_text(contender, "end"), end_names, TUNED_ENDS);
        if (end == TUNED_ENDS || out->count == TUNED_MAX)
            continue;
        struct tuned_contender *to = &out->contender[out->count++];
        text_clean(to->method, sizeof to->method, journal_text(contender, "method"));
        text_clean(to->kernel_shape, sizeof to->kernel_shape, journal_text(contender, "kernel_shape"));
        to->end = (enum tuned_end)end;
    }
    return found != NULL;
}

void tuning_cache_remember(struct tuning_cache *cache, const struct tuning_key *key, struct tuned *tuned)
{
    char date[21];
    clock_date(date);
    text_copy(tuned->since, sizeof tuned->since, date);
    json_t *entry = entry_new(key, tuned);
    entries_put(cache->entries, entry);
    entries_put(cache->own, entry);
    json_decref(entry);
}

/* The file as it is now, with the entries of this run. */
static json_t *merge(const struct tuning_cache *cache)
{
    char ignored[200] = "";
    json_t *entries = read_entries(cache->path, ignored), *entry;
    size_t i;
    if (!entries)
        entries = json_array();
    json_array_foreach (cache->own, i, entry)
        entries_put(entries, entry);
    return json_pack("{s:s, s:o}", "format", format, "entries", entries);
}

/* From reading the file to renaming the new one no other process may do the same. The lock is a file of its own, as the
 * file itself is replaced; closing it releases it. */
static int lock(const char *path, struct error *err)
{
    char name[PATH_MAX + sizeof ".lock"];
    snprintf(name, sizeof name, "%s.lock", path);
    const int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0 && flock(fd, LOCK_EX) == 0)
        return fd;
    fail(err, STATUS_FAILED, "%.100s cannot be locked: %s", name, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

bool tuning_cache_write(const struct tuning_cache *cache, struct error *err)
{
    struct atomic_file file = { .out = NULL };
    if (!*cache->path || json_array_size(cache->own) == 0)
        return true;
    const int held = folder_make_for(cache->path, err) ? lock(cache->path, err) : -1;
    if (held < 0)
        return false;
    json_t *all = merge(cache);
    const bool ok = atomic_file_open(&file, cache->path, err) &&
                    (json_dumpf(all, file.out, JSON_INDENT(1)) == 0 ||
                     fail(err, STATUS_FAILED, "%.100s cannot be written", cache->path)) &&
                    atomic_file_keep(&file, err);
    json_decref(all);
    atomic_file_drop(&file);
    close(held);
    return ok;
}
