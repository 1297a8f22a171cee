import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { encode, Tag } from 'cbor2'
import { expect, test } from 'vitest'
import { isSignedBy, makeKeyPair, sha256Of, signManifest, verifyManifest } from './manifest.ts'
import type { ManifestFields } from './manifest.ts'

const image = new TextEncoder().encode('an image')
const fields: ManifestFields = {
  firmware_id: 13,
  hardware: 'A1',
  size: image.length,
  sha256: sha256Of(image),
  sequence: 7,
  not_after: null,
  oldest: 10,
}

const pair = makeKeyPair('ES256')
const keys = [{ kid: pair.kid, publicKey: createPublicKey(pair.publicKey) }]

test.each(['ES256', 'EdDSA'] as const)(
  'a manifest signed by %s says what was signed, in 512 bytes at most',
  (algorithm) => {
    const { kid, privateKey, publicKey } = makeKeyPair(algorithm)
    const long = {
      ...fields,
      hardware: 'x'.repeat(32),
      firmware_id: 2_147_483_647,
      not_after: 253_402_300_799,
    }
    const manifest = signManifest(long, privateKey)
    expect(manifest.length).toBeLessThan(256)
    // As a file is read.
    const read = verifyManifest(Buffer.from(manifest), [{ kid, publicKey: createPublicKey(publicKey) }])
    expect({ ...read, sha256: Buffer.from(read.sha256) }).toEqual({
      ...long,
      sha256: Buffer.from(long.sha256),
    })
  },
)

test('the map and its header are those of the contract, in the shortest form', () => {
  const kid = Buffer.from(pair.kid).toString('hex')
  const hash = Buffer.from(fields.sha256).toString('hex')
  expect(Buffer.from(signManifest(fields, pair.privateKey)).toString('hex')).toMatch(
    new RegExp(
      `^d284 55a2012604 50${kid} a0 5832a7010d026241310308045820${hash}050706f6070a 5840[0-9a-f]{128}$`.replaceAll(
        ' ',
        '',
      ),
    ),
  )
})

test('no flipped bit of a manifest is accepted', () => {
  const manifest = signManifest(fields, pair.privateKey)
  for (let bit = 0; bit < manifest.length * 8; bit += 1) {
    const flipped = Uint8Array.from(manifest)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(() => verifyManifest(flipped, keys), `bit ${bit}`).toThrow(/The (manifest|signature)/)
  }
})

test('refuses another key, another algorithm, what is too long, and what is no manifest', () => {
  const other = makeKeyPair('ES256')
  const manifest = signManifest(fields, other.privateKey)
  expect(() => verifyManifest(manifest, keys)).toThrow(/FIRMWARE_KEYS does not name/)
  expect(() => verifyManifest(signManifest(fields, other.privateKey, pair.kid), keys)).toThrow(
    /not one of the key/,
  )
  expect(() => verifyManifest(new Uint8Array(513), keys)).toThrow(/longer than 512/)
  for (const bytes of [new Uint8Array(), encode('text'), encode(new Tag(18, [1])), encode(new Tag(17, []))])
    expect(() => verifyManifest(bytes, keys)).toThrow(/no COSE_Sign1/)
  expect(() => verifyManifest(signManifest({ ...fields, size: 0 }, pair.privateKey), keys)).toThrow(/size/)
  expect(() => signManifest(fields, 'nothing')).toThrow(/not readable as PEM/)
  const { privateKey } = generateKeyPairSync('x25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  expect(() => signManifest(fields, privateKey)).toThrow(/P-256 or Ed25519/)
})

/* Appendix C.2.1 of RFC 9052 with the key of C.7.1: the bytes of another implementation. */
test('verifies an example of the standard', () => {
  const key = createPublicKey({
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: 'usWxHK2PmfnHKwXPS54m0kTcGJ90UiglWiGahtagnv8',
      y: 'IBOL-C3BttVivg-lSreASjpkttcsz-1rb7btKLv8EX4',
    },
    format: 'jwk',
  })
  const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
  const example = {
    header: hex('a10126'),
    payload: new TextEncoder().encode('This is the content.'),
    signature: hex(
      '8eb33e4ca31d1c465ab05aac34cc6b23d58fef5c083106c4d25a91aef0b0117e2af9a291aa32e14ab834dc56ed2a223444547e01f11d3b0916e5a4c345cacb36',
    ),
  }
  expect(isSignedBy(key, example)).toBe(true)
  expect(isSignedBy(key, { ...example, payload: new TextEncoder().encode('This is the content!') })).toBe(
    false,
  )
})
