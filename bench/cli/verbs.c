#include "bench/cli/option.h"

#define VERB(its_verb, its_name, its_operand, its_summary)                                                             \
    .verb = its_verb, .name = its_name, .operand = its_operand, .summary = its_summary

/* In the order of the help. */
const struct verb_row verb_rows[] = {
    { VERB(VERB_NONE, "", "COMMAND [OPTION]...", "Is this GPU worth it, for this work, at this size, on this machine?"),
      .text = "Measures the same work on the CPU and on every OpenCL and CUDA device, checks every result, separates "
              "transfer from compute, and reports which device is faster, by how much, and how certain that is.",
      .examples = { "bench run --device all", "bench run --suite quick --device cpu,gpu", "bench devices" } },
    { VERB(VERB_RUN, "run", "[OPTION]... [WORKLOAD]...", "measure devices, print a report, write a journal"),
      .text = "Measures workloads on the devices in turn, writes samples of every slice to a journal, and prints the "
              "report. A LIST has commas between its words; an option with a LIST may be repeated.",
      .examples = { "bench run --device all", "bench run multiply --size 40M --dtype f32,f64",
                    "bench run --device cpu,opencl:0 --precision 1% --output here.html" } },
    { VERB(VERB_SWEEP, "sweep", "[OPTION]... WORKLOAD", "find the sizes from which a device is faster"),
      .text = "Measures one workload from small to large sizes, and more closely where one device overtakes another. "
              "Reports the size from which each device is faster, as an interval: for data that stay on the device, "
              "are used a few times, or are copied at every use. Of several devices the first is the baseline, "
              "otherwise it is the CPU. SHAPE fixes dimensions; those with {} are swept.",
      .examples = { "bench sweep multiply --thresholds thresholds.json",
                    "bench sweep matmul --device cpu,opencl:0 --from 64 --to 4096",
                    "bench sweep conv --size c=3,h=224,w=224,k=64,r=7,s=7,stride=2,pad=3" } },
    { VERB(VERB_DEVICES, "devices", "[OPTION]...", "list the devices that can be measured"),
      .text = "Lists every device with its properties, and for each API without a device the reason.",
      .examples = { "bench devices" } },
    { VERB(VERB_WORKLOADS, "workloads", "[OPTION]... [WORKLOAD]...", "list the workloads, their sizes and methods"),
      .text =
          "Lists each workload, or those named, with the dimensions of its shape, its element types and its methods.",
      .examples = { "bench workloads", "bench workloads matmul" } },
    { VERB(VERB_REPORT, "report", "[OPTION]... [FILE]...", "print the report of one or several journals"),
      .text = "Prints the report of a journal, the same as the run itself printed. For several journals it prints a "
              "table of their times side by side, then each answer; with --full the tables have the rows of all, "
              "marked by a letter. The FILE 'last' is the newest run in the default folder and the default, 'last~1' "
              "is the one before, and '-' is standard input.",
      .examples = { "bench report -o report.html", "bench report here.jsonl there.jsonl -o both.md",
                    "bench report --format csv last~1" } },
    { VERB(VERB_COMPARE, "compare", "[OPTION]... OLD NEW", "compare runs and print what changed"),
      .text = "Compares the journals of two sides cell by cell: first the speed-ups over the baseline of the same run, "
              "which a noisy machine affects less, then the times. One journal a side shows changes with intervals. "
              "Several a side, OLD... --with NEW..., give verdicts, since the variance between them decides how "
              "certain a change is; use five. It warns of other differences between the sides.",
      .examples = { "bench compare last~1 last", "bench compare old-*.jsonl --with new-*.jsonl --fail-on slower",
                    "bench compare old-*.jsonl --with new-*.jsonl --format markdown" } },
    { VERB(VERB_FLEET, "fleet", "[OPTION]... DIR...", "compare the nodes of a cluster, and find the slow one"),
      .text = "Compares each node of a cluster with the nodes of the same hardware. Each node writes one journal to a "
              "folder; the file has the name of the node. The report names the nodes that are slow, failed, missing or "
              "different. A file nodes.txt in the folder lists the expected nodes. DIR may also be a journal.",
      .examples = { "bench run --suite quick --journal 'results/{host}.jsonl'",
                    "bench fleet results --fail-on slow,missing",
                    "bench fleet today --against yesterday -o fleet.html" } },
    { VERB(VERB_LIST, "list", "[OPTION]...", "list the runs in the default folder, newest first"),
      .text = "Lists the runs whose journals are in the default folder: when, which suite, machine and devices, how "
              "each ended, and where its journal is. Other commands call them last, last~1 and so on.",
      .examples = { "bench list", "bench list --format json" } },
    { VERB(VERB_CLEAN, "clean", "[OPTION]...", "remove old runs from the default folder"),
      .text = "Removes all but the newest runs from the default folder of journals, with the logs of their drivers. "
              "It keeps journals with names of your own.",
      .examples = { "bench clean --keep 20", "bench clean --keep 5 --dry-run" } },
    { VERB(VERB_EXPLAIN, "explain", "[OPTION]... [TERM]...", "explain a term of a report"),
      .text = "Explains columns, figures, outcomes, notes and other terms of the reports: what each is, what it means, "
              "and what to do about it. TERM may also be the text of a note, or a part of it. Without a TERM it lists "
              "all terms.",
      .examples = { "bench explain 'bound by'", "bench explain drift", "bench explain notes" } },
    { VERB(VERB_DOCTOR, "doctor", "[OPTION]...", "find out why a GPU is not listed, and how to repair it"),
      .text = "Lists the graphics adapters and accelerators of this machine. For each one that no API shows it prints "
              "the most likely reason and the command that repairs it. It also lists what else disturbs measurements. "
              "It changes nothing. The exit status is 1 if something needs repair.",
      .examples = { "bench doctor", "bench doctor --format json" } },
    { VERB(VERB_PUBLISH, "publish", "[OPTION]... [FILE]...", "add journals to published results"),
      .text = "Checks that others can rely on each journal, leaves out what drivers, files and users may have "
              "written, and files it by machine and day. Then it writes the reports and the index of the folder again; "
              "without a FILE it does only that.",
      .examples = { "bench publish here.jsonl --to results", "bench publish here.jsonl --to results --dry-run",
                    "bench publish --to results" } },
    { VERB(VERB_MANUAL, "manual", "", NULL), .text = "Prints the manual page: bench manual | man -l -",
      .examples = { "bench manual" } },
    { VERB(VERB_COMPLETION, "completion", "[SHELL]", NULL),
      .text = "Prints the completion for a SHELL: bash, zsh or fish. In bash: source <(bench completion)",
      .examples = { "bench completion bash", "bench completion zsh >~/.zfunc/_bench",
                    "bench completion fish >~/.config/fish/completions/bench.fish" } },
    { .name = NULL },
};

const struct verb_row *verb_row(enum verb verb)
{
    for (const struct verb_row *row = verb_rows; row->name; row++)
        if (row->verb == verb)
            return row;
    return verb_rows;
}

void verb_words(struct words *words)
{
    for (const struct verb_row *row = verb_rows + 1; row->name; row++)
        if (row->summary)
            words_add(words, row->name);
}
