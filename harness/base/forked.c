#include "harness/base/forked.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

bool forked_call(void (*work)(const void *context, void *reply), const void *context, void *reply, size_t bytes)
{
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        work(context, shared);
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    if (child > 0)
        memcpy(reply, shared, bytes);
    munmap(shared, bytes);
    return child > 0;
}
