#ifndef HARNESS_ANALYSIS_COMPARE_COMPARISON_H
#define HARNESS_ANALYSIS_COMPARE_COMPARISON_H

/* What changed from some runs to others: a pure function of the records of both sides.
 *
 * What is compared. First the speed-up over the baseline cell of the same run, resident and offload: machine and
 * neighbours are in both of its parts, and between runs it varies by about 1 % where times vary by 9 to 19 % (measured
 * on shared machines with BabelStream, clpeak and loops of our own). Second the time itself, which is shown always, and
 * judged only where there is no speed-up. All are compared as logarithms, so that twice as fast and half as fast are
 * equally far from no change.
 *
 * What is matched with what. Cells of one device, by its key, as an id such as opencl:0 may be another device in
 * another run, and of one problem. Where a run has several such cells they are told apart by memory, and where that is
 * not enough by method. A method that calibration chose otherwise is therefore matched, and said: its cells answer the
 * same question. A speed-up over another baseline is none over this one: runs whose baseline is not the method that
 * most have on both sides are left out of the cell, and that is said as well.
 *
 * With several journals a side, what varies between runs decides, as it holds all that a run cannot see of itself:
 * where memory lay, what the machine did that hour. From five a side on the least and the greatest are left out (Yuen
 * 1974: trimmed means and winsorized variances), so that one disturbed run in five is harmless. Their variance is that
 * of both sides together, moderated by the other cells (variance_pooling.h); of a few cells by the allowance below.
 *
 * With one journal a side nothing tells what varies between runs, and the interval recorded in each understates it. So
 * each is given a standard error of its own interval, of an allowance of 1.2 % (of a time alone: 14 %), which is what
 * runs differed by where nothing else ran, and of what share of the processors other programs and other guests had
 * meanwhile, together.
 *
 * Verdicts. FASTER and SLOWER take a change beyond the interval of 99.7 %, so that of a hundred
 * cells that did not change hardly one is called so, and one of at least 2 %, below which other causes than the program
 * suffice (where the compiler put a loop). SAME takes a 95 % interval that lies within the margin. All else is UNSURE.
 * A time alone is FASTER or SLOWER only where its whole interval lies beyond 10 %: what a machine does from one day to
 * the next is in it, and in no spread of runs that were made in a row. */

#include "harness/base/pool.h"
#include "harness/journal/results.h"

/* In the order in which they are told. */
enum change {
    CHANGE_BROKEN, /* was measured before, and is not any more; or some runs fail where none did */
    CHANGE_SLOWER,
    CHANGE_UNSURE,
    CHANGE_GONE, /* no run of the new side has it */
    CHANGE_FASTER,
    CHANGE_MENDED,
    CHANGE_NEW,
    CHANGE_SAME,
    CHANGE_BASELINE, /* what others are held against, so that its time is all there is: shown, not judged */
    CHANGE_COUNT
};
const char *change_name(enum change change); /* "broken", "slower" ... */

enum { OLD, NEW, SIDES };
enum quantity { QUANTITY_RESIDENT, QUANTITY_OFFLOAD, QUANTITY_TIME, QUANTITY_COUNT };
const char *quantity_name(enum quantity quantity); /* "resident", "offload", "time" */

/* Of one quantity of a cell: how it moved from one side to the other. */
struct shift {
    double value[SIDES];  /* typical speed-up, or seconds; NAN where a side has none */
    unsigned runs[SIDES]; /* that have it */
    /* How many times as large it became, with the 95 % interval: 0.95 is 5 % less. NAN unknown. */
    double ratio, low, high;
    double spread;      /* standard deviation of a run, relative, as it was taken to be; NAN unknown */
    enum change change; /* SLOWER, FASTER, SAME or UNSURE */
};

/* A device at a problem. */
enum { COMPARED_NOTES = 6 };
struct compared {
    const struct cell_record *cell[SIDES]; /* the first of each side, of one that was measured if there is any; NULL:
                                            * none has it */
    const struct device *device;           /* NULL when no journal lists it */
    unsigned runs[SIDES];                  /* that have it, and ended it */
    unsigned good[SIDES];                  /* of these: measured and right */
    const char *method[SIDES];             /* "native", "onednn (3 runs), openblas (2)"; "" where there is none */
    const char *memory[SIDES];
    bool is_baseline; /* on both sides, as far as they have it */
    struct shift shift[QUANTITY_COUNT];
    struct shift baseline_shift; /* time of its baseline; ratio NAN where it has none */
    enum change change;
    const char *reason; /* of a verdict that no figure explains: "crashed in 1 of 5 runs: ..."; "" where none is due */
    const char *note[COMPARED_NOTES]; /* what one must know beside the figures */
    unsigned notes;
};

struct comparison {
    struct compared *cell; /* by problem, as the old side has them, then what only the new side has */
    unsigned cells;
    unsigned count[CHANGE_COUNT];
    double margin;
    unsigned runs[SIDES];
    const char **warning; /* sentences: what differs between the sides beside what is compared, what is unfinished */
    unsigned warnings;
    struct pool pool; /* texts and cells live there */
};

/* SAME is what surely changed by less than `margin` (0.05). Ceilings are left out. The results must outlive the
 * comparison, which is to be released in any case. Fails only when memory is short. */
bool comparison_make(struct comparison *out, const struct results side[SIDES], double margin, struct error *err);
void comparison_release(struct comparison *comparison);

/* "4 cells: 3 same, 1 slower; 2 baselines": the sum of it, most alarming first. Returns `to`. */
enum { SUMMARY_ROOM = 240 };
const char *comparison_summary(char to[SUMMARY_ROOM], const struct comparison *comparison);

/* Cells that have a verdict because both sides have them, and one of the sides could measure them: baselines have none.
 */
unsigned comparison_matched(const struct comparison *comparison);

#endif
