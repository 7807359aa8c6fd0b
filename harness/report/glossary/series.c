/* The series of samples that a cell has, their statistics, and why each ended. */

#include "harness/report/glossary/chapter.h"

#include <stddef.h>

static const char metric[] = "metric";

static const struct term terms[] = {
    { "resident series", metric,
      "Runs on data that lie on the device already, each with one wait after it. It gives compute, GFLOP/s, GB/s and "
      "the resident speed-up.",
      NULL, "resident|latency" },
    { "queued", metric,
      "Many runs handed to a device one after the other with one wait for all, measured through a driver where a run "
      "is shorter than a millisecond. It is what a program gets that need not look at each result.",
      "If it is far shorter than compute, hand over many runs before you wait.", "queued series|throughput series" },
    { "offload series", metric,
      "Runs with everything that a lone use costs: upload, repack, compute and download. They are timed apart, with a "
      "wait after each, and as a whole with one wait at the end.",
      NULL, "offload|offload phases|phases" },
    { "sustained", metric,
      "The resident series once more, of one device by itself without a pause, after the rounds. In rounds a device "
      "recovers while the others have their turn, by itself it shows what heat and power limits leave.",
      "Take this speed for work that lasts longer than some seconds.", "sustained series|by itself" },
    { "naive", metric,
      "What somebody sees who times a program once: the first run in a fresh process, with a result freshly taken, no "
      "warm-up and no explicit wait. A few processes show how much of that is luck.",
      "Compare it with compute: the difference is fresh memory, fetching the result and a cold start, and no speed of "
      "the device.",
      "naive timing|naive speedup|processes|naive run|first run in a fresh process|as the page did|as people time "
      "it|people time it|page "
      "faults|faults" },
    { "count", metric, "How many single runs a series timed, in all of its slices together.", NULL,
      "number of runs|sample count" },
    { "min", metric, "The shortest single run of a series. It is luck as much as speed, so no verdict rests on it.",
      NULL, "min s|minimum|fastest run" },
    { "p5", metric, "Five runs in a hundred were shorter than this time.", NULL, "p5 s|percentile|quantile" },
    { "median", metric,
      "The time in the middle: half of the runs took longer, half less. A few very slow runs do not move it, which is "
      "why it is shown and not the mean.",
      NULL, "median s|value|typical|p50|average|mean" },
    { "p95", metric, "Five runs in a hundred took longer than this time. Far above the median it tells of disturbance.",
      NULL, "p95 s|outlier|percentile|quantile|tail latency" },
    { "max", metric, "The longest single run of a series.", NULL, "max s|maximum|slowest run|worst" },
    { "MAD", metric,
      "Median absolute deviation: half of the runs lie no farther from the median than this. It is the spread of "
      "single runs, not the uncertainty of the median, which +- tells.",
      NULL, "mad s|median absolute deviation|spread|standard deviation|stddev|variation|noise" },
    { "slices", metric,
      "How many stretches of runs a series has, in turn with the other devices. One slice is one figure for the "
      "statistics, however many runs it holds.",
      NULL, "number of slices" },
    { "blocks", metric,
      "How many independent values the slices, or rounds, are worth: neighbours that resemble each other count less. "
      "Fewer than six give no interval.",
      "A larger --budget gives more.",
      "rounds and blocks|speedup resident blocks|speedup offload blocks|independent blocks|samples" },
    { "rounds of a speed-up", metric, "How many ratios of slices that stood side by side a speed-up is the median of.",
      NULL, "speedup resident rounds|speedup offload rounds" },
    { "two modes", metric,
      "Whether the times of a series gather around two values, at least 5 % apart, with next to none between them.",
      NULL, "two mode flag|bimodal" },
    { "stop", metric,
      "Why a series ended: precise, budget, long, with-others, interrupted or failed. Each of these words has an entry "
      "of its own.",
      NULL, "stop reason|why it ended" },
    { "precise", metric,
      "The series ended because the 95 % interval of its ratio was within --precision (2 % unless told otherwise), on "
      "at least 26 rounds.",
      NULL, "precise enough|stopped precise" },
    { "budget", metric,
      "The time that one series of a cell may take, or, as the end of a series, that it was used up before the series "
      "was precise enough.",
      "--budget sets it, as in --budget 10s.", "time budget|stopped by budget" },
    { "long", metric,
      "The series ended because its runs are so long that fewer than six rounds fit the budget. Then there is no "
      "interval.",
      "--budget gives more.", "long cell|stopped long" },
    { "with-others", metric,
      "The series is the baseline's: it went on as long as anything was compared with it, and ended with the last.",
      NULL, NULL },
    { "interrupted", metric,
      "The run was ended by a person before it was done. What was measured until then is kept and reported.",
      "--resume JOURNAL measures the rest.", "ctrl c|exit status 130|the run was interrupted" },
    { "not yet", metric, "The series had not come to its end when the journal broke off.", NULL, NULL },
};

const struct chapter glossary_series = { terms, sizeof terms / sizeof *terms };
