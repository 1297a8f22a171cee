/* As much of CBOR (RFC 8949) as a manifest needs: integers, texts, byte strings, arrays and maps of a known length, tags and
 * null, each in its shortest form. Anything else is an error, and after the first one every read fails. */
#ifndef CBOR_H
#define CBOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cbor {
    const uint8_t *at;
    const uint8_t *end;
    bool is_wrong;
};

enum cbor_kind { CBOR_UNSIGNED, CBOR_NEGATIVE, CBOR_BYTES, CBOR_TEXT, CBOR_ARRAY, CBOR_MAP, CBOR_TAG, CBOR_SIMPLE };
#define CBOR_NULL 22

struct cbor cbor_of(const uint8_t *bytes, size_t length);

/* Reads the number of an item of this kind: a value, a length, or a count. 0 after an error. */
uint64_t cbor_number(struct cbor *cbor, enum cbor_kind kind);

/* Whether the next item is of this kind; reads nothing. */
bool cbor_is(const struct cbor *cbor, enum cbor_kind kind);

/* Reads a byte string or text where it stands. */
struct cbor cbor_string(struct cbor *cbor, enum cbor_kind kind);

size_t cbor_length(const struct cbor *cbor);

/* Whether everything was read, without an error. */
bool cbor_is_done(const struct cbor *cbor);

#endif
