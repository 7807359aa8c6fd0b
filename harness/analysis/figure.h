#ifndef HARNESS_ANALYSIS_FIGURE_H
#define HARNESS_ANALYSIS_FIGURE_H

/* A figure: what a cell says for one use of the data, compared with its baseline. The pairing of slices and the rules
 * of disturbance are in figure.c alone: reports, answers, sweeps, comparisons and fleets read figures. */

#include "harness/analysis/times.h"
#include "harness/analysis/verdict.h"

/* Whether the class of a speed-up rests on visits in which somebody else used the cores of the cell or of its baseline,
 * two or more: the other visits alone give another class. It is withheld (decides) if these visits are most of all, and
 * the others are too few or give no class. */
enum disturbance { DISTURBANCE_NONE, DISTURBANCE_MATTERS, DISTURBANCE_DECIDES };

extern const char *const use_names[]; /* "resident", "copied" */

struct figure {
    const struct cell_record *cell;
    const struct cell_record *baseline; /* of this use; NULL: none; the cell itself: it is one */
    enum use use;
    struct estimate time;    /* seconds of one use; unknown: not measured */
    double baseline_seconds; /* of the baseline's use; NAN unknown */
    /* Over the baseline: above 1 the cell is faster. From pairs of slices; of two series that were not measured in turn
     * the ratio of both times, without samples. Without an interval where it is disturbed. */
    struct estimate speedup;
    enum verdict verdict;
    /* Elements of 16 bits: seconds of the baseline's device for the same problem in f32, surely less than in this type;
     * unknown if it does not compute that, or was not measured. */
    struct estimate in_f32;
    bool is_against_f32; /* the speed-up is the quotient of two times, no pairs (figure_turn_to_f32) */
    /* Where the other cell of the device measures this use, all from here on is of that, and there is no time. */
    bool is_held_back;     /* the CPU was, for the cell or for its baseline */
    bool is_beside_others; /* somebody else used the cores in more than half of the cell's slices */
    bool is_below_part;    /* runs with transfers took less time than computing alone, beyond chance */
    enum disturbance disturbance;
    bool is_disturbed; /* the speed-up decides nothing: it, its baseline or the CPU's f32 was disturbed */
};

/* Why the speed-up is not judged, and what to do: "CPU held back"; "" of any other verdict. */
const char *figure_unjudged(const struct figure *figure);

struct figure figure_read(const struct record *record, const struct cell_record *cell, enum use use);

/* Against the baseline's f32, if that is known: the speed-up becomes the quotient of both times. Its interval has the
 * corners of both: a conservative one where drift may lie between the two. */
void figure_turn_to_f32(struct figure *figure);

/* --- the pairing rule: which of the baseline's measurements a measurement of a cell is compared with. The scheduler
 * takes slices by it, and the stop rule looks at its ratios. ---
 *
 * Series: each is compared with the baseline's series of the same name, or with the baseline's headline series if it
 * has no such. A cell that moves nothing has no copied series; its resident series takes that place.
 *
 * Slices: one is compared with the baseline's of the same visit, and no slice is in two visits. Several devices of a
 * visit share the baseline's. In a journal of version 3, without visits, one is compared with the one before it, which
 * no other slice of its series may have; a slice with none shortly before it has no pair. */

/* Ratios baseline / cell of a series, one for each slice that has a pair, in order of time. Returns how many; slices
 * beyond `room` are not considered. 0 when the cell has no baseline or is it, when either of them failed (a wrong
 * answer has no speed), and when the two were not measured in turn. */
unsigned record_ratios(const struct record *record, const struct cell_record *cell, enum series series, double out[],
                       unsigned room);

/* The baseline's series that one of another cell is compared with. */
enum series pairing_baseline_series(enum series series, bool baseline_has_it, enum use baseline_headline);

/* --- what decides whether a cell supports a claim --- */

/* Whether the cell computes on the operands where the host has them and has no copied series: its resident series
 * takes that place. So it is in journals of version 0.1 and for workloads that move nothing. */
bool record_is_in_place(const struct record *record, const struct cell_record *cell);

/* Whether strong checks found its answers right, before and after the timing: an incomplete run had no time for the
 * second. Only a cell that ended well too supports a claim; `cell` may be NULL. */
bool record_is_verified(const struct record *record, const struct cell_record *cell);
bool record_is_sound(const struct record *record, const struct cell_record *cell);

/* The cell that measures the use of this one's problem: itself, or the other one of its device in its block when each
 * use of the data has a cell of its own and that one did not fail. */
const struct cell_record *record_cell_for(const struct record *record, const struct cell_record *cell, enum use use);

#endif
