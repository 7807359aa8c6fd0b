/* A real child process for test_child.c: each mode misbehaves in a way of its own. */

#include "harness/base/child.h"
#include "harness/base/last_call.h"

#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void hang(void)
{
    for (;;)
        pause();
}

/* A sanitizer's handlers would turn the death that is tested into another one. */
static void die_by(int number)
{
    signal(number, SIG_DFL);
    if (number == SIGABRT)
        abort();
    volatile uintptr_t nowhere = 0;
    *(volatile int *)nowhere = 1;
    raise(number); /* where the store itself was survived */
}

static void reply(const char *text)
{
    dprintf(REPLY_FD, "%s\n", text);
}

/* Answers each request with itself until there are no more. */
static void echo(const char *driver_log)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        printf("%s", driver_log);
        fprintf(stderr, "%s", driver_log);
        fflush(stdout);
        reply(line);
    }
    free(line);
}

static void mode_echo(const char *argument)
{
    echo("");
    exit(argument ? atoi(argument) : 0);
}

static void mode_chatter(const char *argument)
{
    echo(argument);
}

static void mode_crash(const char *argument)
{
    getchar();
    die_by(SIGSEGV);
}

static void mode_abort(const char *argument)
{
    die_by(SIGABRT);
}

static void mode_hang(const char *argument)
{
    hang();
}

static void mode_stubborn(const char *argument)
{
    for (int number = 1; number < NSIG; number++)
        if (number != SIGALRM) /* main's last resort */
            signal(number, SIG_IGN);
    reply("ready");
    hang();
}

static void mode_exit(const char *argument)
{
    exit(atoi(argument));
}

static void mode_say_and_exit(const char *argument)
{
    dprintf(REPLY_FD, "%s", argument);
}

static void mode_say_and_hang(const char *argument)
{
    dprintf(REPLY_FD, "%s", argument);
    hang();
}

/* A line of so many letters, in pieces. */
static void mode_long(const char *argument)
{
    char piece[1000];
    memset(piece, 'x', sizeof piece);
    for (long left = atol(argument); left > 0; left -= (long)sizeof piece)
        if (write(REPLY_FD, piece, left < (long)sizeof piece ? (size_t)left : sizeof piece) < 0)
            exit(1);
    reply("");
    hang();
}

/* Dies, but leaves a child that keeps all its channels open: in its process group, or outside. */
static void mode_grandchild(const char *argument)
{
    if (fork() == 0) {
        if (strcmp(argument, "own-session") == 0)
            setsid();
        sleep(5);
        _exit(0);
    }
    die_by(SIGSEGV);
}

static void mode_close(const char *argument)
{
    close(atoi(argument));
    hang();
}

/* The numbers of all open descriptors, ours for looking excepted. */
static void mode_descriptors(const char *argument)
{
    DIR *directory = opendir("/proc/self/fd");
    char list[1024] = "";
    const struct dirent *entry;
    while ((entry = readdir(directory)))
        if (*entry->d_name != '.' && atoi(entry->d_name) != dirfd(directory))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s ", entry->d_name);
    closedir(directory);
    reply(list);
    hang();
}

static void mode_signals(const char *argument)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256], blocked[64] = "", ignored[64] = "", both[160];
    while (status && fgets(line, sizeof line, status)) {
        sscanf(line, "SigBlk: %63s", blocked);
        sscanf(line, "SigIgn: %63s", ignored);
    }
    if (status)
        fclose(status);
    snprintf(both, sizeof both, "%s %s", blocked, ignored);
    reply(both);
}

static void mode_variable(const char *argument)
{
    const char *value = getenv(argument);
    reply(value ? value : "unset");
}

static void mode_group(const char *argument)
{
    dprintf(REPLY_FD, "%d %d\n", getpid(), getpgrp());
    hang();
}

static void mode_follow(const char *argument)
{
    reply(child_follow(argument) ? "following" : "gone");
    dprintf(REPLY_FD, "%d\n", getpid());
    hang();
}

/* Has a child of its own, prints both process ids, and waits to be killed. */
static void mode_parent(const char *argument)
{
    char own_id[24], *line;
    struct error err = { 0 };
    snprintf(own_id, sizeof own_id, "%ld", (long)getpid());
    const char *const argv[] = { "child", "follow", own_id, NULL };
    struct child *child = child_start(NULL, argv, NULL, -1, &err);
    if (!child || !child_receive(child, 5, NULL, &line, &err) || strcmp(line, "following") != 0)
        exit(2);
    if (!child_receive(child, 5, NULL, &line, &err))
        exit(3);
    dprintf(REPLY_FD, "%s %s\n", own_id, line);
    hang();
}

/* Notes two calls, the later one with the shorter name, and crashes in it. */
static void mode_calls(const char *argument)
{
    last_call_open(LAST_CALL_FD);
    last_call_begin("a name that is longer than the one of the last call");
    last_call_begin(argument);
    die_by(SIGSEGV);
}

static const struct {
    const char *name;
    void (*run)(const char *argument);
} modes[] = {
    { "echo", mode_echo },
    { "calls", mode_calls },
    { "chatter", mode_chatter },
    { "crash", mode_crash },
    { "abort", mode_abort },
    { "hang", mode_hang },
    { "stubborn", mode_stubborn },
    { "exit", mode_exit },
    { "say-and-exit", mode_say_and_exit },
    { "say-and-hang", mode_say_and_hang },
    { "long", mode_long },
    { "grandchild", mode_grandchild },
    { "close", mode_close },
    { "descriptors", mode_descriptors },
    { "signals", mode_signals },
    { "variable", mode_variable },
    { "group", mode_group },
    { "follow", mode_follow },
    { "parent", mode_parent },
};

int main(int argc, char **argv)
{
    alarm(60); /* so that it ends whatever goes wrong in a test */
    for (unsigned i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(argv[1], modes[i].name) == 0) {
            modes[i].run(argv[2]);
            return 0;
        }
    }
    return 99;
}
