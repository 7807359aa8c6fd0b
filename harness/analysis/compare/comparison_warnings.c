/* Warnings of a comparison: differences between the sides other than the figures, and what makes it less reliable. */

#include "harness/analysis/compare/comparison_parts.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_ROOM = 160 };

/* Settings that figures depend on. The last are options, by the names in the journal. */
static const struct setting {
    const char *name, *object, *member;
    double unit; /* a number is rounded to this unit; 0: as it is */
} settings[] = {
    { "machine", "host", "name", 0 },
    { "family of the processor", "host", "family", 0 },
    { "model of the processor", "host", "model", 0 },
    { "stepping of the processor", "host", "stepping", 0 },
    { "instruction sets of the processor", "host", "features", 0 },
    { "cores", "host", "cores", 0 },
    { "memory, GiB", "host", "memory", 0x1p30 },
    { "kernel", "host", "kernel", 0 },
    { "system", "host", "os", 0 },
    { "hypervisor", "host", "hypervisor", 0 },
    { "threads", "host", "worker_threads", 0 },
    { "instruction set", "host", "isa", 0 },
    { "huge pages", "host", "huge_pages", 0 },
    { "governor", "host", "governor", 0 },
    { "version of bench", "", "version", 0 },
    { "seed", "", "seed", 0 },
    { "compiler", "libraries", "compiler", 0 },
    { "OpenMP", "libraries", "openmp", 0 },
    { "--suite", "options", "suite", 0 },
    { "--budget", "options", "budget", 0 },
    { "--precision", "options", "precision", 0 },
    { "--order", "options", "order", 0 },
    { "--threads", "options", "threads", 0 },
    { "--cold", "options", "cold", 0 },
    { "--sustained", "options", "sustained", 0 },
    { "--baseline", "options", "baseline", 0 },
};

/* A member of the journal's head, or of an object in it, as text; NULL: the journal does not have it. */
static const char *setting_of(const struct record *record, const void *which, struct pool *pool)
{
    const struct setting *setting = which;
    const json_t *in = *setting->object ? json_object_get(record->head, setting->object) : record->head;
    const json_t *value = json_object_get(in, setting->member);
    if (!value || json_is_null(value))
        return NULL;
    if (json_is_string(value))
        return json_string_value(value);
    if (setting->unit > 0 && json_is_number(value))
        return pool_print(pool, "%.0f", json_number_value(value) / setting->unit);
    char *encoded = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    const char *text = pool_copy(pool, encoded ? encoded : "");
    free(encoded);
    return text;
}

const char *comparison_tally(const char *const word[], unsigned words, struct pool *pool)
{
    enum { TALLY_ROOM = 48 };
    const char *all = "";
    for (unsigned i = 0; i < words; i++) {
        unsigned count = 0, before = 0;
        for (unsigned k = 0; k < words; k++) {
            bool is_it = strcmp(word[i], word[k]) == 0;
            count += is_it;
            before += is_it && k < i;
        }
        if (count == words)
            return pool_copy(pool, word[i]);
        if (before == 0) {
            char cut[TALLY_ROOM];
            text_copy(cut, sizeof cut, *word[i] ? word[i] : "unknown");
            all = pool_print(pool, i == 0 ? "%s%s (%u run%s)" : "%s, %s (%u)", all, cut, count, count == 1 ? "" : "s");
        }
    }
    return all;
}

/* The comparison, and room for one word of each run. */
struct warner {
    struct comparison *comparison;
    const struct results *side;
    const char **word[SIDES];
    unsigned room;
    bool has_signatures;
};

static void add(struct warner *warner, const char *sentence)
{
    struct comparison *comparison = warner->comparison;
    comparison->warning = pool_grow(&comparison->pool, comparison->warning, comparison->warnings, &warner->room,
                                    sizeof *comparison->warning);
    if (comparison->warnings < warner->room)
        comparison->warning[comparison->warnings++] = sentence;
}

/* Whether one side has a word that the other does not have. */
static bool words_differ(const struct warner *warner, const unsigned count[SIDES])
{
    for (unsigned s = 0; s < SIDES; s++)
        for (unsigned i = 0; i < count[s]; i++)
            if (name_find(warner->word[s][i], warner->word[!s], count[!s]) == count[!s])
                return true;
    return false;
}

/* A word about a run; NULL: it has none. */
typedef const char *word_of(const struct record *record, const void *which, struct pool *pool);

/* Warns if the words of both sides differ. If a side has none, nothing is known. */
static void warn_words(struct warner *warner, const char *name, word_of *read, const void *which)
{
    struct pool *pool = &warner->comparison->pool;
    unsigned count[SIDES] = { 0 };
    for (unsigned s = 0; s < SIDES; s++)
        for (unsigned r = 0; r < warner->side[s].runs; r++) {
            const char *word = read(warner->side[s].run[r].record, which, pool);
            if (word)
                warner->word[s][count[s]++] = word;
        }
    if (count[OLD] == 0 || count[NEW] == 0 || !words_differ(warner, count))
        return;
    const char *old = comparison_tally(warner->word[OLD], count[OLD], pool);
    const char *new = comparison_tally(warner->word[NEW], count[NEW], pool);
    add(warner, pool_print(pool, "%s: %s before, %s now", name, *old ? old : "unknown", *new ? new : "unknown"));
}

/* Whether both are the same device of the same machine. */
static bool is_same(const struct warner *warner, const struct record *one, const struct device *device,
                    const struct record *other, const struct device *like)
{
    struct pool *pool = &warner->comparison->pool;
    return strcmp(comparison_device_key(one, device, warner->has_signatures, pool),
                  comparison_device_key(other, like, warner->has_signatures, pool)) == 0;
}

static bool has_device(const struct warner *warner, const struct results *results, const struct record *record,
                       const struct device *device)
{
    for (unsigned r = 0; r < results->runs; r++)
        for (unsigned d = 0; d < results->run[r].record->devices; d++)
            if (is_same(warner, results->run[r].record, &results->run[r].record->device[d], record, device))
                return true;
    return false;
}

/* Devices that only one side has, which explains why their cells are gone or new. */
static void warn_devices(struct warner *warner)
{
    struct pool *pool = &warner->comparison->pool;
    for (unsigned s = 0; s < SIDES; s++) {
        const struct record *first = warner->side[s].runs > 0 ? warner->side[s].run[0].record : NULL;
        for (unsigned d = 0; first && d < first->devices; d++)
            if (!has_device(warner, &warner->side[!s], first, &first->device[d]))
                add(warner, pool_print(pool, "%s, %s, is on the %s side only, so nothing there is compared with it",
                                       first->device[d].id, first->device[d].name, s == OLD ? "old" : "new"));
    }
}

/* A device of the first old run. */
struct driven {
    const struct warner *warner;
    const struct record *record;
    const struct device *device;
};

static const char *driver_of(const struct record *record, const void *which, struct pool *pool)
{
    const struct driven *like = which;
    for (unsigned i = 0; i < record->devices; i++)
        if (is_same(like->warner, record, &record->device[i], like->record, like->device))
            return pool_print(pool, "%s %s", record->device[i].platform, record->device[i].driver_version);
    return NULL;
}

/* Drivers of each device that both sides have. */
static void warn_drivers(struct warner *warner)
{
    const struct record *first = warner->side[OLD].runs > 0 ? warner->side[OLD].run[0].record : NULL;
    for (unsigned d = 0; first && d < first->devices; d++) {
        const struct driven like = { warner, first, &first->device[d] };
        warn_words(warner, pool_print(&warner->comparison->pool, "driver of %s", like.device->id), driver_of, &like);
    }
}

static const char *power_of(const struct record *record, const void *which, struct pool *pool)
{
    (void)which, (void)pool;
    for (unsigned i = 0; i < record->cells; i++)
        if (record->cell[i]->before.on_battery == 1 || record->cell[i]->after.on_battery == 1)
            return "battery";
    return "mains or unknown";
}

static const char *clean_path(const struct result *result, struct pool *pool)
{
    char path[WORD_ROOM];
    text_clean(path, sizeof path, *result->path ? result->path : "a journal");
    return pool_copy(pool, path);
}

/* A copied journal has the same head, whatever the file is called. */
static bool is_same_run(const struct result *a, const struct result *b)
{
    return a->record->head && json_equal(a->record->head, b->record->head);
}

/* Compares each run with the later ones of its own side and with all of the other. */
static void warn_copies(struct warner *warner)
{
    struct pool *pool = &warner->comparison->pool;
    for (unsigned s = 0; s < SIDES; s++) {
        for (unsigned i = 0; i < warner->side[s].runs; i++) {
            const struct result *one = &warner->side[s].run[i];
            for (unsigned k = i + 1; k < warner->side[s].runs; k++)
                if (is_same_run(one, &warner->side[s].run[k]))
                    add(warner, pool_print(pool, "%s and %s are the same run, counted twice", clean_path(one, pool),
                                           clean_path(&warner->side[s].run[k], pool)));
            for (unsigned k = 0; s == OLD && k < warner->side[NEW].runs; k++)
                if (is_same_run(one, &warner->side[NEW].run[k]))
                    add(warner, pool_print(pool, "the same run is on both sides: %s and %s", clean_path(one, pool),
                                           clean_path(&warner->side[NEW].run[k], pool)));
        }
    }
}

static void warn_unfinished(struct warner *warner)
{
    struct pool *pool = &warner->comparison->pool;
    for (unsigned s = 0; s < SIDES; s++) {
        for (unsigned r = 0; r < warner->side[s].runs; r++) {
            const struct result *result = &warner->side[s].run[r];
            const char *end = result->record->end;
            if (strcmp(end, "complete") != 0)
                add(warner, pool_print(pool, "%s was %s: what it did not reach is missing", clean_path(result, pool),
                                       *end ? end : "broken off"));
            if (!result_is_whole(result))
                add(warner, pool_print(pool, "%s is damaged: lines that make no sense were left out",
                                       clean_path(result, pool)));
        }
    }
}

bool comparison_warn(struct comparison *comparison, const struct results side[SIDES])
{
    struct warner warner = { .comparison = comparison,
                             .side = side,
                             .has_signatures = comparison_has_signatures(side) };
    for (unsigned s = 0; s < SIDES; s++)
        warner.word[s] = pool_take(&comparison->pool, (side[s].runs + 1) * sizeof *warner.word[s]);
    if (!warner.word[OLD] || !warner.word[NEW])
        return false;
    warn_copies(&warner);
    warn_unfinished(&warner);
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
        warn_words(&warner, settings[i].name, setting_of, &settings[i]);
    warn_devices(&warner);
    warn_drivers(&warner);
    warn_words(&warner, "power", power_of, NULL);
    return true;
}
