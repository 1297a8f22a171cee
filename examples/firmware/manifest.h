/* What the maker has signed about an image: COSE_Sign1 (RFC 9052) over
 * {1: firmware_id, 2: hardware, 3: size, 4: sha256, 5: sequence, 6: not_after or null, 7: oldest}. */
#ifndef MANIFEST_H
#define MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signature.h"

#define MANIFEST_SIZE 512
#define HARDWARE_SIZE 33 /* with the end of the text */
#define MOST_KEYS 2      /* the present one, and the one that follows it */

struct manifest {
    uint32_t firmware_id;
    char hardware[HARDWARE_SIZE];
    uint32_t size; /* bytes */
    uint8_t sha256[SHA256_SIZE];
    uint64_t sequence;
    bool expires;
    int64_t not_after; /* seconds since 1970-01-01T00:00:00Z */
    uint32_t oldest;   /* firmware that it may replace */
};

struct keys {
    struct public_key each[MOST_KEYS];
    int count;
};

/* NULL if one of the keys has signed it and every field is right; otherwise which is not, in a word. Nothing of `manifest` may
 * be used then. The signature is checked before the fields are read. */
const char *manifest_read(struct manifest *manifest, const uint8_t *bytes, size_t length, const struct keys *keys);

#endif
