/* bench: is this GPU worth it, for this work, at this size, on this machine?
 *
 * Calls the function of the command and prints its error, if any. The same program, started as `bench worker`, is the
 * child process that calls drivers. */

#include "bench/cli/exit_status.h"
#include "bench/cli/options.h"
#include "bench/commands/commands.h"
#include "bench/commands/history.h"
#include "bench/doctor/doctor.h"
#include "bench/worker/worker.h"
#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/report/content/answer_words.h"
#include "harness/report/formats/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int (*const verbs[])(const struct options *options, struct error *err) = {
    [VERB_RUN] = run,
    [VERB_SWEEP] = sweep,
    [VERB_DEVICES] = inventory_devices,
    [VERB_WORKLOADS] = inventory_workloads,
    [VERB_REPORT] = report,
    [VERB_COMPARE] = compare,
    [VERB_FLEET] = fleet,
    [VERB_LIST] = list,
    [VERB_CLEAN] = clean,
    [VERB_EXPLAIN] = explain,
    [VERB_DOCTOR] = doctor,
    [VERB_PUBLISH] = publish,
    [VERB_MANUAL] = manual,
    [VERB_COMPLETION] = completion,
};

/* Reports a closed pipe or a full disk behind standard output as a failure. */
static bool flush_report(struct error *err)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    return fail_in(err, standard_output, STATUS_FAILED, "standard output could not be written: %s",
                   errno != 0 ? strerror(errno) : "a closed pipe, or a full disk");
}

/* Whether the only error is that the reader of standard output, such as `head`, closed it. */
static bool is_reader_gone(const struct error *err)
{
    return strcmp(err->where, standard_output) == 0 && pipe_is_closed(STDOUT_FILENO);
}

/* Commands in messages are quoted, as in 'bench run': there the program has the name by which it was called. */
static void print_error(const char *message, const char *program)
{
    static const char ours[] = "'bench ";
    fputs("bench: ", stderr);
    for (const char *at; (at = strstr(message, ours)); message = at + strlen(ours))
        fprintf(stderr, "%.*s'%s ", (int)(at - message), message, program);
    fprintf(stderr, "%s\n", message);
}

/* Calls the command, with the paths of the journals that the user calls "last", "last~1" and so on. */
static int run_command(struct options *options, struct error *err)
{
    struct history history = { .runs = 0 };
    const char *resume[] = { options->resume, NULL };
    int status = EXIT_USAGE;
    if (history_resolve(&history, options->file, err) && history_resolve(&history, options->with, err) &&
        history_resolve(&history, resume, err)) {
        options->resume = *resume;
        status = verbs[options->verb](options, err);
    }
    history_close(&history);
    return status;
}

int main(int argc, char *argv[])
{
    process_begin(argc, argv);
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return worker_serve(argc - 2, argv + 2);

    struct options options;
    struct error err = { .status = STATUS_OK };
    int status = EXIT_OK;
    process_report_write_errors();
    if (argc < 2) {
        options_help(stderr, VERB_NONE);
        return EXIT_USAGE;
    }
    if (!options_parse(&options, argc, argv, &err))
        status = EXIT_USAGE;
    else if (options.version)
        inventory_version(stdout);
    else if (options.help)
        options_help(stdout, options.verb);
    else
        status = run_command(&options, &err);

    if (!flush_report(&err) && status == EXIT_OK)
        status = EXIT_BAD_CELL;
    if (is_reader_gone(&err))
        return EXIT_UNREAD;
    if (err.status != STATUS_OK)
        print_error(err.message, command_word(argv[0]).text);
    return status;
}
