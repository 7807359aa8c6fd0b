/* What races leave in a record: who took part, who was chosen, and who tied with it. */

#include "harness/journal/record_parts.h"

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
static bool is_same_race(const struct race_record *a, const struct race_record *b)
{
    return a->purpose == b->purpose && strcmp(a->device_id, b->device_id) == 0 && strcmp(a->memory, b->memory) == 0;
}

/* A later race of the same row replaces the earlier one. */
bool record_add_race(struct record *record, struct cell_record *cell, const struct journal_line *line,
                     struct error *err)
{
    struct block_record *block = record_block(record, line->block);
    if (!block)
        return out_of_memory(err);
    unsigned at = 0;
    while (at < block->races && !is_same_race(&block->race[at], &line->race))
        at++;
    if (at < block->races)
        block->race[at] = line->race;
    else if (!pool_add(&record->pool, &block->race, &block->races, &line->race, sizeof line->race))
        return out_of_memory(err);
    for (unsigned i = 0; i < line->race.contenders; i++) {
        struct contender_record *one = &line->race.contender[i];
        record_settle_outcome(&one->outcome, one->log);
        /* A kernel shape that lost in tuning, where no worker is opened for it: that may have been at another size. */
        if (*one->kernel_shape && isnan(one->first) && one->end != RACE_MEASURED)
            one->run = NAN;
    }
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
