/* The report of a fleet as text: the worst first, at most 40 lines of 80 columns or more. */

#include "harness/base/text.h"
#include "harness/report/fleet/fleet_report.h"
#include "harness/report/formats/output.h"
#include "harness/report/formats/prose.h"

#include <stdlib.h>
#include <string.h>

/* Findings and groups end in these lines; one more says that there are more. */
enum { FINDING_LINES = 22, GROUP_LINES = 39, NAMED_NODES = 6 };

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

/* The report so far. */
struct page {
    struct pool *pool;
    const struct fleet *fleet;
    FILE *out;
    unsigned width, lines, most; /* lines so far, and that fit */
};

/* Prints a text beside its lead, if it fits. */
static bool print_text(struct page *page, const char *lead, const char *text)
{
    char *lines = NULL;
    size_t size;
    FILE *memory = open_memstream(&lines, &size);
    if (memory)
        prose_fit(lead, text, page->width, memory);
    if (!memory || fclose(memory) != 0) {
        page->pool->is_short = true;
        return false;
    }
    unsigned count = 0;
    for (const char *c = lines; *c; c++)
        count += *c == '\n';
    bool fits = page->lines + count <= page->most;
    if (fits) {
        page->lines += count;
        fputs(lines, page->out);
    }
    free(lines);
    return fits;
}

/* "different  driver 535, usual is 550: 12 nodes: n1, n2, ..." */
static bool print_difference(struct page *page, unsigned first, unsigned end)
{
    const struct fleet_finding *finding = page->fleet->finding;
    struct string_builder text = { .pool = page->pool };
    string_append(&text, "%s: %u node%s:", finding[first].text, end - first, end - first == 1 ? "" : "s");
    for (unsigned i = first; i < end && i < first + NAMED_NODES; i++)
        string_append(&text, "%s %s", i > first ? "," : "", page->fleet->node[finding[i].node].name);
    string_append(&text, "%s", end - first > NAMED_NODES ? ", ..." : "");
    return print_text(page, "different  ", string_text(&text));
}

static bool print_finding(struct page *page, const struct fleet_finding *finding)
{
    return print_text(
        page,
        pool_print(page->pool, "%-9s  %s  ", fleet_state_names[finding->state], page->fleet->node[finding->node].name),
        pool_print(page->pool, "%s%s%s", finding->device ? finding->device->id : "", finding->device ? ": " : "",
                   fleet_finding_text(page->pool, page->fleet, finding)));
}

static void print_findings(struct page *page)
{
    const struct fleet *fleet = page->fleet;
    unsigned end;
    page->most = FINDING_LINES;
    for (unsigned first = 0; first < fleet->findings; first = end) {
        const struct fleet_finding *finding = &fleet->finding[first];
        end = line_end(fleet, first);
        if (finding->state == FLEET_DIFFERENT ? print_difference(page, first, end) : print_finding(page, finding))
            continue;
        fprintf(page->out, "and %u more finding%s: --format json has all\n", fleet->findings - first,
                fleet->findings - first == 1 ? "" : "s");
        page->lines++;
        return;
    }
}

/* The kinds of a group follow each other. */
static void print_groups(struct page *page)
{
    const struct fleet *fleet = page->fleet;
    const char *group = NULL;
    bool fits = true;
    page->most = GROUP_LINES;
    for (unsigned i = 0; i < fleet->kinds && fits; i++) {
        if (fleet->kind[i].group != group)
            fits = print_text(page, "", fleet->kind[i].group);
        group = fleet->kind[i].group;
        fits = fits && print_text(page, "  ", fleet_kind_text(page->pool, &fleet->kind[i]));
    }
    fputs(fits ? "" : "and more groups or devices: --format json has all\n", page->out);
}

static bool text_write(const struct fleet *fleet, unsigned width, FILE *out, struct error *err)
{
    struct pool pool = { 0 };
    struct page page = { &pool, fleet, out, width, 0, GROUP_LINES };
    print_text(&page, "", fleet_answer(&pool, fleet));
    fputc('\n', out);
    print_findings(&page);
    fputs(fleet->findings > 0 ? "\n" : "", out);
    page.lines += 2;
    print_groups(&page);
    bool is_short = pool.is_short;
    pool_release(&pool);
    return is_short ? fail(err, STATUS_NO_MEMORY, "no memory for the report") : output_end(out, err);
}

const struct report fleet_text = { .name = "table", .extension = "txt", .fleet = text_write };
