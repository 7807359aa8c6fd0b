/* What a comparison of runs says of each cell. */

#include "harness/report/glossary/chapter.h"

#include <stddef.h>

static const char outcome[] = "outcome";

static const struct term terms[] = {
    { "FASTER", outcome,
      "The new runs are surely faster: by at least 2 %, and by more than runs of one program differ among themselves. "
      "Speed-ups over the baseline are compared; times only where there are none, and then from 10 % on.",
      "Keep the change.", "improvement|improved" },
    { "SLOWER", outcome,
      "The new runs are surely slower: by at least 2 %, and by more than runs of one program differ among themselves. "
      "Speed-ups over the baseline are compared; times only where there are none, and then from 10 % on.",
      "Look at what changed: the program, the driver, or the machine.", "regression|regressed|degraded" },
    { "SAME", outcome,
      "The new runs are surely no more than a margin faster or slower than the old ones, 5 % unless told otherwise.",
      NULL, "unchanged|no change|margin" },
    { "UNSURE", outcome,
      "The cell may have changed or not: its figures vary too much between runs, or within them, to say which.",
      "Give five journals a side, measured in turn, or a larger --budget.", "undecided|inconclusive" },
    { "NEW", outcome, "The new runs have the cell, the old ones do not, so there is nothing to compare.", NULL,
      "added" },
    { "GONE", outcome, "The old runs have the cell, the new ones do not.",
      "See that the new runs are complete and were made with the same options.", "removed|missing" },
    { "BROKEN", outcome,
      "The cell was measured well in the old runs, and not in the new ones or in some of them: wrong, failed, crashed, "
      "unsupported or the like.",
      "See the reason in a report of the new journal.", "now fails" },
    { "MENDED", outcome,
      "The cell ended badly in the old runs, or in some of them, and is measured well in the new ones.", NULL,
      "fixed" },
};

const struct chapter glossary_verdicts = { terms, sizeof terms / sizeof *terms };
