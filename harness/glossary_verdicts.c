/* What a comparison of runs says of each cell. */

#include "harness/glossary_parts.h"

#include <stddef.h>

static const char outcome[] = "outcome";

static const struct term terms[] = {
    { "FASTER", outcome,
      "The cell takes surely less time in the new runs than in the old ones, by more than runs of the same program "
      "differ among themselves.",
      "Keep the change; several journals a side make the word worth more.", "improvement|improved" },
    { "SLOWER", outcome,
      "The cell takes surely more time in the new runs than in the old ones, by more than runs of the same program "
      "differ among themselves.",
      "Look at what changed: the program, the driver, or the machine.", "regression|regressed|degraded" },
    { "SAME", outcome,
      "The new runs are as fast as the old ones, as far as such runs can tell: a change large enough to matter would "
      "have been seen.",
      NULL, "unchanged|no change" },
    { "UNSURE", outcome,
      "The cell may have changed or not: its figures vary too much between runs, or within them, to say which.",
      "Give more journals a side, measured in turn, or a larger --budget.", "undecided|inconclusive" },
    { "NEW", outcome, "The new runs have the cell, the old ones do not, so there is nothing to compare.", NULL,
      "added" },
    { "GONE", outcome, "The old runs have the cell, the new ones do not.",
      "See that the new runs are complete and were made with the same options.", "removed|missing" },
    { "BROKEN", outcome,
      "The cell was measured well in the old runs and ended badly in the new ones: wrong, failed, crashed or the like.",
      "See the reason in a report of the new journal.", "now fails" },
    { "MENDED", outcome, "The cell ended badly in the old runs and is measured well in the new ones.", NULL, "fixed" },
};

const struct chapter glossary_verdicts = { terms, sizeof terms / sizeof *terms };
