#include "harness/base/child.h"
#include "harness/base/clock.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Far above what any of it takes; only a wait without bound reaches it. */
enum { TIMEOUT_S = 15 };

static struct child *start(const char *mode, const char *argument)
{
    const char *const argv[] = { FAKE_CHILD, mode, argument, NULL };
    struct error err = { 0 };
    struct child *child = child_start(*argv, argv, NULL, -1, &err);
    cr_assert(child, "%s", err.message);
    return child;
}

static char *receive(struct child *child)
{
    char *line = NULL;
    struct error err = { 0 };
    cr_assert(child_receive(child, TIMEOUT_S, NULL, &line, &err), "%s", err.message);
    return line;
}

/* Ends it whatever it does. */
static void finish(struct child *child)
{
    child_end(child, 0, NULL);
}

static void check_failure(const struct error *err, enum status status, const char *message)
{
    cr_expect(err->status == status, "status %s, should be %s", status_names[err->status], status_names[status]);
    cr_expect(strcmp(err->message, message) == 0, "\"%s\", should be \"%s\"", err->message, message);
}

/* Waits for the end of the child that `mode` starts, through child_receive. */
static void check_end(const char *mode, const char *argument, double seconds, enum status status, const char *message)
{
    struct error err = { 0 }, again = { 0 }, sent = { 0 };
    char *line;
    double begin = clock_wall();
    struct child *child = start(mode, argument);
    child_send(child, "go", seconds, NULL);
    cr_expect(!child_receive(child, seconds, NULL, &line, &err), "%s: got \"%s\"", mode, line);
    check_failure(&err, status, message);
    cr_expect(!child_receive(child, seconds, NULL, &line, &again));
    check_failure(&again, status, message);
    cr_expect(!child_send(child, "go", seconds, &sent));
    check_failure(&sent, status, message);
    cr_expect(!child_end(child, seconds, NULL));
    cr_expect(clock_wall() - begin < TIMEOUT_S, "%s took %.1f s", mode, clock_wall() - begin);
}

static bool is_gone(long pid)
{
    char path[64], state = 'X';
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return true;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'X';
    fclose(file);
    return state == 'Z' || state == 'X'; /* dead; no process here reaps orphans */
}

static bool goes_away(long pid)
{
    for (double begin = clock_wall(); clock_wall() - begin < TIMEOUT_S; usleep(5000))
        if (is_gone(pid))
            return true;
    return false;
}

Test(child, answers_line_by_line_and_exits_on_request, .timeout = 60)
{
    struct error err = { 0 };
    struct child *child = start("echo", NULL);
    static const char *const lines[] = { "one", "", "two words", "{\"three\":3}" };
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++) {
        cr_assert(child_send(child, lines[i], TIMEOUT_S, &err), "%s", err.message);
        cr_expect(strcmp(receive(child), lines[i]) == 0);
    }
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_assert(child_send(child, lines[i], TIMEOUT_S, &err), "%s", err.message);
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect(strcmp(receive(child), lines[i]) == 0);
    cr_expect(child_end(child, TIMEOUT_S, &err), "%s", err.message);
}

/* A child that prints that for each line, into a log that has the text. */
static struct child *start_with_log(const char *prints, const char *text, size_t length, int *log)
{
    char name[] = "/tmp/test_child_XXXXXX";
    const char *const argv[] = { FAKE_CHILD, "chatter", prints, NULL };
    struct error err = { 0 };
    *log = mkostemp(name, O_APPEND);
    cr_assert(*log >= 0 && write(*log, text, length) == (ssize_t)length);
    unlink(name);
    struct child *child = child_start(*argv, argv, NULL, *log, &err);
    cr_assert(child, "%s", err.message);
    return child;
}

Test(child, driver_log_on_stdout_and_stderr_goes_to_the_log_and_never_into_a_reply, .timeout = 60)
{
    char text[64] = "";
    int log;
    struct error err = { 0 };
    struct child *child = start_with_log("noise\n", "", 0, &log);
    for (unsigned i = 0; i < 2; i++) {
        cr_assert(child_send(child, "quiet", TIMEOUT_S, &err));
        cr_expect(strcmp(receive(child), "quiet") == 0);
    }
    cr_expect(child_end(child, TIMEOUT_S, &err), "%s", err.message);
    cr_expect(pread(log, text, sizeof text - 1, 0) == 24);
    cr_expect(strcmp(text, "noise\nnoise\nnoise\nnoise\n") == 0, "%s", text);
    close(log);
}

/* What explains a crash is printed last. */
Test(child, of_a_long_log_the_end_stays, .timeout = 60)
{
    static char text[(1 << 20) + 1];
    static const char last[] = "the last words\n";
    int log;
    memset(text, 'x', sizeof text);
    struct child *child = start_with_log(last, text, sizeof text, &log);
    cr_assert(child_send(child, "quiet", TIMEOUT_S, NULL));
    receive(child);
    cr_expect(child_end(child, TIMEOUT_S, NULL));
    ssize_t length = pread(log, text, sizeof text, 0), words = (ssize_t)strlen(last);
    cr_expect(length > 1 << 18 && length < 1 << 20, "%zd bytes", length);
    cr_expect(memcmp(text + length - 2 * words, "the last words\nthe last words\n", 2 * (size_t)words) == 0);
    close(log);
}

Test(child, every_end_is_described, .timeout = 120)
{
    static const struct {
        const char *mode, *argument;
        double seconds;
        enum status status;
        const char *message;
    } rows[] = {
        { "crash", NULL, TIMEOUT_S, STATUS_CRASHED, "killed by signal 11 (Segmentation fault)" },
        { "abort", NULL, TIMEOUT_S, STATUS_CRASHED, "killed by signal 6 (Aborted)" },
        { "exit", "0", TIMEOUT_S, STATUS_CRASHED, "exited with status 0" },
        { "exit", "3", TIMEOUT_S, STATUS_CRASHED, "exited with status 3" },
        { "hang", NULL, 0.2, STATUS_TIMEOUT, "no reply within 200 ms" },
        { "say-and-hang", "half", 0.5, STATUS_TIMEOUT, "only half a reply within 500 ms" },
        { "hang", NULL, 0, STATUS_TIMEOUT, "no reply within 0 s" },
        { "hang", NULL, -1, STATUS_TIMEOUT, "no reply within -1.00 s" },
        { "close", "3", TIMEOUT_S, STATUS_CRASHED, "closed its reply pipe" }, /* and it runs on */
        { "long", "5000000", TIMEOUT_S, STATUS_FAILED, "sent a line of more than 4194304 bytes" },
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        check_end(rows[i].mode, rows[i].argument, rows[i].seconds, rows[i].status, rows[i].message);
}

static void check_last_call(const char *mode, const char *began, const char *expected)
{
    char *line;
    struct child *child = start(mode, began);
    cr_expect(!child_receive(child, TIMEOUT_S, NULL, &line, NULL));
    const struct text name = child_last_call(child);
    cr_expect(strcmp(name.text, expected) == 0, "\"%s\", should be \"%s\"", name.text, expected);
    finish(child);
}

Test(child, the_call_in_which_it_crashed_has_a_name, .timeout = 60)
{
    check_last_call("calls", "clFinish", "clFinish");
    check_last_call("calls", "", "");
    check_last_call("calls", "what a driver \033[31m left there\xff", "what a driver [31m left there?");
    check_last_call("calls", "a name that is as long as the memory of it, and longer",
                    "a name that is as long as the memory of");
    check_last_call("crash", NULL, "");
}

/* As where memory is short: the child then has no such file, rather than an empty one. */
Test(child, without_memory_for_the_name_of_the_call_there_is_no_file)
{
    int fd = 0;
    cr_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 0, 0 }) == 0);
    const char *name = last_call_create(&fd);
    cr_expect(!name && fd == -1);
}

Test(child, a_child_that_ignores_all_signals_is_killed, .timeout = 60)
{
    struct error err = { 0 };
    char *line;
    struct child *child = start("stubborn", NULL);
    cr_expect(strcmp(receive(child), "ready") == 0);
    cr_expect(!child_receive(child, 0.1, NULL, &line, &err));
    check_failure(&err, STATUS_TIMEOUT, "no reply within 100 ms");
    finish(child);
}

Test(child, replies_from_before_a_crash_are_read, .timeout = 60)
{
    struct error err = { 0 };
    char *line;
    struct child *child = start("say-and-exit", "first\nsecond\nthi");
    usleep(100000);
    cr_expect(strcmp(receive(child), "first") == 0);
    cr_expect(strcmp(receive(child), "second") == 0);
    cr_expect(!child_receive(child, TIMEOUT_S, NULL, &line, &err));
    check_failure(&err, STATUS_CRASHED, "exited with status 0 in the middle of a reply");
    finish(child);
}

Test(child, long_lines_work_in_both_directions, .timeout = 60)
{
    enum { LONG = 1 << 20 };
    static char request[LONG + 1];
    struct error err = { 0 };
    struct child *child = start("long", "1048576");
    const char *line = receive(child);
    cr_expect(strlen(line) == LONG && strspn(line, "x") == LONG);
    finish(child);

    memset(request, 'y', LONG);
    child = start("echo", NULL);
    for (unsigned i = 0; i < 2; i++) {
        cr_assert(child_send(child, request, TIMEOUT_S, &err), "%s", err.message);
        cr_expect(strcmp(receive(child), request) == 0);
    }
    cr_expect(child_end(child, TIMEOUT_S, &err), "%s", err.message);
}

Test(child, a_child_that_never_reads_does_not_block_its_parent, .timeout = 60)
{
    enum { MUCH = 10 << 20 };
    static char request[MUCH + 1];
    struct error err = { 0 };
    memset(request, 'z', MUCH);
    struct child *child = start("hang", NULL);
    cr_expect(!child_send(child, request, 0.3, &err));
    check_failure(&err, STATUS_TIMEOUT, "did not read a request within 300 ms");
    finish(child);
}

/* One that closes its stdin but runs on, and one that is dead: that raises no signal. */
Test(child, sending_to_a_child_that_reads_no_more_reports_its_end, .timeout = 60)
{
    static const char *const rows[][3] = { { "close", "0", "closed its request socket" },
                                           { "exit", "3", "exited with status 3" } };
    for (unsigned i = 0; i < 2; i++) {
        struct error err = { 0 };
        struct child *child = start(rows[i][0], rows[i][1]);
        for (double begin = clock_wall(); clock_wall() - begin < TIMEOUT_S;)
            if (!child_send(child, "anybody there?", 1, &err))
                break;
        check_failure(&err, STATUS_CRASHED, rows[i][2]);
        finish(child);
    }
}

Test(child, a_grandchild_that_holds_the_pipe_does_not_hide_the_end, .timeout = 60)
{
    double begin = clock_wall();
    check_end("grandchild", "own-group", TIMEOUT_S, STATUS_CRASHED, "killed by signal 11 (Segmentation fault)");
    check_end("grandchild", "own-session", TIMEOUT_S, STATUS_CRASHED, "killed by signal 11 (Segmentation fault)");
    cr_expect(clock_wall() - begin < 4, "it waited for the grandchild, who stays 5 s");
}

Test(child, waking_the_parent_does_not_affect_the_child, .timeout = 60)
{
    struct error err = { 0 };
    char *line;
    int wake[2];
    cr_assert(pipe(wake) == 0);
    const struct interrupt interrupt = { wake[0] };
    struct child *child = start("echo", NULL);
    cr_assert(write(wake[1], "!", 1) == 1);
    cr_expect(!child_receive(child, TIMEOUT_S, &interrupt, &line, &err) && err.status == STATUS_ABANDONED);
    cr_assert(child_send(child, "still there", TIMEOUT_S, NULL));
    cr_expect(strcmp(receive(child), "still there") == 0);
    cr_expect(child_end(child, TIMEOUT_S, NULL));
    close(wake[0]);
    close(wake[1]);
}

Test(child, ending_reports_a_bad_status_and_kills_a_child_that_stays, .timeout = 60)
{
    struct error err = { 0 };
    cr_expect(child_end(NULL, 1, &err) && err.status == STATUS_OK);
    struct child *child = start("echo", "7");
    cr_expect(!child_end(child, TIMEOUT_S, &err));
    check_failure(&err, STATUS_CRASHED, "exited with status 7");

    struct error slow = { 0 };
    child = start("group", NULL);
    long pid = atol(receive(child));
    cr_expect(!child_end(child, 0.1, &slow));
    check_failure(&slow, STATUS_TIMEOUT, "did not exit within 100 ms");
    cr_expect(is_gone(pid));
}

Test(child, ending_does_not_wait_for_output_that_is_not_read, .timeout = 60)
{
    struct error err = { 0 };
    char request[50000];
    memset(request, 'w', sizeof request);
    request[sizeof request - 1] = '\0';
    struct child *child = start("echo", NULL);
    for (unsigned i = 0; i < 4; i++) /* more than a pipe holds */
        cr_assert(child_send(child, request, TIMEOUT_S, &err), "%s", err.message);
    cr_expect(child_end(child, TIMEOUT_S, &err), "%s", err.message);
}

Test(child, children_do_not_inherit_each_others_channels, .timeout = 60)
{
    char first[1024];
    struct error err = { 0 };
    struct child *child = start("descriptors", NULL), *leaver = start("echo", NULL),
                 *second = start("descriptors", NULL);
    snprintf(first, sizeof first, "%s", receive(child));
    cr_expect(strncmp(first, "0 1 2 3 ", 8) == 0, "%s", first);
    const char *later = receive(second);
    cr_expect(strcmp(first, later) == 0, "the later child has %s, the first %s", later, first);
    cr_expect(child_end(leaver, TIMEOUT_S, &err), "it did not notice its end of input: %s", err.message);
    finish(child);
    finish(second);
}

Test(child, descriptors_0_to_4_of_the_parent_are_not_overwritten, .timeout = 60)
{
    struct error err = { 0 };
    int saved[5], null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i <= LAST_CALL_FD; i++)
        saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 20);
    for (int i = 0; i <= LAST_CALL_FD; i++)
        close(i); /* so that the channels get these numbers */
    const char *const argv[] = { FAKE_CHILD, "echo", NULL };
    struct child *child = child_start(*argv, argv, NULL, null > 3 ? null : -1, &err);
    bool sent = child && child_send(child, "hello", TIMEOUT_S, &err);
    char *line = NULL;
    bool received = sent && child_receive(child, TIMEOUT_S, NULL, &line, &err) && strcmp(line, "hello") == 0;
    bool left = child_end(child, TIMEOUT_S, &err);
    for (int i = 0; i <= LAST_CALL_FD; i++)
        if (saved[i] >= 0)
            dup2(saved[i], i);
    cr_expect(received && left, "%s", err.message);
}

Test(child, blocked_and_ignored_signals_are_not_inherited, .timeout = 60)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    struct child *child = start("signals", NULL);
    unsigned long long blocked = 1, ignored = 1, ordinary = 0x7fffffff; /* 32 and 33 are the C library's own */
    cr_expect(sscanf(receive(child), "%llx %llx", &blocked, &ignored) == 2);
    cr_expect(blocked == 0 && (ignored & ordinary) == 0, "blocked %llx, ignored %llx", blocked, ignored);
    finish(child);
}

Test(child, has_a_process_group_of_its_own, .timeout = 60)
{
    struct child *child = start("group", NULL);
    long pid = 0, group = -1;
    cr_expect(sscanf(receive(child), "%ld %ld", &pid, &group) == 2);
    cr_expect(pid == group);
    finish(child);
}

Test(child, given_variables_override_the_parents_and_the_others_stay, .timeout = 60)
{
    static const char *const environment[] = { "BENCH_TEST_A=new=value", "BENCH_TEST_C=", NULL };
    static const char *const asked[][2] = { { "BENCH_TEST_A", "new=value" },
                                            { "BENCH_TEST_AB", "other" },
                                            { "BENCH_TEST_C", "" },
                                            { "BENCH_TEST_D", "unset" } };
    setenv("BENCH_TEST_A", "old", 1);
    setenv("BENCH_TEST_AB", "other", 1);
    for (unsigned i = 0; i < 4; i++) {
        const char *const argv[] = { FAKE_CHILD, "variable", asked[i][0], NULL };
        struct child *child = child_start(*argv, argv, environment, -1, NULL);
        cr_assert(child);
        const char *line = receive(child);
        cr_expect(strcmp(line, asked[i][1]) == 0, "%s is \"%s\"", asked[i][0], line);
        finish(child);
    }
}

Test(child, a_missing_program_is_named, .timeout = 60)
{
    static const char *const argv[] = { "/nowhere/bench", NULL };
    struct error err = { 0 };
    cr_expect(child_start(*argv, argv, NULL, -1, &err) == NULL);
    check_failure(&err, STATUS_FAILED, "cannot start /nowhere/bench: No such file or directory");
}

Test(child, dies_with_its_parent, .timeout = 60)
{
    struct child *parent = start("parent", NULL);
    long pid = 0, grandchild = 0;
    cr_assert(sscanf(receive(parent), "%ld %ld", &pid, &grandchild) == 2);
    cr_assert(!is_gone(grandchild));
    kill((pid_t)pid, SIGKILL); /* the process alone: the grandchild has a group of its own */
    cr_expect(goes_away(grandchild), "process %ld outlived its parent", grandchild);
    finish(parent);
}

Test(child, notices_that_its_parent_is_already_gone, .timeout = 60)
{
    struct child *child = start("follow", "999999999");
    cr_expect(strcmp(receive(child), "gone") == 0);
    finish(child);
}

Test(child, offers_itself_to_the_oom_killer_first, .timeout = 60)
{
    char own_id[24], path[64], score[16] = "";
    snprintf(own_id, sizeof own_id, "%ld", (long)getpid());
    struct child *child = start("follow", own_id);
    cr_expect(strcmp(receive(child), "following") == 0);
    snprintf(path, sizeof path, "/proc/%ld/oom_score_adj", atol(receive(child)));
    FILE *file = fopen(path, "r");
    if (!file)
        cr_skip_test("%s cannot be read", path);
    cr_expect(fgets(score, sizeof score, file) && atoi(score) == 1000, "%s", score);
    fclose(file);
    finish(child);
}

/* In place of the C library's: it counts those that mean a whole group. */
static unsigned groups_killed;

int kill(pid_t pid, int number)
{
    groups_killed += pid < 0;
    return (int)syscall(SYS_kill, pid, number);
}

Test(child, is_reaped_though_its_parent_ignored_sigchld, .timeout = 60)
{
    signal(SIGCHLD, SIG_IGN);
    check_end("exit", "3", TIMEOUT_S, STATUS_CRASHED, "exited with status 3");
    struct sigaction careless = { .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT };
    sigaction(SIGCHLD, &careless, NULL);
    check_end("crash", NULL, TIMEOUT_S, STATUS_CRASHED, "killed by signal 11 (Segmentation fault)");
    cr_expect(groups_killed == 2, "%u", groups_killed);
}

/* From here on, in this test's process alone, pidfd_open does not exist. */
static bool forget_pidfd(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

Test(child, works_without_pidfd_on_an_older_kernel, .timeout = 60)
{
    if (!forget_pidfd() || syscall(SYS_pidfd_open, getpid(), 0) >= 0)
        cr_skip_test("seccomp is not allowed here, so pidfd_open cannot be taken away");
    check_end("grandchild", "own-session", TIMEOUT_S, STATUS_CRASHED, "killed by signal 11 (Segmentation fault)");
    check_end("hang", NULL, 0.1, STATUS_TIMEOUT, "no reply within 100 ms");
    struct child *child = start("echo", NULL);
    cr_expect(child_send(child, "hello", TIMEOUT_S, NULL));
    cr_expect(strcmp(receive(child), "hello") == 0);
    cr_expect(child_end(child, TIMEOUT_S, NULL));
}
