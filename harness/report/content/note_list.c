#include "harness/report/content/note_list.h"

#include "harness/base/text.h"
#include "harness/report/glossary/glossary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void notes_add(struct notes *notes, const struct note *one)
{
    for (unsigned i = 0; i < notes->count; i++)
        if (strcmp(notes->note[i].text, one->text) == 0) {
            notes->note[i].times++;
            return;
        }
    notes->note = pool_grow(&notes->pool, notes->note, notes->count, &notes->room, sizeof *notes->note);
    if (notes->count == notes->room)
        return;
    struct note *to = &notes->note[notes->count++];
    *to = *one;
    to->text = pool_copy(&notes->pool, one->text);
    to->times = 1;
}

static int by_severity(const void *a, const void *b)
{
    const struct note *one = a, *other = b;
    if (one->severity != other->severity)
        return one->severity > other->severity ? -1 : 1;
    if (one->times != other->times)
        return one->times > other->times ? -1 : 1;
    return strcmp(one->text, other->text);
}

void notes_sort(struct notes *notes)
{
    if (notes->count > 0)
        qsort(notes->note, notes->count, sizeof *notes->note, by_severity);
}

void note_text(struct notes *notes, const char *text)
{
    notes_add(notes, &(struct note){ .text = text });
}

static bool is_braces(const char *at, const char *name)
{
    return strncmp(at + 1, name, strlen(name)) == 0 && at[1 + strlen(name)] == '}';
}

/* Appends what stands for the braces; `number` and `text` are the next figure of each kind. */
static void append_figure(struct string_builder *line, const char *at, const double **number, const char *const **text)
{
    char room[TEXT_NUMBER];
    if (is_braces(at, "text"))
        string_append(line, "%s", **text ? *(*text)++ : "");
    else if (is_braces(at, "s") || is_braces(at, "es"))
        string_append(line, "%.*s", (*number)[-1] == 1 ? 0 : (int)strcspn(at + 1, "}"), at + 1);
    else if (is_braces(at, "time"))
        string_append(line, "%s", text_seconds(room, *(*number)++));
    else if (is_braces(at, "bytes"))
        string_append(line, "%s", text_bytes(room, *(*number)++));
    else if (is_braces(at, "times"))
        string_append(line, "%s", text_figure(room, *(*number)++));
    else if (is_braces(at, "percent"))
        string_append(line, "%.0f %%", 100 * *(*number)++);
    else
        string_append(line, is_braces(at, "count") ? "%.0f" : "%g", *(*number)++);
}

void note_after(struct notes *notes, const char *prefix, const char *id, unsigned sentence, struct with figures)
{
    static const char *const severities[SEVERITIES] = { "", "vague", "state", "disturbed", "wrong" };
    const char *at = glossary_sentence(id, sentence), *const *text = figures.text;
    const double *number = figures.number;
    struct string_builder line = { .pool = &notes->pool };
    enum severity severity = SEVERITIES - 1;
    while (severity > SEVERITY_NONE && strncmp(at, severities[severity], strlen(severities[severity])) != 0)
        severity--;
    at += strcspn(at, " ") + (*at != '\0');
    string_append(&line, "%s", prefix);
    for (size_t plain; *at; at += strcspn(at, "}") + 1) {
        plain = strcspn(at, "{");
        string_append(&line, "%.*s", (int)plain, at);
        at += plain;
        if (!*at)
            break;
        append_figure(&line, at, &number, &text);
    }
    notes_add(notes, &(struct note){ .text = string_text(&line), .severity = severity });
}

void note(struct notes *notes, const char *id, unsigned sentence, struct with figures)
{
    note_after(notes, "", id, sentence, figures);
}

double step_below(double change)
{
    static const double steps[] = { 0.5, 0.2, 0.05 };
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        if (fabs(change) > steps[i])
            return steps[i];
    return 0;
}

void notes_release(struct notes *notes)
{
    pool_release(&notes->pool);
    *notes = (struct notes){ .count = 0 };
}
