/* The logs that a device holds, in a file of fixed size: on a device, its flash. A log is there from the moment that
 * ring_put returns, even if the power fails, until ring_forget. */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stdint.h>

#define RING_SIZE 64
/* One more, so that a log can be replaced without a moment in which there is none. */
#define RING_SLOTS (RING_SIZE + 1)
#define MOST_INTENSITIES 240

/* One use of the device. */
struct treatment {
    int64_t start; /* wall clock */
    uint32_t log_file_id;
    uint32_t seconds;
    uint32_t movement;
    uint16_t last_intensity;
    uint16_t intensities[MOST_INTENSITIES]; /* one for each started 6 minutes */
    uint8_t intensity_count;
    uint8_t finish_flag;
    uint8_t is_corrected; /* `start` is not what the clock showed */
};

struct ring {
    int file;
    uint32_t ids[RING_SLOTS];
    uint8_t states[RING_SLOTS];
};

/* All of them return false if the file cannot be read or written; errno says why. */
bool ring_open(struct ring *ring, const char *path);
void ring_close(struct ring *ring);

/* Whether there is room for one more. A log that was rejected makes room. */
bool ring_has_room(const struct ring *ring);
bool ring_put(struct ring *ring, const struct treatment *treatment);

/* Whether a log is there that is to be sent, by its number. */
bool ring_holds(const struct ring *ring, uint32_t log_file_id);

/* How many logs are to be sent, and how many the service will never take. */
int ring_held(const struct ring *ring);
int ring_rejected_count(const struct ring *ring);

/* Reads the log to be sent with the lowest number from `from` on. `found` says whether there is one. */
bool ring_next(const struct ring *ring, uint32_t from, struct treatment *treatment, bool *found);

/* For logs that the service has stored, up to and including a number. */
bool ring_forget(struct ring *ring, uint32_t first, uint32_t last);
/* For a log that the service will never take: it stays until its room is needed. */
bool ring_rejected(struct ring *ring, uint32_t log_file_id);

/* What a clock was wrong by, and the time by the right one. */
struct correction {
    int64_t seconds; /* to add */
    int64_t now;
};

/* Corrects the date of a log that a wrong clock wrote, and says whether it did. A date that would be impossible again stays: the
 * log was written by another wrong clock, and nobody can date it. */
bool treatment_correct(struct treatment *treatment, const struct correction *correction);
/* The same for all logs that are to be sent. */
bool ring_correct(struct ring *ring, const struct correction *correction);

#endif
