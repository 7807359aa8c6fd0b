#include "harness/report/content/breakeven_text.h"

#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "12", "12,345", "1.2e+08": whole while a reader takes in whole numbers. */
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

enum { USES_ROOM = 4 * TEXT_NUMBER };

/* "4 uses", "4 [3, 6] uses" */
static const char *uses_text(char to[USES_ROOM], const struct breakeven *breakeven)
{
    char value[TEXT_NUMBER], low[TEXT_NUMBER], high[TEXT_NUMBER];
    count_text(value, breakeven->uses);
    count_text(low, breakeven->low);
    count_text(high, breakeven->high);
    if (breakeven->low < breakeven->high)
        snprintf(to, USES_ROOM, "%s [%s, %s] uses", value, low, high);
    else
        snprintf(to, USES_ROOM, "%s use%s", value, breakeven->uses == 1 ? "" : "s");
    return to;
}

enum { PHRASE_ROOM = USES_ROOM + 64 };

/* Not before some use is known, and no more than that. */
static bool is_if_ever(const struct breakeven *breakeven)
{
    return breakeven->outcome == BREAKEVEN_UNKNOWN && !isnan(breakeven->low) && isnan(breakeven->uses);
}

/* The medians tell something, which may be chance. */
static bool has_no_interval(const struct breakeven *breakeven)
{
    return breakeven->outcome == BREAKEVEN_UNKNOWN && isnan(breakeven->low);
}

/* What follows "pays"; `of` is the data, where that is worth saying again. */
static void phrase(char to[PHRASE_ROOM], const struct breakeven *breakeven, const char *of)
{
    char uses[USES_ROOM];
    bool is_first = breakeven->uses == 1 && !(breakeven->high > 1);
    if (breakeven->outcome == BREAKEVEN_NEVER)
        snprintf(to, PHRASE_ROOM, "never");
    else if (breakeven->outcome != BREAKEVEN_UNTIL && is_first)
        snprintf(to, PHRASE_ROOM, "from the first use%s", of);
    else if (breakeven->outcome == BREAKEVEN_UNKNOWN && breakeven->uses == 1)
        snprintf(to, PHRASE_ROOM, "at the first use%s, and perhaps at no later one", of);
    else if (is_if_ever(breakeven))
        snprintf(to, PHRASE_ROOM, "from %s use%s%s at the earliest, if ever", count_text(uses, breakeven->low),
                 breakeven->low == 1 ? "" : "s", of);
    else if (breakeven->outcome == BREAKEVEN_UNKNOWN && isnan(breakeven->uses))
        snprintf(to, PHRASE_ROOM, "perhaps never");
    else
        snprintf(to, PHRASE_ROOM, "%s %s%s", breakeven->outcome == BREAKEVEN_UNTIL ? "only up to" : "from",
                 uses_text(uses, breakeven), of);
}

/* What cannot be judged, and why; "" where it can. */
static void excuse(char to[PHRASE_ROOM], const struct cell_metrics *metrics, bool many)
{
    const struct breakeven *breakeven = metrics->breakeven;
    bool is_few = !metrics->is_offload_disturbed &&
                  (metrics->resident.samples < ESTIMATE_BLOCKS_MIN || metrics->offload.samples < ESTIMATE_BLOCKS_MIN);
    *to = '\0';
    if (has_no_interval(&breakeven[FETCH_ONCE]) || has_no_interval(&breakeven[FETCH_EVERY_TIME]))
        snprintf(to, PHRASE_ROOM, "%s to judge from how many uses on %s (%s)",
                 is_few ? "ran too few rounds"
                 : many ? "were too disturbed"
                        : "was too disturbed",
                 many ? "they pay" : "it pays", is_few ? "--budget gives more" : "a larger --budget may help");
}

/* Nothing shows that there is anything to gain, nor that there is not. */
static bool is_in_doubt(const struct breakeven *breakeven)
{
    return breakeven->outcome == BREAKEVEN_UNKNOWN && isnan(breakeven->uses) && !(breakeven->low > 1);
}

static bool is_contradicted(const struct cell_metrics *metrics)
{
    return metrics->breakeven[FETCH_ONCE].outcome == BREAKEVEN_CONTRADICTED ||
           metrics->breakeven[FETCH_EVERY_TIME].outcome == BREAKEVEN_CONTRADICTED;
}

void breakeven_text_write(char to[PAYOFF_ROOM], const struct cell_metrics *metrics, bool many)
{
    static const char of_the_data[] = " of the same data";
    const struct breakeven *once = &metrics->breakeven[FETCH_ONCE], *always = &metrics->breakeven[FETCH_EVERY_TIME];
    const char *pays = many ? "pay" : "pays";
    char first[PHRASE_ROOM], second[PHRASE_ROOM], why[PHRASE_ROOM];
    phrase(first, once, of_the_data);
    phrase(second, always, of_the_data);
    excuse(why, metrics, many);
    *to = '\0';
    if (!metrics->measured || once->outcome == BREAKEVEN_NONE)
        return;
    if (is_contradicted(metrics))
        snprintf(to, PAYOFF_ROOM,
                 "may pay or not: %s runs with the transfers and without them contradict each other, as something "
                 "disturbed them; repeat with a larger --budget",
                 many ? "their" : "its");
    else if (once->outcome == BREAKEVEN_NEVER)
        snprintf(to, PAYOFF_ROOM, "never %s, however often the same data are used", pays);
    else if (*why)
        snprintf(to, PAYOFF_ROOM, "%s%s%s%s", why, always->outcome == BREAKEVEN_NEVER ? "; never " : "",
                 always->outcome == BREAKEVEN_NEVER ? pays : "",
                 always->outcome == BREAKEVEN_NEVER ? " when the result is fetched at every use" : "");
    else if (is_in_doubt(once))
        snprintf(to, PAYOFF_ROOM, "may never pay: no gain could be shown");
    else if (strcmp(first, second) == 0)
        snprintf(to, PAYOFF_ROOM, "%s %s, whether the result is fetched once or at every use", pays, first);
    else {
        phrase(second, always, "");
        snprintf(to, PAYOFF_ROOM, "%s %s%s when the result is fetched once, %s%s when it is fetched at every use", pays,
                 first, is_if_ever(once) ? "," : "", second, is_if_ever(always) ? "," : "");
    }
}

/* A cell among others: by its method and its memory only where the device has several of them. */
static void name(char *to, size_t room, const struct cell_metrics metrics[], unsigned count, unsigned at)
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
    snprintf(to, room, "%.24s%s%.64s%s%.64s", cell->device_id, *method ? " " : "", method, *memory ? " " : "", memory);
    text_clean(to, room, to); /* may have been cut within a character */
}

/* The cells that are like the one at `at`, as "a", "a and b", "a, b and c". */
static void print_names(const struct cell_metrics metrics[], unsigned count, const unsigned like[], unsigned at,
                        FILE *out)
{
    unsigned left = 0;
    char text[192];
    for (unsigned i = at; i < count; i++)
        left += like[i] == at;
    for (unsigned i = at; i < count; i++) {
        if (like[i] != at)
            continue;
        name(text, sizeof text, metrics, count, i);
        left--;
        fprintf(out, "%s%s", text, left > 1 ? ", " : left == 1 ? " and " : "");
    }
}

/* The first cell that says the same as each, or `count` where it says nothing. False when memory is short. */
static bool find_like(const struct cell_metrics metrics[], unsigned count, unsigned like[])
{
    char says[PAYOFF_ROOM];
    json_t *first = json_object(); /* by what is said */
    bool complete = first != NULL;
    for (unsigned i = 0; i < count && complete; i++) {
        breakeven_text_write(says, &metrics[i], false);
        const json_t *known = json_object_get(first, says);
        like[i] = !*says ? count : known ? (unsigned)json_integer_value(known) : i;
        if (like[i] == i)
            complete = json_object_set_new(first, says, json_integer(i)) == 0;
    }
    json_decref(first);
    return complete;
}

/* One sentence for the cells that say what the cell at `at` does. */
static void append_breakeven_text(struct pool *pool, struct lines *out, const struct cell_metrics metrics[],
                                  unsigned count, const unsigned like[], unsigned at)
{
    char says[PAYOFF_ROOM];
    struct words words;
    unsigned cells = 0;
    if (!words_begin(pool, &words))
        return;
    for (unsigned i = at; i < count; i++)
        cells += like[i] == at;
    print_names(metrics, count, like, at, words.out);
    breakeven_text_write(says, &metrics[at], cells > 1);
    fprintf(words.out, " %s.", says);
    lines_add(pool, out, "", words_end(pool, &words));
}

/* The first cell in data born in the memory of a device that shares it with the host, where others of the device are
 * copied. */
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

/* Where host and device share their memory, a copy that a program need not make tells nothing about the device. */
static void say_fair(struct pool *pool, struct lines *out, const struct cell_metrics metrics[], unsigned count)
{
    char text[PAYOFF_ROOM] = "";
    unsigned devices = 0;
    for (unsigned i = 0; i < count; i++) {
        size_t used = strlen(text);
        if (is_fair_kind(metrics, count, i))
            snprintf(text + used, sizeof text - used, "%s%.24s", devices++ > 0 ? ", " : "", metrics[i].device->id);
    }
    if (devices > 0)
        lines_print(pool, out, "", "%s share%s the host's memory: mapped is the fair kind.", text,
                    devices > 1 ? "" : "s");
}

void breakeven_text_append(struct pool *pool, struct lines *out, const struct cell_metrics metrics[], unsigned count)
{
    unsigned *like = calloc(count + 1, sizeof *like);
    pool->is_short |= !like || !find_like(metrics, count, like);
    for (unsigned i = 0; !pool->is_short && i < count; i++)
        if (like[i] == i)
            append_breakeven_text(pool, out, metrics, count, like, i);
    free(like);
    say_fair(pool, out, metrics, count);
}
