/* The verbs, in the order of the help. */

#include "bench/cli/option.h"

const struct verb_row verb_rows[] = {
    { VERB_NONE,
      "",
      "COMMAND [OPTION]...",
      "Is this GPU worth it, for this work, at this size, on this machine?",
      "Measures the same work on the CPU and on every OpenCL and CUDA device, checks every answer, keeps transfer "
      "apart from compute, and says who wins, by how much and how sure it is.",
      { "bench run --device all", "bench run --suite quick --device cpu,gpu", "bench devices" } },
    { VERB_RUN,
      "run",
      "[OPTION]...",
      "measure devices, print the report, keep a journal",
      "Measures workloads on devices in alternating turns until each ratio is precise enough, writes every sample to a "
      "journal, and prints the report. LIST is words with commas between; options may be repeated.",
      { "bench run --device all", "bench run --workload multiply --size 40M --dtype f32,f64",
        "bench run --device cpu,opencl:0 --precision 1% --output here.jsonl" } },
    { VERB_SWEEP,
      "sweep",
      "[OPTION]... WORKLOAD",
      "find the sizes from which on a device pays",
      "Measures one workload over sizes from small to large, and more closely where one device overtakes the other; "
      "says from which size on each pays, as an interval, for data that stays on the device, is used a few times, or "
      "is moved every time. Of several devices the first is the baseline, otherwise it is the CPU. SHAPE fixes "
      "dimensions; those that are {} are swept.",
      { "bench sweep multiply --thresholds thresholds.json",
        "bench sweep matmul --device cpu,opencl:0 --from 64 --to 4096",
        "bench sweep conv --size c=3,h=224,w=224,k=64,r=7,s=7,stride=2,pad=3" } },
    { VERB_DEVICES,
      "devices",
      "",
      "list the devices that can be measured",
      "Lists every device with what is known of it, and says of each API without a device why there is none.",
      { "bench devices" } },
    { VERB_WORKLOADS,
      "workloads",
      "",
      "list the workloads, their sizes and methods",
      "Lists what can be measured: each workload with the dimensions of its shape, its element types and its methods.",
      { "bench workloads" } },
    { VERB_REPORT,
      "report",
      "[OPTION]... FILE...",
      "print the report of a journal again, or of several",
      "Prints the report of a journal, the same that the run itself printed. Of several journals it is one report with "
      "the rows of all of them, told apart by letters. A FILE of - is standard input.",
      { "bench report here.jsonl", "bench report here.jsonl there.jsonl -o both.md",
        "bench report --format csv here.jsonl" } },
    { VERB_COMPARE,
      "compare",
      "[OPTION]... OLD... --with NEW...",
      "say what changed from some runs to others",
      "Compares the journals of two sides, cell by cell: speed-ups over the baseline of the same run first, as these "
      "survive a noisy machine, times second. With several journals a side what varies between them decides how sure "
      "it is; five are a good number. Says loudly what else differs. The table is about 90 columns wide and is not cut "
      "by --width.",
      { "bench compare old.jsonl --with new.jsonl", "bench compare old-*.jsonl --with new-*.jsonl --fail-on slower",
        "bench compare old-*.jsonl --with new-*.jsonl --format markdown" } },
    { VERB_EXPLAIN,
      "explain",
      "[OPTION]... [TERM]...",
      "say what a word of a report means",
      "Explains columns, figures, outcomes, notes and other words of the reports: what each is, what it means, and "
      "what to do about it. A note is found by its text, or a part of it. Without a TERM lists them all.",
      { "bench explain 'bound by'", "bench explain drift", "bench explain notes" } },
    { VERB_DOCTOR,
      "doctor",
      "",
      "say why a GPU is not listed, and what mends it",
      "Lists the graphics adapters and accelerators of this machine, and for each that no API shows the most likely "
      "reason and the command that mends it; and what else costs figures. Changes nothing. Its status is 1 where "
      "something wants mending.",
      { "bench doctor" } },
    { VERB_PUBLISH,
      "publish",
      "[OPTION]... [FILE]...",
      "file journals among published results",
      "Checks that others can rely on each journal, takes out what identifies a person or a machine, and files it by "
      "machine and day. Then it makes the reports and the index there anew; without a FILE it does only that.",
      { "bench publish here.jsonl --to results", "bench publish here.jsonl --to results --dry-run",
        "bench publish --to results" } },
    { VERB_MANUAL, "manual", "", NULL, "Prints the manual page: bench manual | man -l -", { "bench manual" } },
    { VERB_COMPLETION,
      "completion",
      "",
      NULL,
      "Prints what bash needs to complete words of bench: source <(bench completion)",
      { "bench completion" } },
    { .name = NULL },
};

const struct verb_row *verb_row(enum verb verb)
{
    for (const struct verb_row *row = verb_rows; row->name; row++)
        if (row->verb == verb)
            return row;
    return verb_rows;
}
