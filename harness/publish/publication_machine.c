/* What a machine is called by: "Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz" with "Intel(R) UHD Graphics 620" becomes
 * "i5-8250u-uhd-620". */

#include "harness/base/text.h"
#include "harness/publish/publication.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 160 };

static bool is_separator(char c)
{
    return c == '\0' || isspace((unsigned char)c);
}

/* Words that tell nothing: who made it, and what it is. */
static bool is_filler(const char *word)
{
    static const char *const fillers[] = { "Intel",   "AMD",      "NVIDIA",  "Corporation", "Inc.",      "Advanced",
                                           "Micro",   "Devices,", "Genuine", "CPU",         "Processor", "Graphics",
                                           "GeForce", "Core",     "Gen",     "Laptop",      "GPU",       "Mesa" };
    for (unsigned i = 0; i < sizeof fillers / sizeof *fillers; i++)
        if (strcasecmp(word, fillers[i]) == 0)
            return true;
    size_t digits = strspn(word, "0123456789");
    return digits > 0 && (strcmp(word + digits, "th") == 0 || strcmp(word + digits, "rd") == 0 ||
                          strcasecmp(word + digits, "-Core") == 0);
}

/* "(R)", "(TM)" and what else stands in brackets: parts of a driver's version. */
static void drop_brackets(char *text)
{
    char *to = text;
    unsigned depth = 0;
    for (const char *from = text; *from; from++) {
        depth += *from == '(' || *from == '[';
        if (depth == 0)
            *to++ = *from;
        else if ((*from == ')' || *from == ']') && --depth == 0)
            *to++ = ' ';
    }
    *to = '\0';
}

/* The words of a name that tell it from others, each with a blank before it; those after "@" and "with" only where the
 * others have no number, as the clock is then all that tells. */
static void distinguish(char to[NAME_ROOM], const char *name)
{
    char text[NAME_ROOM], *word, *rest = NULL;
    bool has_number = false;
    text_copy(text, sizeof text, name);
    drop_brackets(text);
    to[0] = '\0';
    for (word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        bool is_end = strcmp(word, "@") == 0 ? has_number : strcmp(word, "with") == 0;
        size_t used = strlen(to);
        if (is_end)
            return;
        if (is_filler(word) || is_separator(word[0]) || strcmp(word, "@") == 0)
            continue;
        snprintf(to + used, NAME_ROOM - used, " %s", word);
        has_number |= strpbrk(word, "0123456789") != NULL;
    }
}

static unsigned equals_of(const struct record *record, const struct device *device)
{
    unsigned equals = 0;
    for (unsigned i = 0; i < record->devices; i++)
        equals += class_is_gpu(record->device[i].class) && record->device[i].backend[0] == device->backend[0] &&
                  strcmp(record->device[i].name, device->name) == 0;
    return equals;
}

/* Whether an earlier device is the same, by another API, or of the same name. */
static bool is_told(const struct record *record, unsigned at)
{
    const struct device *device = &record->device[at];
    for (unsigned i = 0; i < at; i++) {
        const struct device *other = &record->device[i];
        bool same_silicon = *device->silicon && strcmp(device->silicon, other->silicon) == 0;
        if (class_is_gpu(other->class) && (same_silicon || strcmp(device->name, other->name) == 0))
            return true;
    }
    return false;
}

void publication_machine(char to[SLUG_ROOM], const struct record *record, const struct redaction *redaction)
{
    char all[1024], part[NAME_ROOM];
    const json_t *host = json_object_get(record->head, "host");
    const char *name = json_string_value(json_object_get(host, "name"));
    const char *hypervisor = json_string_value(json_object_get(host, "hypervisor"));
    json_int_t cores = json_integer_value(json_object_get(host, "cores"));
    distinguish(part, name ? name : "");
    snprintf(all, sizeof all, "%s", part);
    if (hypervisor && *hypervisor)
        snprintf(all + strlen(all), sizeof all - strlen(all), " %.24s", hypervisor);
    if (hypervisor && *hypervisor && cores > 0 && cores < 100000)
        snprintf(all + strlen(all), sizeof all - strlen(all), " %dc", (int)cores);
    for (unsigned i = 0; i < record->devices; i++) {
        const struct device *device = &record->device[i];
        size_t used = strlen(all);
        if (!class_is_gpu(device->class) || is_told(record, i))
            continue;
        unsigned equals = equals_of(record, device);
        distinguish(part, device->name);
        if (equals > 1)
            snprintf(all + used, sizeof all - used, " %ux%s", equals, part);
        else
            snprintf(all + used, sizeof all - used, "%s", part);
    }
    if (!*publication_slug(to, redaction_strip(redaction, all)))
        strcpy(to, "machine");
}
