#ifndef HARNESS_MACHINE_THEORY_UNITS_H
#define HARNESS_MACHINE_THEORY_UNITS_H

/* Work per cycle of one unit of known architectures: the rows of the table theory_units.txt, which says what their
 * members mean. A unit of a GPU is Intel's EU (from Xe-HPG on called vector engine), NVIDIA's multiprocessor, AMD's
 * compute unit. */

#include "harness/base/text.h"

/* The row of this kind ("gpu", "tensor", "except", "more") for an architecture; NULL: there is none. */
const char *theory_row(const char *kind, const char *architecture);

/* The row of a CPU core, by family and model as CPUID displays them: "intel 6-142". */
const char *theory_core(const char *architecture);

/* A member of a row, or of NULL, which has none: a number (0: none), words (""), and the sentence at the end (NULL). */
unsigned theory_number(const char *row, const char *member);
struct text theory_words(const char *row, const char *member);
const char *theory_sentence(const char *row, const char *member);

/* Features, by their names in /proc/cpuinfo, that distinguish models; ends with NULL. */
extern const char *const theory_features[];

#endif
