/* The calls of a device for its logs: it sends them, and takes the time. */
#ifndef UPLOAD_H
#define UPLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "connection.h"
#include "ring.h"

/* Sends at most `most` logs, those with the lowest numbers; `first` and `last` are the numbers of those sent, and `count`
 * how many they are. False if the ring cannot be read. */
bool service_upload(struct service *service, const struct ring *ring, int most, uint32_t *first, uint32_t *last,
                    int *count, struct answer *answer);

/* The time of the service in UTC and its wall clock, in seconds. False if it did not say. */
bool service_time(struct service *service, int64_t *utc, int64_t *wall_clock);

#endif
