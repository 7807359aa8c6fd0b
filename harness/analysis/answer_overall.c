#include "harness/analysis/answer_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The direction that a transfer's shape names. */
static enum cost direction_of(const struct cell_record *cell)
{
    size_t length;
    const char *value = text_value(cell->shape, "direction", &length);
    if (value && length == strlen("down") && strncmp(value, "down", length) == 0)
        return COST_DOWNLOAD;
    return value && length == strlen("up") && strncmp(value, "up", length) == 0 ? COST_UPLOAD : COST_COUNT;
}

/* What the cell says of a cost; kind COST_COUNT: nothing. */
static struct answer_cost cost_of(const struct answer_set *set, const struct figures *row)
{
    struct answer_cost cost = { COST_COUNT, NULL, row };
    if (!figures_are_sound(row) || row->cell->is_link)
        return cost;
    const unsigned part = set->part_of[row->device - set->record->device];
    cost.part = part == NO_PART ? NULL : &set->part[part];
    if (row->launches.is_launch && row->launches.count == 1)
        cost.kind = strcmp(row->cell->method, "graph") == 0 ? COST_GRAPH : COST_LAUNCH;
    else if (row->only_moves && !(row->cell->flops > 0))
        cost.kind = direction_of(row->cell);
    return cost;
}

/* The higher bandwidth, or the shorter launch. */
static bool is_cheaper(const struct answer_cost *held, const struct answer_cost *one)
{
    return one->kind >= COST_LAUNCH ? one->row->time.value < held->row->time.value
                                    : one->row->bandwidth > held->row->bandwidth;
}

static void add_cost(struct answer_set *set, const struct answer_cost *one)
{
    unsigned at = 0;
    while (at < set->costs && (set->cost[at].part != one->part || set->cost[at].kind != one->kind ||
                               set->cost[at].row->costs.no_copy != one->row->costs.no_copy))
        at++;
    if (at == set->costs)
        set->cost[set->costs++] = *one;
    else if (is_cheaper(&set->cost[at], one))
        set->cost[at] = *one;
}

bool answer_costs_read(struct answer_set *set)
{
    const struct record *record = set->record;
    set->cost = pool_take(&set->pool, (2 * COST_COUNT * set->parts + 1) * sizeof *set->cost);
    for (unsigned i = 0; i < record->blocks && !set->pool.is_short; i++)
        for (unsigned k = 0; set->figures[i] && k < record->block[i].cells; k++) {
            const struct answer_cost cost = cost_of(set, &set->figures[i][k]);
            if (cost.kind < COST_COUNT && cost.part)
                add_cost(set, &cost);
        }
    return !set->pool.is_short;
}

static bool is_same_workload(const struct cell_record *one, const struct cell_record *other)
{
    return strcmp(one->workload, other->workload) == 0 && strcmp(one->dtype, other->dtype) == 0;
}

static double size_of(const struct cell_record *problem)
{
    return problem->flops > 0 ? problem->flops : problem->bytes > 0 ? problem->bytes : 0;
}

static int by_rank(const void *a, const void *b)
{
    const struct answer *one = a, *other = b;
    const double size = size_of(one->problem), other_size = size_of(other->problem);
    if (one->part != other->part)
        return one->part < other->part ? -1 : 1;
    if (one->workload != other->workload)
        return one->workload < other->workload ? -1 : 1;
    if (size < other_size || size > other_size)
        return size < other_size ? -1 : 1;
    return (one->place > other->place) - (one->place < other->place);
}

/* Of a part by workload, in the order in which these appear, and by size. */
static void sort_answers(struct answer_set *set)
{
    for (unsigned i = 0; i < set->answers; i++) {
        struct answer *answer = &set->answer[i];
        answer->place = i;
        answer->workload = 0;
        while (!is_same_workload(set->answer[answer->workload].problem, answer->problem)) /* there are few */
            answer->workload++;
    }
    qsort(set->answer, set->answers, sizeof *set->answer, by_rank);
}

/* The part gets the API that most of its answers rest on, by the first device in the list: one row that failed changes
 * nothing. */
static void choose_device(struct answer_set *set, struct answer_part *part)
{
    unsigned most = 0;
    for (unsigned i = 0; i < set->record->devices; i++) {
        const struct device *device = &set->record->device[i];
        unsigned answers = 0;
        for (const struct answer *one = set->answer; one < set->answer + set->answers; one++)
            answers += one->part == part && one->device && strcmp(one->device->backend, device->backend) == 0 &&
                       (one->use[USE_RESIDENT].verdict != VERDICT_NONE || one->use[USE_COPIED].verdict != VERDICT_NONE);
        if (set->part_of[i] == part - set->part && answers > most) {
            most = answers;
            part->device = device;
        }
    }
}

bool answer_workloads_read(struct answer_set *set)
{
    sort_answers(set);
    for (unsigned i = 1; i < set->answers; i++)
        set->has_types |= strcmp(set->answer[i].problem->dtype, set->answer[0].problem->dtype) != 0;
    for (unsigned i = 0; i < set->answers;) {
        const struct answer *first = &set->answer[i];
        struct answer_part *part = &set->part[first->part - set->part];
        struct answer_workload workload = { .first = i };
        for (; i < set->answers && set->answer[i].part == part && set->answer[i].workload == first->workload; i++)
            workload.count++;
        pool_add(&set->pool, &part->workload, &part->workloads, &workload, sizeof workload);
    }
    for (unsigned i = 0; i < set->parts; i++)
        choose_device(set, &set->part[i]);
    return !set->pool.is_short;
}

/* "100G", "40M", "200K", "2048": whole thousands, millions and billions in short. */
static void append_count(struct string_builder *to, const char *value, size_t length)
{
    char *end;
    const struct text digits = text_print("%.*s", (int)length, value);
    unsigned long long count = strtoull(digits.text, &end, 10);
    if (*end || length == 0 || length > 15)
        string_append(to, "%s", digits.text);
    else if (count >= 1000000000 && count % 100000000 == 0)
        string_append(to, "%.10gG", (double)count / 1e9);
    else if (count >= 1000000 && count % 100000 == 0)
        string_append(to, "%.10gM", (double)count / 1e6);
    else if (count >= 10000 && count % 1000 == 0)
        string_append(to, "%lluK", count / 1000);
    else
        string_append(to, "%llu", count);
}

/* The value of a dimension "k=64"; all of a part without a name. */
static const char *value_of(const char *part)
{
    size_t name = strcspn(part, "=,");
    return part[name] == '=' ? part + name + 1 : part;
}

static bool are_equal(const char *shape)
{
    const char *first = value_of(shape);
    const size_t first_length = strcspn(first, ",");
    for (const char *part = text_next_part(shape); part; part = text_next_part(part)) {
        const char *value = value_of(part);
        const size_t length = strcspn(value, ",");
        if (length != first_length || strncmp(first, value, length) != 0)
            return false;
    }
    return true;
}

const char *answer_size(struct pool *pool, const struct cell_record *problem)
{
    enum { SHOWN = 3 };
    struct string_builder to = { .pool = pool };
    const char *part = problem->shape;
    bool was_word = false, has_bytes = false;
    for (unsigned i = 0; part && i < (are_equal(problem->shape) ? 1 : SHOWN); i++, part = text_next_part(part)) {
        const char *value = value_of(part);
        const bool is_word = isalpha((unsigned char)*value);
        if (has_bytes && !is_word)
            continue; /* how often the same bytes are used */
        string_append(&to, "%s", i == 0 ? "" : is_word || was_word ? " " : "x");
        was_word = is_word;
        has_bytes = strncmp(part, "bytes=", strlen("bytes=")) == 0;
        if (has_bytes)
            string_append(&to, "%s", text_binary(strtod(value, NULL)).text);
        else
            append_count(&to, value, strcspn(value, ","));
    }
    for (; part && isalpha((unsigned char)*value_of(problem->shape)); part = text_next_part(part))
        if (isalpha((unsigned char)*value_of(part)) && strncmp(value_of(part), "all", 3) != 0)
            string_append(&to, " %.*s", (int)strcspn(part, ","), part);
    return string_text(&to);
}
