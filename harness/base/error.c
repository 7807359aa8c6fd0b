#include "harness/base/error.h"

#include "harness/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const status_names[STATUS_COUNT] = {
    "ok",     "unsupported", "no-memory", "too-slow",  "wrong", "impossible",
    "failed", "timeout",     "crashed",   "abandoned", "usage",
};

bool fail_in(struct error *err, const char *where, enum status status, const char *format, ...)
{
    if (!err || err->status != STATUS_OK)
        return false;
    err->status = status;
    text_copy(err->where, sizeof err->where, where);

    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_clean(err->message, sizeof err->message, message);
    return false;
}

enum status status_parse(const char *word)
{
    return (enum status)name_find(word, status_names, STATUS_COUNT);
}

bool status_is_bad(enum status status)
{
    return status >= STATUS_WRONG && status <= STATUS_ABANDONED;
}

bool status_is_death(enum status status)
{
    return status == STATUS_CRASHED || status == STATUS_TIMEOUT;
}
