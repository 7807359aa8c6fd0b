#include "bench/doctor/finding.h"

#include "bench/doctor/install.h"
#include "harness/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

extern const char *const findings_lines[];

/* The place of a fact, or the first free one. */
static unsigned fact_place(const struct facts *facts, const char *name)
{
    unsigned i = 0;
    while (i < facts->count && strcmp(facts->fact[i].name, name) != 0)
        i++;
    return i;
}

void fact_set(struct facts *facts, const char *name, const char *text)
{
    const unsigned place = fact_place(facts, name);
    if (place == FACTS_MAX)
        return;
    if (place == facts->count)
        facts->count++;
    facts->fact[place].name = name;
    text_copy(facts->fact[place].text, sizeof facts->fact->text, text ? text : "");
}

void fact_format(struct facts *facts, const char *name, const char *format, ...)
{
    char text[sizeof facts->fact->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fact_set(facts, name, text);
}

/* What nobody set may be a fact of the whole machine, or be in the table of the adapter's vendor; "" unknown. */
static const char *fact(const struct facts *facts, const char *name)
{
    const unsigned place = fact_place(facts, name), vendor = fact_place(facts, "vendor");
    if (place < facts->count)
        return facts->fact[place].text;
    if (strcmp(name, "limits") == 0)
        return facts->view->limits ? facts->view->limits : "";
    return vendor < facts->count ? install_vendor_fact(facts->fact[vendor].text, name) : "";
}

static bool holds(const char *condition, const struct facts *facts)
{
    char word[64];
    int used;
    for (; sscanf(condition, "%63s%n", word, &used) == 1; condition += used) {
        const bool is_negated = *word == '!';
        char *values = word + is_negated, *name = strsep(&values, "="), *value;
        const char *has = fact(facts, name);
        bool is_so = *has && !values;
        while ((value = strsep(&values, "|")))
            is_so |= strcmp(has, value) == 0;
        if (is_so == is_negated)
            return false;
    }
    return true;
}

static void expand(char *to, size_t room, const char *text, const struct facts *facts)
{
    char name[40];
    int used;
    for (*to = '\0'; *text; text += used) {
        text_append(to, room, "%.*s", (int)strcspn(text, "{"), text);
        text += strcspn(text, "{");
        used = *text == '{'; /* without a name it is left out */
        if (sscanf(text, "{install%*[ ]%39[^}]}%n", name, &used) == 1)
            install_command(to, room, facts->view->root,
                            fact_place(facts, name) < facts->count || *fact(facts, name) ? fact(facts, name) : name);
        else if (sscanf(text, "{%39[^}]}%n", name, &used) == 1)
            text_append(to, room, "%s", fact(facts, name));
    }
}

static struct finding *finding_add(struct diagnosis *out, const char *subject)
{
    if (out->findings == FINDINGS_MAX)
        return NULL;
    struct finding *finding = &out->finding[out->findings++];
    *finding = (struct finding){ .is_fine = true };
    text_copy(finding->subject, sizeof finding->subject, subject);
    return finding;
}

void findings_add(struct diagnosis *out, const char *kind, const struct facts *facts)
{
    const size_t length = strlen(kind);
    const char *subject = NULL; /* NULL: another kind, or its finding was added */
    struct finding *finding = NULL;
    for (const char *const *line = findings_lines; *line; line++) {
        const char *text = *line + 1;
        if (**line == '@') {
            bool is_it = strncmp(text, kind, length) == 0 && (text[length] == ' ' || !text[length]);
            subject = !is_it ? NULL : text[length] ? text + length + 1 : facts->subject;
            finding = NULL;
        } else if (**line == '?') {
            finding = subject && holds(text, facts) ? finding_add(out, subject) : NULL;
            subject = finding ? NULL : subject;
        } else if (finding && **line == '>') {
            expand(finding->command, sizeof finding->command, text + 1, facts);
            finding->is_fine = false;
        } else if (finding && **line == '~') {
            finding->is_seen = true;
        } else if (finding && **line && **line != '#') {
            expand(finding->text, sizeof finding->text, *line, facts);
        }
    }
}

unsigned diagnosis_troubles(const struct diagnosis *diagnosis)
{
    unsigned troubles = 0;
    for (unsigned i = 0; i < diagnosis->findings; i++)
        troubles += !diagnosis->finding[i].is_fine;
    return troubles;
}
