#include "harness/report/content/claims.h"

#include "harness/analysis/naive.h"
#include "harness/base/text.h"

#include <string.h>

const char *const claim_outcomes[] = {
    [CLAIM_OTHER_CHIP] = "not this chip",
    [CLAIM_UNCLEAR] = "unclear",
    [CLAIM_AGREES] = "agrees",
    [CLAIM_DIFFERS] = "differs",
};

static bool names_chip(const struct claim *claim, const struct answer *answer)
{
    return claim->chip && strstr(answer->part->device->name, claim->chip);
}

/* The answer to the claim's problem at a shape; that of the chip it names comes first. */
static const struct answer *find(const struct answer_set *set, const struct claim *claim, const char *shape)
{
    const struct answer *found = NULL;
    for (unsigned i = 0; i < set->answers; i++) {
        const struct answer *one = &set->answer[i];
        bool is_same = strcmp(one->problem->workload, claim->workload) == 0 &&
                       strcmp(one->problem->dtype, claim->dtype) == 0 && strcmp(one->problem->shape, shape) == 0;
        if (is_same && (!found || (names_chip(claim, one) && !names_chip(claim, found))))
            found = one;
    }
    return found;
}

enum claim_outcome claim_check(const struct answer_set *set, const struct claim *claim, const struct answer **answer)
{
    *answer = find(set, claim, claim->shape);
    if (!*answer || !names_chip(claim, *answer))
        return CLAIM_OTHER_CHIP;
    const struct figure *here = &(*answer)->use[USE_RESIDENT];
    enum verdict verdict = here->verdict;
    if (claim->smaller) {
        const struct answer *smaller = find(set, claim, claim->smaller);
        const struct estimate *was = smaller ? &smaller->use[USE_RESIDENT].speedup : &estimate_unknown;
        verdict = here->speedup.low > was->high   ? VERDICT_FASTER
                  : here->speedup.high < was->low ? VERDICT_SLOWER
                                                  : VERDICT_UNCLEAR; /* also without an interval */
    }
    if (verdict <= VERDICT_UNCLEAR)
        return CLAIM_UNCLEAR;
    return verdict == claim->says ? CLAIM_AGREES : CLAIM_DIFFERS;
}

const char *naive_words(struct pool *pool, const struct answer_set *set, const struct answer *answer)
{
    const struct figures *row = answer->row[USE_RESIDENT];
    const struct estimate ratio = row ? naive_speedup(set->record, row->cell) : estimate_unknown;
    if (isnan(ratio.value))
        return "not timed";
    return pool_print(pool, "%s (%s - %s)", text_figure(ratio.value).text, text_figure(ratio.low).text,
                      text_figure(ratio.high).text);
}

void naive_add(struct document *out, const struct figures figures[], unsigned count)
{
    struct pool *pool = &out->pool;
    for (unsigned i = 0; i < count; i++) {
        const struct cell_record *cell = figures[i].cell;
        struct naive naive;
        struct string_builder line = { .pool = pool };
        naive_read(&naive, cell);
        if (naive.processes == 0)
            continue;
        if (isnan(naive.wall))
            string_append(&line, "%s", status_names[naive.outcome.status]);
        else
            string_append(&line,
                          "%s (%s - %s) in %u processes; of these allocate %s, run %s, print %s; %s times a warm run",
                          text_seconds(naive.wall).text, text_seconds(naive.least).text, text_seconds(naive.most).text,
                          naive.processes - naive.failed, text_seconds(naive.middle.alloc).text,
                          text_seconds(naive.middle.run).text, text_seconds(naive.middle.fetch).text,
                          text_figure(naive.wall / figures[i].time.value).text);
        if (naive.middle.faults >= 1 && !isnan(naive.wall)) /* scripted devices have none */
            string_append(&line, "; %.0f page faults", naive.middle.faults);
        document_line(out, ABOUT_VERDICT, pool_print(pool, "timed naively, %s %s", cell->device_id, cell->method), "%s",
                      string_text(&line));
    }
}
