#include "wall-clock.h"

/* Days are counted in years that begin on 1 March, so that the leap day comes last: H. Hinnant, "chrono-Compatible
 * Low-Level Date Algorithms". */
#define DAYS_OF_400_YEARS 146097
#define DAYS_BEFORE_1970 719468 /* from 0000-03-01 */

int64_t wall_clock_seconds(int year, int month, int day, int hour, int minute, int second)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = y / 400;
    int64_t year_of_era = y % 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    int64_t days = era * DAYS_OF_400_YEARS + day_of_era - DAYS_BEFORE_1970;
    return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

static char *put_digits(char *at, int64_t value, int count)
{
    for (int n = count - 1; n >= 0; n -= 1) {
        at[n] = (char)('0' + value % 10);
        value /= 10;
    }
    return at + count;
}

void wall_clock_text(int64_t seconds, char text[WALL_CLOCK_SIZE])
{
    int64_t days = seconds / 86400 + DAYS_BEFORE_1970;
    int64_t of_day = seconds % 86400;
    int64_t era = days / DAYS_OF_400_YEARS;
    int64_t day_of_era = days % DAYS_OF_400_YEARS;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted_month = (5 * day_of_year + 2) / 153;
    int64_t day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    int64_t month = shifted_month + (shifted_month < 10 ? 3 : -9);
    int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);

    char *at = put_digits(text, year, 4);
    *at++ = '-';
    at = put_digits(at, month, 2);
    *at++ = '-';
    at = put_digits(at, day, 2);
    *at++ = 'T';
    at = put_digits(at, of_day / 3600, 2);
    *at++ = ':';
    at = put_digits(at, of_day / 60 % 60, 2);
    *at++ = ':';
    at = put_digits(at, of_day % 60, 2);
    *at = '\0';
}
