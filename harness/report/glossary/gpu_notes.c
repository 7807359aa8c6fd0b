/* The notes on what state a GPU was in, and what its energy counts. */

#include "harness/report/glossary/chapter.h"

#include <stddef.h>

static const char note[] = "note";

static const struct term terms[] = {
    { "clock held down", note,
      "The GPU's maker says that something kept its clock below what it could be when these slices ended. They stay in "
      "the figures: they are what this machine does.",
      "The reason is named; bench explain tells what to do about it.",
      "slices ran while the clock was held down|clock held down|throttled|throttling|throttling of a gpu" },
    { "software power cap", note,
      "The GPU would have taken more than its power limit, so its driver lowered the clock. Heavy products do that on "
      "many a server.",
      "nvidia-smi -q -d POWER tells the limit; sudo nvidia-smi -pl raises it as far as the board allows.",
      "slices ran while the clock was held down: software power cap|sw power cap|power cap" },
    { "software thermal slowdown", note,
      "The GPU or its memory was hotter than its driver lets it be, so that the clock was lowered.",
      "Give it more air, a cooler room or less company.",
      "slices ran while the clock was held down: software thermal slowdown|sw thermal slowdown" },
    { "hardware thermal slowdown", note,
      "The GPU was so hot that its hardware itself stepped in, often by half of the clock or more.",
      "Its cooling does not do: look at fans, dust and air before anything is measured.",
      "slices ran while the clock was held down: hardware thermal slowdown|hw thermal slowdown" },
    { "hardware power brake", note,
      "The server or its power supply told the GPU to take less at once, which halves its clock or worse.",
      "Look at the power supplies and their cables, and at the server's own power limit.",
      "slices ran while the clock was held down: hardware power brake|power brake|hw power brake slowdown" },
    { "hardware slowdown", note,
      "The GPU's hardware lowered its clock for heat, for power or for a signal from outside, and its driver does not "
      "say which.",
      "nvidia-smi -q -d PERFORMANCE may know more.",
      "slices ran while the clock was held down: hardware slowdown|hw slowdown" },
    { "sync boost", note, "The GPU keeps to the clock of the slowest of a group of GPUs that it was made part of.",
      "nvidia-smi boost-slider, or DCGM, takes it out of the group.",
      "slices ran while the clock was held down: sync boost" },
    { "a clock that was set", note, "Somebody has set this GPU to a lower clock than its highest, for all programs.",
      "sudo nvidia-smi -rac, and -rgc, take that back; or leave it, where a steady clock is wanted.",
      "slices ran while the clock was held down: a clock that was set|applications clocks setting|application clocks" },
    { "display clock setting", note, "A display that is connected to the GPU wants another clock than the highest.",
      "Unplug it, or let another GPU drive it.", "slices ran while the clock was held down: display clock setting" },
    { "a reason without a name", note,
      "The GPU's driver gives a reason for a lower clock that this version of bench has no name for.",
      "nvidia-smi -q -d PERFORMANCE names it.", "slices ran while the clock was held down: a reason without a name" },
    { "others on this GPU", note,
      "Processes that do not belong to this run had the GPU open for computing while the row was measured. Even one "
      "that only holds memory leaves less of it, and one that computes makes times longer.",
      "nvidia-smi lists them; end them, or choose another GPU.",
      "others had this gpu open meanwhile|what they computed is in the times|other processes on the gpu" },
    { "memory errors", note,
      "The GPU's memory had errors that it found and could not correct while the row was measured. Whatever it "
      "computed "
      "may be wrong.",
      "nvidia-smi -q -d ECC tells more; such a card wants to be reset or replaced.",
      "memory errors that ecc could not correct came meanwhile|uncorrected errors|ecc errors" },
    { "energy of the board", note,
      "The GPU's own counter counts its chip, its memory and what else is on the board, idle power included. It moves "
      "in steps, and what they leave open is said.",
      NULL, "energy is that of the whole board by its own counter|by that counter's steps|board energy" },
    { "energy ratio", note,
      "What a run takes on the GPU's board, by what it takes in the processor's package on the baseline's row. Host "
      "memory, fans, power supplies and the host's part of the GPU's work are in neither.",
      "Below 1 the GPU needs less; a meter at the wall tells of all of it.",
      "the energy of the baseline's|what the rest of the machine took is in neither" },
};

const struct chapter glossary_gpu_notes = { terms, sizeof terms / sizeof *terms };
