#include "harness/glossary_parts.h"

#include <stddef.h>

const struct chapter glossary_machine_notes = { NULL, 0 };
