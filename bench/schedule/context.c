#include "bench/schedule/context.h"

#include "bench/backends/registry.h"
#include "harness/base/clock.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/machine/host.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The relative half width to stop at where a suite has no number of visits. */
static const double usual_precision = 0.02;

/* Dead workers of a method, or lost rows of a device, after which no more of it is tried. */
enum { FAILURES_MAX = 3 };

void context_note(struct context *context, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    progress_note(&context->progress, "%s", text);
    run_log_note(&context->run_log, "", "%s", text);
}

int context_signal_status(const struct context *context)
{
    return EXIT_SIGNAL + interrupt_signal(&context->interrupt);
}

int context_open(struct context *context, const struct options *options, struct resume *resume,
                 const char *const devices[], const char *baseline, struct error *err)
{
    *context = (struct context){
        .options = options,
        .resume = resume,
        .started = clock_wall(),
        .setup = { .interrupt = &context->interrupt, .timeout = options->timeout, .host = &context->host },
        .rule = { .visits = plan_visits(options),
                  .target = isnan(options->precision) ? usual_precision : options->precision,
                  .budget = plan_budget(options),
                  .deadline = plan_deadline(options) },
    };
    interrupt_open(&context->interrupt);
    tuning_cache_open(&context->tuning_cache, options->retune);
    context->neighbours = neighbours_find();
    if (!host_read(&context->host, "", options->threads, err))
        return EXIT_USAGE;
    listing_read(&context->listing, &context->setup);
    if (interrupt_wait(&context->interrupt, 0)) {
        fail(err, STATUS_ABANDONED, "interrupted while listing devices");
        return context_signal_status(context);
    }
    if (!listing_select(&context->listing, "--device", devices, context->selected, err))
        return EXIT_NOTHING;
    if (strcmp(baseline, "none") == 0)
        return EXIT_OK;
    bool chosen[DEVICES_MAX];
    const bool is_automatic = strcmp(baseline, "auto") == 0;
    const char *const words[] = { is_automatic ? "cpu" : baseline, NULL };
    const char *option = options->verb == VERB_SWEEP ? "--device" : "--baseline";
    if (!listing_select(&context->listing, option, words, chosen, is_automatic ? NULL : err))
        return is_automatic ? EXIT_OK : EXIT_NOTHING;
    for (unsigned i = 0; i < context->listing.devices && !context->baseline; i++)
        if (chosen[i])
            context->baseline = &context->listing.device[i];
    return EXIT_OK;
}

void context_close(struct context *context)
{
    outputs_close(&context->outputs);
    tuning_cache_close(&context->tuning_cache);
    run_log_free(&context->run_log);
    listing_free(&context->listing);
    interrupt_close(&context->interrupt);
}

void context_record_death(struct context *context, const struct cell *cell)
{
    if (context->deaths < DEATHS_KEPT)
        context->death[context->deaths++] = (struct death){ cell->device, cell->method };
}

bool context_admits(const struct context *context, const struct cell *cell, struct error *why)
{
    const double bytes = cell_host_bytes(cell), available = host_memory_available(""),
                 most = process_address_limit(NULL);
    unsigned deaths = 0;
    for (unsigned i = 0; i < context->deaths; i++)
        deaths += context->death[i].device == cell->device && context->death[i].method == cell->method;
    if (cell->refused.status != STATUS_OK)
        return fail_in(why, cell->refused.where, cell->refused.status, "%s", cell->refused.message);
    if (context->interrupted)
        return fail(why, STATUS_ABANDONED, "the run ended before this cell was measured");
    if (context->losses[cell->device - context->listing.device] >= FAILURES_MAX)
        return fail(why, STATUS_ABANDONED,
                    "%d rows of this device were lost before: its workers died, or could not open it", FAILURES_MAX);
    if (cell->method && deaths >= FAILURES_MAX)
        return fail(why, STATUS_ABANDONED, "%d workers of this method died on this device before", FAILURES_MAX);
    if (bytes > most)
        return fail(why, STATUS_NO_MEMORY, "needs %s of host memory, and %s", text_bytes(bytes).text,
                    host_address_limit().text);
    return isnan(available) || bytes <= available ||
           fail(why, STATUS_NO_MEMORY, "needs %s of host memory, %s are available", text_bytes(bytes).text,
                text_bytes(available).text);
}

double context_time_left(const struct context *context)
{
    const double passed = clock_wall() - context->started;
    return isnan(context->options->time) ? INFINITY : context->options->time - passed - context->reserved;
}

const char *context_recall(const struct context *context, const struct cell *cell, const char *what, const char *more)
{
    char key[TUNING_KEY_MAX];
    return tuning_cache_find(&context->tuning_cache,
                             tuning_key(key, what, cell, context->setup.host->worker_threads, more));
}

void context_remember(struct context *context, const struct cell *cell, const char *what, const char *more,
                      const char *value, bool is_lasting)
{
    char key[TUNING_KEY_MAX];
    tuning_cache_set(&context->tuning_cache, tuning_key(key, what, cell, context->setup.host->worker_threads, more),
                     value, is_lasting && !context->interrupted && !backend_is_scripted(cell->device->backend));
}
