#include "harness/reports/heading.h"

#include "harness/text.h"
#include "harness/theory.h"

#include <math.h>
#include <string.h>

enum { WORD_ROOM = 256 };

/* A text of the journal that the record holds as JSON still: cleaned on its way out. */
static const char *word(char to[WORD_ROOM], const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    text_clean(to, WORD_ROOM, text ? text : "");
    return to;
}

static void count_of(const json_t *host, const char *name, const char *what, FILE *out)
{
    json_int_t count = json_integer_value(json_object_get(host, name));
    if (count > 0)
        fprintf(out, ", %" JSON_INTEGER_FORMAT " %s%s", count, what, count == 1 ? "" : "s");
}

static void machine(const json_t *host, unsigned width, FILE *out)
{
    char text[WORD_ROOM], bytes[TEXT_NUMBER];
    double memory = json_number_value(json_object_get(host, "memory"));
    word(text, host, "name");
    fprintf(out, "%-*s  %s", (int)width, "machine", *text ? text : "unknown processor");
    count_of(host, "cores", "core", out);
    count_of(host, "threads", "thread", out);
    if (memory > 0)
        fprintf(out, ", %s", text_bytes(bytes, memory));
    fputc('\n', out);
}

static bool takes_part(const struct record *record, const struct device *device)
{
    for (unsigned i = 0; i < record->cells; i++)
        if (strcmp(record->cell[i]->device_id, device->id) == 0)
            return true;
    return record->cells == 0;
}

/* The first device on the same piece of silicon, when there is one before it. */
static const struct device *same_silicon(const struct record *record, const struct device *device)
{
    for (const struct device *other = record->device; *device->silicon && other < device; other++)
        if (strcmp(other->silicon, device->silicon) == 0)
            return other;
    return NULL;
}

static void device_line(const struct record *record, const struct device *device, unsigned width, FILE *out)
{
    const char *parts[] = { device->platform, device->driver_version, class_name(device->class) };
    const struct device *same = same_silicon(record, device);
    fprintf(out, "%-*s  %s", (int)width, device->id, *device->name ? device->name : "unnamed");
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        if (*parts[i])
            fprintf(out, ", %s", parts[i]);
    if (same)
        fprintf(out, ", same silicon as %s", same->id);
    fputc('\n', out);
}

/* Whether the device computed in that type, and no ceiling was measured, which has a list that says the same. */
static bool computes_in(const struct record *record, const struct device *device, enum dtype dtype)
{
    bool computes = false, has_ceiling = false;
    for (unsigned i = 0; i < record->cells; i++) {
        const struct cell_record *cell = record->cell[i];
        if (strcmp(cell->device_id, device->id) != 0 || strcmp(cell->dtype, dtype_name(dtype)) != 0)
            continue;
        computes = computes || cell->flops > 0;
        has_ceiling = has_ceiling || cell->roof == ROOF_FLOPS;
    }
    return computes && !has_ceiling;
}

/* What it could do by its own units and clock, in the types that were computed in. */
static void theory_lines(const struct record *record, const struct device *device, unsigned width, FILE *out)
{
    char rate[TEXT_NUMBER];
    struct theory peak;
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (computes_in(record, device, dtype) && theory_peak(device, dtype, &peak))
            fprintf(out, "%-*s  in theory %s in %s: %s%s\n", (int)width, "", text_flops(rate, peak.flops),
                    dtype_name(dtype), peak.formula, peak.is_confirmed ? "" : ", unconfirmed");
}

static void absent_line(const json_t *absent, unsigned width, FILE *out)
{
    char backend[WORD_ROOM], source[WORD_ROOM], reason[WORD_ROOM];
    word(backend, absent, "backend");
    word(source, absent, "source");
    word(reason, absent, "reason");
    fprintf(out, "%-*s  absent: %s", (int)width, *backend ? backend : "?", *reason ? reason : "no reason given");
    if (*source)
        fprintf(out, " [%s]", source);
    fputc('\n', out);
}

void heading_machine(const struct record *record, FILE *out)
{
    size_t i;
    const json_t *absent;
    unsigned width = text_width("machine");
    for (unsigned at = 0; at < record->devices; at++)
        if (text_width(record->device[at].id) > width && takes_part(record, &record->device[at]))
            width = text_width(record->device[at].id);
    machine(json_object_get(record->head, "host"), width, out);
    for (unsigned at = 0; at < record->devices; at++) {
        if (!takes_part(record, &record->device[at]))
            continue;
        device_line(record, &record->device[at], width, out);
        theory_lines(record, &record->device[at], width, out);
    }
    json_array_foreach (record->absent, i, absent)
        absent_line(absent, width, out);
}

/* "n=40000000,k=3" as "n = 40,000,000, k = 3". */
static void shape(const char *text, FILE *out)
{
    for (const char *at = text; *at;) {
        size_t digits = strspn(at, "0123456789");
        for (size_t i = 0; i < digits; i++) {
            fputc(at[i], out);
            if ((digits - i) % 3 == 1 && i + 1 < digits)
                fputc(',', out);
        }
        at += digits;
        if (digits > 0)
            continue;
        if (*at == '=')
            fputs(" = ", out);
        else if (*at == ',')
            fputs(", ", out);
        else
            fputc(*at, out);
        at++;
    }
}

/* "40.0 MFLOP": the same powers of 1000 as bytes have. */
static const char *flops_text(char to[TEXT_NUMBER + 4], double flops)
{
    text_bytes(to, flops);
    strcpy(strrchr(to, 'B'), "FLOP");
    return to;
}

/* Unless the cell's own detail says it already. */
static void thread_count(const struct facts *facts, FILE *out)
{
    char text[TEXT_NUMBER];
    unsigned threads = facts->device ? facts->device->threads : 0;
    snprintf(text, sizeof text, "%u thread%s", threads, threads == 1 ? "" : "s");
    if (threads > 0 && !strstr(facts->cell->detail, " thread"))
        fprintf(out, ", %s", text);
}

/* Several where cells of one block are compared with different ones, which no run plans. */
static void baseline_lines(const struct facts facts[], unsigned count, FILE *out)
{
    for (unsigned i = 0; i < count; i++) {
        const struct cell_record *cell = facts[i].cell;
        if (facts[i].baseline != cell || !facts[i].measured)
            continue;
        fprintf(out, "baseline: %s %s", cell->device_id, cell->variant);
        thread_count(&facts[i], out);
        fprintf(out, "%s%s\n", *cell->detail ? ", " : "", cell->detail);
    }
}

void heading_problem(const struct facts facts[], unsigned count, FILE *out)
{
    const struct cell_record *cell = facts[0].cell;
    double bytes = 0; /* of the first cell that moves any: what is only mapped moves none */
    for (unsigned i = 0; i < count && !(bytes > 0); i++)
        bytes = facts[i].cell->bytes;
    char flops_room[TEXT_NUMBER + 4], bytes_room[TEXT_NUMBER];
    fprintf(out, "%s %s, ", *cell->workload ? cell->workload : "unknown workload", cell->dtype);
    shape(cell->shape, out);
    if (cell->flops > 0 && bytes > 0)
        fprintf(out, " (%s, %s)", flops_text(flops_room, cell->flops), text_bytes(bytes_room, bytes));
    else if (cell->flops > 0 || bytes > 0)
        fprintf(out, " (%s)", bytes > 0 ? text_bytes(bytes_room, bytes) : flops_text(flops_room, cell->flops));
    fputc('\n', out);
    baseline_lines(facts, count, out);
}
