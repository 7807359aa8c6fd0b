#include "harness/report/plots/plot.h"

#include "harness/report/plots/gnuplot.h"
#include "harness/report/plots/plots.h"

#include <stdio.h>
#include <stdlib.h>

static void (*const plots[])(struct drawings *out, const struct results *results) = {
    plot_speedups, plot_parts, plot_rooflines, plot_sweeps, plot_drift,
};

static const double timeout = 10; /* seconds for all pictures, which normally take one */

static void draw(struct pictures *out, const struct drawing *drawing, struct gnuplot *gnuplot, struct error *err)
{
    char *drawn = gnuplot_draw(gnuplot, DRAWING_WIDTH, drawing->height, string_text(&drawing->script), err);
    char *svg = drawn ? drawing_finish_svg(drawing, drawn, err) : NULL;
    free(drawn);
    if (svg)
        out->picture[out->count++] = (struct picture){
            .name = pool_copy(&out->pool, drawing->name),
            .title = drawing->title,
            .caption = drawing->caption,
            .svg = svg,
        };
}

/* A failed picture does not affect the others; the first reason is kept. */
static void draw_all(struct pictures *out, struct drawings *drawings, struct error *err)
{
    struct gnuplot *gnuplot = gnuplot_start(timeout, err);
    for (unsigned i = 0; gnuplot && i < drawings->count; i++)
        draw(out, &drawings->drawing[i], gnuplot, err);
    gnuplot_end(gnuplot);
}

static void explain_missing(struct pictures *out, const struct error *reason, unsigned left_out)
{
    if (reason->status == STATUS_UNSUPPORTED)
        snprintf(out->missing, sizeof out->missing, "There are no pictures: %s.", reason->message);
    else if (reason->status != STATUS_OK)
        snprintf(out->missing, sizeof out->missing, "%s are missing: gnuplot %s.",
                 out->count > 0 ? "Some pictures" : "Pictures", reason->message);
    else if (left_out > 0)
        snprintf(out->missing, sizeof out->missing, "There would be %u picture%s more: report fewer journals at once.",
                 left_out, left_out == 1 ? "" : "s");
}

bool pictures_make(struct pictures *out, const struct results *results, struct error *err)
{
    struct error reason = { .status = STATUS_OK };
    struct drawings *drawings = calloc(1, sizeof *drawings);
    *out = (struct pictures){ .picture = NULL };
    for (unsigned i = 0; drawings && i < sizeof plots / sizeof *plots; i++)
        plots[i](drawings, results);
    if (drawings) {
        out->pool = drawings->pool; /* with the texts of all drawings */
        out->picture = pool_take(&out->pool, (drawings->count + 1) * sizeof *out->picture);
    }
    bool complete = drawings && !out->pool.is_short;
    if (complete && drawings->count > 0)
        draw_all(out, drawings, &reason);
    complete = complete && !out->pool.is_short && reason.status != STATUS_NO_MEMORY;
    if (complete)
        explain_missing(out, &reason, drawings->left_out);
    free(drawings);
    return complete || fail(err, STATUS_NO_MEMORY, "no memory for pictures");
}

void pictures_release(struct pictures *pictures)
{
    for (unsigned i = 0; i < pictures->count; i++)
        free(pictures->picture[i].svg);
    pool_release(&pictures->pool);
    *pictures = (struct pictures){ .picture = NULL };
}
