#include "bench/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 60, WIDEST = 200, ELSEWHERE = 100 };

unsigned terminal_width(const struct options *options)
{
    struct winsize size;
    if (options->width > 0)
        return options->width;
    if (options->report || !isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return ELSEWHERE;
    return size.ws_col < NARROWEST ? NARROWEST : size.ws_col > WIDEST ? WIDEST : size.ws_col;
}
