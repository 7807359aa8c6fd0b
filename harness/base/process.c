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

/* Takes OpenMP's variables from the environment of this process and of those that it starts, but for a limit. While
 * libgomp is loaded they would bind this thread, and nobody could tell any more which processors the user allows: so
 * this runs before libraries start. A worker gets its own from client_start. */
static void forget_openmp(int argc, char *argv[], char *environment[])
{
    static const char limit[] = "OMP_THREAD_LIMIT=";
    char **kept = environment;
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return;
    for (char **entry = environment; *entry; entry++)
        if (strncmp(*entry, limit, strlen(limit)) == 0 ||
            (strncmp(*entry, "OMP_", 4) != 0 && strncmp(*entry, "GOMP_", 5) != 0 && strncmp(*entry, "KMP_", 4) != 0))
            *kept++ = *entry;
    *kept = NULL;
}

__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(int, char *[],
                                                                                       char *[]) = forget_openmp;

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

double process_address_limit(char *option)
{
    static const struct {
        int resource;
        char option;
    } known[] = { { RLIMIT_AS, 'v' }, { RLIMIT_DATA, 'd' } };
    struct rlimit limit;
    double least = INFINITY;
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        if (getrlimit(known[i].resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= least)
            continue;
        least = (double)limit.rlim_cur;
        if (option)
            *option = known[i].option;
    }
    return least;
}

static double limit_of(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? (double)limit.rlim_cur : INFINITY;
}

double process_cpu_limit(void)
{
    return limit_of(RLIMIT_CPU);
}

double process_task_limit(void)
{
    return geteuid() == 0 ? INFINITY : limit_of(RLIMIT_NPROC);
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
