/* Placeholders in the path of a journal. */

#include "harness/base/clock.h"
#include "harness/journal/run_log.h"

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

Test(run_log, a_path_without_placeholders_stays)
{
    struct error err;
    cr_expect_str_eq(expand("a/b c/d.jsonl", &err), "a/b c/d.jsonl");
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

Test(run_log, outside_a_job_its_number_is_refused)
{
    struct error err;
    unsetenv("SLURM_JOB_ID"), unsetenv("PBS_JOBID"), unsetenv("LSB_JOBID");
    cr_expect_null(expand("{job}", &err));
    cr_expect_eq(err.status, STATUS_USAGE);
    cr_expect(strstr(err.message, "no batch job"));
}

Test(run_log, the_date_is_the_day)
{
    struct error err;
    char today[16];
    time_t now = time(NULL);
    strftime(today, sizeof today, "%Y-%m-%d", gmtime(&now));
    cr_expect_str_eq(expand("{date}", &err), today);
}

Test(run_log, another_word_and_a_path_that_does_not_fit_are_refused)
{
    struct error err;
    cr_expect_null(expand("x/{node}.jsonl", &err));
    cr_expect_eq(err.status, STATUS_USAGE);
    cr_expect(strstr(err.message, "{host}"), "%s", err.message);
    cr_expect_null(expand("0123456789012345678901234567890123456789012345678901234567890123", &err));
    cr_expect(strstr(err.message, "63 bytes"), "%s", err.message);
    cr_expect(expand("012345678901234567890123456789012345678901234567890123456789012", &err));
}

/* A resumed run goes on where the latest slice of any cell was. */
Test(run_log, what_was_measured_counts_as_time_of_the_run)
{
    struct run_log run_log;
    bool interrupted = false;
    struct record *record = record_new();
    static const char *const lines[] = {
        "{\"line\":\"cell\",\"key\":\"a\",\"block\":\"one\"}",
        "{\"line\":\"cell\",\"key\":\"b\",\"block\":\"two\"}",
        "{\"line\":\"slice\",\"cell\":\"a\",\"series\":\"resident\",\"number\":0,\"wall_ns\":[5000],\"at_ns\":"
        "9000000000}",
        "{\"line\":\"slice\",\"cell\":\"b\",\"series\":\"resident\",\"number\":1,\"wall_ns\":[5000],\"at_ns\":"
        "4000000000}",
        "{\"line\":\"done\",\"block\":\"two\"}",
    };
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        json_t *line = json_loads(lines[i], 0, NULL);
        cr_assert(record_add(record, line, NULL));
        json_decref(line);
    }
    const double now = clock_wall();
    run_log_reopen(&run_log, "path", &interrupted, NULL, record);
    cr_expect(now - run_log.started > 8.9 && now - run_log.started <= 9, "%g s", now - run_log.started);
    cr_expect(run_log_has(&run_log, "two") && !run_log_has(&run_log, "one") && !run_log_has(&run_log, "three"));
    run_log_free(&run_log);
}

/* Where others can write, journals are in a folder of one's own. */
Test(run_log, without_a_home_journals_go_to_a_folder_that_is_ones_own)
{
    static const struct {
        const char *what;
        mode_t mode;
        bool is_link, is_fine;
    } cases[] = {
        { "nothing", 0, false, true },
        { "its own folder", 0700, false, true },
        { "a folder that others can write to", 0777, false, false },
        { "a link", 0, true, false },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char above[] = "/tmp/test_run_log.XXXXXX", own[96], to[256] = "";
        struct error err = { .status = STATUS_OK };
        cr_assert(mkdtemp(above));
        snprintf(own, sizeof own, "%s/bench-%lu", above, (unsigned long)geteuid());
        if (cases[i].mode)
            cr_assert(mkdir(own, 0700) == 0 && chmod(own, cases[i].mode) == 0);
        if (cases[i].is_link)
            cr_assert(symlink("/", own) == 0);
        setenv("TMPDIR", above, 1);
        unsetenv("HOME"), unsetenv("XDG_STATE_HOME");
        cr_expect_eq(run_log_folder(to, sizeof to, W_OK, &err), cases[i].is_fine, "%s: %s", cases[i].what, err.message);
        cr_expect(!cases[i].is_fine || (strncmp(to, own, strlen(own)) == 0 && strcmp(to + strlen(own), "/") == 0), "%s",
                  to);
        cr_expect(cases[i].is_fine || strstr(err.message, "set HOME, or name a --journal"), "%s", err.message);
        if (cases[i].is_link)
            unlink(own);
        rmdir(own), rmdir(above);
    }
}
