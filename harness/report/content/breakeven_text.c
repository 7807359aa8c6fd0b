#include "harness/report/content/breakeven_text.h"

#include "harness/analysis/decision_rules.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "12", "12,345", "1.2e+08": in full below a million. */
static const char *count_text(char to[TEXT_NUMBER], double count)
{
    if (count < 1000)
        snprintf(to, TEXT_NUMBER, "%.0f", count);
    else if (count < 1e6)
        snprintf(to, TEXT_NUMBER, "%d,%03d", (int)count / 1000, (int)count % 1000);
    else
        snprintf(to, TEXT_NUMBER, "%.2g", count);
    return to;
}

/* "4 uses", "4 [3, 6] uses" */
static const char *uses_text(struct pool *pool, const struct breakeven *breakeven)
{
    char value[TEXT_NUMBER], low[TEXT_NUMBER], high[TEXT_NUMBER];
    count_text(value, breakeven->uses);
    count_text(low, breakeven->low);
    count_text(high, breakeven->high);
    if (breakeven->low < breakeven->high)
        return pool_print(pool, "%s [%s, %s] uses", value, low, high);
    return pool_print(pool, "%s use%s", value, breakeven->uses == 1 ? "" : "s");
}

/* Only a lower bound of the number of uses is known. */
static bool is_if_ever(const struct breakeven *breakeven)
{
    return breakeven->outcome == BREAKEVEN_UNKNOWN && !isnan(breakeven->low) && isnan(breakeven->uses);
}

static bool has_no_interval(const struct breakeven *breakeven)
{
    return breakeven->outcome == BREAKEVEN_UNKNOWN && isnan(breakeven->low);
}

/* What follows "pays"; `of` names the data, or is "". */
static const char *phrase(struct pool *pool, const struct breakeven *breakeven, const char *of)
{
    char uses[TEXT_NUMBER];
    bool is_first = breakeven->uses == 1 && !(breakeven->high > 1);
    if (breakeven->outcome == BREAKEVEN_NEVER)
        return "never";
    if (breakeven->outcome != BREAKEVEN_UNTIL && is_first)
        return pool_print(pool, "from the first use%s", of);
    if (breakeven->outcome == BREAKEVEN_UNKNOWN && breakeven->uses == 1)
        return pool_print(pool, "at the first use%s, and perhaps at no later one", of);
    if (is_if_ever(breakeven))
        return pool_print(pool, "from %s use%s%s at the earliest, if ever", count_text(uses, breakeven->low),
                          breakeven->low == 1 ? "" : "s", of);
    if (breakeven->outcome == BREAKEVEN_UNKNOWN && isnan(breakeven->uses))
        return "perhaps never";
    return pool_print(pool, "%s %s%s", breakeven->outcome == BREAKEVEN_UNTIL ? "only up to" : "from",
                      uses_text(pool, breakeven), of);
}

/* Why the break-even is not known; NULL where it is. */
static const char *why_unknown(struct pool *pool, const struct cell_metrics *metrics, bool many)
{
    const struct breakeven *breakeven = metrics->breakeven;
    bool is_few = !metrics->is_offload_disturbed &&
                  (metrics->resident.samples < ESTIMATE_BLOCKS_MIN || metrics->offload.samples < ESTIMATE_BLOCKS_MIN);
    if (!has_no_interval(&breakeven[FETCH_ONCE]) && !has_no_interval(&breakeven[FETCH_EVERY_TIME]))
        return NULL;
    return pool_print(pool, "%s to judge from how many uses on %s (%s)",
                      is_few ? "ran too few rounds"
                      : many ? "were too disturbed"
                             : "was too disturbed",
                      many ? "they pay" : "it pays", is_few ? "--budget gives more" : "a larger --budget may help");
}

/* Neither a gain nor its absence could be shown. */
static bool is_in_doubt(const struct breakeven *breakeven)
{
    return breakeven->outcome == BREAKEVEN_UNKNOWN && isnan(breakeven->uses) && !(breakeven->low > 1);
}

const char *breakeven_text(struct pool *pool, const struct cell_metrics *metrics, bool many)
{
    static const char of_the_data[] = " of the same data";
    const struct breakeven *once = &metrics->breakeven[FETCH_ONCE], *always = &metrics->breakeven[FETCH_EVERY_TIME];
    const char *pays = many ? "pay" : "pays";
    if (!metrics->measured || once->outcome == BREAKEVEN_NONE)
        return "";
    if (decision_is_contradicted(metrics))
        return pool_print(pool,
                          "may pay or not: %s runs with the transfers and without them contradict each other, as "
                          "something disturbed them; repeat with a larger --budget",
                          many ? "their" : "its");
    if (once->outcome == BREAKEVEN_NEVER)
        return pool_print(pool, "never %s, however often the same data are used", pays);
    const char *why = why_unknown(pool, metrics, many);
    if (why && always->outcome == BREAKEVEN_NEVER)
        return pool_print(pool, "%s; never %s when the result is fetched at every use", why, pays);
    if (why)
        return why;
    if (is_in_doubt(once))
        return "may never pay: no gain could be shown";
    const char *first = phrase(pool, once, of_the_data);
    if (strcmp(first, phrase(pool, always, of_the_data)) == 0)
        return pool_print(pool, "%s %s, whether the result is fetched once or at every use", pays, first);
    return pool_print(pool, "%s %s%s when the result is fetched once, %s%s when it is fetched at every use", pays,
                      first, is_if_ever(once) ? "," : "", phrase(pool, always, ""), is_if_ever(always) ? "," : "");
}

/* A cell among others, with its method and its memory only where the device has several of them. */
static const char *name(struct pool *pool, const struct cell_metrics metrics[], unsigned count, unsigned at)
{
    const struct cell_record *cell = metrics[at].cell;
    bool has_methods = false, has_memories = false;
    for (unsigned i = 0; i < count; i++) {
        const struct cell_record *other = metrics[i].cell;
        if (strcmp(other->device_id, cell->device_id) != 0)
            continue;
        has_methods |= strcmp(other->method, cell->method) != 0;
        has_memories |= strcmp(other->memory, cell->memory) != 0;
    }
    const char *method = has_methods ? cell->method : "", *memory = has_memories ? cell->memory : "";
    return pool_print(pool, "%s%s%s%s%s", cell->device_id, *method ? " " : "", method, *memory ? " " : "", memory);
}

/* For each cell the first one with the same text, or `count` where there is nothing to say. False when memory is short.
 */
static bool find_same(struct pool *pool, const struct cell_metrics metrics[], unsigned count, unsigned same[])
{
    json_t *first = json_object(); /* by text */
    bool complete = first != NULL;
    for (unsigned i = 0; i < count && complete; i++) {
        const char *text = breakeven_text(pool, &metrics[i], false);
        const json_t *known = json_object_get(first, text);
        same[i] = !*text ? count : known ? (unsigned)json_integer_value(known) : i;
        if (same[i] == i)
            complete = json_object_set_new(first, text, json_integer(i)) == 0;
    }
    json_decref(first);
    return complete;
}

/* One sentence for the cells with the same text as the one at `at`: "a, b and c pay ...". */
static void append_sentence(struct pool *pool, struct lines *out, const struct cell_metrics metrics[], unsigned count,
                            const unsigned same[], unsigned at)
{
    struct string_builder line = { .pool = pool };
    unsigned cells = 0, left;
    for (unsigned i = at; i < count; i++)
        cells += same[i] == at;
    left = cells;
    for (unsigned i = at; i < count; i++)
        if (same[i] == at) {
            left--;
            string_append(&line, "%s%s", name(pool, metrics, count, i), left > 1 ? ", " : left == 1 ? " and " : "");
        }
    string_append(&line, " %s.", breakeven_text(pool, &metrics[at], cells > 1));
    lines_add(pool, out, "", string_text(&line));
}

/* Whether the cell is the first of its device in mapped memory, and the device, which shares the host's memory, has
 * cells in copied memory too. */
static bool is_fair_kind(const struct cell_metrics metrics[], unsigned count, unsigned at)
{
    const struct device *device = metrics[at].device;
    const char *memory = metrics[at].cell->memory;
    if (!device || !device->shares_host_memory || device->works_in_host_memory || !metrics[at].measured ||
        strcmp(memory, memory_name(MEMORY_MAPPED)) != 0)
        return false;
    bool is_first = true, has_others = false;
    for (unsigned i = 0; i < count; i++) {
        bool is_same = metrics[i].device == device && strcmp(metrics[i].cell->memory, memory) == 0;
        is_first &= !is_same || i >= at;
        has_others |= metrics[i].device == device && !is_same;
    }
    return is_first && has_others;
}

/* With shared memory a program needs no copy, so the time of a copy says nothing about the device. */
static void append_shared(struct pool *pool, struct lines *out, const struct cell_metrics metrics[], unsigned count)
{
    struct string_builder line = { .pool = pool };
    unsigned devices = 0;
    for (unsigned i = 0; i < count; i++)
        if (is_fair_kind(metrics, count, i))
            string_append(&line, "%s%s", devices++ > 0 ? ", " : "", metrics[i].device->id);
    string_append(&line, " share%s the host's memory: mapped is the fair kind.", devices > 1 ? "" : "s");
    if (devices > 0)
        lines_add(pool, out, "", string_text(&line));
}

void breakeven_text_append(struct pool *pool, struct lines *out, const struct cell_metrics metrics[], unsigned count)
{
    unsigned *same = calloc(count + 1, sizeof *same);
    pool->is_short |= !same || !find_same(pool, metrics, count, same);
    for (unsigned i = 0; !pool->is_short && i < count; i++)
        if (same[i] == i)
            append_sentence(pool, out, metrics, count, same, i);
    free(same);
    append_shared(pool, out, metrics, count);
}
