#ifndef HARNESS_BASE_WINDOWS_SYSTEM_H
#define HARNESS_BASE_WINDOWS_SYSTEM_H

/* windows.h, beside our own names for a status (error.h). */

#include <windows.h>

#undef STATUS_TIMEOUT
#undef STATUS_NO_MEMORY
#undef STATUS_ABANDONED

#endif
