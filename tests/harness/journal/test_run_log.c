/* Placeholders in the path of a journal. */

#include "harness/base/clock.h"
#include "harness/journal/run_log.h"
#include "tests/support/lines.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *expand(const char *path, struct error *err)
{
    static char to[64];
    *err = (struct error){ .status = STATUS_OK };
    return run_log_path(to, sizeof to, path, err) ? to : NULL;
}

Test(run_log, slurms_name_of_the_node_goes_before_the_systems)
{
    struct error err;
    char own[64] = "";
    unsetenv("SLURMD_NODENAME");
    gethostname(own, sizeof own - 1);
    for (char *c = own; *c; c++)
        *c = isalnum((unsigned char)*c) || strchr("._-", *c) ? *c : '-';
    cr_expect_str_eq(expand("{host}", &err), own);
    cr_expect_str_eq(expand("a/b c/d.jsonl", &err), "a/b c/d.jsonl");
    setenv("SLURMD_NODENAME", "n3", 1);
    cr_expect_str_eq(expand("out/{host}.jsonl", &err), "out/n3.jsonl");
}

Test(run_log, the_number_of_the_job_is_that_of_slurm_pbs_or_lsf)
{
    struct error err;
    setenv("LSB_JOBID", "3", 1);
    cr_expect_str_eq(expand("{job}", &err), "3");
    setenv("PBS_JOBID", "2.head[1]/x", 1);
    cr_expect_str_eq(expand("{job}-{job}", &err), "2.head-1--x-2.head-1--x", "no value adds a folder");
    setenv("SLURM_JOB_ID", "1", 1);
    cr_expect_str_eq(expand("{job}", &err), "1");
}

Test(run_log, the_date_is_the_day)
{
    struct error err;
    char today[16];
    time_t now = time(NULL);
    strftime(today, sizeof today, "%Y-%m-%d", gmtime(&now));
    cr_expect_str_eq(expand("{date}", &err), today);
}

Test(run_log, what_has_no_value_or_does_not_fit_is_refused)
{
    static const char *const paths[][2] = {
        { "{job}", "no batch job" },
        { "x/{node}.jsonl", "{host}" },
        { "0123456789012345678901234567890123456789012345678901234567890123", "63 bytes" },
    };
    struct error err;
    unsetenv("SLURM_JOB_ID"), unsetenv("PBS_JOBID"), unsetenv("LSB_JOBID");
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
        cr_expect_null(expand(paths[i][0], &err), "%s", paths[i][0]);
        cr_expect(err.status == STATUS_USAGE && strstr(err.message, paths[i][1]), "%s: %s", paths[i][0], err.message);
    }
    cr_expect(expand(paths[2][0] + 1, &err));
}

/* A resumed run goes on where the latest slice of any cell was. */
Test(run_log, what_was_measured_counts_as_time_of_the_run)
{
    struct run_log run_log;
    bool interrupted = false;
    struct record *record = record_new();
    add(record, "{'line':'cell','key':'a','block':'one'}");
    add(record, "{'line':'cell','key':'b','block':'two'}");
    add(record, "{'line':'slice','cell':'a','series':'resident','number':0,'wall_ns':[5000],'at_ns':9000000000}");
    add(record, "{'line':'slice','cell':'b','series':'resident','number':1,'wall_ns':[5000],'at_ns':4000000000}");
    add(record, "{'line':'done','block':'two'}");
    const double now = clock_wall();
    run_log_reopen(&run_log, "path", &interrupted, NULL, record);
    cr_expect(now - run_log.started > 8.9 && now - run_log.started <= 9, "%g s", now - run_log.started);
    cr_expect(run_log_has(&run_log, "two") && !run_log_has(&run_log, "one") && !run_log_has(&run_log, "three"));
    run_log_free(&run_log);
}

/* In a folder that others can write to, as test_file.c has it: its own, or none. */
Test(run_log, without_a_home_journals_go_to_a_folder_that_is_ones_own)
{
    char above[] = "/tmp/test_run_log.XXXXXX", own[96], to[256] = "";
    struct error err = { .status = STATUS_OK };
    cr_assert(mkdtemp(above));
    snprintf(own, sizeof own, "%s/bench-%lu/", above, (unsigned long)geteuid());
    setenv("TMPDIR", above, 1);
    unsetenv("HOME"), unsetenv("XDG_STATE_HOME");
    cr_expect(run_log_folder(to, sizeof to, W_OK, &err), "%s", err.message);
    cr_expect_str_eq(to, own);
    cr_assert(chmod(own, 0777) == 0);
    cr_expect_not(run_log_folder(to, sizeof to, W_OK, &err));
    cr_expect(strstr(err.message, "set HOME, or name a --journal"), "%s", err.message);
    rmdir(own), rmdir(above);
}
