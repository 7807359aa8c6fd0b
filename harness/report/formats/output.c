#include "harness/report/formats/output.h"

#include <errno.h>
#include <string.h>

const char standard_output[] = "standard output";

bool output_end(FILE *out, struct error *err)
{
    if (!ferror(out) && fflush(out) == 0)
        return true;
    return fail_in(err, out == stdout ? standard_output : __func__, STATUS_FAILED, "cannot write the report: %s",
                   strerror(errno));
}
