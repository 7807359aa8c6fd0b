/* What races leave in a record: who took part, who was chosen, and who tied with it. */

#include "harness/base/text.h"
#include "harness/journal/record_members.h"

#include <math.h>
#include <string.h>

const char *const measures_names[] = {
    [MEASURES_BOTH] = "both",
    [MEASURES_RESIDENT] = "resident",
    [MEASURES_COPIED] = "copied",
};
const char *const race_end_names[] = {
    [RACE_MEASURED] = "measured",       [RACE_TIED] = "tied",     [RACE_SLOWER] = "slower",
    [RACE_PASSED_OVER] = "passed-over", [RACE_FAILED] = "failed",
};
enum {
    MEASURES = sizeof measures_names / sizeof *measures_names,
    ENDS = sizeof race_end_names / sizeof *race_end_names
};

enum measures record_measures(const json_t *line, const char *member)
{
    unsigned found = name_find(journal_text(line, member), measures_names, MEASURES);
    return found < MEASURES ? (enum measures)found : MEASURES_BOTH;
}

void record_read_choice(struct record *record, struct cell_record *cell, const json_t *line)
{
    bool has_two = json_is_string(json_object_get(line, "baseline_copied"));
    cell->baseline_copied = has_two ? text_member(&record->pool, line, "baseline_copied", TEXT_ROOM) : cell->baseline;
    cell->measures = record_measures(line, "measures");
}

static unsigned count_member(const json_t *line, const char *name)
{
    double count = number_member(line, name);
    return count <= UINT32_MAX ? (unsigned)count : 0;
}

/* An unknown end is that of a contender without a speed. */
static enum race_end read_end(const json_t *line)
{
    unsigned found = name_find(journal_text(line, "end"), race_end_names, ENDS);
    return found < ENDS ? (enum race_end)found : RACE_PASSED_OVER;
}

static void read_contender(struct pool *pool, struct contender_record *out, const json_t *line)
{
    *out = (struct contender_record){
        .method = text_member(pool, line, "method", NAME_ROOM),
        .kernel_shape = text_member(pool, line, "kernel_shape", NAME_ROOM),
        .end = read_end(line),
        .rounds = count_member(line, "rounds"),
        .ratio = number_member(line, "ratio"),
        .run = time_member(line, "wall_ns"),
        .first = time_member(line, "first_ns"),
    };
    record_read_outcome(&out->outcome, line);
    /* A kernel shape that lost in tuning, where no worker is opened for it: that may have been at another size. */
    if (*out->kernel_shape && isnan(out->first) && out->end != RACE_MEASURED)
        out->run = NAN;
}

static int read_settled(const json_t *member)
{
    return json_is_boolean(member) ? json_is_true(member) : -1;
}

static bool is_same_race(const struct race_record *a, const struct race_record *b)
{
    return a->purpose == b->purpose && strcmp(a->device_id, b->device_id) == 0 && strcmp(a->memory, b->memory) == 0;
}

/* A later race of the same row replaces the earlier one. */
bool record_add_race(struct record *record, const json_t *line, struct error *err)
{
    struct pool *pool = &record->pool;
    const json_t *contenders = json_object_get(line, "contenders"), *contender;
    size_t i, count = json_array_size(contenders);
    struct block_record *block = record_block(record, line);
    if (!block)
        return out_of_memory(err);
    block->race = pool_grow(pool, block->race, block->races, &block->race_room, sizeof *block->race);
    struct contender_record *taken = count > 0 ? pool_take(pool, count * sizeof *taken) : NULL;
    if (pool->is_short)
        return out_of_memory(err);
    const struct race_record race = {
        .device_id = text_member(pool, line, "device", NAME_ROOM),
        .memory = text_member(pool, line, "memory", NAME_ROOM),
        .purpose = record_measures(line, "for"),
        .origin = text_member(pool, line, "origin", NAME_ROOM),
        .settled = read_settled(json_object_get(line, "settled")),
        .rounds = count_member(line, "rounds"),
        .contender = taken,
        .contenders = (unsigned)count,
    };
    if (pool->is_short)
        return out_of_memory(err);
    unsigned at = 0;
    while (at < block->races && !is_same_race(&block->race[at], &race))
        at++;
    block->race[at] = race;
    block->races += at == block->races;
    json_array_foreach (contenders, i, contender)
        read_contender(pool, &taken[i], contender);
    return true;
}

static struct contender_record *find_contender(const struct race_record *race, const char *method)
{
    for (unsigned i = 0; i < race->contenders; i++)
        if (strcmp(race->contender[i].method, method) == 0)
            return &race->contender[i];
    return NULL;
}

void record_exchange(struct block_record *block, const struct cell_record *out, const struct cell_record *in)
{
    for (unsigned i = 0; i < block->races; i++) {
        const struct race_record *race = &block->race[i];
        struct contender_record *loser = find_contender(race, out->method), *winner = find_contender(race, in->method);
        if (loser && winner && loser->end == RACE_MEASURED && strcmp(race->device_id, out->device_id) == 0 &&
            strcmp(race->memory, out->memory) == 0) {
            winner->end = RACE_MEASURED;
            loser->end = RACE_TIED;
        }
    }
}

const struct race_record *record_race(const struct block_record *block, const struct cell_record *cell)
{
    const enum measures purpose = cell->measures == MEASURES_COPIED ? MEASURES_COPIED : MEASURES_RESIDENT;
    const struct race_record *found = NULL;
    for (unsigned i = 0; i < block->races; i++) {
        const struct race_record *race = &block->race[i];
        if (race->purpose != purpose || strcmp(race->device_id, cell->device_id) != 0 ||
            !find_contender(race, cell->method))
            continue;
        if (strcmp(race->memory, cell->memory) == 0)
            return race;
        found = found ? found : race;
    }
    return found;
}
