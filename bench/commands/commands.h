#ifndef BENCH_COMMANDS_COMMANDS_H
#define BENCH_COMMANDS_COMMANDS_H

/* The commands of the program. Each returns an exit status (bench/cli/exit_status.h) and writes its result to standard
 * output. err is filled where there is an error that main must print. */

#include "bench/cli/options.h"

/* Measure what the options ask for, write a journal, and print its report. A sweep measures one workload over a grid of
 * sizes, then the middle of each gap in which one device overtakes the other. */
int run(const struct options *options, struct error *err);
int sweep(const struct options *options, struct error *err);

/* Versions of what the program links, by name; "" if the build goes without it. Drivers are named with their devices.
 */
json_t *inventory_libraries(void);

/* The version, and what the program was built from and with. */
void inventory_version(FILE *out);

/* List the devices, and why an API has none; list the workloads with their dimensions, element types and methods. */
int inventory_devices(const struct options *options, struct error *err);
int inventory_workloads(const struct options *options, struct error *err);

/* Print the report of journals. A damaged journal is reported as far as it can be read, and then the status is
 * EXIT_USAGE. What is wrong with a file goes to stderr. */
int report(const struct options *options, struct error *err);

/* Print what changed between two sets of journals. EXIT_BAD_CELL: a change that --fail-on names was found, or nothing
 * could be compared. */
int compare(const struct options *options, struct error *err);

/* Compare the nodes of a cluster by the journals of a folder. EXIT_BAD_CELL: a node is in a state that --fail-on names.
 */
int fleet(const struct options *options, struct error *err);

/* List the runs in the default folder of journals; remove all but the newest. */
int list(const struct options *options, struct error *err);
int clean(const struct options *options, struct error *err);

/* Print the glossary's entries for the words given, or the list of entries. */
int explain(const struct options *options, struct error *err);

/* Check journals and file what others may see of them by machine and day below a folder; then write the reports and the
 * index there again. EXIT_BAD_CELL: a journal is not fit to be published, and nothing was filed. */
int publish(const struct options *options, struct error *err);

#endif
