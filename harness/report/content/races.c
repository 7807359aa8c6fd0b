#include "harness/report/content/document_parts.h"

#include "harness/base/text.h"

#include <math.h>
#include <string.h>

static void append_name(struct string_builder *to, const struct contender_record *contender)
{
    const char *shape = contender->kernel_shape;
    string_append(to, "%s%s%s", contender->method, *shape ? " " : "", shape);
}

/* "openblas 12.1 ms", "portable 64x64x16 4x4 0.48x" by its speed over the leader's where it has no time of this size,
 * or why it has neither. */
static void describe(struct string_builder *to, const struct contender_record *contender)
{
    const struct error *outcome = &contender->outcome;
    append_name(to, contender);
    if (outcome->status != STATUS_OK)
        string_append(to, " %s%s%s", status_names[outcome->status], *outcome->message ? ": " : "", outcome->message);
    else if (!isnan(contender->run))
        string_append(to, " %s", pool_seconds(to->pool, contender->run));
    else if (contender->ratio > 0 && contender->end != RACE_MEASURED)
        string_append(to, " %.2fx", contender->ratio);
}

/* The contenders that ended so, each after what separates it from the one before. */
static void append_ended(struct string_builder *to, const struct race_record *race, enum race_end end,
                         const char *heading, bool *is_first)
{
    const char *before = heading;
    for (unsigned i = 0; i < race->contenders; i++) {
        if (race->contender[i].end != end)
            continue;
        string_append(to, "%s%s", *is_first ? "" : before == heading ? "; " : "", before);
        describe(to, &race->contender[i]);
        before = end == RACE_PASSED_OVER || end == RACE_FAILED ? "; " : ", ";
        *is_first = false;
    }
}

static void append_race(struct pool *pool, struct lines *out, const struct race_record *race)
{
    static const char *const headings[] = { [RACE_MEASURED] = "",
                                            [RACE_TIED] = "tied: ",
                                            [RACE_SLOWER] = "slower: ",
                                            [RACE_PASSED_OVER] = "without a time: ",
                                            [RACE_FAILED] = "" };
    struct string_builder line = { .pool = pool };
    bool is_first = true;
    string_append(&line, "%s", race->purpose == MEASURES_COPIED ? "with layout conversion: " : "");
    for (enum race_end end = RACE_MEASURED; end <= RACE_FAILED; end++) {
        if (end == RACE_PASSED_OVER && race->rounds > 0 && !is_first)
            string_append(&line, " (%u round%s)", race->rounds, race->rounds == 1 ? "" : "s");
        append_ended(&line, race, end, headings[end], &is_first);
    }
    lines_add(pool, out, pool_print(pool, "raced on %s", race->device_id), string_text(&line));
}

void races_append(struct pool *pool, struct lines *out, const struct block_record *block)
{
    for (unsigned i = 0; i < block->races; i++)
        append_race(pool, out, &block->race[i]);
}
