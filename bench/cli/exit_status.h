#ifndef BENCH_CLI_EXIT_STATUS_H
#define BENCH_CLI_EXIT_STATUS_H

/* The exit statuses of the program. docs/troubleshooting.md lists them for users. */
enum exit_status {
    EXIT_OK = 0,
    EXIT_BAD_CELL = 1, /* a cell failed, --fail-on found something, nothing was filed, or an output was not written */
    EXIT_USAGE = 2,    /* a wrong option, a file that cannot be used, or too few runs for --fail-on */
    EXIT_NOTHING = 3,  /* nothing was measured: no device matched, or every cell is unsupported or was left out */
    EXIT_SIGNAL = 128, /* plus the number of the signal that ended a run early */
    EXIT_UNREAD = 141  /* 128 + SIGPIPE: the reader of standard output is gone */
};

#endif
