/* The notes below the tables, but for those on the machine. `also` begins with the words by which a note is known. */

#include "harness/report/glossary/chapter.h"

#include <stddef.h>

static const char note[] = "note";

static const struct term terms[] = {
    { "never verified", note, "No check of the answer was completed, so the time may be that of a wrong answer.",
      "Do not use the figure; measure again.", "never verified the answer may be wrong|not verified" },
    { "verified once", note,
      "The answer was right before the timing, and was not checked again after it, with fresh data.",
      "Measure again if you want to be sure; an interrupt is the usual cause.",
      "not again after it was timed|interrupted not verified again after timing|not verified after it was timed" },
    { "weak check", note, "The check of the answer allows an error as large as the values, so it proves nothing.",
      "Use a smaller size, or a wider element type.", "a check of the answer proves nothing|verified by a check" },
    { "not finished", note,
      "The journal ends before this row was done; the figures are of what was measured until then.",
      "Let it end, or complete it with --resume JOURNAL.", "what was measured until then" },
    { "slices side by side", note,
      "The quotient of the two times differs from the speed-up, because the machine became faster or slower meanwhile. "
      "The speed-up compares slices that stood next to each other, and is the one to believe.",
      "Quote the speed-up, not the times.",
      "the speed up is of slices side by side|drifted apart|the times of the two rows drifted apart from it" },
    { "slower than when tried", note,
      "A run takes over twice as long as it did a moment before, when its method was chosen. Something disturbs the "
      "device, and the speed-up may be an accident.",
      "Close other programs and measure again.",
      "times as long as when the method was tried|something disturbs it|its speed up may be an accident" },
    { "whole is less than its part", note,
      "Runs with all transfers took less time than runs without them, which cannot be: the machine changed between the "
      "two series.",
      "Nothing is concluded from the offload figures; the resident ones stand. Measure again, with a larger --budget.",
      "whole is less than its part compute|the machine changed between the two|"
      "the machine changed between the two and the offload was too disturbed to judge" },
    { "computation longer between transfers", note,
      "In the offload series the computation itself took over 5, 20 or 50 % longer than in the resident series, so the "
      "whole is more than transfers and compute of this row add up to. It is not the transfers: the machine changed "
      "meanwhile, or what was moved had left the caches or its pages.",
      "Measure again with a larger --budget: if it stays, it belongs to moving the data, and the offload speed-up "
      "tells the truth.",
      "offload the computation took over|longer between transfers than by itself|the caches did|"
      "the machine changed or the caches did" },
    { "only handed over", note,
      "The host and the device share this memory: nothing is copied, and a buffer only changes hands, for a fixed "
      "time. No bandwidth follows from such a time.",
      "Be glad of it: this is how a program on such a device should keep its data.",
      "the buffer is only handed over|upload and download only hand the buffers over|a fixed cost|no copy upload and "
      "download only hand the buffers over" },
    { "no bandwidth", note,
      "So little is moved that it takes no longer than handing over one page, so the time tells nothing of bandwidth.",
      "Use a larger size to see a bandwidth.", "so little is moved" },
    { "cold", note,
      "Caches are emptied before each run, untimed, so that a run finds its data in main memory, as after a while of "
      "other work. The host's are emptied by reading through as many bytes as the note says.",
      "Leave --cold away to see runs that find their data in the caches.",
      "caches are flushed before each run|flushed|cold flushed bytes|cold caches" },
    { "fast algorithm", note,
      "The method needs fewer operations than the definition counts, so its GFLOP/s may exceed what the device can do. "
      "It rounds more coarsely than a direct method.",
      "Compare its time, not its GFLOP/s, and see that its accuracy is enough for you.",
      "a fast algorithm|gflops counts the operations of the definition" },
    { "above its ceiling", note,
      "The row did better than the best that was measured for its device in this run, beyond the intervals of both. "
      "The "
      "ceiling was measured at a worse moment, or in a way that suits the device less; the note says whether it was "
      "measured again.",
      "Take a share above 100 % as 'at the ceiling'.",
      "faster than the ceiling that was measured for it|although it was measured again|"
      "and it was not measured again|faster than the ceiling|exceeded|over 100 %" },
    { "no ceiling for small types", note,
      "What arithmetic in f16, bf16 and tf32 can do at most is not measured: some devices do it in f32, others in "
      "units "
      "made for it, and no one kernel shows the best of both. So there is no share of a ceiling, and what the row is "
      "bound by is not known.",
      "Compare its GFLOP/s with those of f32 on the same device, or with the data sheet's.",
      "no ceiling for|no ceiling for f16|no ceiling for bf16|no ceiling for tf32|its arithmetic is f32's on one "
      "device|a matrix unit's on the next|no ceiling" },
    { "computed in f32", note,
      "The operands are of a smaller type, and the method makes f32 of them before it multiplies. The answer is at "
      "least as precise; what is gained is memory, not arithmetic.",
      "Try the other methods with --method all: one may use units that the device has for this type.",
      "computed in f32 no tf32 before|computed in" },
    { "event clock not trustworthy", note,
      "Times by the device's own clock are left out, because they cannot be true: not positive, longer than the wait "
      "for them, or far too short for the work. All other figures are by the host's clock and stand.",
      "Do not time programs on this driver by its events.",
      "times were not positive or longer than the wall time|its times stand for|starting one takes no such "
      "time|nothing on this device can do more" },
    { "no time by the device's own clock", note,
      "The driver gives no times of its own, so the column 'event' is empty. Nothing else depends on it.", NULL,
      "no event time" },
    { "too few for an interval", note,
      "There are fewer than six slices, and an interval takes six. The figure is a median of a few values, and may be "
      "far off.",
      "--budget gives more.", "too few for an interval which takes 6|slices too few|slice too few" },
    { "few rounds", note,
      "There are fewer than twelve rounds, too few to see whether neighbours resemble each other. If they do, the "
      "interval shown is too narrow.",
      "--budget gives more.", "whether they resemble each other cannot be seen|an interval may be too narrow" },
    { "stopped by its budget", note,
      "The time for the series was up before it was precise enough, or before that was certain. The figures stand, "
      "with the interval that they show.",
      "--budget gives more time.",
      "before it was as precise as asked|stopped by its budget before it was as precise as asked|stopped by its budget "
      "as precise as asked but on too few rounds|stopped by its budget after few rounds" },
    { "interval unknown", note,
      "Rounds were fewer than six, or times change slowly, so that neighbouring slices resemble each other. A device "
      "is slower all the same where three rounds or more all lie below 1 / 1.25, farther from 1 than from each other.",
      "Give a larger --budget; close other programs, let the machine settle.",
      "interval of the time unknown|interval of the speed up unknown|interval of the time and of the speed up "
      "unknown|slices resemble their neighbours|rounds resemble their neighbours|the rounds resemble their neighbours "
      "too much|no interval|interval unknown rounds are too few" },
    { "not positive", note,
      "The clock told of runs that took no time, or less. They are left out; more than one in a hundred of them would "
      "have made the row impossible.",
      "Distrust the clock of this machine.", "times that were not positive are left out" },
    { "times gather around two values", note,
      "The times of single runs gather around two values with next to none between them, as when a clock has two steps "
      "or memory lies well or badly. The median is only one of the two.",
      "Measure again: if the two stay, quote both.", "two modes the times gather around two values|two modes|bimodal" },
    { "drift", note,
      "The last third of the slices took over 5, 20 or 50 % longer, or ran so much faster, than the first: the machine "
      "warmed up, or "
      "was disturbed. Speed-ups compare neighbouring slices and suffer little, times do.",
      "Quote the speed-up; for times let the machine settle and measure again.",
      "drift the last third of the slices took over|drift the last third of the slices ran over|the last third of the "
      "slices|drift may have changed the speed up" },
    { "not in turn", note,
      "This row and the baseline were not measured in alternation, so the speed-up is a quotient of two times that "
      "stood apart. It has no interval, and drift is in it.",
      "Where memory was too small for both at once, a smaller --size lets them alternate.",
      "not measured in turn with the baseline|measured after the others not in turn with them|memory is too small for "
      "all at once|sequential" },
    { "interrupted early", note, "The run was ended by a person before this row was as precise as asked.",
      "A fresh run, left to its end, gives a narrower interval.", "interrupted before it was as precise as asked" },
    { "longer by itself", note,
      "Without pauses a run takes over 5 % longer than in turn with other devices: heat or a power limit holds the "
      "device back.",
      "Take this time for work that lasts longer than some seconds; better cooling may change it.",
      "longer than in the rounds before heat or a power limit holds|heat or a power limit|heat or a power limit holds "
      "the device back|and long work gets this speed" },
    { "less by itself", note,
      "Without pauses a run takes over 5 % less than in turn with other devices: clocks and caches need longer to "
      "recover than a slice gives them.",
      "Take this time for work that lasts longer than some seconds.",
      "less than in the rounds before clocks and caches|clocks and caches need longer to recover|clocks and caches "
      "need longer to recover than a slice gives them and long work gets this speed" },
    { "by itself as in turn", note,
      "Run without pauses, the device is as fast as in turn with others, or no clear difference was seen.", NULL,
      "as in the rounds before|than in the rounds before|by itself for|which may be chance" },
    { "seems faster without the wait", note,
      "How fast the device would look to a program that stops its clock when the calls have returned. The work was not "
      "done by then.",
      "Always wait for the device before you stop a clock.", "without the wait it would seem" },
    { "price of many launches", note,
      "What cutting one piece of work into many launches costs: so many times the time of one launch, and so much for "
      "each further one.",
      "Do more in each launch, until the price of each is small beside its work.",
      "launches take|launches take no longer than one does|more for each|as long as one does for the same work" },
    { "one wait for all", note,
      "A run costs less when many are handed over with one wait at the end: the rest is what waiting takes.",
      "Wait once for many runs where your program does not need each result at once.",
      "with a wait after each and|among many with one wait for all" },
    { "moving and computing at once", note,
      "What cutting the data into chunks brings, so that one is moved while another is computed, against moving all, "
      "computing all and moving all back.",
      "If it is faster, do so in your program; if not, the device or its driver does one thing at a time.",
      "as fast as all uploads then all that computes|as long as all uploads then all that computes|takes as long as "
      "all uploads|chunks on" },
    { "offload not measured", note,
      "One run with all transfers takes longer than the budget, so that only the resident series was measured.",
      "--budget gives more.", "one run exceeds the budget" },
    { "its worker died once", note,
      "The process that measured this device crashed or hung in the midst, and a fresh one went on. The figures are of "
      "both.",
      "Watch whether it happens again; then suspect the driver.", "a fresh one went on|worker died" },
    { "resumed", note,
      "The run was broken off and completed later with --resume. Problems that were not done by then were measured at "
      "that later moment.",
      "Compare rows of one problem; between problems the machine may have changed.",
      "resumed what was not done by then was measured anew|what was not done by then was measured anew|resume" },
    { "no GPU was measured", note,
      "Only processors took part, perhaps through OpenCL, so nothing here tells whether a GPU would be worth it.",
      "bench devices lists what is seen, and why an interface shows none.", "no gpu" },
    { "element type left out", note,
      "An element type was asked for in which the workload is not defined, whatever the device: it has no rows.",
      "'bench workloads' lists the element types of each.", "not asked of any device|has no element type" },
    { "not begun", note, "Problems that the run had not come to when it was interrupted.",
      "--resume JOURNAL measures them.", "not begun yet" },
    { "computes faster in its own layout", note,
      "A method of the CPU that lost by its repacking computes faster than the baseline once its data are in the order "
      "that it wants. Against it the resident speed-ups would be smaller.",
      "If your program can keep its data in that order, ask for the method with --method.",
      "computes faster than the baseline on operands in its own layout" },
    { "mapped is the fair kind", note,
      "This device shares the host's memory, so a program need not copy anything: its mapped rows show what it can do.",
      "Read the mapped rows of such a device, and use mapped buffers in your program.",
      "shares the host's memory mapped is the fair kind|share the host's memory mapped is the fair kind" },
    { "on several measurements", note,
      "Below a sweep the three most frequent notes on its single measurements are counted; figures within a note may "
      "differ from size to size.",
      "bench report --format json has each of them where it belongs.",
      "measurements|more kind of notes on measurements|on measurements" },
    { "says otherwise but alone", note,
      "One size of a sweep says the contrary of all others, and only just. Of many measurements one is wrong by chance "
      "now and then, so it is not believed.",
      "Measure that size by itself with bench run.", "says otherwise but alone which is not believed" },
    { "the model does not fit", note,
      "The simple model of the costs is off by more than a quarter at some size, or puts the threshold elsewhere: a "
      "cache that is outgrown, or another method, has other costs.",
      "Believe what was measured.",
      "where a model is off by more than 25 % it has no figures|does not fit off by up to|does not fit it would work "
      "faster than its "
      "peak|which differs by more than 25 %|off by up to" },
};

const struct chapter glossary_notes = { terms, sizeof terms / sizeof *terms };
