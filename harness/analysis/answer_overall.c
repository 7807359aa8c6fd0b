#include "harness/analysis/answer_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_of_cost(const struct figures *row, enum cost cost)
{
    const bool is_graph = strcmp(row->cell->method, "graph") == 0;
    if (cost >= COST_LAUNCH)
        return row->launches.is_launch && row->launches.count == 1 && is_graph == (cost == COST_GRAPH);
    return row->only_moves && row->bandwidth > 0 &&
           text_has_part(row->cell->shape, ',', cost == COST_UPLOAD ? "direction=up" : "direction=down");
}

const struct figures *answer_cost(const struct answer_set *set, const struct answer_part *part, enum cost cost)
{
    const struct record *record = set->record;
    const struct figures *best = NULL;
    for (unsigned i = 0; i < record->blocks; i++)
        for (unsigned k = 0; set->figures[i] && k < record->block[i].cells; k++) {
            const struct figures *row = &set->figures[i][k];
            if (figures_are_sound(row) && set->part_of[row->device - record->device] == part - set->part &&
                is_of_cost(row, cost) &&
                (!best ||
                 (cost >= COST_LAUNCH ? row->time.value < best->time.value : row->bandwidth > best->bandwidth)))
                best = row;
        }
    return best;
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
    return (one->block > other->block) - (one->block < other->block); /* of the same record */
}

/* Of a part by workload, in the order in which these appear, and by size. */
static void sort_answers(struct answer_set *set)
{
    for (unsigned i = 0; i < set->answers; i++) {
        struct answer *answer = &set->answer[i];
        answer->workload = 0;
        while (!is_same_workload(set->answer[answer->workload].problem, answer->problem)) /* there are few */
            answer->workload++;
    }
    qsort(set->answer, set->answers, sizeof *set->answer, by_rank);
}

/* The first in the list that is of the part and of the API of its first answer that compares. */
static void choose_device(const struct answer_set *set, struct answer_part *part)
{
    const struct answer *one = set->answer, *end = set->answer + set->answers;
    while (one < end && (one->part != part || (one->use[USE_RESIDENT].verdict == VERDICT_NONE &&
                                               one->use[USE_COPIED].verdict == VERDICT_NONE)))
        one++;
    for (unsigned i = set->record->devices; i-- > 0 && one < end;)
        if (set->part_of[i] == part - set->part && strcmp(set->record->device[i].backend, one->device->backend) == 0)
            part->device = &set->record->device[i];
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
    struct string_builder to = { .pool = pool };
    unsigned numbers = are_equal(problem->shape) ? 1 : 3; /* still to be shown */
    const bool has_kind = isalpha((unsigned char)*value_of(problem->shape));
    bool was_word = false;
    for (const char *part = problem->shape; part; part = text_next_part(part)) {
        const char *value = value_of(part);
        const bool is_word = isalpha((unsigned char)*value), is_bytes = strncmp(part, "bytes=", strlen("bytes=")) == 0;
        if (is_word ? strncmp(value, "all", 3) == 0 : numbers == 0)
            continue;
        const char *shown = has_kind && is_word && part != problem->shape ? part : value; /* older: "threads=one" */
        string_append(&to, "%s", part == problem->shape ? "" : is_word || was_word ? " " : "x");
        if (is_bytes)
            string_append(&to, "%s", text_binary(strtod(value, NULL)).text);
        else
            append_count(&to, shown, strcspn(shown, ","));
        numbers = is_bytes ? 0 : numbers - !is_word; /* behind them: how often the same bytes are used */
        was_word = is_word;
    }
    return string_text(&to);
}
