/* A library that starts a thread of its own, for tests. Preloaded (LD_PRELOAD), it does so at the first call of
 * madvise, by which a worker of the CPU asks for huge pages once its threads are bound. When the process ends, it
 * writes to the file THREAD_DOUBLE_FILE how many processors that thread may use. */

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_t own;
static int has_own;

static void *sleep_on(void *context)
{
    for (;;)
        pause();
    return context;
}

__attribute__((visibility("default"))) int madvise(void *start, size_t bytes, int advice)
{
    if (!has_own)
        has_own = pthread_create(&own, NULL, sleep_on, NULL) == 0;
    return (int)syscall(SYS_madvise, start, bytes, advice);
}

__attribute__((destructor)) static void report(void)
{
    cpu_set_t processors;
    const char *path = getenv("THREAD_DOUBLE_FILE");
    FILE *file = has_own && path ? fopen(path, "w") : NULL;
    if (file && pthread_getaffinity_np(own, sizeof processors, &processors) == 0)
        fprintf(file, "%d\n", CPU_COUNT(&processors));
    if (file)
        fclose(file);
}
