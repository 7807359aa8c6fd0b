#include "harness/report/plots/gnuplot.h"

#include "harness/base/child.h"
#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct gnuplot {
    struct child *child;
    int messages; /* its stdout and stderr; when the pipe is full gnuplot blocks and runs into the timeout */
    double deadline;
};

static const size_t picture_max = 16 << 20; /* bytes; pictures are much smaller */
#define END_OF_PICTURE "end of picture"

/* Absolute path of the first gnuplot on PATH. */
static bool find_program(char to[PATH_MAX], struct error *err)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at;) {
        size_t length = strcspn(at, ":");
        bool fits = *at == '/' && length + sizeof "/gnuplot" <= PATH_MAX;
        if (fits) {
            memcpy(to, at, length);
            strcpy(to + length, "/gnuplot");
        }
        if (fits && access(to, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return fail(err, STATUS_UNSUPPORTED, "there is no gnuplot on PATH; Debian's package gnuplot-nox has it");
}

struct gnuplot *gnuplot_start(double seconds, struct error *err)
{
    char program[PATH_MAX];
    static const char *const environment[] = { "LC_ALL=C", "LANGUAGE=C", "TZ=UTC0", "GNUTERM=unknown", NULL };
    const char *const argv[] = { program, "-d", NULL };
    int messages[2] = { -1, -1 };
    struct gnuplot *gnuplot = NULL;
    if (!find_program(program, err))
        return NULL;
    if (pipe2(messages, O_CLOEXEC) != 0 || fcntl(messages[0], F_SETFL, O_NONBLOCK) != 0)
        fail(err, STATUS_FAILED, "cannot open a pipe to gnuplot: %s", strerror(errno));
    else if (!(gnuplot = calloc(1, sizeof *gnuplot)))
        fail(err, STATUS_NO_MEMORY, "no memory to start gnuplot");
    else if (!(gnuplot->child = child_start(argv, environment, messages[1], err))) {
        free(gnuplot);
        gnuplot = NULL;
    }
    if (messages[1] >= 0)
        close(messages[1]);
    if (!gnuplot) {
        if (messages[0] >= 0)
            close(messages[0]);
        return NULL;
    }
    gnuplot->messages = messages[0];
    gnuplot->deadline = clock_wall() + seconds;
    return gnuplot;
}

static double left(const struct gnuplot *gnuplot)
{
    return fmax(0, gnuplot->deadline - clock_wall());
}

/* Line by line, as child_send takes a line. */
static bool send(struct gnuplot *gnuplot, const char *script, struct error *err)
{
    char line[512];
    while (*script) {
        size_t length = strcspn(script, "\n");
        if (length >= sizeof line)
            return fail(err, STATUS_FAILED, "a line of a script is longer than %zu bytes", sizeof line - 1);
        memcpy(line, script, length);
        line[length] = '\0';
        if (!child_send(gnuplot->child, line, left(gnuplot), err))
            return false;
        script += length + (script[length] == '\n');
    }
    return true;
}

/* Reads up to the line that ends the picture. */
static bool receive(struct gnuplot *gnuplot, FILE *to, struct error *err)
{
    char *line;
    for (size_t bytes = 0; bytes < picture_max; bytes += strlen(line) + 1) {
        if (!child_receive(gnuplot->child, left(gnuplot), -1, &line, err))
            return false;
        if (strcmp(line, END_OF_PICTURE) == 0)
            return true;
        fputs(line, to);
        fputc('\n', to);
    }
    return fail(err, STATUS_FAILED, "drew more than %zu bytes", picture_max);
}

/* Appends gnuplot's own messages to the error. */
static void add_messages(struct gnuplot *gnuplot, struct error *err)
{
    char messages[120];
    ssize_t got = read(gnuplot->messages, messages, sizeof messages - 1);
    if (got <= 0)
        return;
    messages[got] = '\0';
    text_clean(messages, sizeof messages, messages);
    size_t used = strlen(err->message);
    snprintf(err->message + used, sizeof err->message - used, ", saying: %s", messages);
    text_clean(err->message, sizeof err->message, err->message);
}

char *gnuplot_draw(struct gnuplot *gnuplot, unsigned width, unsigned height, const char *script, struct error *err)
{
    char before[200], *picture = NULL;
    size_t bytes;
    struct error local = { .status = STATUS_OK };
    FILE *to = open_memstream(&picture, &bytes);
    if (!to) {
        fail(err, STATUS_NO_MEMORY, "no memory for a picture");
        return NULL;
    }
    snprintf(before, sizeof before,
             "reset\nset terminal svg size %u,%u dynamic noenhanced font \"sans-serif,12\"\nset output \"/dev/fd/3\"\n",
             width, height);
    bool done =
        send(gnuplot, before, &local) && send(gnuplot, script, &local) &&
        send(gnuplot, "unset output\nset print \"/dev/fd/3\"\nprint \"" END_OF_PICTURE "\"\nunset print\n", &local) &&
        receive(gnuplot, to, &local);
    bool written = !ferror(to);
    written = fclose(to) == 0 && written;
    if (done && !written)
        done = fail(&local, STATUS_NO_MEMORY, "no memory for a picture of %zu bytes", bytes);
    if (done && !strstr(picture, "</svg>"))
        done = fail(&local, STATUS_FAILED, "drew nothing");
    if (done)
        return picture;
    free(picture);
    add_messages(gnuplot, &local);
    fail_in(err, local.where, local.status, "%s", local.message);
    return NULL;
}

void gnuplot_end(struct gnuplot *gnuplot)
{
    if (!gnuplot)
        return;
    child_end(gnuplot->child, fmin(1, left(gnuplot)), NULL);
    close(gnuplot->messages);
    free(gnuplot);
}
