#ifndef HARNESS_BASE_PROCESS_H
#define HARNESS_BASE_PROCESS_H

/* This process, and what it shares with others. */

#include <stdbool.h>

/* Call this first. Opens the standard descriptors that are closed: otherwise the journal would get their numbers, and
 * messages would be written into it. `argument`: those of main, which it may change to what they mean here. */
void process_begin(int arguments, char *argument[]);

/* A closed pipe, and a file that must not grow further, become errors of the write. */
void process_report_write_errors(void);

/* CPU seconds used by this process and by those of its children that were waited for; NAN: unknown. */
double process_family_cpu(void);

/* Page faults of this process so far; NAN: unknown. */
double process_page_faults(void);

/* Bytes of address space that this process may have, and the option of ulimit that says so (NULL: not asked for);
 * INFINITY: any. */
double process_address_limit(char *option);

/* Seconds of CPU time that this process may use before it is killed; INFINITY: any. */
double process_cpu_limit(void);

/* Processes and threads that its user may have, where the system counts them; INFINITY: any. */
double process_task_limit(void);

/* Columns of the terminal that a descriptor is; 0: it is none, or unknown. */
unsigned terminal_columns(int fd);

/* Whether the descriptor is a terminal that understands escape sequences (ECMA-48). */
bool terminal_has_escapes(int fd);

/* Whether what reads from this pipe has ended: to be asked after a write has failed. */
bool pipe_is_closed(int fd);

/* The name of this machine. False without one. */
bool process_host_name(char *to, unsigned room);

#endif
