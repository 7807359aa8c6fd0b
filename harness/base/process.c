#include "harness/base/process.h"

#include "harness/base/clock.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* /dev/null is opened the wrong way round, so that what is written to a closed standard output still fails. */
void process_begin(int arguments, char *argument[])
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* the lowest free number: fd */
    /* Drivers start programs, such as PoCL the linker, so an unset PATH gets the usual default of shells. */
    setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 0);
}

void process_report_write_errors(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

static double seconds_in(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

double process_family_cpu(void)
{
    struct rusage children;
    if (getrusage(RUSAGE_CHILDREN, &children) != 0)
        return NAN;
    return clock_cpu() + seconds_in(&children.ru_utime) + seconds_in(&children.ru_stime);
}

double process_page_faults(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)(usage.ru_minflt + usage.ru_majflt) : NAN;
}

unsigned terminal_columns(int fd)
{
    struct winsize size;
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool terminal_has_escapes(int fd)
{
    const char *term = getenv("TERM");
    return isatty(fd) && term && strcmp(term, "dumb") != 0;
}

bool pipe_is_closed(int fd)
{
    struct pollfd reader = { .fd = fd, .events = POLLOUT };
    return poll(&reader, 1, 0) == 1 && reader.revents & POLLERR;
}

bool process_host_name(char *to, unsigned room)
{
    return gethostname(to, room) == 0 && *to;
}
