/* The figures of a cell in the CSV and the JSON that the tables do not show, or show in other words. */

#include "harness/report/glossary/chapter.h"

#include <stddef.h>

static const char metric[] = "metric";

static const struct term terms[] = {
    { "machine", metric,
      "The processor of the computer that a run was made on, with its cores and its memory. Runs of different machines "
      "may stand side by side, and their speed-ups are each over a baseline of its own machine.",
      NULL, "computer|host name|processor" },
    { "started", metric, "When the run began, by the machine's own clock, in universal time.", NULL,
      "date|begun|start|time of the run" },
    { "key", metric,
      "The name of a cell in its journal: device, problem, method and memory in one text. It is the same in every run "
      "on the machine, so that bench compare finds its partner by it.",
      NULL, "cell key" },
    { "shape", metric,
      "The dimensions of a problem as they are typed after --size, such as m=1024,n=1024,k=1024; 'block' is that with "
      "its workload and element type.",
      "bench workloads tells what each letter means.", "shape text" },
    { "dtype", metric,
      "The element type of the operands: f32 is a number of 4 bytes, f64 one of 8; f16 and bf16 have 2 bytes, and tf32 "
      "4 of which a product needs fewer. Products of the last three are summed up in f32 unless the row says "
      "otherwise.",
      "Use the smallest that is precise enough: memory carries more of them, and units made for it multiply faster.",
      "f32|f64|element type|data type|precision of numbers|float|double|accumulation|accumulation type" },
    { "f16", metric,
      "A number of 2 bytes with 11 bits of precision, up to 65504 (IEEE 754's binary16). What multiplies it adds up in "
      "f32 unless the row says otherwise.",
      "Compare it with f32 only where 3 digits are enough.", "half|fp16|float16|half precision" },
    { "bf16", metric,
      "The upper half of an f32: 2 bytes, 8 bits of precision, and numbers as large as f32 has them. Sums are f32.",
      "Compare it with f32 only where 2 digits are enough.", "bfloat16|brain float" },
    { "tf32", metric,
      "An f32 whose products need only 11 bits of each operand, as NVIDIA's tensor cores take them; sums and results "
      "are "
      "f32. The operands here have no more bits than that, so what computes in f32 can do it, too, and the row says "
      "so.",
      "It is what PyTorch calls float32 with TF32 allowed.", "tensorfloat-32|tensorfloat|tensor float" },
    { "libraries", metric,
      "NVIDIA's libraries for a GPU: the newest version that its driver and the GPU support, with the path of its "
      "file, or the trouble, which is why there is none to use. Cubins are machine code for GPUs that the program "
      "itself brings along, where it was built with a toolkit.",
      "BENCH_LIBRARY_PATH names more directories to look in.", "path|trouble|nvrtc|nvml|cubins" },
    { "driver version", metric,
      "What the driver, or the library behind a device, calls its version. Figures of different versions are figures "
      "of different devices.",
      NULL, "driver|api version" },
    { "device facts", metric,
      "What the JSON and bench devices know of a device: maker, model, units, clocks, caches, memory, and the "
      "instructions it has. What a driver does not tell is unknown, never guessed.",
      NULL,
      "units|lanes|vendor|architecture|features|platform|source|silicon|largest buffer|max clock|max clock origin|max "
      "clock is limit|memory clock|memory width|cache|core cache|shares host memory|works in host "
      "memory|id|index|formula|limit flop per s|why" },
    { "detail", metric,
      "How a method was set up on this device: version of its library, instruction set, tile sizes, pages, or the "
      "layouts that it keeps its data in.",
      NULL, "details|kernel geometry" },
    { "status", metric,
      "How a cell ended, in one word: ok, unsupported, no-memory, too-slow, wrong, impossible, failed, timeout, "
      "crashed or abandoned. Each has an entry of its own.",
      NULL, "outcome" },
    { "reason", metric,
      "Why a cell did not end well, in one sentence with the values in it; 'where' is the call that failed.", NULL,
      "where|message" },
    { "verified passes", metric,
      "How often the answer was checked and right: 2 when before the timing and after it. Below 2 the figures stand, "
      "but a note says so.",
      NULL, "verified|passes|checked" },
    { "smallest error caught", metric,
      "The smallest error in one element of the result that the check would have seen, in the result's own values.",
      "The smaller, the more the words 'right answer' are worth.", "error bound|tolerance" },
    { "work", metric,
      "What one run does by definition: 'work_flop' operations, and 'work_bytes' that it must read and write at least. "
      "It is the same for every method, whatever the method really does.",
      NULL, "work flop|work bytes|operation|operation count" },
    { "headline", metric,
      "The series that the figures of a row are of: resident, or offload for what only moves data. 'headline_s' is the "
      "time of one run by the median of its slices.",
      NULL, "headline s|time s|time" },
    { "no copy", metric,
      "Whether a mapped buffer is only handed over, without a copy: then it has a time and no bandwidth. That is "
      "decided by what was measured, not by the name of the memory.",
      NULL, "zero copy|zerocopy" },
    { "map page", metric, "Time to map one page of a buffer and give it back: what handing over costs at least.", NULL,
      "map page s" },
    { "event clock", metric,
      "Whether the device's own clock is 'trusted', 'doubtful' (some of its times cannot be true) or 'absent'. Only a "
      "trusted one is used, and never for a speed-up.",
      NULL, "trusted|doubtful|absent|event timer" },
    { "measures ceiling", metric,
      "'flops' or 'bandwidth' where a cell is itself the measurement of a ceiling, empty otherwise.", NULL, NULL },
    { "ceiling flop per s", metric,
      "The best rates that the device reached in this run by wall time: of arithmetic, and of memory at a size like "
      "the problem's. The share of ceiling is held against them.",
      NULL, "ceiling bytes per s|ceiling launch s|attainable peak" },
    { "clock before and after", metric,
      "What a processor core really ran at right before and right after a cell, measured by additions that wait for "
      "each other. The clock that the system reports can be far from it.",
      "If it falls, the machine heats up or saves power.",
      "clock before hz|clock after hz|clock|frequency|ghz|state before|state after" },
    { "temperature", metric,
      "The processor's hottest sensor before and after a cell, in degrees Celsius; empty where none can be read.", NULL,
      "temperature before celsius|temperature after celsius|celsius" },
    { "pressure", metric,
      "Percent of the last ten seconds in which some task had to wait for a processor, before and after a cell. Above "
      "a few, other programs were in the way.",
      "Close other programs.", "pressure before percent|pressure after percent|psi" },
    { "processors busy", metric,
      "Processor seconds spent by anybody while a cell was measured, and those that the hypervisor of a virtual "
      "machine kept back meanwhile.",
      NULL, "processors busy s|processors stolen s|busy|stolen" },
    { "quota waits", metric,
      "Seconds that threads had to wait because a container's quota of processor time was used up.",
      "Raise the quota, or use fewer --threads.", "quota waits s" },
    { "slowed for heat", metric, "How often a processor was slowed down because it was too hot, during the cell.",
      "Let it cool, free its vents.", "thermal throttling|throttled|overheated" },
    { "swapped", metric, "Bytes that went to the disk and back for want of memory while a cell was measured.",
      "Close other programs, or use a smaller size.", "swapped bytes|swap|paging" },
    { "power", metric, "Whether the machine ran on mains or on battery. On battery many hold their clock down.",
      "Plug in.", "mains|on battery|power supply" },
    { "others share", metric,
      "How many of the physical cores other programs kept busy meanwhile, as a share of all of them.",
      "Close them; top shows which.", "other programs" },
    { "wait", metric,
      "How the host waits for the device: 'spins' (asks all the time, and burns a core), 'sleeps', 'both', or 'none' "
      "on the CPU.",
      "Where it spins, the core is lost for your other work.", "spin|spins|sleep|block|busy wait|polling" },
    { "package power", metric,
      "Watts by the machine's own counters while the headline ran: of the processor's package, of its memory (dram) "
      "and of the whole machine (psys), as far as there are such counters. Idle power is in them.",
      NULL, "package power w|dram power w|psys power w|watt|power draw|dram|psys" },
    { "GPU state", metric,
      "What the GPU maker's library tells around a cell: clocks, temperature, power and its limit, memory in use, "
      "other "
      "processes. What it does not tell is empty, never 0.",
      NULL,
      "gpu|gpu clock hz|gpu memory clock hz|gpu temperature celsius|gpu power limit w|gpu memory used bytes|gpu other "
      "processes|gpu ecc errors|memory clock hz|memory used bytes|other processes|ecc errors|nvml|telemetry|ecc|"
      "persistence|power limit|power limit w" },
    { "GPU power", metric,
      "Watts of the GPU's whole board, by its own counter of energy, while runs followed each other without a pause. "
      "Where there is no such counter, the highest that its sensor told around the cell.",
      NULL, "gpu power w|gpu w|board power" },
    { "GPU energy error", metric,
      "The share of a GPU's energy that the steps of its counter leave open. It moves every 20 to 100 ms, so half a "
      "second of runs is measured between two of its steps.",
      NULL, "gpu energy error|gpu error|energy error" },
    { "slices held down", metric,
      "Of the slices that tell what held the GPU's clock down, those in which anything did, and what that was. They "
      "are marked and stay in the figures.",
      "The notes name each reason, and what to do.",
      "gpu slices held|gpu slices told|gpu held by|slices held|slices told|held by|throttle reasons" },
    { "memory cost", metric,
      "Bytes that a cell holds: operands on device and host, what the driver took when it was opened, operands that "
      "shared memory holds twice, those in a layout of the method's own, and the most that the process had.",
      NULL,
      "memory device operands bytes|memory host operands bytes|memory context host bytes|memory held twice "
      "bytes|memory repacked bytes|memory peak host bytes|memory context device bytes|memory held device bytes|context "
      "device bytes|held device bytes|footprint|memory use|memory usage" },
    { "repro", metric, "The command that measures a row again, with every option that changes its figures.",
      "Paste it into a terminal, or into a bug report.", "reproduce|repeat|repro command" },
    { "low and high", metric,
      "The two ends of the 95 % interval of a figure: of a speed-up, of a time, or of a number of uses. Empty where "
      "the interval is not known.",
      NULL,
      "low|high|low s|high s|speedup resident low|speedup resident high|speedup offload low|speedup offload high|break "
      "even fetched once low|break even fetched once high|break even fetched every time low|break even fetched every "
      "time high" },
    { "uses to break even", metric,
      "The smallest whole number of uses of the same data from which on the device is faster than the baseline, its "
      "upload and download counted. 'fetched once' downloads the result once, 'fetched every time' at every use.",
      "If your program uses its data more often than that, the device pays.",
      "break even fetched once|break even fetched every time|break even fetched once outcome|break even fetched every "
      "time outcome|break even fetched once uses|break even fetched every time uses|fetched once|fetched every "
      "time|break even outcome|break even" },
    { "answers", metric, "The answer in words: the sentences below a table, one text each.", NULL,
      "verdict|payoff|sentence|summary" },
    { "end", metric, "How the run as a whole ended: complete, or interrupted by a person; nothing where it broke off.",
      "--resume JOURNAL completes a run that broke off; what it measured is kept.", "elapsed s|complete" },
    { "seed", metric,
      "The number that the random inputs are made from: the same seed gives the same data on every machine.", NULL,
      "random|input|random data" },
    { "schema", metric,
      "The name and version of the form of a JSON file. A program that reads it should look at this first.", NULL,
      "bench report/1|bench report/2|bench report|json schema" },
};

const struct chapter glossary_metrics = { terms, sizeof terms / sizeof *terms };
