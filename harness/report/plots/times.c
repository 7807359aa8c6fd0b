/* Where the time of one use goes: a bar for the CPU and one for each GPU, below the name of their problem. Bars of one
 * problem have one scale. */

#include "harness/report/content/answer_words.h"
#include "harness/report/plots/drawing.h"

#include <math.h>

enum { MARGIN = 6, LEFT = 126, ROOM_FOR_TIME = 62, PROBLEM_HEIGHT = 24, BAR_HEIGHT = 14, BAR_STEP = 18 }; /* pixels */

/* In the order of time. */
static const char *const parts[PHASE_COUNT] = { "upload", "convert", "compute", "download" };

/* The medians of the tables; what moves nothing only computes. */
struct bar {
    double seconds[PHASE_COUNT], length;
};

/* NULL: the baseline's time is that of its f32, which is in another block. */
static const struct figures *baseline_of(const struct answer *answer)
{
    return answer->use[USE_COPIED].is_against_f32 ? NULL : answer->baseline[USE_COPIED];
}

static struct bar bar_of(const struct figures *figures, double total)
{
    struct bar bar = { .length = 0 };
    if (figures) {
        const struct costs *costs = &figures->costs;
        const double phase[PHASE_COUNT] = { costs->upload, costs->repack, costs->compute, costs->download };
        for (enum phase i = 0; i < PHASE_COUNT; i++)
            bar.length += bar.seconds[i] = phase[i] > 0 ? phase[i] : 0;
    }
    if (!(bar.length > bar.seconds[PHASE_COMPUTE]))
        bar.length = bar.seconds[PHASE_COMPUTE] = total;
    return bar;
}

/* The two sides of an answer, of which both have a time. */
static bool has_bars(const struct answer *answer)
{
    return answer->use[USE_COPIED].time.value > 0 && answer->use[USE_COPIED].baseline_seconds > 0;
}

static void draw_bar(struct drawing *drawing, const char *side, const struct figures *figures, double total,
                     double most, double *y)
{
    const double room = drawing->width - LEFT - ROOM_FOR_TIME;
    const struct bar bar = bar_of(figures, total);
    const double middle = *y + BAR_STEP / 2.0;
    const char *label = pool_print(drawing->pool, "%s %s", side, figures ? figures->cell->method : "in f32");
    double x = LEFT;
    drawing_label(drawing, MARGIN, middle, ANCHOR_LEFT, "", drawing_shorten(drawing, label, LEFT - MARGIN - 6));
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++) {
        const double width = bar.seconds[phase] / most * room;
        if (!(width > 0))
            continue;
        drawing_rectangle(drawing, x, middle - BAR_HEIGHT / 2.0, width, BAR_HEIGHT, 0, parts[phase]);
        const char *text = pool_copy(drawing->pool, text_seconds(bar.seconds[phase]).text);
        if (bar.seconds[phase] < bar.length && width > drawing_width(text) + 6)
            drawing_label(drawing, x + width / 2, middle, ANCHOR_CENTER, "dark", text);
        x += width;
    }
    drawing_label(drawing, x + 5, middle, ANCHOR_LEFT, "", text_seconds(total).text);
    *y += BAR_STEP;
}

/* The bars of a block, whose first answer is given: one for the baseline, and one for each part. */
static void draw_problem(struct drawing *drawing, const struct answer_set *set, const struct answer *first, double *y)
{
    const struct answer *end = &set->answer[set->answers];
    const double baseline = first->use[USE_COPIED].baseline_seconds;
    const char *problem = problem_words(drawing->pool, set, first);
    double most = bar_of(baseline_of(first), baseline).length;
    for (const struct answer *one = first; one < end; one++)
        if (one->block == first->block && has_bars(one))
            most = fmax(most, bar_of(one->row[USE_COPIED], one->use[USE_COPIED].time.value).length);
    drawing_label(drawing, MARGIN, *y + PROBLEM_HEIGHT / 2.0, ANCHOR_LEFT, "bold",
                  drawing_shorten(drawing, problem, drawing->width - 2 * MARGIN));
    *y += PROBLEM_HEIGHT;
    draw_bar(drawing, part_label(drawing->pool, set, &set->part[0]), baseline_of(first), baseline, most, y);
    for (const struct answer *one = first; one < end; one++)
        if (one->block == first->block && has_bars(one))
            draw_bar(drawing, part_label(drawing->pool, set, one->part), one->row[USE_COPIED],
                     one->use[USE_COPIED].time.value, most, y);
}

static void draw(struct drawing *drawing, const void *data)
{
    const struct answer_set *set = data;
    struct legend legend[PHASE_COUNT];
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++)
        legend[phase] = (struct legend){ .name = parts[phase], .class = parts[phase] };
    double y = drawing_legend(drawing, legend, PHASE_COUNT);
    for (unsigned i = 0; i < set->record->blocks; i++) {
        unsigned first = 0;
        while (first < set->answers &&
               !(set->answer[first].block == &set->record->block[i] && has_bars(&set->answer[first])))
            first++;
        if (first < set->answers)
            draw_problem(drawing, set, &set->answer[first], &y);
    }
    drawing->height = y + MARGIN;
}

void plot_times(struct pictures *out, const struct answer_set *set)
{
    bool has_any = false;
    for (unsigned i = 0; i < set->answers; i++)
        has_any |= has_bars(&set->answer[i]);
    const struct picture head = {
        .name = "times",
        .title = "Where the time goes, copied at every use",
        .caption = "One use with data that are copied every time: upload, conversion of the layout if the method does "
                   "that, compute, download, and behind the bar the total, as in the tables. Bars of one problem have "
                   "one scale. The parts were timed one by one, so they may take longer than the total.",
    };
    if (has_any)
        drawing_add(out, &head, draw, set);
}
