#include "harness/report/plots/plot.h"

#include "harness/journal/results.h"
#include "harness/report/plots/drawing.h"

static void (*const plots[])(struct pictures *out, const struct answer_set *set) = { plot_speedups, plot_times,
                                                                                     plot_rooflines, plot_sweeps };

void plot_runs(struct pictures *out, const struct results *results, const struct answer_set answers[])
{
    for (unsigned i = 0; i < results->runs && !out->pool->is_short; i++) {
        const char *letter = results_letter_if_several(results, i);
        const unsigned first = out->count;
        for (unsigned k = 0; k < sizeof plots / sizeof *plots && !out->pool->is_short; k++)
            plots[k](out, &answers[i]);
        for (unsigned k = first; k < out->count; k++) {
            struct picture *picture = &out->picture[k];
            picture->run = i;
            picture->name = *letter ? pool_print(out->pool, "%s-%s", picture->name, letter) : picture->name;
            picture->title = *letter ? pool_print(out->pool, "%s, run %s", picture->title, letter) : picture->title;
        }
    }
}
