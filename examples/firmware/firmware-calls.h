/* The calls of a device for its firmware: docs/firmware-updates.md. */
#ifndef FIRMWARE_CALLS_H
#define FIRMWARE_CALLS_H

#include "connection.h"
#include "flash.h"

enum offer { NO_OFFER, OFFERED, OFFER_TOO_LONG, OFFER_UNKNOWN };

/* Asks for a firmware: its manifest of `length` bytes, and the number that the service gives it. OFFER_UNKNOWN: `answer` says
 * what came instead. */
enum offer firmware_ask(struct service *service, uint8_t manifest[MANIFEST_SIZE], size_t *length, uint32_t *firmware_id,
                        struct answer *answer);

/* Loads a piece of at most BODY_SIZE bytes of an image from `from` on, into the memory of the uploads. What came before the line
 * was cut counts: `length` bytes from `bytes` on, 0 if none can be used. Returns whether it was the whole piece. */
bool firmware_load(struct service *service, const struct manifest *manifest, uint32_t from, const void **bytes,
                   size_t *length, struct answer *answer);

void firmware_report(struct service *service, const struct report *report, struct answer *answer);

#endif
