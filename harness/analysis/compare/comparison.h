#ifndef HARNESS_ANALYSIS_COMPARE_COMPARISON_H
#define HARNESS_ANALYSIS_COMPARE_COMPARISON_H

/* The changes from one set of runs to another: a pure function of the records of both sides.
 *
 * Quantities. First the speed-ups over the baseline cell of the same run, resident and copied: the machine and other
 * programs affect both parts of a ratio, so that it varies between runs by about 1 % where times vary by 9 to 19 %
 * (measured on shared machines with BabelStream, clpeak and loops of our own). Second the time itself, which is always
 * shown, and judged only if there is no speed-up. All are compared as logarithms, so that twice and half as fast are
 * equally far from no change.
 *
 * Matching. Cells match by device key, as an id such as opencl:0 may be another device in another run, by problem and
 * by memory. If a run has several such cells they are distinguished by method. So a cell matches even if a race chose
 * another method, which is noted. Speed-ups over different baselines (device, method, memory; of either
 * use) are not comparable: runs whose baselines are not those that most runs have on both sides are left out of the
 * cell, times and all, and that is noted.
 *
 * A side of which no figure has an interval decides nothing; its figure is shown.
 *
 * Several journals a side. The variation between runs decides, since it includes all that a run cannot know of itself,
 * such as the layout of memory. From five a side on the least and the greatest count as their neighbours (winsorized
 * means, Dixon and Tukey 1968), so that one disturbed run in five is harmless. Their variance is that of both sides
 * together, and in part that which is typical of all cells, or of few cells the allowance below.
 *
 * One journal a side. The variation between runs is unknown, and the interval of a run understates it. So the standard
 * error of each has three parts: its own interval, an allowance of 1.2 % (14 % for a time alone), which is what runs
 * differed by where nothing else ran, and the share of the CPU that other programs and guests used meanwhile.
 *
 * Verdicts. FASTER and SLOWER need a change beyond the 99.7 % interval, so that hardly one of a hundred unchanged cells
 * is called so, and of at least 2 %: smaller changes have other causes, such as where the compiler put a loop. SAME
 * needs a 95 % interval within the margin. All else is UNSURE. A time alone is FASTER or SLOWER only if its whole
 * interval is beyond 10 %, since runs made in a row do not show how a machine varies from day to day. */

#include "harness/base/pool.h"
#include "harness/journal/results.h"

/* In the order in which they are reported. */
enum change {
    CHANGE_BROKEN, /* was measured before, and is not any more; or some runs fail where none did */
    CHANGE_SLOWER,
    CHANGE_UNSURE,
    CHANGE_GONE, /* no run of the new side has it */
    CHANGE_FASTER,
    CHANGE_MENDED,
    CHANGE_NEW,
    CHANGE_SAME,
    CHANGE_BASELINE, /* a baseline: its time is shown, not judged */
    CHANGE_COUNT
};
extern const char *const change_names[CHANGE_COUNT]; /* "broken", "slower" ... */

enum { OLD, NEW, SIDES };
/* The first are the speed-ups of the uses; the last is the time of the baseline: shown, never judged. */
enum quantity {
    QUANTITY_RESIDENT = USE_RESIDENT,
    QUANTITY_COPIED = USE_COPIED,
    QUANTITY_TIME,
    QUANTITY_BASELINE,
    QUANTITY_COUNT
};

/* The change of one quantity of a cell from one side to the other. */
struct shift {
    double value[SIDES];  /* typical speed-up, or seconds; NAN: the side has none */
    unsigned runs[SIDES]; /* runs that have it */
    /* new / old, with the 95 % interval: 0.95 is 5 % less. NAN unknown. */
    double ratio, low, high;
    double visible;     /* the least relative change that could be FASTER or SLOWER: 0.05 is 5 %; NAN unknown */
    bool is_noisy;      /* the interval has no sense (estimate_unless_wide) */
    enum change change; /* SLOWER, FASTER, SAME or UNSURE */
};

/* One device with one problem. */
enum { COMPARED_NOTES = 6 };
struct compared {
    struct entry *entry; /* the cells that answer it, each side's in the order of its runs (comparison_parts.h) */
    unsigned entries;
    bool has_common_baseline;              /* those that are not left out have the same on both sides */
    const struct cell_record *cell[SIDES]; /* the first of each side, of one that was measured if there is any; NULL:
                                            * none has it */
    const struct device *device;           /* NULL: no journal lists it */
    unsigned runs[SIDES];                  /* runs that have it and ended it */
    unsigned good[SIDES];                  /* of these: measured, with the right answer */
    const char *method[SIDES];             /* "native", "onednn (3 runs), openblas (2)"; "": none */
    bool is_baseline;                      /* on each side that has it */
    struct shift shift[QUANTITY_COUNT];
    enum change change;
    const char *reason;               /* for a verdict that figures do not explain: "crashed in 1 of 5 runs: ..."; "" */
    const char *unjudged;             /* why a figure of it has no interval; "": each has one. Also a note */
    const char *note[COMPARED_NOTES]; /* remarks on the figures */
    unsigned notes;
};

struct comparison {
    struct compared *cell;         /* by problem, in the order of the old side, then those of only the new side */
    const struct compared **order; /* the same by verdict, the most serious first, then by problem */
    unsigned cells;
    unsigned count[CHANGE_COUNT];
    double margin;
    unsigned runs[SIDES];
    const char *files[SIDES]; /* "old-0.jsonl and 4 more", as the caller named them */
    const char **warning;     /* sentences: other differences between the sides, and unfinished runs */
    unsigned warnings;
    struct pool pool; /* owns texts and cells */
};

/* CHANGE_SAME: the change is surely less than `margin` (0.05). Peaks are left out. The results must outlive the
 * comparison; release it in any case. Fails only when memory is short. */
bool comparison_make(struct comparison *out, const struct results side[SIDES], double margin, struct error *err);
void comparison_release(struct comparison *comparison);

/* The word of a verdict for readers: that of change_name, but "" for UNSURE with one run a side, which cannot tell. */
const char *comparison_verdict(const struct comparison *comparison, enum change change);

/* "4 cells: 1 slower (multiply n=1000 on cuda:0), 3 same; 2 baselines", most serious first. Returns `to`. */
enum { SUMMARY_ROOM = 1024 };
const char *comparison_summary(char to[SUMMARY_ROOM], const struct comparison *comparison);

/* "No change shown; changes below 2 to 11 % would not be seen", or that nothing can be said, and why; "" if a cell has
 * another verdict, or only baselines are on both sides. Returns `to`. */
enum { ANSWER_ROOM = 256 };
const char *comparison_answer(char to[ANSWER_ROOM], const struct comparison *comparison);

/* The cell of the new side, or of the old one if the new side does not have it. */
const struct cell_record *compared_cell(const struct compared *cell);

/* The number of cells that both sides have and at least one could measure, without baselines. */
unsigned comparison_matched(const struct comparison *comparison);

#endif
