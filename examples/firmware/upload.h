/* The two calls of a device: it sends logs, and takes the time. */
#ifndef UPLOAD_H
#define UPLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "ring.h"

/* The next step of the device: docs/firmware.md, "Every response". */
enum verdict {
    STORED,       /* forget the logs */
    WRONG_CLOCK,  /* take the time, correct, send again */
    INVALID,      /* never send the same again */
    TOO_LARGE,    /* send fewer at once */
    TOO_MANY,     /* wait as long as the service says */
    BUSY,         /* wait, longer each time; the logs may be stored or not */
    STOP          /* keep the logs: the device is unknown, or nobody wears it */
};

struct answer {
    enum verdict verdict;
    long retry_after; /* seconds; 0 if the service does not say */
    char word[16];    /* X-Error, or the reason of the network */
};

struct service;

struct service_options {
    const char *url;
    const char *unique_id;
    const char *ca_file; /* root certificates; NULL for those of the system */
    long firmware;       /* negative: not reported */
    long timeout_ms;     /* of one try */
    bool gzip;
};

/* NULL if there is no memory. One connection is kept alive. */
struct service *service_open(const struct service_options *options);
void service_close(struct service *service);

/* Sends at most `most` logs, those with the lowest numbers; `first` and `last` are the numbers of those sent, and `count`
 * how many they are. False if the ring cannot be read. */
bool service_upload(struct service *service, const struct ring *ring, int most, uint32_t *first, uint32_t *last,
                    int *count, struct answer *answer);

/* The wall clock of the service, in seconds. False if it did not say. */
bool service_time(struct service *service, int64_t *now);

#endif
