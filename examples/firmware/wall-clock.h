/* Dates as a wall clock shows them, in seconds since 1970-01-01T00:00:00 of that same clock: no time zone comes in. */
#ifndef WALL_CLOCK_H
#define WALL_CLOCK_H

#include <stdint.h>

/* The service refuses earlier dates, and those of more than 48 hours from now: a clock that shows one was wrong. */
#define CLOCK_LOST_BEFORE INT64_C(1420070400) /* 2015-01-01T00:00:00 */
#define CLOCK_AHEAD_BY INT64_C(172800)

/* The room that wall_clock_text needs. */
#define WALL_CLOCK_SIZE 20

int64_t wall_clock_seconds(int year, int month, int day, int hour, int minute, int second);

/* Writes yyyy-mm-ddThh:mm:ss, for the years 1970 to 9999. */
void wall_clock_text(int64_t seconds, char text[WALL_CLOCK_SIZE]);

#endif
