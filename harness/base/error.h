#ifndef HARNESS_BASE_ERROR_H
#define HARNESS_BASE_ERROR_H

/* A failure is a value: set once where it is detected, passed up unchanged, written into the record. Nothing below main
 * prints, exits or aborts because of a driver, a file or a user. */

#include <stdbool.h>

/* How a cell ended. The order is that of the names in error.c; the names are part of the journal. */
enum status {
    STATUS_OK,
    STATUS_UNSUPPORTED, /* the device, driver or library cannot do this */
    STATUS_NO_MEMORY,
    STATUS_TOO_SLOW,   /* one run takes longer than it may: only the first run is known */
    STATUS_WRONG,      /* the answer did not verify; what is bad begins here (status_is_bad) */
    STATUS_IMPOSSIBLE, /* the answer verified, the time contradicts physics or the clock */
    STATUS_FAILED,     /* a call returned an error */
    STATUS_TIMEOUT,    /* no reply within the deadline */
    STATUS_CRASHED,    /* the worker died */
    STATUS_ABANDONED,  /* not tried, because too much went wrong on this device before; the last that is bad */
    STATUS_USAGE,      /* the request makes no sense; never in a journal */
    STATUS_COUNT
};

struct error {
    enum status status;
    char where[40];    /* the call or function that failed */
    char message[512]; /* one sentence with the values in it; always valid UTF-8, control characters replaced */
};

/* Fills err unless it is NULL or already holds a failure (the first one is kept). Always returns false, so that the
 * error path is `return fail(err, STATUS_FAILED, "cannot open %s", path);`. */
#define fail(err, status, ...) fail_in(err, __func__, status, __VA_ARGS__)

/* The same, naming another place than the calling function, such as the driver's entry point. */
bool fail_in(struct error *err, const char *where, enum status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same where the error path returns a pointer: always NULL. */
#define fail_null(err, status, ...)           fail_null_in(err, __func__, status, __VA_ARGS__)
#define fail_null_in(err, where, status, ...) (fail_in(err, where, status, __VA_ARGS__), NULL)

/* "ok", "no-memory", "too-slow" ... */
extern const char *const status_names[];

/* The reverse; STATUS_COUNT for an unknown name. */
enum status status_parse(const char *word);

/* True for the outcomes that make `bench run` exit with 1: something was tried and went wrong. */
bool status_is_bad(enum status status);

bool status_is_death(enum status status); /* whether the worker crashed or had to be killed */

#endif
