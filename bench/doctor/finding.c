#include "bench/doctor/finding.h"

#include "harness/base/text.h"

#include <stdarg.h>
#include <stdio.h>

struct command command_format(const char *format, ...)
{
    struct command command;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command.text, sizeof command.text, format, arguments);
    va_end(arguments);
    return command;
}

bool finding_mend(struct finding *finding, const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
    text_copy(finding->command, sizeof finding->command, command);
    finding->is_fine = *command == '\0';
    return true;
}

struct finding *diagnosis_add(struct diagnosis *diagnosis, const char *subject)
{
    if (diagnosis->findings < FINDINGS_MAX)
        diagnosis->findings++;
    struct finding *finding = &diagnosis->finding[diagnosis->findings - 1];
    text_copy(finding->subject, sizeof finding->subject, subject);
    return finding;
}

unsigned diagnosis_troubles(const struct diagnosis *diagnosis)
{
    unsigned troubles = 0;
    for (unsigned i = 0; i < diagnosis->findings; i++)
        troubles += !diagnosis->finding[i].is_fine;
    return troubles;
}
