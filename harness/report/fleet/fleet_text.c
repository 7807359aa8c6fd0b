/* The report of a fleet as text: the worst first, and as much as fits on a screen. */

#include "harness/base/text.h"
#include "harness/report/fleet/fleet_report.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/prose.h"

#include <stdlib.h>
#include <string.h>

/* Lines of findings and kinds of devices that are shown. */
enum { FINDINGS_SHOWN = 20, KINDS_SHOWN = 10, NAMED_NODES = 6 };

/* The end of the findings that are one line: those of the same difference. */
static unsigned line_end(const struct fleet *fleet, unsigned first)
{
    unsigned end = first + 1;
    const struct fleet_finding *finding = &fleet->finding[first];
    while (finding->state == FLEET_DIFFERENT && end < fleet->findings &&
           strcmp(fleet->finding[end].text, finding->text) == 0)
        end++;
    return end;
}

/* "different  driver 535, usual is 550: 12 nodes: n1, n2, ..." */
static void print_difference(struct pool *pool, const struct fleet *fleet, unsigned first, unsigned end, unsigned width,
                             FILE *out)
{
    const struct fleet_finding *finding = fleet->finding;
    struct string_builder text = { .pool = pool };
    string_append(&text, "%s: %u node%s:", finding[first].text, end - first, end - first == 1 ? "" : "s");
    for (unsigned i = first; i < end && i < first + NAMED_NODES; i++)
        string_append(&text, "%s %s", i > first ? "," : "", fleet->node[finding[i].node].name);
    string_append(&text, "%s", end - first > NAMED_NODES ? ", ..." : "");
    prose_fit("different  ", string_text(&text), width, out);
}

static void print_finding(struct pool *pool, const struct fleet *fleet, const struct fleet_finding *finding,
                          unsigned width, FILE *out)
{
    const char *lead =
        pool_print(pool, "%-9s  %s  ", fleet_state_names[finding->state], fleet->node[finding->node].name);
    const char *text = pool_print(pool, "%s%s%s", finding->device ? finding->device->id : "",
                                  finding->device ? ": " : "", fleet_finding_text(pool, fleet, finding));
    prose_fit(lead, text, width, out);
}

static void print_findings(struct pool *pool, const struct fleet *fleet, unsigned width, FILE *out)
{
    unsigned first = 0, end, shown = 0;
    for (; first < fleet->findings && shown < FINDINGS_SHOWN; first = end, shown++) {
        end = line_end(fleet, first);
        if (fleet->finding[first].state == FLEET_DIFFERENT)
            print_difference(pool, fleet, first, end, width, out);
        else
            print_finding(pool, fleet, &fleet->finding[first], width, out);
    }
    if (first < fleet->findings)
        fprintf(out, "and %u more finding%s: --format json has all\n", fleet->findings - first,
                fleet->findings - first == 1 ? "" : "s");
    fputs(fleet->findings > 0 ? "\n" : "", out);
}

/* The kinds of a group follow each other. */
static void print_kinds(struct pool *pool, const struct fleet *fleet, unsigned width, FILE *out)
{
    const char *group = NULL;
    for (unsigned i = 0; i < fleet->kinds && i < KINDS_SHOWN; i++) {
        if (fleet->kind[i].group != group)
            prose_fit("", fleet->kind[i].group, width, out);
        group = fleet->kind[i].group;
        prose_fit("  ", fleet_kind_text(pool, &fleet->kind[i]), width, out);
    }
    fputs(fleet->kinds > KINDS_SHOWN ? "and more groups or devices: --format json has all\n" : "", out);
}

static bool text_write(const struct fleet *fleet, unsigned width, FILE *out, struct error *err)
{
    struct pool pool = { 0 };
    prose_fit("", fleet_answer(&pool, fleet), width, out);
    fputc('\n', out);
    print_findings(&pool, fleet, width, out);
    print_kinds(&pool, fleet, width, out);
    bool is_short = pool.is_short;
    pool_release(&pool);
    return is_short ? fail(err, STATUS_NO_MEMORY, "no memory for the report") : output_end(out, err);
}

const struct report fleet_text = { .name = "table", .extension = "txt", .fleet = text_write };
