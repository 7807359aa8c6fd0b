#include "harness/report/plots/plot.h"

#include "harness/report/plots/gnuplot.h"
#include "harness/report/plots/plots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool (*const kinds[])(struct drawings *out, const struct results *results) = {
    plot_speedups, plot_parts, plot_rooflines, plot_sweeps, plot_drift,
};

static const double timeout = 10; /* seconds for all pictures: they take one */

static bool take(struct pictures *out, const struct drawing *drawing, char *svg)
{
    struct picture picture = {
        .name = strdup(drawing->name),
        .title = strdup(drawing->title),
        .caption = strdup(drawing->caption),
        .svg = svg,
    };
    out->picture[out->count++] = picture;
    return picture.name && picture.title && picture.caption;
}

static bool draw(struct pictures *out, struct drawing *drawing, struct gnuplot *gnuplot, struct error *err)
{
    if (fflush(drawing->script) != 0)
        return fail(err, STATUS_NO_MEMORY, "no memory for a picture");
    char *drawn = gnuplot_draw(gnuplot, DRAWING_WIDTH, drawing->height, drawing->written, err);
    char *svg = drawn ? drawing_finish_svg(drawing, drawn, err) : NULL;
    free(drawn);
    return svg && (take(out, drawing, svg) || fail(err, STATUS_NO_MEMORY, "no memory for a picture"));
}

/* One that cannot be drawn costs no other; the first reason is kept. */
static void draw_all(struct pictures *out, struct drawings *drawings, struct error *err)
{
    struct gnuplot *gnuplot = gnuplot_start(timeout, err);
    for (unsigned i = 0; gnuplot && i < drawings->count; i++)
        draw(out, &drawings->drawing[i], gnuplot, err);
    gnuplot_end(gnuplot);
}

static void tell_missing(struct pictures *out, const struct error *reason, unsigned left_out)
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
    bool complete = drawings != NULL;
    unsigned left_out = 0;
    *out = (struct pictures){ .picture = NULL };
    for (unsigned i = 0; complete && i < sizeof kinds / sizeof *kinds; i++)
        complete = kinds[i](drawings, results);
    if (complete && drawings->count > 0)
        complete = (out->picture = calloc(drawings->count, sizeof *out->picture)) != NULL;
    if (complete && drawings->count > 0)
        draw_all(out, drawings, &reason);
    if (drawings) {
        left_out = drawings->left_out;
        drawings_release(drawings);
    }
    free(drawings);
    complete = complete && reason.status != STATUS_NO_MEMORY;
    if (complete)
        tell_missing(out, &reason, left_out);
    return complete || fail(err, STATUS_NO_MEMORY, "no memory for pictures");
}

void pictures_release(struct pictures *pictures)
{
    for (unsigned i = 0; i < pictures->count; i++) {
        free(pictures->picture[i].name);
        free(pictures->picture[i].title);
        free(pictures->picture[i].caption);
        free(pictures->picture[i].svg);
    }
    free(pictures->picture);
    *pictures = (struct pictures){ .picture = NULL };
}
