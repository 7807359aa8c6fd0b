#include "bench/schedule/prune.h"

#include "harness/base/text.h"

#include <math.h>
#include <string.h>

/* A factor is believed to be this much smaller than measured, because of noise, and is never believed beyond `most`. */
static const double doubt = 1.25, most = 16;

/* Only a try that takes this many seconds to its first run is worth avoiding. */
static const double costly = 1;

/* The race of the device for data that move, if there was one, else for data that stay; NULL: none. */
static const struct race_record *race_of(const struct block_record *block, const struct cell *cell)
{
    const char *id = cell->device->id, *method = cell->method->name, *memory = memory_name(cell->memory);
    const struct race_record *moving = record_race_of(block, id, method, memory, MEASURES_COPIED);
    return moving ? moving : record_race_of(block, id, method, memory, MEASURES_RESIDENT);
}

/* How many times as long as the fastest of its device a method took in one block; NAN if it was not tried or is cheap
 * to try. */
static double factor_of(const struct block_record *block, const struct cell *cell)
{
    double fastest = INFINITY, own = NAN;
    const struct race_record *race = race_of(block, cell);
    for (unsigned i = 0; race && i < race->contenders; i++) {
        const struct contender_record *contender = &race->contender[i];
        fastest = fmin(fastest, contender->run); /* fmin(x, NAN) is x */
        if (strcmp(contender->method, cell->method->name) == 0 && contender->first >= costly)
            own = fmin(contender->run, isnan(own) ? INFINITY : own);
    }
    return own / fastest;
}

/* The block that proves that the method loses at the cell's work, or NULL. */
static const struct block_record *proof_against(const struct record *record, const struct cell *cell, double *factor)
{
    double work = cell->problem.workload->flops(&cell->problem);
    for (unsigned i = 0; i < record->blocks; i++) {
        const struct block_record *block = &record->block[i];
        double there = block->cells > 0 ? block->cell[0]->flops : NAN, apart = fmax(work / there, there / work) * doubt;
        *factor = factor_of(block, cell);
        if (apart <= most && apart <= *factor)
            return block;
    }
    return NULL;
}

/* Whether the row has another method that is still tried. */
static bool has_alternative(const struct plan *plan, const struct cell *cell)
{
    for (unsigned i = 0; i < plan->cells; i++)
        if (&plan->cell[i] != cell && plan->cell[i].row == cell->row && plan->cell[i].refused.status == STATUS_OK)
            return true;
    return false;
}

void prune_methods(struct plan *plan, const struct record *record)
{
    char times[TEXT_NUMBER];
    for (unsigned i = 0; i < plan->cells; i++) {
        struct cell *cell = &plan->cell[i];
        const struct block_record *proof = NULL;
        double factor;
        if (cell->method && cell->refused.status == STATUS_OK && has_alternative(plan, cell))
            proof = proof_against(record, cell, &factor);
        if (proof)
            fail_in(&cell->refused, "sweep", STATUS_TOO_SLOW,
                    "not tried: took %s times as long as the fastest at %.100s", text_figure(times, factor, 0.1),
                    proof->cell[0]->shape);
    }
}
