/* A gnuplot that is not there, fails, talks without end, or hangs. */

#include "harness/base/clock.h"
#include "harness/journal/results.h"
#include "harness/report/plots/gnuplot.h"
#include "harness/report/plots/plot.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A program of that name, first on PATH. */
static void pretend(const char *body)
{
    char folder[] = "/tmp/test-plot-XXXXXX", path[64];
    char *longer = NULL;
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/gnuplot", folder);
    FILE *script = fopen(path, "w");
    cr_assert(script && fprintf(script, "#!/bin/sh\nrm -f %s; rmdir %s\n%s\n", path, folder, body) > 0);
    fclose(script);
    cr_assert_eq(chmod(path, 0755), 0);
    cr_assert_gt(asprintf(&longer, "%s:%s", folder, getenv("PATH")), 0);
    setenv("PATH", longer, 1);
    free(longer);
}

static void expect_missing(const char *words)
{
    struct error err = { .status = STATUS_OK };
    struct result run;
    struct pictures pictures;
    cr_assert(result_read(&run, PUBLISHED "/xeon-kvm-2c/2026-11-21-standard.jsonl", &err), "%s", err.message);
    const struct results results = { .run = &run, .runs = 1 };
    cr_assert(pictures_make(&pictures, &results, &err), "%s", err.message);
    cr_assert_eq(pictures.count, 0);
    cr_assert(strstr(pictures.missing, words), "%s", pictures.missing);
    pictures_release(&pictures);
    result_release(&run);
}

Test(gnuplot, without_gnuplot_the_reason_is_given, .timeout = 60)
{
    setenv("PATH", "/nonexistent::relative", 1);
    expect_missing("gnuplot-nox");
    unsetenv("PATH");
    expect_missing("gnuplot-nox");
}

Test(gnuplot, a_failing_gnuplot_is_reported_with_its_message, .timeout = 60)
{
    pretend("echo 'error while loading shared libraries' >&2; exit 127");
    expect_missing("exited with status 127");
    pretend("echo 'error while loading shared libraries' >&2; exit 127");
    expect_missing("saying: error while loading shared libraries");
}

Test(gnuplot, a_crashing_gnuplot_is_reported, .timeout = 60)
{
    pretend("kill -SEGV $$");
    expect_missing("killed by signal 11");
}

Test(gnuplot, one_that_prints_rubbish_has_drawn_nothing, .timeout = 60)
{
    pretend("echo '<svg><defs></defs><script>alert(1)</script></svg>' >&3; echo 'end of picture' >&3; cat >/dev/null");
    expect_missing("no picture");
    pretend("exec 4<&0; cat <&4 >/dev/null & exec yes rubbish >&3");
    expect_missing("more than");
}

Test(gnuplot, one_that_hangs_is_killed, .timeout = 60)
{
    struct error err = { .status = STATUS_OK };
    double from = clock_wall();
    pretend("exec sleep 1000");
    struct gnuplot *gnuplot = gnuplot_start(0.5, &err);
    cr_assert(gnuplot, "%s", err.message);
    cr_assert_null(gnuplot_draw(gnuplot, 100, 100, "plot 1\n", &err));
    cr_assert_eq(err.status, STATUS_TIMEOUT, "%s", err.message);
    gnuplot_end(gnuplot);
    cr_assert_lt(clock_wall() - from, 10);
}

Test(gnuplot, one_that_talks_without_end_and_does_not_listen_is_killed, .timeout = 60)
{
    struct error err = { .status = STATUS_OK };
    pretend("exec yes rubbish");
    struct gnuplot *gnuplot = gnuplot_start(0.5, &err);
    cr_assert(gnuplot, "%s", err.message);
    cr_assert_null(gnuplot_draw(gnuplot, 100, 100, "plot 1\n", &err));
    cr_assert_eq(err.status, STATUS_TIMEOUT, "%s", err.message);
    gnuplot_end(gnuplot);
}

Test(gnuplot, a_script_that_draws_nothing_costs_that_picture_only, .timeout = 60)
{
    if (system("command -v gnuplot >/dev/null") != 0)
        cr_skip_test("gnuplot is not installed");
    struct error err = { .status = STATUS_OK }, none = { .status = STATUS_OK };
    struct gnuplot *gnuplot = gnuplot_start(10, &err);
    cr_assert(gnuplot, "%s", err.message);
    cr_assert_null(gnuplot_draw(gnuplot, 100, 100, "plot nonsense(\n", &err));
    cr_assert(strstr(err.message, "drew nothing"), "%s", err.message);
    char *drawn = gnuplot_draw(gnuplot, 100, 100, "plot 1\n", &none);
    cr_assert(drawn, "%s", none.message);
    free(drawn);
    gnuplot_end(gnuplot);
}
