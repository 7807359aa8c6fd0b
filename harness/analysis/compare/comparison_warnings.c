/* Warnings of a comparison: differences between the sides other than the figures, and what makes it less reliable. */

#include "harness/analysis/compare/comparison_parts.h"
#include "harness/base/text.h"

#include <string.h>

enum { WORD_ROOM = 160 };

/* Settings that figures depend on. The last are options, by the names in the journal. */
static const struct setting {
    const char *name, *object, *member;
} settings[] = {
    { "machine", "host", "name" },           { "model, cores and memory of the machine", "host", "signature" },
    { "kernel", "host", "kernel" },          { "hypervisor", "host", "hypervisor" },
    { "threads", "host", "worker_threads" }, { "instruction set", "host", "isa" },
    { "huge pages", "host", "huge_pages" },  { "governor", "host", "governor" },
    { "version of bench", "", "version" },   { "--suite", "options", "suite" },
    { "--budget", "options", "budget" },     { "--precision", "options", "precision" },
    { "form of the journal", "", "schema" }, /* of another order of slices */
};

/* A member of the journal's head, or of an object in it, as text; NULL: the journal does not have it. */
static const char *setting_of(const struct record *record, const void *which, struct pool *pool)
{
    const struct setting *setting = which;
    const json_t *in = *setting->object ? json_object_get(record->head, setting->object) : record->head;
    const json_t *value = json_object_get(in, setting->member);
    if (json_is_number(value))
        return pool_print(pool, "%.6g", json_number_value(value));
    return json_string_value(value); /* NULL of all else */
}

const char *comparison_tally(const char *const word[], unsigned words, struct pool *pool)
{
    const char *all = "";
    for (unsigned i = 0; i < words; i++) {
        char cut[48];
        unsigned count = 0;
        for (unsigned k = i; k < words; k++)
            count += strcmp(word[i], word[k]) == 0;
        if (count == words)
            return pool_copy(pool, word[i]);
        text_copy(cut, sizeof cut, *word[i] ? word[i] : "unknown");
        if (name_find(word[i], word, i) == i)
            all = pool_print(pool, i == 0 ? "%s%s (%u run%s)" : "%s, %s (%u)", all, cut, count, count == 1 ? "" : "s");
    }
    return all;
}

static void add(struct comparison *comparison, const char *sentence)
{
    pool_add(&comparison->pool, &comparison->warning, &comparison->warnings, &sentence, sizeof sentence);
}

/* A word about a run; NULL: it has none. */
typedef const char *word_of(const struct record *record, const void *which, struct pool *pool);

/* Warns if one side has a word that the other does not have. If a side has none, nothing is known. */
static void warn_words(struct comparison *comparison, const struct results side[SIDES], const char *name, word_of *read,
                       const void *which)
{
    struct pool *pool = &comparison->pool;
    const char **word[SIDES], *tally[SIDES];
    unsigned count[SIDES] = { 0 };
    bool is_other = false;
    for (unsigned s = 0; s < SIDES; s++) {
        word[s] = pool_take(pool, (side[s].runs + 1) * sizeof *word[s]);
        for (unsigned r = 0; r < side[s].runs && word[s]; r++) {
            word[s][count[s]] = read(side[s].run[r].record, which, pool);
            count[s] += word[s][count[s]] != NULL;
        }
    }
    for (unsigned s = 0; s < SIDES && count[OLD] > 0 && count[NEW] > 0; s++) {
        for (unsigned i = 0; i < count[s]; i++)
            is_other |= name_find(word[s][i], word[!s], count[!s]) == count[!s];
        tally[s] = comparison_tally(word[s], count[s], pool);
    }
    if (is_other)
        add(comparison, pool_print(pool, "%s: %s before, %s now", name, *tally[OLD] ? tally[OLD] : "unknown",
                                   *tally[NEW] ? tally[NEW] : "unknown"));
}

/* Of a device, by its key. */
static const char *driver_of(const struct record *record, const void *which, struct pool *pool)
{
    for (unsigned i = 0; i < record->devices; i++)
        if (strcmp(record->device[i].key, which) == 0)
            return pool_print(pool, "%s %s", record->device[i].platform, record->device[i].driver_version);
    return NULL;
}

static const char *power_of(const struct record *record, const void *which, struct pool *pool)
{
    for (unsigned i = 0; i < record->cells; i++)
        if (record->cell[i]->before.on_battery == 1 || record->cell[i]->after.on_battery == 1)
            return "battery";
    return "mains or unknown";
}

/* Names the side's files, and warns of those that are not whole. */
static void read_files(struct comparison *comparison, const struct results *results, unsigned side)
{
    struct pool *pool = &comparison->pool;
    comparison->files[side] = "";
    for (unsigned r = 0; r < results->runs; r++) {
        const struct result *result = &results->run[r];
        const char *end = result->record->end, *path = pool_copy(pool, text_cleaned(result->path).text);
        if (r == 0)
            comparison->files[side] =
                results->runs == 1 ? path : pool_print(pool, "%s and %u more", path, results->runs - 1);
        if (strcmp(end, "complete") != 0)
            add(comparison,
                pool_print(pool, "%s was %s: what it did not reach is missing", path, *end ? end : "broken off"));
        if (result_left_out(result) > 0)
            add(comparison, pool_print(pool, "%s is damaged: lines that make no sense were left out", path));
    }
}

void comparison_warn(struct comparison *comparison, const struct results side[SIDES])
{
    const struct record *first = side[OLD].runs > 0 ? side[OLD].run[0].record : NULL;
    struct pool *pool = &comparison->pool;
    const json_t *version;
    const char *name;
    for (unsigned s = 0; s < SIDES; s++)
        read_files(comparison, &side[s], s);
    for (unsigned i = 0; i < sizeof settings / sizeof *settings; i++)
        warn_words(comparison, side, settings[i].name, setting_of, &settings[i]);
    json_object_foreach (first ? json_object_get(first->head, "libraries") : NULL, name, version)
        warn_words(comparison, side, text_cleaned(name).text, setting_of, &(struct setting){ name, "libraries", name });
    for (unsigned i = 0; first && i < first->devices; i++)
        warn_words(comparison, side, pool_print(pool, "driver of %s", first->device[i].id), driver_of,
                   first->device[i].key);
    warn_words(comparison, side, "power", power_of, NULL);
}
