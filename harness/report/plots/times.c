/* Where the time of one use goes: a bar for the CPU and one for each GPU, below the name of their problem. Bars of one
 * problem have one scale. */

#include "harness/base/text.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/plots/plots.h"

#include <math.h>
#include <string.h>

enum { BARS_MAX = 60 };
enum { MARGIN = 6, LEFT = 126, ROOM_FOR_TIME = 62, PROBLEM_HEIGHT = 24, BAR_HEIGHT = 14, BAR_STEP = 18 }; /* pixels */

/* In the order of time. */
static const struct {
    const char *name, *ink;
} parts[PHASE_COUNT] = {
    [PHASE_UPLOAD] = { "upload", "light" },
    [PHASE_REPACK] = { "convert", "dark" },
    [PHASE_COMPUTE] = { "compute", "dark" },
    [PHASE_DOWNLOAD] = { "download", "dark" },
};

struct bar {
    const char *problem; /* in its first bar; NULL in the others */
    const char *label;
    double seconds[PHASE_COUNT], total;
    double most; /* the longest of its problem */
};

struct bars {
    struct bar bar[BARS_MAX];
    unsigned bars, problems;
    unsigned left_out; /* problems */
};

static double length_of(const struct bar *bar)
{
    double sum = 0;
    for (enum phase i = 0; i < PHASE_COUNT; i++)
        sum += bar->seconds[i];
    return sum;
}

/* The medians of the tables; what moves nothing only computes. */
static struct bar bar_of(struct pool *pool, const struct cell_metrics *metrics, const char *side, double seconds)
{
    const bool is_resident = metrics->headline == SERIES_RESIDENT;
    const double phase[PHASE_COUNT] = {
        [PHASE_UPLOAD] = metrics->upload,
        [PHASE_REPACK] = metrics->repack,
        [PHASE_COMPUTE] = is_resident ? metrics->compute : metrics->copied_compute,
        [PHASE_DOWNLOAD] = metrics->download,
    };
    struct bar bar = { .total = seconds };
    bar.label = pool_print(pool, "%s %s", side, method_short(metrics->cell->method));
    for (enum phase i = 0; i < PHASE_COUNT; i++)
        bar.seconds[i] = phase[i] > 0 ? phase[i] : 0;
    if (!(bar.seconds[PHASE_UPLOAD] + bar.seconds[PHASE_REPACK] + bar.seconds[PHASE_DOWNLOAD] > 0))
        bar.seconds[PHASE_COMPUTE] = seconds;
    return bar;
}

/* The bars of a problem: all or none, as half a problem would look complete. */
static void add_problem(struct bars *bars, struct pool *pool, const struct plot_run *run,
                        const struct block_record *block)
{
    const struct answer_set *set = run->set;
    struct bar *first = &bars->bar[bars->bars];
    unsigned count = 0, room = BARS_MAX - bars->bars;
    double most = 0;
    const struct answer *named = NULL;
    for (unsigned i = 0; i < set->answers && count < room; i++) {
        const struct answer *answer = &set->answer[i];
        const struct answer_use *use = &answer->use[USE_COPIED];
        bool is_shown = answer->block == block && use->seconds > 0 && use->baseline_seconds > 0;
        if (is_shown && count == 0)
            first[count++] = bar_of(pool, use->baseline, part_label(pool, set, &set->part[0]), use->baseline_seconds);
        if (is_shown && count < room)
            first[count++] = bar_of(pool, use->cell, part_label(pool, set, answer->part), use->seconds);
        named = is_shown ? answer : named;
    }
    if (count == 0 || count == room) {
        bars->left_out += count > 0 || room == 0;
        return;
    }
    first->problem = problem_words(pool, set, named);
    for (unsigned i = 0; i < count; i++)
        most = fmax(most, length_of(&first[i]));
    for (unsigned i = 0; i < count; i++)
        first[i].most = most;
    bars->bars += count;
    bars->problems++;
}

static void draw_bar(struct drawing *drawing, const struct bar *bar, double y)
{
    static const double room = DRAWING_WIDTH - LEFT - ROOM_FOR_TIME;
    char text[TEXT_NUMBER];
    double x = LEFT, length = length_of(bar);
    drawing_label(drawing, MARGIN, y, ANCHOR_LEFT, "", drawing_shorten(drawing, bar->label, LEFT - MARGIN - 6));
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++) {
        double width = bar->seconds[phase] / bar->most * room;
        if (!(width > 0))
            continue;
        drawing_rectangle(drawing, x, y - BAR_HEIGHT / 2.0, width, BAR_HEIGHT, 0, parts[phase].name);
        text_seconds(text, bar->seconds[phase]);
        if (bar->seconds[phase] < length && width > drawing_width(text) + 6)
            drawing_label(drawing, x + width / 2, y, ANCHOR_CENTER, parts[phase].ink, text);
        x += width;
    }
    drawing_label(drawing, x + 5, y, ANCHOR_LEFT, "", text_seconds(text, bar->total));
}

static void draw(struct drawing *drawing, const void *data)
{
    const struct bars *bars = data;
    struct legend legend[PHASE_COUNT];
    unsigned used = 0;
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++) {
        bool is_used = false;
        for (unsigned i = 0; i < bars->bars; i++)
            is_used |= bars->bar[i].seconds[phase] > 0;
        if (is_used)
            legend[used++] = (struct legend){ .name = parts[phase].name, .class = parts[phase].name };
    }
    double y = drawing_legend(drawing, legend, used);
    for (unsigned i = 0; i < bars->bars; i++) {
        const struct bar *bar = &bars->bar[i];
        if (bar->problem) {
            drawing_label(drawing, MARGIN, y + PROBLEM_HEIGHT / 2.0, ANCHOR_LEFT, "bold",
                          drawing_shorten(drawing, bar->problem, DRAWING_WIDTH - 2 * MARGIN));
            y += PROBLEM_HEIGHT;
        }
        draw_bar(drawing, bar, y + BAR_STEP / 2.0);
        y += BAR_STEP;
    }
    drawing->height = y + MARGIN;
}

void plot_times(struct pictures *out, const struct plot_run *run)
{
    struct pool *pool = &out->pool;
    struct bars *bars = pool_take(pool, sizeof *bars);
    for (unsigned i = 0; bars && i < run->record->blocks; i++)
        if (run->record->block[i].cells > 0)
            add_problem(bars, pool, run, &run->record->block[i]);
    if (!bars || bars->bars == 0)
        return;
    const char *left_out = bars->left_out > 0 ? pool_print(pool, " Of %u problems the first %u are shown.",
                                                           bars->problems + bars->left_out, bars->problems)
                                              : "";
    const struct picture head = {
        .name = "times",
        .title = "Where the time goes",
        .caption = pool_print(pool,
                              "One use with data that are copied every time: upload, conversion of the layout if the "
                              "method does that, compute, download, and behind the bar the total, as in the tables. "
                              "Bars of one problem have one scale. The parts were timed one by one, so they may take "
                              "longer than the total.%s",
                              left_out),
    };
    drawing_add(out, &head, draw, bars);
}
