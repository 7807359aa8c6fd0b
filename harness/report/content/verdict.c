#include "harness/report/content/document_parts.h"

#include "harness/base/text.h"

/* "opencl:0 portable, mapped, CPU through OpenCL" */
static const char *verdict_title(struct pool *pool, const struct device *device, const struct figures *figures)
{
    char api[TEXT_NUMBER];
    bool is_api = device->class == CLASS_CPU && !device->works_in_host_memory;
    const char *method = figures ? figures->cell->method : "", *memory = figures ? figures->cell->memory : "";
    return pool_print(pool, "%s%s%s%s%s%s%s", device->id, *method ? " " : "", method, *memory ? ", " : "", memory,
                      is_api ? ", CPU through " : "", is_api ? device_api(api, device) : "");
}

static void append_answer(struct pool *pool, struct lines *out, const struct answer_set *set,
                          const struct answer *answer)
{
    const struct figure *stays = &answer->use[USE_RESIDENT], *moves = &answer->use[USE_COPIED];
    const struct figures *row = answer->row[USE_RESIDENT] ? answer->row[USE_RESIDENT] : answer->row[USE_COPIED];
    const char *title = verdict_title(pool, answer->device, row);
    lines_add(pool, out, title,
              pool_print(pool, moves->verdict == VERDICT_NONE ? "resident %s" : "resident %s; copied %s",
                         verdict_size(pool, &stays->speedup), verdict_size(pool, &moves->speedup)));
    for (enum use use = 0; use < USES; use++) {
        const char *why = why_words(pool, set, answer, use);
        if (*why)
            lines_add(pool, out, "why", why);
    }
    const char *uses = breakeven_words(pool, answer);
    if (*uses)
        lines_add(pool, out, "break-even", uses);
}

static const char *why_not(const struct figures figures[], unsigned count)
{
    const struct figures *baseline = figures_baseline(figures, count);
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        any |= figures[i].measured;
    return !any                           ? "nothing was measured"
           : !baseline                    ? "there is no baseline"
           : !figures_are_sound(baseline) ? "the baseline has no verified time"
                                          : "only the baseline was measured";
}

void verdict_append(struct pool *pool, struct lines *out, const struct answer_set *set,
                    const struct block_record *block)
{
    const struct figures *figures = set->figures[block - set->record->block];
    const unsigned before = out->lines;
    for (unsigned i = 0; i < set->parts; i++) {
        const struct answer *answer = answer_find(set, block, &set->part[i]);
        if (answer)
            append_answer(pool, out, set, answer);
    }
    if (out->lines == before && answer_is_question(figures, figures ? block->cells : 0))
        lines_add(pool, out, "not compared", why_not(figures, block->cells));
}
