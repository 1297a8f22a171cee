#include "cbor.h"

struct cbor cbor_of(const uint8_t *bytes, size_t length)
{
    struct cbor cbor = {bytes, bytes + length, false};
    return cbor;
}

size_t cbor_length(const struct cbor *cbor)
{
    return (size_t)(cbor->end - cbor->at);
}

bool cbor_is(const struct cbor *cbor, enum cbor_kind kind)
{
    return !cbor->is_wrong && cbor->at < cbor->end && *cbor->at >> 5 == (int)kind;
}

bool cbor_is_done(const struct cbor *cbor)
{
    return !cbor->is_wrong && cbor->at == cbor->end;
}

uint64_t cbor_number(struct cbor *cbor, enum cbor_kind kind)
{
    if (!cbor_is(cbor, kind)) {
        cbor->is_wrong = true;
        return 0;
    }
    unsigned additional = *cbor->at++ & 31;
    if (additional < 24) return additional;
    /* 1, 2, 4 or 8 bytes follow; a simple value of this kind is a number with a fraction, or another null. */
    size_t size = additional < 28 ? (size_t)1 << (additional - 24) : 0;
    if (size == 0 || kind == CBOR_SIMPLE || cbor_length(cbor) < size) {
        cbor->is_wrong = true;
        return 0;
    }
    uint64_t value = 0;
    for (size_t n = 0; n < size; n += 1) value = value << 8 | *cbor->at++;
    bool is_shortest = size == 1 ? value >= 24 : value >> (size * 4) != 0;
    if (is_shortest) return value;
    cbor->is_wrong = true;
    return 0;
}

struct cbor cbor_string(struct cbor *cbor, enum cbor_kind kind)
{
    uint64_t length = cbor_number(cbor, kind);
    if (length > cbor_length(cbor)) cbor->is_wrong = true;
    struct cbor string = cbor_of(cbor->at, cbor->is_wrong ? 0 : (size_t)length);
    string.is_wrong = cbor->is_wrong;
    cbor->at = string.end;
    return string;
}
