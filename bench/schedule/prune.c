#include "bench/schedule/prune.h"

#include "harness/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A factor is believed to be this much smaller than measured, because of noise, and is never believed beyond `most`. */
static const double doubt = 1.25, most = 16;

/* Only a try that takes this many seconds to its first run is worth avoiding. */
static const double costly = 1;

/* FLOP of one run of the block; NAN: unknown. */
static double work_of(const struct block_record *block)
{
    return block->cells > 0 ? block->cell[0]->flops : NAN;
}

static double time_of(const struct trial_record *trial)
{
    return trial->run + fmax(0, trial->repack); /* fmax(0, NAN) is 0 */
}

/* How many times as long as the fastest of its device a method took in one block; NAN if it was not tried or is cheap
 * to try. */
static double factor_of(const struct block_record *block, const struct cell *cell)
{
    double fastest = INFINITY, own = NAN;
    for (unsigned i = 0; i < block->trials; i++) {
        const struct trial_record *trial = &block->trial[i];
        if (strcmp(trial->device_id, cell->device->id) != 0)
            continue;
        fastest = fmin(fastest, time_of(trial)); /* fmin(x, NAN) is x */
        if (strcmp(trial->method, cell->method->name) == 0 && trial->first >= costly)
            own = time_of(trial);
    }
    return own / fastest;
}

/* The block that proves that the method loses at the cell's work, or NULL. */
static const struct block_record *proof_against(const struct record *record, const struct cell *cell, double *factor)
{
    double work = cell->problem.workload->flops(&cell->problem);
    for (unsigned i = 0; i < record->blocks; i++) {
        const struct block_record *block = &record->block[i];
        double there = work_of(block), apart = fmax(work / there, there / work) * doubt;
        *factor = factor_of(block, cell);
        if (apart <= most && apart <= *factor)
            return block;
    }
    return NULL;
}

/* Whether the row has another method, among the cells kept so far and those still to come. */
static bool has_alternative(const struct plan *plan, unsigned kept, const struct cell *cell)
{
    for (unsigned i = 0; i < plan->cells; i++) {
        bool is_out = i >= kept && &plan->cell[i] <= cell;
        if (!is_out && plan->cell[i].row == cell->row)
            return true;
    }
    return false;
}

static void write_pruned(struct run_log *run_log, const struct cell *cell, const struct block_record *proof,
                         double factor)
{
    char reason[200], times[TEXT_NUMBER];
    snprintf(reason, sizeof reason, "not tried: took %s times as long as the fastest at %.100s",
             text_figure(times, factor, 0.1), proof->cell[0]->shape);
    run_log_write(run_log, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "line", "trial", "block",
                                     cell->block, "device", cell->device->id, "method", cell->method->name, "memory",
                                     memory_name(cell->memory), "dtype", dtype_name(cell->problem.dtype), "status",
                                     status_name(STATUS_TOO_SLOW), "where", "sweep", "reason", reason));
}

void prune_methods(struct plan *plan, struct run_log *run_log)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < plan->cells; i++) {
        const struct cell *cell = &plan->cell[i];
        const struct block_record *proof = NULL;
        double factor;
        if (cell->method && cell->refused.status == STATUS_OK && has_alternative(plan, kept, cell))
            proof = proof_against(run_log->record, cell, &factor);
        if (proof)
            write_pruned(run_log, cell, proof, factor);
        else if (kept++ != i)
            plan->cell[kept - 1] = *cell;
    }
    plan->cells = kept;
}
