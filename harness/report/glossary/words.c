/* The words that reports, help and documents use without explaining them. */

#include "harness/report/glossary/chapter.h"

#include <stddef.h>

static const char word[] = "word";

static const struct term terms[] = {
    { "problem", word,
      "What is computed, whoever computes it: a workload with its element type and its dimensions. Each problem has a "
      "table of its own.",
      NULL, "block|task" },
    { "workload", word,
      "A kind of problem: multiply, matmul, conv, transfer, launch, overlap or peak. Its size is told apart from it.",
      "bench workloads lists them with their dimensions.", "workloads|benchmark|question" },
    { "cell", word,
      "One thing that is measured: a problem by one method on one device, with the data in one kind of memory. It is a "
      "row of a table.",
      NULL, "row" },
    { "baseline", word,
      "The row that all others are compared with: the fastest method of the CPU that was found, or of the device that "
      "--baseline names. A speed-up over something slow would say nothing.",
      "See which library it is, and how many threads it uses, above the table.",
      "reference|compared with|there is no baseline|only the baseline" },
    { "series", word,
      "One way to run a cell over and over: resident, queued, offload or sustained. Each is timed and ended by itself.",
      NULL, NULL },
    { "slice", word,
      "A stretch of runs of one cell, 75 ms long or one run, before another device has its turn. Its median counts as "
      "one figure.",
      NULL, "slice length" },
    { "round", word,
      "One turn of all devices, a slice each, with the baseline between them. What disturbs the machine then hits both "
      "sides of a speed-up alike.",
      NULL, "in turn|turn|lockstep|alternation|interleaved|interleaving" },
    { "interval", word,
      "The range that holds the true median in about 95 of 100 measurements like this one. If that of a speed-up lies "
      "above 1 the device is surely faster; if it contains 1 nobody knows.",
      "A larger --budget narrows it.",
      "95 %|0.90x [0.89, 0.94]|confidence interval|ci|confidence|significance|95 % interval" },
    { "[?]", word,
      "The interval of this speed-up is not known: there were fewer than six rounds, or they resembled their "
      "neighbours too much.",
      "A larger --budget, or a quieter machine, gives one.", "?|question mark|interval not known" },
    { "ceiling", word,
      "The most that a device does in this run at plain arithmetic, or at moving memory, measured by loops made for "
      "that. Real work can come near it and not above.",
      NULL, "ceilings of a device|roof|roofs|measured peak" },
    { "roofline", word,
      "A picture of what a device can do: for work that does little arithmetic with each byte, memory sets the limit "
      "(a slope), for work that does much, arithmetic does (a flat roof). A row's distance from the roof is what is "
      "left to gain.",
      NULL, "roof line|roofline model|arithmetic intensity|intensity" },
    { "picture", word,
      "What gnuplot draws of a report: speed-ups, where the time goes, rooflines, sweeps, and steadiness over the run. "
      "What a hollow mark, an arrow or a shaded stretch is stands below each.",
      "If a page has none it says why; Debian's package gnuplot-nox has gnuplot.",
      "pictures|plot|plots|chart|graph|gnuplot|svg|hollow mark|hollow|arrow|steadiness|where the time goes" },
    { "theoretical peak", word,
      "What a device could do by its own facts: units, times what one does in a cycle, times a clock that is named. It "
      "is unknown where any of them is, and never guessed.",
      "bench devices shows it with its formula.", "in theory|peak performance|theoretical" },
    { "unconfirmed", word,
      "A theoretical peak that may not be that of the real hardware, as in a virtual machine, which may show another "
      "processor than it has. Nothing is called impossible by such a peak.",
      NULL, "confirmed" },
    { "break-even", word,
      "From how many uses of the same data on a device pays: what moving the data costs, divided by what each use "
      "saves.",
      "Compare it with how often your program uses its data before they change.", "pays|payoff|pay|amortise|amortize" },
    { "threshold", word,
      "The size from which on a device is faster than the baseline, as an interval: below it the baseline is surely "
      "faster, above it the device.",
      "Use it to choose the device in your program; --thresholds FILE writes it for programs.",
      "crossover|crossing|at no size|from which size|crosses|always" },
    { "sweep", word,
      "A measurement of one workload over many sizes, more closely where one device overtakes the other.",
      "bench sweep multiply is an example.", "bench sweep" },
    { "model", word,
      "Time = launch + bytes / bandwidth + work / rate, fitted to the times of a sweep. It says why a size takes as "
      "long as it does, and believes that these three are all there is.",
      "Where it differs from what was measured, believe the measurement.",
      "cost model|fitted|time = launch + bytes / bandwidth + work / rate" },
    { "journal", word,
      "The file that a run writes while it measures, one line for each fact. Every report is made of it and of nothing "
      "else, so it is what to keep and to share.",
      "bench report JOURNAL prints its report again.", "jsonl|journal file|json lines" },
    { "suite", word,
      "A fixed set of problems, so that figures of different machines can stand side by side: quick (under 20 s), "
      "standard (under 3 minutes), full (an hour) or uhd620.",
      "--suite chooses it.", "quick|standard|full" },
    { "uhd620", word,
      "A suite of the problems of a published page on this graphics unit, done as the page did them and as they should "
      "be done, so that its claims can be checked on any machine.",
      "bench run --suite uhd620 runs it.", "the page|uhd graphics 620" },
    { "tried", word,
      "Before a problem is measured each method gets a few runs on each device, and the fastest is then measured "
      "properly. These first times are rough, and their answers were not checked.",
      "--method all measures each of them.", "trials|tried on cpu|a few runs each unverified|calibration|unverified" },
    { "wall time", word,
      "Time by the host's own clock, from the call that starts a run until it is really done. All speed-ups are made "
      "of it, because it is what a user waits.",
      NULL, "wall clock|wall|clock_monotonic_raw|elapsed" },
    { "verification", word,
      "Every answer is compared with one known to be right, before the timing and after it, the last time with data "
      "that the device has not seen. A wrong answer has no speed.",
      NULL, "verify|verified|correctness|check" },
    { "pageable", word,
      "Ordinary memory of the host. The driver copies the data to the device from there, often in two steps, which is "
      "the slowest way.",
      "It is what a program gets that takes no care; pinned or mapped is faster on many devices.", "malloc" },
    { "pinned", word,
      "Memory of the host that the system promises not to move, so that the device can fetch the data by itself. "
      "Copies are faster from it, and it is scarce.",
      "Use it for what is moved often to a card with its own memory.", "page locked|pagelocked|pinned memory" },
    { "mapped", word,
      "The host writes into the device's own buffer and reads from it. Where both share one memory nothing is copied "
      "at all.",
      "Use it on graphics in the processor's package.",
      "mapped memory|mapping|map|zero copy memory|unified memory|shared memory" },
    { "mapped-copy", word,
      "Like mapped, but the data lie elsewhere at first and are copied into the buffer, and that copy is timed.",
      "It is what a program pays that maps buffers without filling them in place.", "mapped copy" },
    { "host", word, "The processor and its memory, from where work is handed to a device.", NULL,
      "host memory|host side" },
    { "CPU through OpenCL", word,
      "A driver that runs OpenCL's kernels on the processor itself, such as PoCL. It is the same silicon as 'cpu', so "
      "no verdict calls it a GPU.",
      "It tells what a kernel text does without a GPU, and nothing of one.", "same silicon|pocl|rusticl|llvmpipe" },
    { "iGPU", word,
      "A graphics unit in the processor's package. It shares the host's memory, so data need not be copied, and its "
      "memory is no faster than the processor's.",
      "Read its mapped rows.", "integrated gpu|integrated graphics|igp|gpu" },
    { "dGPU", word,
      "A graphics card with memory of its own, which is fast, while all data come and go over a slow link.",
      "Look at the offload speed-up first, unless your data stay there.", "discrete gpu|graphics card|gpu" },
    { "accelerator", word, "A device that computes and is neither a CPU nor a GPU, by what its driver says.", NULL,
      NULL },
    { "launch", word,
      "To hand a device one piece of work. It costs some microseconds however small the work, and as the workload of "
      "this name that is what is measured.",
      "Do more in each launch.", "launches|kernel launch|launch overhead|overhead|smallest launch" },
    { "kernel", word, "The small program that a device runs for every element, or every tile, of a problem.", NULL,
      "kernel text|shader" },
    { "OpenCL", word,
      "An interface to GPUs and other devices that most makers offer. Its loader finds the drivers that are installed; "
      "each device of theirs is listed as opencl: and a number.",
      "If a GPU is missing from bench devices, its driver package is usually not installed.",
      "icd|platform without devices|opencl driver" },
    { "Clover", word,
      "Mesa's first interface for OpenCL, which is not developed any more and does not support every GPU; rusticl took "
      "its place.",
      "Use rusticl of a newer Mesa, or the driver of the GPU's maker.", "mesa clover" },
    { "absent", word, "In the head of a report, an interface to GPUs that gave no device, with the reason.",
      "bench doctor says which command mends it, where one does.", "absent interface" },
    { "CUDA", word, "NVIDIA's own interface to its GPUs; devices seen through it are listed as cuda: and a number.",
      NULL, "nvidia|nvrtc|cuda driver" },
    { "FLOP", word,
      "One arithmetic operation on numbers with a fraction. FLOP/s is how many in a second; G is a billion of them, T "
      "a thousand billion.",
      NULL, "floating point operation|mflop|gflop|tflop|flop count" },
    { "GB and GiB", word,
      "GB is a billion bytes (1,000,000,000), GiB a little more (1,073,741,824). Rates are in GB, sizes of memory "
      "often in GiB.",
      NULL, "gb|gib|mb|mib|kib|gigabyte|gibibyte|megabyte" },
    { "multiply-add", word,
      "a * b + c in one step, counted as two operations. It is what peaks are made of, and what matrices need.", NULL,
      "fma|fused multiply add|mad|chain|chains of multiply adds" },
    { "triad", word, "The loop a = b + 3 c over large arrays: two are read, one is written. It measures memory.", NULL,
      "stream|a = b + 3 c|stream triad" },
    { "layout", word,
      "The order in which the numbers of a matrix or an image lie in memory. Some methods want one of their own, and "
      "to bring data into it takes time (repack).",
      NULL, "data layout|memory layout|order in memory|own layout" },
    { "NCHW", word,
      "The plain order of images: image by image, channel by channel, row by row, column by column. It is the order in "
      "which a program usually has them.",
      NULL, "nhwc|plain layout|image layout" },
    { "KCRS", word,
      "The plain order of a convolution's filters: filter by filter, channel by channel, row by row, column by column.",
      NULL, "oihw|filter layout" },
    { "nChw16c", word,
      "An order of images in which 16 channels (or as many as the number says) lie side by side, so that one "
      "instruction takes them all. oneDNN chooses such orders by itself.",
      "Images must be repacked into it once; from layer to layer they can stay.", "nChw8c|blocked layout|nChw4c" },
    { "NK16k64n", word,
      "An order of a matrix in small blocks (here 16 rows by 64 columns), and OIhw16i16o the same for filters, so that "
      "one instruction takes a whole row of a block. oneDNN chooses such orders by itself.",
      "A matrix that is used often can be repacked once and kept so.",
      "OIhw16i16o|BA16a64b|NK16k48n|KN16k64n|packed matrix|filters oihw16i16o" },
    { "opaque", word,
      "An order of a matrix or of filters that the library keeps to itself: its operand is repacked by the library, "
      "and "
      "only it can read the result.",
      NULL, "filters opaque|opaque order|opaque layout|images opaque" },
    { "packed panels", word,
      "Parts of a matrix or of filters, copied side by side so that the innermost loop reads them one after the other. "
      "The method 'native' copies them in every run, and the time has it.",
      NULL, "panels|packed panel|packing" },
    { "row-major", word, "The plain order of a matrix: row by row, each from left to right, as arrays of C are.", NULL,
      "row major|column major" },
    { "streaming stores", word,
      "Writes that go to memory past the caches, because nobody will read the result soon. They spare the reading of "
      "what is about to be overwritten.",
      NULL, "non temporal stores|nontemporal stores|non temporal|streaming" },
    { "huge pages", word,
      "Memory handed out by the system in pieces of 2 MiB and not of 4 KiB, which large arrays are read faster from.",
      "If they are off, a note says how to turn them on.",
      "large pages|transparent huge pages|pages|small pages|on huge pages" },
    { "instruction set", word,
      "What a processor's instructions can do at once: avx512 handles 16 numbers of 4 bytes, avx2 8, the baseline 4.",
      NULL, "isa|avx|avx2|avx512|sse|simd|vector" },
    { "threads", word,
      "Parts of a program that run at the same time; the CPU's methods use one for each physical core that they may "
      "use.",
      "--threads sets how many.", "thread|cores|core|omp_num_threads|hyperthreading|smt" },
    { "warm-up", word,
      "Runs that are thrown away, at first and at the beginning of each slice, until clocks and caches have recovered.",
      NULL, "warm up runs|warm|discarded runs" },
    { "correlation time", word,
      "Over how many rounds a series resembles itself. The longer it is, the fewer independent values the rounds are "
      "worth, and the wider the honest interval.",
      NULL, "autocorrelation|memory of a series|resemble" },
    { "overlap", word,
      "To move some data while others are computed. As the workload of this name it is measured with data cut into "
      "chunks.",
      NULL, "chunks|chunk|queues|queue|streams|asynchronous copy" },
    { "machine code", word,
      "What a GPU itself executes, made from kernel text for its architecture: sm_90 is one of compute capability 9.0. "
      "PTX is a step before it, which only a driver as new as its compiler takes.",
      "The row says whether NVRTC made it or the program brought it along (cubins).",
      "cubin|cubins|sm_90|ptx|compute capability|machine code of the build" },
    { "tensor cores", word,
      "Units of NVIDIA's GPUs that multiply small matrices in f16, bf16, tf32 and other types, far faster than the "
      "other units do. Libraries use them where the element type allows.",
      "--dtype tf32,f16,bf16 shows what they bring.", "tensor core|matrix unit|wmma" },
    { "MIG", word,
      "Multi-Instance GPU: an owner cuts a GPU of NVIDIA into parts, each with memory and units of its own. To a "
      "program a part is a smaller GPU.",
      "nvidia-smi -L lists the parts; CUDA_VISIBLE_DEVICES names the one to use.", "multi-instance gpu" },
    { "spills", word,
      "Values for which a kernel has no register left go to memory, which is much slower. A test sees that none of "
      "ours does so in its configurations for GPUs.",
      NULL, "register spill|register spilling" },
    { "CUDA_VISIBLE_DEVICES", word,
      "An environment variable of NVIDIA's driver: the GPUs that a program may see, by number or UUID, in that order. "
      "Others do not exist for it.",
      "Unset it, or name the GPU that you miss; bench devices shows what it makes of it.", NULL },
    { "NVIDIA_TF32_OVERRIDE", word,
      "An environment variable that tells NVIDIA's libraries to use or to avoid TF32, whatever a program asks for. It "
      "is kept from them here, so that f32 means f32, and the row says so.",
      NULL, NULL },
    { "exit status", word,
      "0: all is well; 1: some cell went wrong, or a comparison found what it was told to fail on; 2: the command line "
      "or a file makes no sense; 3: no device matched; 130: interrupted.",
      NULL, "exit code|return code|status code" },
};

const struct chapter glossary_words = { terms, sizeof terms / sizeof *terms };
