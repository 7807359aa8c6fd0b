#include "bench/doctor/finding.h"

#include "harness/base/text.h"

#include <stdarg.h>
#include <stdio.h>

void finding_fine(struct finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->says, sizeof finding->says, format, arguments);
    va_end(arguments);
    finding->is_fine = true;
    *finding->command = '\0';
}

void finding_mend(struct finding *finding, const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->says, sizeof finding->says, format, arguments);
    va_end(arguments);
    finding->is_fine = false;
    text_copy(finding->command, sizeof finding->command, command);
}

struct finding *diagnosis_add(struct diagnosis *diagnosis, const char *about)
{
    if (diagnosis->findings < FINDINGS_MAX)
        diagnosis->findings++;
    struct finding *finding = &diagnosis->finding[diagnosis->findings - 1];
    text_copy(finding->about, sizeof finding->about, about);
    return finding;
}

unsigned diagnosis_troubles(const struct diagnosis *diagnosis)
{
    unsigned troubles = 0;
    for (unsigned i = 0; i < diagnosis->findings; i++)
        troubles += !diagnosis->finding[i].is_fine;
    return troubles;
}
