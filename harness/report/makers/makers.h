#ifndef HARNESS_REPORT_MAKERS_MAKERS_H
#define HARNESS_REPORT_MAKERS_MAKERS_H

/* What makes documents, each for the medium that the document names. They fail only when memory is short. */

#include "harness/analysis/compare/comparison.h"
#include "harness/analysis/fleet/fleet.h"
#include "harness/base/text.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/content/claims.h"
#include "harness/report/content/document.h"
#include "harness/report/content/notes.h"
#include "harness/report/plots/plot.h"

/* How a report is wanted, and what the caller adds to the results. */
struct layout {
    unsigned width;             /* columns that text should fit into; 0: no limit */
    const char *pictures;       /* what the names of picture files begin with; NULL: no such files are written */
    bool all_columns;           /* of CSV; otherwise the most important ones */
    const struct claim *claims; /* up to one without a workload; NULL: none */
    bool is_brief;              /* text and Markdown: on one screen, not in full */
    bool is_colored;            /* text: with the escape codes of a terminal */
    bool is_newest;             /* the run is the one that `bench report` takes without a file */
    const char *program;        /* as the user called it; NULL: bench */
};

/* Of one run, or of several side by side with a letter for each. The answers are those of each run; they, too, must
 * outlive the document. */
bool run_document(struct document *out, const struct results *results, const struct answer_set set[],
                  const struct layout *layout, struct error *err);

/* What changed, folded what did not, and the cells of one side only. */
bool comparison_document(struct document *out, const struct comparison *comparison, struct error *err);

/* What was found, the worst first, then each kind of devices. Text has as much as fits on a screen, the others all. */
bool fleet_document(struct document *out, const struct fleet *fleet, struct error *err);

/* What is wrong, for people: "memory at 88.1 % of the usual speed (slow below 97.9 %); driver 535, usual is 550". */
const char *fleet_finding_text(struct pool *pool, const struct fleet *fleet, const struct fleet_finding *finding);

/* The parts of a run's document. First the answer on one screen: */
enum { SCREEN_LINES = 40, WARNINGS = 3 }; /* lines at 80 columns of a standard run with one kind of GPU; the most */
struct screen {
    struct document *document;
    const struct result *run;
    const struct answer_set *set;
    const struct layout *layout;
    const struct picture *picture;   /* of the answer, beside it on a page; NULL: none */
    bool is_narrow;                  /* short titles */
    bool has_mark;                   /* a rate is above the peak of its side */
    struct string_builder unsettled; /* rows whose method was not settled */
};
void screen_add(struct screen *screen);
void screen_add_tables(struct screen *screen);
void screen_add_warnings(struct screen *screen);

/* The answers that rest on visits in which somebody else used the cores: "matmul 1024"; "": none. */
const char *disturbed_places(struct pool *pool, const struct answer_set *set);

/* Adds the notes of all cells and sorts. Returns the number of measurements. */
unsigned cell_notes(struct notes *to, const struct answer_set *set);

/* The notes that all measured rows of a run have, if it has several problems. */
struct notes common_notes(struct pool *pool, const struct answer_set *set);

/* Machines side by side: of the problems that the first run shares with another, the times of each run's CPU and of its
 * fastest GPU, with data that stay; of two runs also how many times as fast the second is. Nothing for one run. */
void beside_add(struct document *out, const struct answer_set set[], unsigned runs);

/* All figures: a section for each problem, or curve of a sweep, and where the time went (problems.c). */
void figures_add(struct document *out, const struct results *results, const struct answer_set set[]);

/* Of a sweep (sweep.c): its sections, the thresholds in sentences, and the notes on its measurements. */
void sweep_add(struct document *out, const struct answer_set *set, const char *letter);
void sweep_add_thresholds(struct document *out, const struct answer_set *set);
void sweep_add_notes(struct document *out, const struct answer_set *set);

#endif
