/* How a cell can end, and how often data must be used until a device pays. */

#include "harness/report/glossary/chapter.h"

#include <stddef.h>

static const char outcome[] = "outcome";

static const struct term terms[] = {
    { "ok", outcome, "It was measured, and its answer was right before the timing and after it.", NULL,
      "fine|success" },
    { "unsupported", outcome,
      "The device or the library cannot do this at all: an element type, a shape, a kind of memory, or a library that "
      "is not there. It is an honest answer and no failure, so the exit status stays 0.",
      "The reason names what is missing; of a library it names the package that has it.", "not supported|not built" },
    { "no-memory", outcome,
      "The data of the problem do not fit into the memory of the device or of the host, so it was not tried, or an "
      "allocation was refused. The reason has the bytes where they are known.",
      "Choose a smaller --size, or close what holds the memory.", "out of memory|oom|does not fit" },
    { "too-slow", outcome,
      "One run takes longer than the whole budget, or was predicted to, so that nothing could be said of it but how "
      "long the first took. A method may be passed over for the same reason while methods are tried.",
      "A larger --budget or --timeout measures it, if you want to wait.", "slow|passed over|not ready within" },
    { "wrong", outcome,
      "The answer was not the right one, by a check against numbers that are known. A wrong answer has no speed, so no "
      "time is shown.",
      "Try a newer driver or library; the row's repro command in the JSON does it again for a bug report.",
      "wrong answer|incorrect|verification failed" },
    { "impossible", outcome,
      "The times cannot be true: runs that took no time by the clock, or more work than the hardware can do by a "
      "confirmed theoretical peak. The answer may be right, but a clock or a wait lies.",
      "Do not use figures of this driver; report it to its maker with the reason and the repro command.",
      "took no time|implausible|too good to be true" },
    { "failed", outcome,
      "The driver or library refused something that it should do, and said so. The reason has the name of the call and "
      "its error.",
      "Look the error up, or try a newer driver; what that printed is in a folder beside the journal.",
      "failure|fail|error message" },
    { "timeout", outcome,
      "The measuring process gave no answer within its deadline and was ended. Other devices and rows are not touched "
      "by that.",
      "If the work is only long, a larger --timeout lets it end; otherwise the driver hangs.",
      "timed out|hang|hung|deadline" },
    { "crashed", outcome,
      "The measuring process died, as when a driver or a compiler crashes; the reason has the signal, and the "
      "last line that the driver printed. Every device has a process of its own, so that only this row is lost.",
      "Try a newer driver; the repro command in the JSON shows the crash again.",
      "crash|died|killed|segfault|signal|printed last" },
    { "abandoned", outcome,
      "It was not measured, because the run was interrupted before its turn, or because three processes of this device "
      "or method had died before, or could not even open the device.",
      "Find out why, or let the run come to its end.",
      "given up|not measured|workers of this device died|could not open it" },
    { "usage", outcome, "The command line, or a file that it names, makes no sense; exit status 2.",
      "The message names what was wrong and what would be right.", "usage error" },
    { "unfinished", outcome,
      "The journal ends before this cell did: the run was broken off, or is still going on. What was measured until "
      "then is shown.",
      "Let it end, or complete it with --resume JOURNAL.", "not finished|broken off|ok, but without a single time" },
    { "never", outcome,
      "However often the same data are used, the device does not pay: each use surely costs at least as much there as "
      "on the baseline.",
      "Use the baseline for this size, or find with bench sweep a size at which the device is faster.",
      "never pays|never pay" },
    { "if ever", outcome,
      "The gain of each use cannot be told from none, or has no interval: the device pays from so many uses on at the "
      "earliest, or not at all.",
      "A larger --budget may settle it.",
      "unknown|at the earliest if ever|at the first use and perhaps at no later one|may never pay|perhaps never|no "
      "gain was seen|no gain could be shown" },
    { "contradict", outcome,
      "Runs with all transfers came out surely faster, or slower, than the runs without them allow. Something "
      "disturbed one of the two.",
      "Repeat with a larger --budget on a quieter machine.",
      "contradicted|contradict each other|the two contradict each other" },
    { "known", outcome,
      "The number of uses from which on a device pays could be worked out: 'uses' has it, 'low' and 'high' its "
      "interval.",
      NULL, NULL },
    { "until", outcome,
      "The device pays at first and then no more: it saves the repacking that the baseline has to do once, and loses a "
      "little at every use.",
      NULL, "only up to|pays up to" },
    { "none", outcome,
      "There is nothing to ask here: it is the baseline itself, moves data only, or has nothing to move.", NULL, NULL },
    { "no difference could be shown", outcome,
      "The 95 % interval of the speed-up contains 1, so neither is surely faster. That does not prove that they are "
      "equally fast.",
      "If a small difference matters, a larger --budget narrows the interval.",
      "no difference|even|equal|tie|brings no gain|brings no gain that could be shown" },
    { "too few rounds to judge", outcome,
      "A speed-up rests on fewer than six rounds, which is too few for an interval.", "--budget gives more.",
      "too few rounds|too few|few rounds to judge" },
    { "too disturbed to judge", outcome,
      "There is no useful interval for the speed-up: neighbouring slices resemble each other too much, or the interval "
      "holds 1 and its ends are over four times apart.",
      "Close other programs and give a larger --budget.", "too disturbed|disturbed" },
    { "nothing was measured", outcome, "No row of the problem has a time that can be shown; each row says why.", NULL,
      "nothing was measured here|only the baseline was measured|was not compared|gave nothing to compare with" },
    { "not worth it", outcome,
      "The device is slower than the baseline even with its data in place: surely, or, without an interval, at less "
      "than a quarter of its speed. It says nothing of other sizes.",
      "bench sweep finds sizes at which it may pay.", "is not worth it here" },
    { "worth it", outcome,
      "The device is surely faster than the baseline: for data that stays there, or even with every transfer counted, "
      "as the sentence says.",
      "Which of the two is yours decides: do your data stay on the device from use to use?",
      "is worth it|is worth it for data that stays there|is worth it even with every transfer counted" },
};

const struct chapter glossary_outcomes = { terms, sizeof terms / sizeof *terms };
