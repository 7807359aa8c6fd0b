#include "harness/report/plots/plots.h"

#include <string.h>

const char *plot_name(struct pool *pool, const struct plot_run *run, const char *name)
{
    return pool_print(pool, "%s%s%s", name, *run->letter ? "-" : "", run->letter);
}

const char *plot_title(struct pool *pool, const struct plot_run *run, const char *title)
{
    return pool_print(pool, "%s%s%s", title, *run->letter ? ", run " : "", run->letter);
}

const char *plot_problem(struct pool *pool, const struct answer_set *set, const struct cell_record *problem)
{
    char size[ANSWER_SIZE];
    bool has_types = false;
    for (unsigned i = 0; i < set->answers; i++)
        has_types |= strcmp(set->answer[i].problem->dtype, set->answer[0].problem->dtype) != 0;
    return pool_print(pool, "%s%s%s %s", problem->workload, has_types ? " " : "", has_types ? problem->dtype : "",
                      answer_size(size, problem));
}
