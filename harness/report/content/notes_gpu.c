#include "harness/report/content/notes_parts.h"

#include "harness/base/text.h"

#include <math.h>

/* What held the clock down, each reason by itself. Below its maximum without a reason it was only not asked for more.
 */
static void note_held(struct notes *notes, const struct gpu_metrics *gpu)
{
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (gpu->held_by[i] > 0)
            note(notes, "%u of %u slices ran while the clock was held down: %s", gpu->held_by[i], gpu->told,
                 gpu_reason_name((enum gpu_reason)i));
}

static void note_company(struct notes *notes, const struct gpu_metrics *gpu)
{
    char bytes[TEXT_NUMBER];
    if (gpu->others > 0)
        note(notes,
             "others had this GPU open meanwhile, %.0f process%s with %s of its memory: what they computed is in the "
             "times",
             gpu->others, gpu->others > 1 ? "es" : "",
             gpu->others_memory > 0 ? text_bytes(bytes, gpu->others_memory) : "some");
}

/* So many percent, in a few steps so that rows share a footnote. */
static double within(double share)
{
    static const double steps[] = { 0.02, 0.05, 0.1, 0.2 };
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        if (share <= steps[i])
            return steps[i];
    return 0.3;
}

static void note_board(struct notes *notes, const struct cell_metrics *metrics)
{
    if (metrics->energy_of == ENERGY_GPU && !isnan(metrics->energy))
        note(notes, "energy is that of the whole board by its own counter, within %.0f %% by that counter's steps",
             100 * within(metrics->energy_error));
}

/* Of what is counted in different places, which neither are nor hold the same. */
static void note_energy_ratio(struct notes *notes, const struct cell_metrics *metrics)
{
    char ratio[TEXT_NUMBER];
    if (!isnan(metrics->energy_ratio))
        note(notes,
             "a run takes %sx the energy of the baseline's: of this board, and there of the processor's package; what "
             "the rest of the machine took is in neither",
             text_figure(ratio, metrics->energy_ratio, fmax(0.05, metrics->energy_error)));
}

void note_gpu(struct notes *notes, const struct cell_metrics *metrics)
{
    note_held(notes, &metrics->gpu);
    note_company(notes, &metrics->gpu);
    if (metrics->gpu.ecc_errors > 0)
        note(notes, "memory errors that ECC could not correct came meanwhile: %.0f", metrics->gpu.ecc_errors);
    note_board(notes, metrics);
    note_energy_ratio(notes, metrics);
}
