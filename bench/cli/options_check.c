/* What cannot be told by one option alone. */

#include "bench/cli/option.h"

/* A run that is gone on with is measured as it was begun. */
static bool check_resume(const struct options *options, const char *const given[], struct error *err)
{
    for (const struct option *option = option_rows; option->name && options->resume; option++)
        if (given[option - option_rows] && !option->only_tells)
            return fail(err, STATUS_USAGE,
                        "--%s: a run that is resumed has the options of its journal; leave it out, or begin a new run",
                        option->name);
    return !options->resume || options->verb != VERB_SWEEP || !options->workload[0] ||
           fail(err, STATUS_USAGE, "sweep: what is resumed has the WORKLOAD of its journal; leave '%.40s' out",
                options->workload[0]);
}

/* What cannot be left out, unless only help was asked for. */
static bool check_complete(const struct options *options, struct error *err)
{
    if (options->help || options->version)
        return true;
    if (options->verb == VERB_NONE)
        return fail(err, STATUS_USAGE, "no command given; start with 'bench run', or see 'bench --help'");
    if (options->verb == VERB_REPORT && !options->file[0])
        return fail(err, STATUS_USAGE, "report: needs a FILE, the journal that 'bench run' wrote");
    if (options->verb == VERB_COMPARE && !options->file[0])
        return fail(err, STATUS_USAGE, "compare: needs the old side, as in 'bench compare OLD... --with NEW...'");
    if (options->verb == VERB_COMPARE && !options->with[0])
        return fail(err, STATUS_USAGE, "compare: needs the new side, as in 'bench compare %.60s --with NEW...'",
                    options->file[0]);
    if (options->verb == VERB_PUBLISH && !options->folder)
        return fail(err, STATUS_USAGE, "publish: needs --to FOLDER, as in 'bench publish run.jsonl --to results'");
    if (options->verb == VERB_SWEEP && !options->workload[0] && !options->resume)
        return fail(err, STATUS_USAGE, "sweep: needs a WORKLOAD, as in 'bench sweep multiply'");
    return true;
}

bool options_check(const struct options *options, const char *const given[], struct error *err)
{
    return check_resume(options, given, err) && check_complete(options, err);
}
