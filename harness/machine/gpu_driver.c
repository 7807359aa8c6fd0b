#include "harness/machine/gpu_driver.h"

#include <stdio.h>
#include <string.h>

struct intel_chip intel_chip_find(unsigned device)
{
    for (const char *const *line = gpu_driver_lines; *line; line++) {
        struct intel_chip chip = { "intel ", 0, 0 };
        unsigned first, last;
        if (sscanf(*line, "chip %x %x %9s %lf %lf", &first, &last, chip.architecture + strlen("intel "), &chip.first,
                   &chip.end) == 5 &&
            device >= first && device <= last)
            return chip;
    }
    return (struct intel_chip){ "", 0, 99.99 };
}

bool intel_chip_is_served(const struct intel_chip *chip, double version)
{
    return version >= chip->first && version < chip->end;
}
