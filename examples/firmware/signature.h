/* The two things that a library of cryptography does: SHA-256, and the check of a signature. The key decides which signature it
 * checks: ES256 with one of NIST P-256, EdDSA with one of Ed25519. */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32
#define SIGNATURE_SIZE 64

/* As COSE numbers them: RFC 9053, sections 2.1 and 2.2. */
enum algorithm { ES256 = -7, EDDSA = -8 };

/* A public key (SubjectPublicKeyInfo, DER), as a device has it in its code. */
struct public_key {
    uint8_t der[128];
    size_t length;
};

/* Reads the key of a PEM file. False if there is none, or it is of another kind. */
bool public_key_read(struct public_key *key, const char *path);

/* False if the signature is not that of this key, or the key is of another algorithm. */
bool signature_is_valid(const struct public_key *key, enum algorithm algorithm, const uint8_t *message, size_t length,
                        const uint8_t signature[SIGNATURE_SIZE]);

/* Begins, feeds and ends a hash. */
struct sha256;
struct sha256 *sha256_begin(void);
bool sha256_add(struct sha256 *hash, const void *bytes, size_t length);
bool sha256_end(struct sha256 *hash, uint8_t digest[SHA256_SIZE]);

#endif
