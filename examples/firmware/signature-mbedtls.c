#include <mbedtls/ecdsa.h>
#include <mbedtls/pk.h>
#include <mbedtls/sha256.h>
#include <string.h>

#include "signature.h"

/* Mbed TLS has no Ed25519: this device checks ES256 only. */
static bool parse(mbedtls_pk_context *parsed, const struct public_key *key)
{
    mbedtls_pk_init(parsed);
    return mbedtls_pk_parse_public_key(parsed, key->der, key->length) == 0 &&
           mbedtls_pk_can_do(parsed, MBEDTLS_PK_ECDSA) &&
           mbedtls_pk_ec(*parsed)->grp.id == MBEDTLS_ECP_DP_SECP256R1;
}

bool public_key_read(struct public_key *key, const char *path)
{
    mbedtls_pk_context parsed;
    mbedtls_pk_init(&parsed);
    /* Written at the end of the buffer. */
    int length = mbedtls_pk_parse_public_keyfile(&parsed, path) == 0
                     ? mbedtls_pk_write_pubkey_der(&parsed, key->der, sizeof key->der)
                     : 0;
    mbedtls_pk_free(&parsed);
    if (length <= 0) return false;
    key->length = (size_t)length;
    memmove(key->der, key->der + sizeof key->der - key->length, key->length);
    bool is_known = parse(&parsed, key);
    mbedtls_pk_free(&parsed);
    return is_known;
}

bool signature_is_valid(const struct public_key *key, enum algorithm algorithm, const uint8_t *message, size_t length,
                        const uint8_t signature[SIGNATURE_SIZE])
{
    mbedtls_pk_context parsed;
    mbedtls_mpi r, s;
    uint8_t digest[SHA256_SIZE];
    mbedtls_mpi_init(&r);
    mbedtls_mpi_init(&s);
    bool is_valid = parse(&parsed, key) && algorithm == ES256 && mbedtls_sha256_ret(message, length, digest, 0) == 0 &&
                    mbedtls_mpi_read_binary(&r, signature, SIGNATURE_SIZE / 2) == 0 &&
                    mbedtls_mpi_read_binary(&s, signature + SIGNATURE_SIZE / 2, SIGNATURE_SIZE / 2) == 0 &&
                    mbedtls_ecdsa_verify(&mbedtls_pk_ec(parsed)->grp, digest, sizeof digest,
                                         &mbedtls_pk_ec(parsed)->Q, &r, &s) == 0;
    mbedtls_mpi_free(&r);
    mbedtls_mpi_free(&s);
    mbedtls_pk_free(&parsed);
    return is_valid;
}

struct sha256 {
    mbedtls_sha256_context context;
};

struct sha256 *sha256_begin(void)
{
    static struct sha256 hash; /* one at a time */
    mbedtls_sha256_init(&hash.context);
    return mbedtls_sha256_starts_ret(&hash.context, 0) == 0 ? &hash : NULL;
}

bool sha256_add(struct sha256 *hash, const void *bytes, size_t length)
{
    return mbedtls_sha256_update_ret(&hash->context, bytes, length) == 0;
}

bool sha256_end(struct sha256 *hash, uint8_t digest[SHA256_SIZE])
{
    bool is_done = mbedtls_sha256_finish_ret(&hash->context, digest) == 0;
    mbedtls_sha256_free(&hash->context);
    return is_done;
}
