#include "harness/base/child.h"

#include "harness/base/child_failure.h"
#include "harness/base/clock.h"
#include "harness/base/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct child {
    pid_t pid;
    int pidfd; /* readable once it exited; -1: the kernel has none, then we poll every poll_interval seconds */
    int requests, replies; /* our ends; -1 once closed */
    int log;
    const char *last_call; /* which the child writes; NULL: unknown */
    bool reaped;
    int status;       /* from waitpid, once reaped */
    struct error end; /* why it is unusable; every later call repeats it */
    struct lines received;
};

enum { FIRST_FREE_FD = LAST_CALL_FD + 1, READ_BYTES = 1 << 16, LOG_MAX = 1 << 20 };
static const double poll_interval = 0.02; /* seconds */
enum { LOG_TAIL = 4096 };                 /* bytes in which the last line of a log is looked for */

static const double log_interval = 0.25; /* seconds between two looks at the length of a log */
static const double exit_delay = 1;      /* seconds that a child may run on after it closed a channel */
static const double kill_wait = 5;       /* seconds that we wait for a killed process to end */

/* --- starting ---------------------------------------------------------------------------------------------------- */

static void fd_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Moves a descriptor out of the range of those that a child is given: if it was one of 0 to 4, setting up one of them
 * would overwrite the next. */
static bool fd_raise(int *fd)
{
    int raised = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    fd_close(fd);
    *fd = raised;
    return raised >= 0;
}

/* The four ends: ours, which no other child may inherit, and the child's. Its input is a socket, because writing to a
 * socket can be told not to raise SIGPIPE. */
static bool channels_open(struct child *child, int theirs[2])
{
    int in[2], out[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0)
        return false;
    child->requests = in[0];
    theirs[0] = in[1];
    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    child->replies = out[0];
    theirs[1] = out[1];
    return fd_raise(&child->requests) && fd_raise(&child->replies) && fd_raise(&theirs[0]) && fd_raise(&theirs[1]) &&
           fcntl(child->replies, F_SETFL, O_NONBLOCK) == 0;
}

static bool same_name(const char *a, const char *b)
{
    size_t length = strcspn(a, "=");
    return length == strcspn(b, "=") && memcmp(a, b, length) == 0;
}

/* `ours`, then those of the parent that they do not override. The texts are not copied. */
static char **environment_merge(const char *const ours[])
{
    size_t count = 0, parents = 0;
    while (ours && ours[count])
        count++;
    while (environ && environ[parents])
        parents++;
    char **merged = malloc((count + parents + 1) * sizeof *merged);
    if (!merged)
        return NULL;
    for (size_t i = 0; i < count; i++)
        merged[i] = (char *)ours[i]; /* posix_spawn does not change them */
    size_t used = count;
    for (size_t i = 0; i < parents; i++) {
        size_t j = 0;
        while (j < count && !same_name(environ[i], ours[j]))
            j++;
        if (j == count)
            merged[used++] = environ[i];
    }
    merged[used] = NULL;
    return merged;
}

/* Returns an errno, 0 on success, like posix_spawn. last_call: -1 for none. */
static int spawn(struct child *child, const char *program, const char *const argv[], char *const environment[],
                 const int theirs[2], int log, int last_call)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    int code = posix_spawn_file_actions_adddup2(&files, theirs[0], STDIN_FILENO);
    code = code ? code : posix_spawn_file_actions_adddup2(&files, theirs[1], REPLY_FD);
    code = code ? code : posix_spawn_file_actions_adddup2(&files, log, STDOUT_FILENO);
    code = code ? code : posix_spawn_file_actions_adddup2(&files, log, STDERR_FILENO);
    if (last_call >= 0)
        code = code ? code : posix_spawn_file_actions_adddup2(&files, last_call, LAST_CALL_FD);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    code = code ? code
                : posix_spawn(&child->pid, program ? program : "/proc/self/exe", &files, &attributes,
                              (char *const *)argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return code;
}

/* An ignored SIGCHLD is inherited, from a shell's trap or a daemon. The kernel then reaps children itself: their exit
 * statuses are lost, and their process ids may be reused while we still intend to kill them. */
static void restore_sigchld(void)
{
    struct sigaction action;
    if (sigaction(SIGCHLD, NULL, &action) != 0 || (action.sa_handler != SIG_IGN && !(action.sa_flags & SA_NOCLDWAIT)))
        return;
    action.sa_flags &= ~SA_NOCLDWAIT;
    if (action.sa_handler == SIG_IGN)
        action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, NULL);
}

static void child_free(struct child *child)
{
    fd_close(&child->requests);
    fd_close(&child->replies);
    fd_close(&child->pidfd);
    fd_close(&child->log);
    last_call_release(child->last_call);
    lines_release(&child->received);
    free(child);
}

struct text child_parent(void)
{
    return text_print("%ld", (long)getpid());
}

struct child *child_start(const char *program, const char *const argv[], const char *const environment[], int log_fd,
                          struct error *err)
{
    const char *name = program ? program : "/proc/self/exe";
    bool started = false;
    int theirs[2] = { -1, -1 }, last_call = -1;
    char **merged = environment_merge(environment);
    int log = log_fd < 0 ? memfd_create("log", MFD_CLOEXEC) : fcntl(log_fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    log = log < 0 && log_fd < 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : log;
    struct child *child = calloc(1, sizeof *child);
    if (!child || !merged) {
        fail(err, STATUS_NO_MEMORY, "no memory to start %s", name);
        goto out;
    }
    child->pidfd = child->requests = child->replies = child->log = -1;
    if (log < 0 || !fd_raise(&log) || !channels_open(child, theirs)) {
        fail(err, STATUS_FAILED, "cannot open the channels to %s: %s%s", name, strerror(errno),
             errno == EMFILE ? " (ulimit -n 64 allows more)" : "");
        goto out;
    }
    child->last_call = last_call_create(&last_call);
    fd_raise(&last_call);
    restore_sigchld();
    int code = spawn(child, program, argv, merged, theirs, log, last_call);
    if (code != 0) {
        fail(err, STATUS_FAILED, "cannot start %s: %s%s", name, strerror(code),
             !program && code == ENOENT ? "; /proc is not mounted: sudo mount -t proc proc /proc" : "");
        goto out;
    }
    child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0); /* always close-on-exec */
    child->log = log;
    log = -1;
    started = true;
out:
    fd_close(&log);
    fd_close(&last_call);
    fd_close(&theirs[0]);
    fd_close(&theirs[1]);
    free(merged);
    if (child && !started) {
        child_free(child);
        child = NULL;
    }
    return child;
}

/* --- waiting and killing ----------------------------------------------------------------------------------------- */

/* A driver may print without end. What it printed last stays, because that explains a crash. While the child prints,
 * the disk takes back the beginning, which loses no words; the file is made shorter after its end, or at once where the
 * file system cannot do that. */
static void bound_log(const struct child *child)
{
    static const int take_back = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    struct stat about;
    if (fstat(child->log, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= LOG_MAX)
        return;
    const off_t excess = about.st_size - LOG_MAX / 2;
    if (!child->reaped && (about.st_blocks <= LOG_MAX / 512 || fallocate(child->log, take_back, 0, excess) == 0))
        return;
    char *last = malloc(LOG_MAX / 2);
    ssize_t kept = last ? pread(child->log, last, LOG_MAX / 2, excess) : 0;
    if (ftruncate(child->log, 0) == 0 && kept > 0)
        kept = write(child->log, last, (size_t)kept); /* a full disk costs the log */
    free(last);
}

/* Sleeps until the child exits, one of the descriptors (-1: none) is ready, or the deadline. True when the user has
 * interrupted. */
static bool await(const struct child *child, int to_read, int to_write, const struct interrupt *interrupt,
                  double deadline)
{
    struct pollfd on[] = {
        { child->pidfd, POLLIN, 0 },
        { to_read, POLLIN, 0 },
        { to_write, POLLOUT, 0 },
        { interrupt ? (int)interrupt->source : -1, POLLIN, 0 },
    };
    double seconds = fmin(fmax(deadline - clock_wall(), 0), child->pidfd < 0 ? poll_interval : log_interval);
    int ready = poll(on, sizeof on / sizeof *on, (int)ceil(1000 * seconds));
    return ready > 0 && on[3].revents != 0;
}

static bool has_exited(const struct child *child)
{
    siginfo_t info = { 0 };
    return child->reaped || waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == child->pid;
}

/* A process that exits closes its channels shortly before. */
static bool exits_within(const struct child *child, double seconds)
{
    double deadline = clock_wall() + seconds;
    while (!has_exited(child) && clock_wall() < deadline)
        await(child, -1, -1, NULL, deadline);
    return has_exited(child);
}

/* Kills the rest of its group and reaps it. Order matters: until the child is reaped its group's number cannot be
 * reused. False if it does not die. */
static bool child_kill(struct child *child)
{
    if (child->reaped)
        return true;
    kill(-child->pid, SIGKILL);
    exits_within(child, kill_wait);
    child->reaped = waitpid(child->pid, &child->status, WNOHANG) != 0;
    bound_log(child);
    return child->reaped;
}

static struct text describe_exit(int status)
{
    return WIFSIGNALED(status) ? text_print("killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)))
                               : text_print("exited with status %d", WEXITSTATUS(status));
}

/* Call with child->end filled. */
static bool kill_and_fail(struct child *child, struct error *err)
{
    child_kill(child);
    return child_failure_repeat(&child->end, err);
}

/* Call once it has exited. */
static bool fail_exited(struct child *child, const char *where, struct error *err)
{
    child_kill(child);
    child_failure_exited(&child->end, where, describe_exit(child->status).text, &child->received);
    return child_failure_repeat(&child->end, err);
}

/* --- messages ---------------------------------------------------------------------------------------------------- */

static bool send_some(struct child *child, const char **from, size_t *left)
{
    ssize_t sent = send(child->requests, *from, *left, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0)
        return errno == EAGAIN || errno == EINTR;
    *from += sent;
    *left -= (size_t)sent;
    return true;
}

bool child_send(struct child *child, const char *line, double seconds, struct error *err)
{
    double deadline = clock_wall() + seconds;
    if (child->end.status != STATUS_OK)
        return child_failure_repeat(&child->end, err);
    const char *parts[] = { line, "\n" };
    for (unsigned i = 0; i < 2; i++) {
        size_t left = strlen(parts[i]);
        for (;;) {
            bool open = send_some(child, &parts[i], &left);
            if (open && left == 0)
                break;
            if (open ? has_exited(child) : exits_within(child, exit_delay))
                return fail_exited(child, __func__, err);
            if (!open) {
                fail(&child->end, STATUS_CRASHED, "closed its request socket");
                return kill_and_fail(child, err);
            }
            if (clock_wall() >= deadline) {
                fail(&child->end, STATUS_TIMEOUT, "did not read a request within %s", text_seconds(seconds).text);
                return kill_and_fail(child, err);
            }
            await(child, -1, child->requests, NULL, deadline);
        }
    }
    return true;
}

/* Reads until there is a complete line (then *line is set), or nothing more for now. False, with child->end filled, if
 * a line is too long. */
static bool read_line(struct child *child, char **line)
{
    *line = lines_take(&child->received);
    while (!*line && child->replies >= 0) {
        char *to = lines_reserve(&child->received, READ_BYTES);
        if (!to)
            return fail(&child->end, STATUS_NO_MEMORY, "no memory for a reply of so many bytes");
        ssize_t got = read(child->replies, to, READ_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return true;
        if (got <= 0) {
            fd_close(&child->replies);
            return true;
        }
        child->received.used += (size_t)got;
        *line = lines_take(&child->received);
        if (!*line && child->received.used > CHILD_LINE_MAX)
            return fail(&child->end, STATUS_FAILED, "sent a line of more than %d bytes", CHILD_LINE_MAX);
    }
    return true;
}

bool child_receive(struct child *child, double seconds, const struct interrupt *interrupt, char **line,
                   struct error *err)
{
    double deadline = clock_wall() + seconds;
    bool woken = false, was_open = child->replies >= 0;
    if (child->end.status != STATUS_OK)
        return child_failure_repeat(&child->end, err);
    for (;;) {
        bound_log(child);
        bool exited = has_exited(child); /* checked first: output from before its end is read below */
        if (!read_line(child, line))
            return kill_and_fail(child, err);
        if (*line)
            return true;
        if (exited)
            return fail_exited(child, __func__, err);
        if (woken)
            return fail(err, STATUS_ABANDONED, "interrupted while waiting for a reply");
        if (was_open && child->replies < 0) {
            was_open = false; /* it is probably exiting, which is the better reason */
            deadline = fmin(deadline, clock_wall() + exit_delay);
        }
        if (clock_wall() >= deadline) {
            child_failure_silent(&child->end, child->replies < 0, &child->received, seconds);
            return kill_and_fail(child, err);
        }
        woken = await(child, child->replies, -1, interrupt, deadline);
    }
}

/* --- ending ------------------------------------------------------------------------------------------------------ */

/* Discards further output, so that a full pipe does not prevent it from exiting. */
static void drain(struct child *child)
{
    char waste[4096];
    ssize_t got;
    for (unsigned i = 0; i < 16 && child->replies >= 0; i++) {
        got = read(child->replies, waste, sizeof waste);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            fd_close(&child->replies);
        if (got <= 0)
            return;
    }
}

/* The child may have written anything there. */
struct text child_last_call(const struct child *child)
{
    const struct text as_is = text_print("%.*s", LAST_CALL_ROOM - 1, child->last_call ? child->last_call : "");
    return text_cleaned(as_is.text);
}

long child_log_time(const struct child *child)
{
    struct stat about;
    const bool is_written = fstat(child->log, &about) == 0 && about.st_size > 0;
    return is_written ? about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec : 0;
}

struct text child_last_line(const struct child *child)
{
    char tail[LOG_TAIL];
    struct text last;
    struct stat about;
    const off_t length = fstat(child->log, &about) == 0 ? about.st_size : 0;
    ssize_t got = pread(child->log, tail, sizeof tail - 1, length < LOG_TAIL ? 0 : length - (LOG_TAIL - 1));
    while (got > 0 && (tail[got - 1] == '\n' || tail[got - 1] == '\r'))
        got--;
    tail[got > 0 ? got : 0] = '\0';
    const char *line = strrchr(tail, '\n');
    text_clean(last.text, LAST_LINE, line ? line + 1 : tail);
    return last;
}

double child_cpu(const struct child *child)
{
    clockid_t clock;
    struct timespec used;
    if (child->reaped || clock_getcpuclockid(child->pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return NAN;
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

bool child_end(struct child *child, double seconds, struct error *err)
{
    if (!child)
        return true;
    fd_close(&child->requests);
    lines_release(&child->received); /* its output does not matter any more */
    double deadline = clock_wall() + seconds;
    while (child->end.status == STATUS_OK && !has_exited(child) && clock_wall() < deadline) {
        await(child, child->replies, -1, NULL, deadline);
        drain(child);
    }
    if (child->end.status == STATUS_OK && has_exited(child)) {
        child_kill(child);
        if (child->status != 0)
            fail_exited(child, __func__, NULL);
    } else if (child->end.status == STATUS_OK) {
        fail(&child->end, STATUS_TIMEOUT, "did not exit within %s", text_seconds(seconds).text);
        child_kill(child);
    }
    bool left = child->end.status == STATUS_OK || child_failure_repeat(&child->end, err);
    child_free(child);
    return left;
}

/* --- in the child ------------------------------------------------------------------------------------------------ */

FILE *child_replies(void)
{
    fcntl(REPLY_FD, F_SETFD, FD_CLOEXEC); /* child processes of a driver must not keep the pipe open */
    return fdopen(REPLY_FD, "w");
}

bool child_follow(const char *parent)
{
    int oom = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (oom >= 0) {
        ssize_t ignored = write(oom, "1000", 4); /* a missing permission does not matter */
        (void)ignored;
        close(oom);
    }
    last_call_open(LAST_CALL_FD);
    prctl(PR_SET_NAME, program_invocation_short_name);
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == strtol(parent, NULL, 10);
}
