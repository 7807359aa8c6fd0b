#include "harness/report/plots/plots.h"

const char *plot_name(struct pool *pool, const struct plot_run *run, const char *name)
{
    return pool_print(pool, "%s%s%s", name, *run->letter ? "-" : "", run->letter);
}

const char *plot_title(struct pool *pool, const struct plot_run *run, const char *title)
{
    return pool_print(pool, "%s%s%s", title, *run->letter ? ", run " : "", run->letter);
}

const char *plot_problem(struct pool *pool, const struct plot_run *run, const struct cell_record *problem)
{
    char size[ANSWER_SIZE];
    const char *type = run->has_types ? problem->dtype : "";
    return pool_print(pool, "%s%s%s %s", problem->workload, *type ? " " : "", type, answer_size(size, problem));
}
