#ifndef HARNESS_ANALYSIS_BREAKEVEN_H
#define HARNESS_ANALYSIS_BREAKEVEN_H

/* From how many uses of the same data on a device pays: what moving it costs, against what each use saves. A pure
 * function of a record.
 *
 * With c and g the run of the baseline and of the device, U and D the ways up and down, P the repacking of the device
 * and B that of the baseline, N uses take B + N c on the baseline, and on the device
 *
 *   fetched once         P + U + N g + D         so it pays from  N > (U + D + P - B) / (c - g)
 *   fetched every time   P + U + N (g + D)                        N > (U + P - B) / (c - g - D)
 *
 * Repacking is counted once on either side: a program that uses its data often keeps them in the method's layout. P and
 * B also have what the first run takes longer than a later one because the data were just written, if both sides have
 * a copied series. All are wall times; c and g are those of the resident series. Both sides of a fraction are divided
 * by g, and no time goes in but as a ratio to a run beside it: c / g = S by the rounds, and U, D and P by the resident
 * slices of the same rounds, B by those of the baseline. Drift between two columns would pass for a gain, and drift of
 * one column alone would leave it without an interval.
 *
 * Where a row has a cell for data that stay and another for data that move, c and g are of the former, U and D of the
 * latter.
 *
 * The first use is also measured as a whole, by the copied series. That measurement corrects what the parts say, or
 * contradicts them. */

#include "harness/analysis/speedup.h"
#include "harness/journal/record.h"

enum fetch { FETCH_ONCE, FETCH_EVERY_TIME, FETCH_COUNT }; /* the result, from the device */

enum breakeven_outcome {
    BREAKEVEN_NONE,         /* not applicable: the baseline, a ceiling, only transfers, or nothing transferred */
    BREAKEVEN_KNOWN,        /* pays from `uses` on */
    BREAKEVEN_UNTIL,        /* pays up to `uses` and no further: the baseline repacks more than the device moves */
    BREAKEVEN_NEVER,        /* at no number of uses */
    BREAKEVEN_UNKNOWN,      /* the intervals allow more than one of these, or are not known */
    BREAKEVEN_CONTRADICTED, /* the measured first use surely contradicts its parts */
};

extern const char *const breakeven_outcomes[]; /* "none", "known", "until", "never", "unknown", "contradicted" */

/* Whole numbers of uses, at least 1. `low` and `high` are the interval of `uses`.
 *
 *   outcome                        uses                              low               high
 *   NONE, NEVER, CONTRADICTED      NAN                               NAN               NAN
 *   KNOWN, UNTIL                   by the medians                    least             greatest
 *   UNKNOWN, a use may save        NAN; 1 if it is known that the    the earliest,     INFINITY
 *     nothing                        first use pays                    or NAN
 *   UNKNOWN, each use loses        NAN                               NAN               NAN
 *   UNKNOWN, an interval is        by the medians; NAN if by them    NAN               NAN
 *     missing                        it never pays
 */
struct breakeven {
    enum breakeven_outcome outcome;
    double uses, low, high;
};

/* What it is worked out from; a part that a cell does not have is 0 with the interval [0, 0]. */
struct breakeven_parts {
    struct estimate speedup;          /* S = c / g */
    struct estimate upload, download; /* U / g, D / g: of mapped memory the times of its maps */
    struct estimate repack;           /* P / g, not below 0 */
    struct estimate baseline_repack;  /* B / c, likewise */
};

/* `speedup`: of the cell's resident series. False where break-even is not applicable. */
bool breakeven_parts(const struct record *record, const struct cell_record *cell, const struct estimate *speedup,
                     struct breakeven_parts *out);

/* The interval is that of the corners of the parts' 95 % intervals, so it covers at least as often as they do. */
struct breakeven breakeven_solve(const struct breakeven_parts *parts, enum fetch fetch);

/* Corrects it by the copied series, a measurement of the first use: its speed-up is surely above 1 or below. With its
 * transfers a device cannot be faster than without them, except by what the baseline repacks. */
struct breakeven breakeven_correct(struct breakeven breakeven, const struct breakeven_parts *parts,
                                   const struct estimate *copied);

/* Makes it agree with the verdicts on runs without and with transfers, which are made from the same ratios: it pays
 * from the first use only where runs with transfers are faster, and from a later one only where runs without are. */
struct breakeven breakeven_decide(struct breakeven breakeven, enum verdict resident, enum verdict copied);

#endif
