/* The document of one run, or of several side by side. */

#include "harness/report/makers/makers.h"

#include "harness/report/content/columns.h"
#include "harness/report/content/heading.h"

#include <string.h>

/* A document while it is made. */
struct maker {
    struct document *document;
    const struct results *results;
    const struct answer_set *set; /* of each run */
    struct layout layout;
    struct pictures pictures;
};

/* Items that follow are about a run, if there are several. */
static const char *about_run(struct maker *of, unsigned run)
{
    return of->document->letter = results_letter_if_several(of->results, run);
}

/* Without the folder, which may contain a person's name. */
static const char *file_name(const struct maker *of, unsigned run)
{
    const char *path = of->results->run[run].path, *slash = strrchr(path, '/');
    return pool_copy(&of->document->pool, text_cleaned(slash ? slash + 1 : path).text);
}

static bool is_sweep(const struct maker *of, unsigned run)
{
    return of->results->run[run].record->sweep != NULL;
}

/* What the journals lack, and the thresholds of sweeps. */
static void add_head(struct maker *of)
{
    struct document *out = of->document;
    for (unsigned i = 0; i < of->results->runs; i++) {
        struct notes missing = { .pool = &out->pool };
        missing_read(&missing, &of->results->run[i]);
        about_run(of, i);
        for (unsigned k = 0; k < missing.count; k++)
            document_line(out, ABOUT_MISSING, "", "%s", missing.note[k].text);
        if (is_sweep(of, i))
            sweep_add_thresholds(out, &of->set[i]);
    }
    out->letter = "";
}

/* The answer of each run on one screen; the head has that of a sweep. */
static void add_screens(struct maker *of)
{
    struct document *out = of->document;
    const enum level level = out->level;
    out->level = LEVEL_SCREEN;
    for (unsigned i = 0; i < of->results->runs; i++) {
        struct screen screen = {
            .document = out, .run = &of->results->run[i], .set = &of->set[i], .layout = &of->layout
        };
        if (is_sweep(of, i))
            continue;
        for (unsigned k = 0; k < of->pictures.count && out->medium == MEDIUM_PAGE; k++)
            if (of->pictures.picture[k].run == i && of->pictures.picture[k].is_answer)
                screen.picture = &of->pictures.picture[k];
        const char *letter = about_run(of, i);
        if (out->medium == MEDIUM_MARKDOWN)
            document_heading(out, of->layout.is_brief ? 1 : 2, run_words(&out->pool, of->set[i].record));
        else if (*letter || out->medium == MEDIUM_PAGE)
            document_heading(out, 2, out->medium == MEDIUM_PAGE ? file_name(of, i) : "");
        out->letter = "";
        screen_add(&screen);
    }
    out->level = level;
}

static void add_machines(struct maker *of)
{
    struct document *out = of->document;
    if (out->medium == MEDIUM_MARKDOWN)
        document_heading(out, 2, of->results->runs > 1 ? "Runs" : "Machine");
    for (unsigned i = 0; i < of->results->runs; i++) {
        if (*about_run(of, i) && out->medium != MEDIUM_PAGE)
            document_heading(out, 3, file_name(of, i));
        out->letter = "";
        heading_run(out, of->results->run[i].record);
    }
}

/* Of each run: on its sizes or on all its rows, then on the run itself. */
static void add_notes(struct maker *of)
{
    struct document *out = of->document;
    const unsigned before = out->items;
    if (out->medium == MEDIUM_MARKDOWN)
        document_heading(out, 2, "Notes");
    const unsigned first = out->items;
    for (unsigned i = 0; i < of->results->runs; i++) {
        const struct notes notes = notes_read_run(&out->pool, of->results->run[i].record);
        struct notes common = { .count = 0 };
        about_run(of, i);
        if (is_sweep(of, i))
            sweep_add_notes(out, &of->set[i]);
        else
            common = common_notes(&out->pool, &of->set[i]);
        for (unsigned k = 0; k < common.count; k++)
            document_line(out, ABOUT_NOTE, "note", "every row: %s", common.note[k].text);
        for (unsigned k = 0; k < notes.count; k++)
            document_line(out, ABOUT_NOTE, "note", "%s", notes.note[k].text);
    }
    out->letter = "";
    if (out->items == first) /* no heading without notes */
        out->items = before;
}

/* Those of the answer are beside it on a page. */
static void add_pictures(struct maker *of)
{
    struct document *out = of->document;
    if (out->medium == MEDIUM_MARKDOWN && of->pictures.count > 0)
        document_heading(out, 2, "Pictures");
    for (unsigned i = 0; i < of->pictures.count; i++)
        if (out->medium != MEDIUM_PAGE || !of->pictures.picture[i].is_answer)
            document_picture(out, &of->pictures.picture[i]);
}

static void add_beside(struct maker *of)
{
    struct document *out = of->document;
    const enum level level = out->level;
    out->level = out->medium == MEDIUM_PAGE ? LEVEL_SCREEN : level;
    beside_add(out, of->set, of->results->runs);
    out->level = level;
}

static void add_folds(struct maker *of)
{
    struct document *out = of->document;
    document_fold(out, "All figures, methods tried, notes, and commands to repeat a row");
    figures_add(out, of->results, of->set);
    document_end(out);
    document_fold(out, "How it was measured");
    document_line(
        out, ABOUT_METHOD, "",
        "Devices ran one at a time, in short slices next to one of the baseline, so that drift, heat and other "
        "load affect both sides of a ratio equally. A speed-up is the median of these ratios, not the quotient "
        "of two columns of a table. Its 95 %% interval is in parentheses: it describes the machine during this "
        "run, and is missing if there were too few visits.");
    document_line(out, ABOUT_METHOD, "",
                  "Every result was verified before and after the timing. A wrong result has no speed-up.");
    add_notes(of);
    add_machines(of);
    document_end(out);
    for (unsigned i = 0; i < of->results->runs; i++)
        if (*of->results->run[i].path)
            document_line(out, ABOUT_SOURCE, "", "%s", file_name(of, i));
}

bool run_document(struct document *out, const struct results *results, const struct answer_set set[],
                  const struct layout *layout, struct error *err)
{
    struct maker of = { out, results, set, *layout, .pictures = { .pool = &out->pool } };
    out->pictures = layout->pictures;
    out->is_colored = layout->is_colored;
    of.layout.width = out->medium == MEDIUM_TEXT ? layout->width : 0;
    of.layout.is_brief = layout->is_brief && out->medium != MEDIUM_PAGE;
    for (unsigned i = 0; i < results->runs; i++)
        of.layout.is_brief &= !is_sweep(&of, i);
    if (out->medium == MEDIUM_PAGE || (out->medium == MEDIUM_MARKDOWN && layout->pictures))
        plot_runs(&of.pictures, results, set);
    out->level = of.layout.is_brief ? LEVEL_SCREEN : LEVEL_FULL;
    if (!of.layout.is_brief && out->medium != MEDIUM_TEXT)
        document_heading(out, 1, heading_title(&out->pool, results));
    if (!of.layout.is_brief)
        add_head(&of);
    add_beside(&of);
    add_screens(&of);
    const bool is_full = !of.layout.is_brief && out->medium != MEDIUM_PAGE;
    if (is_full && out->medium == MEDIUM_TEXT)
        add_machines(&of);
    if (is_full)
        figures_add(out, results, set);
    add_pictures(&of);
    if (out->medium == MEDIUM_PAGE)
        add_folds(&of);
    if (is_full && out->medium == MEDIUM_MARKDOWN)
        add_machines(&of);
    if (is_full)
        add_notes(&of);
    return !out->pool.is_short || fail(err, STATUS_NO_MEMORY, "no memory for a report of %u runs", results->runs);
}
