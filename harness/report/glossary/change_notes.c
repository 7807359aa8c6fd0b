/* The notes below a comparison of runs. */

#include "harness/report/glossary/chapter.h"

#include <stddef.h>

static const char note[] = "note";

static const struct term terms[] = {
    { "another baseline", note,
      "Some runs are held against another method, or device, than the others. A speed-up over something else says "
      "nothing of a change, so those runs are left out of this row.",
      "Name the method with --method, or the device with --baseline, in all of the runs.",
      "runs have another baseline|their speed ups are over something else and left out|over something else" },
    { "speed-ups cannot be compared", note,
      "The old runs and the new ones have different baselines, so their speed-ups are over different things. Only the "
      "times are left to compare.",
      "Name the method with --method, or the device with --baseline, in all of the runs.",
      "its speed ups cannot be compared" },
    { "the baseline changed", note,
      "The time of the baseline changed by more than that of this row. The speed-up then tells more of the baseline "
      "than of the device.",
      "Look at the row of the baseline first.", "the baseline changed more than this did" },
    { "another method", note,
      "The fastest method was another one in the new runs, so a change of the figures may be that of the method. The "
      "question is still the same.",
      "Name the method with --method in all of the runs to see one alone.",
      "another method: … before, … now|another method before" },
    { "the same method in another way", note,
      "The method has the same name and was set up otherwise: another version of its library, or other tiles, "
      "instructions or pages.",
      "See in both texts what differs.", "the same method in another way: … before, … now|in another way" },
    { "other memory", note,
      "The data lay in another kind of memory in the new runs, which changes what moving them costs.",
      "Name it with --memory in all of the runs.", "other memory: … before, … now|other memory before" },
    { "differs between the sides", note,
      "The old runs and the new ones were not made under the same conditions: machine, driver, library, options or "
      "power. A change may come from that.",
      "Repeat the runs with nothing changed but what you want to compare.",
      "… before, … now|warnings|driver of|clock of the processor as measured|version of bench" },
    { "on one side only", note,
      "The old runs have this device, or this speed-up, and the new ones do not, or the other way round. What is there "
      "once is compared with nothing.",
      "See in the run that lacks it why: a driver that is gone, a run that failed, a budget too small.",
      "side has its|so nothing there is compared with it" },
    { "the same run twice", note,
      "One run is given more than once, on one side or on both. It would look like evidence that it is not.",
      "Give each journal once.", "are the same run counted twice|the same run is on both sides|counted twice" },
    { "not all of a run", note,
      "A journal of the comparison is of a run that did not reach its end, or has lines that make no sense. What is "
      "missing there is not compared.",
      "Complete the run, or leave the journal out.",
      "what it did not reach is missing|is damaged lines that make no sense were left out|the run ended before it was "
      "measured|damaged" },
};

const struct chapter glossary_change_notes = { terms, sizeof terms / sizeof *terms };
