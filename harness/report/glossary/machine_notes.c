/* The notes on what the machine did meanwhile, and on what it is. */

#include "harness/report/glossary/chapter.h"

#include <stddef.h>

static const char note[] = "note";

static const struct term terms[] = {
    { "clock changed", note,
      "The processor ran at another clock after the row than before it, by more than 5 %: it heated up, saved power, "
      "or was lent more.",
      "Let the machine settle; compare speed-ups rather than times.",
      "the processor's clock|the processor's clock fell|the processor's clock rose|clock fell|clock rose" },
    { "stolen time", note,
      "This is a virtual machine, and its host kept back over 5 % of the processor time wanted. Times are longer by "
      "that, at random.",
      "Measure when its host is idle, or on a machine of your own.",
      "the hypervisor kept back over|hypervisor|steal|stolen" },
    { "other programs", note,
      "Other programs kept over a fifth of the cores busy while the row was measured, so times are longer and vary.",
      "Close them; top shows which they are.",
      "other programs kept over|cores busy meanwhile|something else wanted the processors too|busy machine" },
    { "quota", note,
      "A quota on processor time (a container's, or a batch system's) kept threads waiting: these are times of the "
      "quota, not of the processor.",
      "Raise it (cpu.max, docker run --cpus), or use fewer --threads.",
      "the cgroup's quota kept threads waiting|cgroup's quota|cgroup" },
    { "ran on battery", note, "The machine ran on its battery, which may hold the clock down.", "Plug in.", "battery" },
    { "governor", note,
      "The rule by which the system sets the processor's clock follows the load, so that short work may be done at a "
      "low clock.",
      "sudo cpupower frequency-set -g performance makes it steadier.",
      "the governor is|the clock follows the load|powersave|schedutil|ondemand|cpufreq" },
    { "slowed down for heat", note,
      "The processor protected itself from heat by a lower clock, so that times grow with the length of a run.",
      "Let it cool, free its vents.", "a processor was slowed down for heat|thermal|heat|throttling" },
    { "memory went to the disk", note,
      "Memory was short, and parts of it went to the disk and back while the row was measured; times hold some of "
      "that.",
      "Close other programs, or use a smaller size.", "memory went to the disk and back meanwhile|swapping" },
    { "memory on one NUMA node", note,
      "The machine has memory in several places, and nearly all of the data lie in one of them while threads of all "
      "places use them. Most of it is far from those.",
      "Free memory on the other nodes, or keep to one: numactl --cpunodebind=0 --membind=0.",
      "memory lies on one numa node|most of it is far from them" },
    { "spread over NUMA nodes", note,
      "The machine has memory in several places. Data of the CPU lie near the threads that use them, those of a device "
      "near it where the system tells where that is.",
      NULL, "memory is spread over|numa nodes|numa node|numa" },
    { "waiting spins", note,
      "While the device computes, the host asks it all the time whether it is done, which burns a core.",
      "Reckon with one core less for other work; some drivers can be told to block instead.",
      "waiting for it spins|burns a core of the host" },
    { "driver burns the host", note,
      "While the device computes, its driver keeps more than half a core of the host busy, so that other work there "
      "and the device slow each other down.",
      "Reckon with one core less for other work.",
      "its driver burns more than half a core of the host|other work there slows both down" },
    { "held twice", note,
      "Host and device share one memory, and this kind of memory keeps a copy of the data for each of them.",
      "Use --memory mapped, which holds them once.",
      "operands are held twice in what host and device share|mapped memory holds them once" },
    { "part of the machine", note,
      "Only some of the processors may be used here, by a mask or a quota, so figures are of that part of the machine.",
      "taskset, a batch system or a container sets this; ask for more there.",
      "hardware threads may be used here|a cgroup allows|figures are of that part of the machine|affinity "
      "mask|taskset" },
    { "threads not pinned", note,
      "The places for the threads are too many to name, so they may move from core to core, and times vary more.",
      "Use fewer --threads, or a mask of neighbours (taskset).",
      "threads are not pinned as their places are too many" },
    { "large pages are off", note,
      "The system hands out memory in small pages only, which costs whatever is bound by memory: every page has to be "
      "looked up.",
      "Turn them on with: echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
      "large pages|huge pages|transparent huge pages|hugepages" },
    { "energy unavailable", note,
      "The machine has counters of the energy that it takes, and only root may read them, so the columns of energy are "
      "empty.",
      "Run as root, or allow it until the next start as the note says.",
      "only root may read|run as root or until the next start|energy unavailable only root may read" },
};

const struct chapter glossary_machine_notes = { terms, sizeof terms / sizeof *terms };
