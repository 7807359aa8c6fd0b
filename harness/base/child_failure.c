#include "harness/base/child_failure.h"

#include "harness/base/text.h"

void child_failure_exited(struct error *end, const char *where, const char *how, const struct lines *received)
{
    fail_in(end, where, STATUS_CRASHED, "%s%s", how, lines_has_part(received) ? " in the middle of a reply" : "");
}

void child_failure_silent(struct error *end, bool is_closed, const struct lines *received, double seconds)
{
    if (is_closed)
        fail_in(end, "child_receive", STATUS_CRASHED, "closed its reply pipe");
    else
        fail_in(end, "child_receive", STATUS_TIMEOUT, "%s reply within %s",
                lines_has_part(received) ? "only half a" : "no", text_seconds(seconds).text);
}

bool child_failure_repeat(const struct error *end, struct error *err)
{
    if (err && err->status == STATUS_OK)
        *err = *end;
    return false;
}
