#include "bench/doctor/finding.h"

#include "bench/doctor/install.h"
#include "harness/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

const char *fact(const struct facts *facts, const char *name)
{
    const unsigned place = fact_place(facts, name);
    return place < facts->count ? facts->fact[place].text : "";
}

bool are_known(struct facts *facts, const char *of)
{
    char name[32];
    int used;
    for (; sscanf(of, "%31s%n", name, &used) == 1; of += used)
        if (!*fact(facts, name))
            return false;
    return true;
}

bool is_unknown(struct facts *facts, const char *of)
{
    return !*fact(facts, of);
}

bool always(struct facts *facts, const char *of)
{
    (void)facts, (void)of;
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
            install_command(to, room, facts->view, fact_place(facts, name) < facts->count ? fact(facts, name) : name);
        else if (sscanf(text, "{%39[^}]}%n", name, &used) == 1)
            text_append(to, room, "%s", fact(facts, name));
    }
}

void findings_add(struct diagnosis *out, const struct finding_rule rules[], unsigned count, struct facts *facts)
{
    const char *done = "";
    for (unsigned i = 0; i < count && out->findings < FINDINGS_MAX; i++) {
        const struct finding_rule *rule = &rules[i];
        const char *subject = rule->subject ? rule->subject : facts->subject;
        if (strcmp(subject, done) == 0 || !rule->holds(facts, rule->of))
            continue;
        done = subject;
        if (!rule->text)
            continue;
        struct finding *finding = &out->finding[out->findings++];
        text_copy(finding->subject, sizeof finding->subject, subject);
        expand(finding->text, sizeof finding->text, rule->text, facts);
        expand(finding->command, sizeof finding->command, rule->command ? rule->command : "", facts);
        finding->is_fine = !rule->command;
    }
}

unsigned diagnosis_troubles(const struct diagnosis *diagnosis)
{
    unsigned troubles = 0;
    for (unsigned i = 0; i < diagnosis->findings; i++)
        troubles += !diagnosis->finding[i].is_fine;
    return troubles;
}
