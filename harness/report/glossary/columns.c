/* The titles of the tables' columns. */

#include "harness/report/glossary/chapter.h"

#include <stddef.h>

static const char column[] = "column";

static const struct term terms[] = {
    { "device", column,
      "What computes: cpu is the processor itself, opencl:0 or cuda:0 a device that a driver offers. The number counts "
      "the devices that this run found, and is what --device takes.",
      "bench devices tells more of each.", "device id|device key|device name|device class|cpu|backend" },
    { "method", column,
      "What does the computing, and by which algorithm: a library such as openblas, or our own code, native or "
      "portable. Of several the fastest on each device is measured unless --method asks for others.",
      NULL, "method|algorithm" },
    { "memory", column,
      "Where the host keeps the data that a device works on: pageable, pinned, mapped or mapped-copy. It decides what "
      "moving them costs, so figures of different kinds are never mixed.",
      "Of a GPU in the processor's own package read the mapped rows, of a card with its own memory the pinned ones.",
      "memory kind|kind of memory" },
    { "resident speed-up", column,
      "How many times as fast as the baseline a run is when its data lie on the device already: above 1 it is faster. "
      "In brackets stands the 95 % interval, or [?] where that is not known.",
      "Look here if your program leaves its data on the device from one use to the next.",
      "resident|speedup resident|speedup|speedup ratio|ratio|acceleration|times as fast" },
    { "offload speed-up", column,
      "How many times as fast as the baseline a run is when its data are moved to the device and the result back every "
      "time. Repacking counts on both sides.",
      "Look here if every use of your program brings new data.",
      "offload|speedup offload|speedup|speedup ratio|acceleration|end to end" },
    { "ceiling %", column,
      "How much of the most that the device can do, as measured in the same run, a row reaches: 100 % is all of it. "
      "Meant is the ceiling that binds, of its memory or of its arithmetic.",
      "Near 100 % only a faster device or less work helps; at a low share another method may do better.",
      "of ceiling|ceiling|share of ceiling|ceiling share|share|efficiency|utilisation|utilization|percent of peak" },
    { "bound by", column,
      "What sets the limit of a run: memory (reading and writing within the device), compute (arithmetic), transfer "
      "(moving data to and from it) or launch (asking it to start).",
      "memory: touch fewer bytes. compute: use a faster method. transfer: leave data on the device. launch: do more in "
      "each launch.",
      "bound|offload bound by|bottleneck|memory bound|compute bound|transfer bound|launch bound|limited by" },
    { "GB/s", column,
      "Billions of bytes a second: what the problem must read and write at the very least, divided by the wall time of "
      "a run. A cache that saves a trip, or a method that makes extra ones, does not change the bytes counted.",
      NULL,
      "bandwidth|bandwidth bytes per s|throughput|gigabytes per second|gbps|gb per s|work bytes|bytes per second" },
    { "GFLOP/s", column,
      "Billions of arithmetic operations a second: those that the definition of the problem counts, divided by the "
      "wall time of a run. A multiplication followed by an addition counts as two.",
      NULL, "rate|rate flop per s|flops|flop/s|tflop/s|teraflops|gigaflops|flop|gflops" },
    { "+-", column,
      "Half the width of the 95 % interval, in percent, of a run's time, or in a comparison of the change before it: "
      "the smaller, the more surely it is known. '-' means that there were too few rounds, or that they resembled "
      "their neighbours too much.",
      "A larger --budget, or a quieter machine, makes it smaller.",
      "+-%|+/-|±|± %|precision|half width|headline half width|uncertainty|error bar|error|plus minus" },
    { "host CPU", column,
      "How many of the host's processors are kept busy while a device of its own computes. 1.0 means that its driver "
      "waits by asking all the time, '-' that it takes next to nothing.",
      "Where it is near 1, count that core as a part of the price of the device.",
      "host|cpu load|host cpu s per s|cpu usage|processor load" },
    { "energy J", column,
      "Joules that one run takes: by the processor's counters for a CPU and for graphics in its package, by the "
      "board's "
      "own counter for a GPU that has one. Idle power, and what other programs draw, is in it.",
      NULL, "package j|package|energy|joule|j|package energy j|gpu energy j|gpu j|rapl|energy of a run" },
    { "GFLOP/s per W", column,
      "Billions of operations a second for each watt of the processor's package, or of the GPU's board: work by the "
      "energy that it took. Higher is cheaper to run.",
      NULL, "gflops per watt|per watt|energy efficiency|package flop per j|gpu flop per j|flop per joule|flop/j" },
    { "upload", column,
      "Time to move the inputs of a run from the host to the device, with a wait after it. In mapped memory it is the "
      "time to hand the buffers over.",
      "Where it is long beside compute, leave data on the device, or try --memory pinned or mapped.",
      "offload upload median s|host to device|h2d|up" },
    { "repack", column,
      "Time to bring the inputs into the order in memory that a method wants, and the result back, both together. '-' "
      "means that it computes on them as they are.",
      "A program that keeps its data in that order from step to step does not pay this: then read compute.",
      "repacking|offload repack median s|reorder|reordering" },
    { "compute", column,
      "Time of one run on data that are on the device, from the call that starts it to the end of the wait for it, by "
      "the host's clock. It is the figure behind the resident speed-up.",
      NULL, "offload compute median s|run time|runtime|kernel time|compute phase" },
    { "no wait", column,
      "When the calls that start a run have returned, before it is waited for: all that a program sees that stops its "
      "clock too early, and no speed. The table has it of launch only, the CSV and the JSON of every cell.",
      "If your own measurement is near this figure, it lacks a wait.",
      "enqueue|enqueue s|asynchronous|forgot to wait|without the wait" },
    { "event", column,
      "Time of one run by the device's own clock, where that can be believed. It leaves out what starting the run and "
      "waiting for it take, so it is never used for a speed-up.",
      "Where it is far below compute, starting the run costs more than the run.",
      "event median s|event time|device time|profiling" },
    { "download", column,
      "Time to move the result of a run from the device back to the host, with a wait after it. In mapped memory it is "
      "the time to hand the buffer back.",
      "Where it is long beside compute, fetch less, or less often.",
      "offload download median s|device to host|d2h|readback" },
    { "whole", column,
      "Time of upload, repack, compute and download in a row, with one wait at the end. It is less than their sum "
      "where the device does some of them at once, and it is the figure behind the offload speed-up.",
      NULL, "total|offload time|round trip|end to end time" },
    { "first", column,
      "Time of the very first run in a fresh process, everything included. The word behind it is the part that was "
      "more than half of it: open (the device), memory, compile (or load), upload, repack, run or download.",
      "If your program runs once and ends, this is the figure that counts.",
      "first run|first open s|first alloc s|first compile s|first upload s|first repack s|first run s|first download "
      "s|first total s|cold start|warm up|warmup|compile|compilation|startup" },
    { "note", column,
      "Numbers of the notes below the table: what one must know beside the figures. Of a row that failed it is why.",
      "bench explain with the text of a note, or a few words of it, tells more.", "notes|footnote" },
    { "run", column,
      "Which journal a row is from, where a report is of several: A is the first one named, B the second. The machines "
      "and dates behind the letters stand at the top.",
      "Compare speed-ups between runs rather than times: each is over a baseline of its own run.",
      "run letter|journal" },
    { "ceiling of", column,
      "The most that each device did in this run at arithmetic and at moving memory. The other rows are held against "
      "these figures.",
      "--no-ceilings leaves them out and saves a third to half a second each.", "ceilings" },
    { "best", column,
      "The highest rate that was measured on the device for arithmetic of this type, or for memory of this size. Of "
      "memory, a = b + 3 c over large arrays is what is timed.",
      NULL, "best rate|ceiling best" },
    { "in theory", column,
      "The most that a device could do in theory, with the formula: units, times what each does in a cycle, times a "
      "clock that is named. What is not known of a device leaves it empty.",
      "Where the best is far below it, see that the device runs at full clock and is not shared.",
      "by its facts|theory|theoretical peak|datasheet" },
    { "size", column,
      "The size of the problem that a row of a sweep is about, in the dimension that the sweep lets grow: n elements, "
      "or m = n = k of a matrix.",
      NULL, "problem size|dimension" },
    { "uses speed-up", column,
      "The speed-up where data are moved to the device once, used so many times, and the result is fetched once: "
      "between resident and offload.",
      "--uses N sets how often.", "uses|10 uses|10 uses speedup|number of uses" },
    { "verdict", column,
      "What a comparison says of a row: FASTER, SLOWER, SAME or UNSURE, or NEW, GONE, BROKEN or MENDED. Each has an "
      "entry of its own.",
      NULL, NULL },
    { "resident change", column,
      "By how many percent the resident speed-up over the baseline changed from the old runs to the new ones: above 0 "
      "the device became faster.",
      "Believe it where it is larger than the +- behind it.", "change|change of the resident speedup" },
    { "offload change", column,
      "By how many percent the offload speed-up over the baseline changed from the old runs to the new ones: above 0 "
      "the device became faster.",
      "Believe it where it is larger than the +- behind it.", "change|change of the offload speedup" },
    { "time change", column,
      "By how many percent the time of a run changed from the old runs to the new ones: above 0 it takes longer. Times "
      "vary more from run to run than speed-ups do.",
      "Believe it only where the machine did nothing else.", "change|change of the time" },
    { "baseline's change", column,
      "By how many percent the time of the baseline changed, that the row is held against.",
      "Where it is large, the machine changed more than the program.", "baseline's time" },
};

const struct chapter glossary_columns = { terms, sizeof terms / sizeof *terms };
