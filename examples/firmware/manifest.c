#include "manifest.h"

#include <string.h>

#include "cbor.h"

/* COSE_Sign1: RFC 9052, section 4.2. */
#define TAG_SIGN1 18
enum { HEADER_ALGORITHM = 1, HEADER_KEY = 4 };

/* Sig_structure: the array of 4, "Signature1", and two byte strings of at most MANIFEST_SIZE with an empty one between. */
#define CONTEXT "\x84\x6aSignature1"
#define SIGNED_SIZE (MANIFEST_SIZE + 24)

/* Reads the value of a header with this label. One label is understood beside the algorithm: the name of the key, a hint, for
 * each key is tried anyway. */
static void read_header(struct cbor *map, uint64_t label, int *algorithm)
{
    if (label == HEADER_KEY) {
        cbor_string(map, CBOR_BYTES);
        return;
    }
    uint64_t value = cbor_number(map, CBOR_NEGATIVE);
    if (label == HEADER_ALGORITHM && algorithm && value == -1 - ES256) *algorithm = ES256;
    else if (label == HEADER_ALGORITHM && algorithm && value == -1 - EDDSA) *algorithm = EDDSA;
    else map->is_wrong = true;
}

/* Reads a map of headers, of which each may stand there once. The algorithm may stand only where `algorithm` is asked for. */
static void read_headers(struct cbor *map, int *algorithm)
{
    uint64_t count = cbor_number(map, CBOR_MAP), before = 0;
    for (uint64_t n = 0; n < count && !map->is_wrong; n += 1) {
        uint64_t label = cbor_number(map, CBOR_UNSIGNED);
        if (label <= before) map->is_wrong = true;
        before = label;
        read_header(map, label, algorithm);
    }
}

static uint8_t *put_string(uint8_t *at, const struct cbor *string)
{
    size_t length = cbor_length(string);
    if (length < 24) *at++ = (uint8_t)(0x40 | length);
    else if (length < 256) *at++ = 0x58, *at++ = (uint8_t)length;
    else *at++ = 0x59, *at++ = (uint8_t)(length >> 8), *at++ = (uint8_t)length;
    memcpy(at, string->at, length);
    return at + length;
}

/* Opens the envelope: the signed bytes, once one of the keys has signed them. */
static const char *open_envelope(struct cbor *payload, const uint8_t *bytes, size_t length, const struct keys *keys)
{
    struct cbor whole = cbor_of(bytes, length);
    if (cbor_is(&whole, CBOR_TAG) && cbor_number(&whole, CBOR_TAG) != TAG_SIGN1) return "format";
    if (cbor_number(&whole, CBOR_ARRAY) != 4) return "format";
    struct cbor headers = cbor_string(&whole, CBOR_BYTES);
    struct cbor signed_headers = headers;
    int algorithm = 0;
    read_headers(&whole, NULL);
    *payload = cbor_string(&whole, CBOR_BYTES);
    struct cbor signature = cbor_string(&whole, CBOR_BYTES);
    read_headers(&headers, &algorithm);
    if (!cbor_is_done(&whole) || !cbor_is_done(&headers)) return "format";
    if (algorithm == 0 || cbor_length(&signature) != SIGNATURE_SIZE) return "format";

    uint8_t message[SIGNED_SIZE] = CONTEXT;
    uint8_t *end = put_string(message + sizeof CONTEXT - 1, &signed_headers);
    *end++ = 0x40;
    end = put_string(end, payload);
    for (int n = 0; n < keys->count; n += 1)
        if (signature_is_valid(&keys->each[n], (enum algorithm)algorithm, message, (size_t)(end - message),
                               signature.at))
            return NULL;
    return "signature";
}

static uint32_t read_number(struct cbor *map, uint32_t least, uint32_t most)
{
    uint64_t value = cbor_number(map, CBOR_UNSIGNED);
    if (value < least || value > most) map->is_wrong = true;
    return map->is_wrong ? 0 : (uint32_t)value;
}

static void read_key(struct cbor *map, uint64_t key)
{
    if (cbor_number(map, CBOR_UNSIGNED) != key) map->is_wrong = true;
}

static bool is_hardware(const struct cbor *text)
{
    size_t length = cbor_length(text);
    for (size_t n = 0; n < length; n += 1) {
        char c = (char)text->at[n];
        if (!(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '.' && c != '-')
            return false;
    }
    return length > 0 && length < HARDWARE_SIZE;
}

static bool read_fields(struct manifest *manifest, struct cbor map)
{
    memset(manifest, 0, sizeof *manifest);
    if (cbor_number(&map, CBOR_MAP) != 7) return false;
    read_key(&map, 1);
    manifest->firmware_id = read_number(&map, 1, INT32_MAX);
    read_key(&map, 2);
    struct cbor hardware = cbor_string(&map, CBOR_TEXT);
    read_key(&map, 3);
    manifest->size = read_number(&map, 1, UINT32_MAX);
    read_key(&map, 4);
    struct cbor sha256 = cbor_string(&map, CBOR_BYTES);
    read_key(&map, 5);
    manifest->sequence = cbor_number(&map, CBOR_UNSIGNED);
    read_key(&map, 6);
    manifest->expires = cbor_is(&map, CBOR_UNSIGNED);
    uint64_t not_after = cbor_number(&map, manifest->expires ? CBOR_UNSIGNED : CBOR_SIMPLE);
    if (manifest->expires ? not_after > INT64_MAX : not_after != CBOR_NULL) return false;
    manifest->not_after = (int64_t)not_after;
    read_key(&map, 7);
    manifest->oldest = read_number(&map, 0, INT32_MAX);
    if (!cbor_is_done(&map) || cbor_length(&sha256) != SHA256_SIZE || !is_hardware(&hardware)) return false;
    memcpy(manifest->hardware, hardware.at, cbor_length(&hardware));
    memcpy(manifest->sha256, sha256.at, SHA256_SIZE);
    return true;
}

const char *manifest_read(struct manifest *manifest, const uint8_t *bytes, size_t length, const struct keys *keys)
{
    struct cbor payload;
    if (length > MANIFEST_SIZE) return "format";
    const char *wrong = open_envelope(&payload, bytes, length, keys);
    if (wrong) return wrong;
    return read_fields(manifest, payload) ? NULL : "format";
}
