/* Prints each number of seconds that it reads as a date, and that date again as seconds. */
#include <inttypes.h>
#include <stdio.h>

#include "wall-clock.h"

int main(void)
{
    int64_t seconds;
    while (scanf("%" SCNd64, &seconds) == 1) {
        char text[WALL_CLOCK_SIZE];
        int year, month, day, hour, minute, second;
        wall_clock_text(seconds, text);
        sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d", &year, &month, &day, &hour, &minute, &second);
        printf("%s %" PRId64 "\n", text, wall_clock_seconds(year, month, day, hour, minute, second));
    }
    return 0;
}
