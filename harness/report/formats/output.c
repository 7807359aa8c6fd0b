#include "harness/report/formats/output.h"

#include "harness/base/pool.h"

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

bool output_put_text(const struct string_builder *text, FILE *out, struct error *err)
{
    const bool is_short = text->pool->is_short;
    if (!is_short)
        fputs(string_text(text), out);
    pool_release(text->pool);
    return is_short ? fail(err, STATUS_NO_MEMORY, "no memory for the report") : output_end(out, err);
}

/* jansson writes a dump in pieces of a few bytes: as one locked call each they took a seventh of the time of a large
 * report. Its own buffer silently drops what it has no memory for. */
static int take_dump(const char *bytes, size_t size, void *out)
{
    fwrite_unlocked(bytes, 1, size, out);
    return 0;
}

bool output_put_json(json_t *json, FILE *out, struct error *err)
{
    enum { INDENT = 2, DIGITS = 9 };
    const size_t flags = JSON_INDENT(INDENT) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(DIGITS);
    const bool complete = json_dump_callback(json, take_dump, out, flags) == 0;
    json_decref(json);
    fputc('\n', out);
    return complete ? output_end(out, err) : fail(err, STATUS_NO_MEMORY, "no memory for the report");
}

void output_put_csv(const char *text, FILE *out)
{
    const char *quote = strpbrk(text, ",;\t\"\r\n") ? "\"" : "";
    fprintf(out, "%s%s", quote, *text && strchr("=+-@\t\r", *text) ? "'" : "");
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"%c" : "%c", *text);
    fputs(quote, out);
}
