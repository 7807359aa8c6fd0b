#include "harness/analysis/gpu.h"

#include "harness/base/text.h"
#include "harness/report/content/builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The middle one of what the slices saw when they ended, NAN left out. */
static double typical_clock(const struct track *track)
{
    double *clock = malloc((track->slices + 1) * sizeof *clock), median = NAN;
    unsigned count = 0;
    for (unsigned i = 0; clock && i < track->slices; i++)
        if (!isnan(track->slice[i].sm_clock))
            clock[count++] = track->slice[i].sm_clock;
    if (count > 0)
        median = stats_median(clock, count);
    free(clock);
    return median;
}

static void read_slices(struct gpu_metrics *out, const struct track *track)
{
    for (unsigned i = 0; i < track->slices; i++) {
        const struct slice *slice = &track->slice[i];
        out->told += slice->tells_held;
        out->held += slice->tells_held && slice->held != 0;
        for (unsigned k = 0; slice->tells_held && k < REASON_COUNT; k++)
            out->held_by[k] += (slice->held >> k) & 1;
    }
}

/* fmax passes over a NAN. */
static void read_state(struct gpu_metrics *out, const struct gpu_state *state)
{
    out->temperature = fmax(out->temperature, state->temperature);
    out->power = fmax(out->power, state->power);
    out->memory_used = fmax(out->memory_used, state->memory_used);
    out->memory_clock = fmax(out->memory_clock, state->memory_clock);
    out->others = fmax(out->others, state->others);
    out->others_memory = fmax(out->others_memory, state->others_memory);
    if (!isnan(state->power_limit))
        out->power_limit = state->power_limit;
}

bool gpu_energy_is_sure(double error)
{
    return error <= 0.3;
}

void gpu_facts_read(struct gpu_metrics *out, const struct cell_record *cell, enum series headline)
{
    *out = (struct gpu_metrics){ .memory_clock = NAN,
                                 .temperature = NAN,
                                 .power = NAN,
                                 .power_limit = NAN,
                                 .memory_used = NAN,
                                 .others = NAN,
                                 .others_memory = NAN };
    out->clock = typical_clock(&cell->track[headline]);
    out->ecc_errors = cell->gpu_after.ecc_errors - cell->gpu_before.ecc_errors;
    read_slices(out, &cell->track[headline]);
    read_state(out, &cell->gpu_before);
    read_state(out, &cell->gpu_after);
    read_state(out, &cell->meter.gpu);
    if (gpu_energy_is_sure(cell->meter.error))
        out->power = cell->meter.joules / cell->meter.seconds;
}

bool gpu_facts_told(const struct gpu_metrics *gpu)
{
    return gpu->told > 0 || gpu->clock > 0 || gpu->temperature >= 0 || gpu->power >= 0 || gpu->memory_used >= 0;
}

void gpu_facts_reasons(const struct gpu_metrics *gpu, char *to, size_t room)
{
    size_t used = 0;
    *to = '\0';
    for (unsigned i = 0; i < REASON_COUNT && used < room; i++)
        if (gpu->held_by[i] > 0)
            used += (size_t)snprintf(to + used, room - used, "%s%s", used > 0 ? ", " : "",
                                     gpu_reason_name((enum gpu_reason)i));
}

/* "1.70 to 1.98", or one of them where they are the same to three digits. */
static void put_range(double least, double most, FILE *out)
{
    char from[TEXT_NUMBER], to[TEXT_NUMBER];
    text_figure(from, least / 1e9, NAN);
    text_figure(to, most / 1e9, NAN);
    fprintf(out, "%s%s%s", from, strcmp(from, to) == 0 ? "" : " to ", strcmp(from, to) == 0 ? "" : to);
}

void gpu_append(struct pool *pool, struct lines *out, const struct record *record, const struct device *device)
{
    double least = NAN, most = NAN, hottest = NAN, power = NAN, limit = NAN;
    struct words words;
    for (unsigned i = 0; i < record->cells; i++) {
        struct gpu_metrics gpu;
        if (strcmp(record->cell[i]->device_id, device->id) != 0)
            continue;
        gpu_facts_read(&gpu, record->cell[i], cell_headline(record->cell[i]));
        least = fmin(least, gpu.clock);
        most = fmax(most, gpu.clock);
        hottest = fmax(hottest, gpu.temperature);
        power = fmax(power, gpu.power);
        limit = fmin(limit, gpu.power_limit);
    }
    if (!(most > 0 || hottest > 0 || power > 0) || !words_begin(pool, &words))
        return;
    fputs("it ran", words.out);
    if (most > 0) {
        fputs(" at ", words.out);
        put_range(least, most, words.out);
        if (device->max_clock > 0)
            fprintf(words.out, " of %.2f", device->max_clock / 1e9);
        fputs(" GHz", words.out);
    }
    if (hottest > 0)
        fprintf(words.out, "%s at up to %.0f degrees Celsius", most > 0 ? "," : "", hottest);
    if (power > 0)
        fprintf(words.out, "%s at up to %.0f", most > 0 || hottest > 0 ? "," : "", power);
    if (power > 0 && limit > 0)
        fprintf(words.out, " of %.0f", limit);
    fputs(power > 0 ? " W" : "", words.out);
    lines_add(pool, out, "", words_end(pool, &words));
}
