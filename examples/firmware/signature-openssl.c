#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/pem.h>
#include <stdio.h>

#include "signature.h"

static enum algorithm algorithm_of(const EVP_PKEY *key)
{
    char group[32];
    if (EVP_PKEY_is_a(key, "ED25519")) return EDDSA;
    if (EVP_PKEY_get_group_name(key, group, sizeof group, NULL) != 1) return (enum algorithm)0;
    return OBJ_sn2nid(group) == NID_X9_62_prime256v1 ? ES256 : (enum algorithm)0;
}

bool public_key_read(struct public_key *key, const char *path)
{
    FILE *file = fopen(path, "r");
    EVP_PKEY *read = file ? PEM_read_PUBKEY(file, NULL, NULL, NULL) : NULL;
    if (file) fclose(file);
    int length = read && algorithm_of(read) != 0 ? i2d_PUBKEY(read, NULL) : 0;
    bool fits = length > 0 && (size_t)length <= sizeof key->der;
    unsigned char *at = key->der;
    if (fits) key->length = (size_t)i2d_PUBKEY(read, &at);
    EVP_PKEY_free(read);
    return fits;
}

/* OpenSSL takes an ES256 signature as ASN.1; COSE has the two numbers of 32 bytes. */
static int to_asn1(const uint8_t signature[SIGNATURE_SIZE], unsigned char *asn1)
{
    ECDSA_SIG *numbers = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, SIGNATURE_SIZE / 2, NULL);
    BIGNUM *s = BN_bin2bn(signature + SIGNATURE_SIZE / 2, SIGNATURE_SIZE / 2, NULL);
    int length = -1;
    if (numbers && r && s && ECDSA_SIG_set0(numbers, r, s) == 1) {
        r = s = NULL; /* they belong to `numbers` now */
        length = i2d_ECDSA_SIG(numbers, &asn1);
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(numbers);
    return length;
}

bool signature_is_valid(const struct public_key *key, enum algorithm algorithm, const uint8_t *message, size_t length,
                        const uint8_t signature[SIGNATURE_SIZE])
{
    const unsigned char *der = key->der;
    unsigned char asn1[SIGNATURE_SIZE + 16];
    EVP_PKEY *parsed = d2i_PUBKEY(NULL, &der, (long)key->length);
    EVP_MD_CTX *check = EVP_MD_CTX_new();
    int asn1_length = algorithm == ES256 ? to_asn1(signature, asn1) : 0;
    bool is_valid =
        parsed && check && algorithm_of(parsed) == algorithm && asn1_length >= 0 &&
        EVP_DigestVerifyInit(check, NULL, algorithm == ES256 ? EVP_sha256() : NULL, NULL, parsed) == 1 &&
        EVP_DigestVerify(check, algorithm == ES256 ? asn1 : signature,
                         algorithm == ES256 ? (size_t)asn1_length : SIGNATURE_SIZE, message, length) == 1;
    EVP_MD_CTX_free(check);
    EVP_PKEY_free(parsed);
    return is_valid;
}

struct sha256 *sha256_begin(void)
{
    EVP_MD_CTX *hash = EVP_MD_CTX_new();
    if (hash && EVP_DigestInit_ex(hash, EVP_sha256(), NULL) == 1) return (struct sha256 *)hash;
    EVP_MD_CTX_free(hash);
    return NULL;
}

bool sha256_add(struct sha256 *hash, const void *bytes, size_t length)
{
    return EVP_DigestUpdate((EVP_MD_CTX *)hash, bytes, length) == 1;
}

bool sha256_end(struct sha256 *hash, uint8_t digest[SHA256_SIZE])
{
    bool is_done = EVP_DigestFinal_ex((EVP_MD_CTX *)hash, digest, NULL) == 1;
    EVP_MD_CTX_free((EVP_MD_CTX *)hash);
    return is_done;
}
