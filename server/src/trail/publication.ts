import { createPublicKey } from 'node:crypto'
import { compactVerify, CompactSign, errors, exportJWK } from 'jose'
import { z } from 'zod'
import type { Sql } from '../database/database.ts'
import { ed25519Key } from '../encryption/ed25519-key.ts'
import { chains } from './chain.ts'
import type { Chain, ChainKeys } from './chain.ts'
import { readHead, runStatement } from './head.ts'

/*
 * What is published of the chains: where they end, signed, for a third party to keep. With it, a later look finds what was
 * taken away since, even by somebody who can set the whole database back. See docs/decisions/trail.md.
 */

/** The key that signs what is published. */
export interface PublicationKeys {
  publicationSeed: Buffer
}

const end = z.object({
  /** The number of the last block; 0 if there is none. */
  block: z.number().int().min(0),
  hash: z.string().nullable(),
  month: z.string().nullable(),
})

const publication = z.object({
  /** ISO 8601 */
  at: z.string(),
  trail: end,
  security: end,
})

/** The ends of both chains at a moment. */
export type Publication = z.infer<typeof publication>

/** The chain does not end as the service has signed it, so that nothing of it is published. */
export class UnsignedChainEndError extends Error {
  override name = 'UnsignedChainEndError'
  readonly record: Chain['name']

  constructor(record: Chain['name']) {
    super(`The ${record} record does not end as it was signed`)
    this.record = record
  }
}

interface BlockRow {
  hash: Buffer
  month: string | null
}

const blockOf = async (tx: Sql, record: Chain['name'], number: number): Promise<BlockRow | undefined> =>
  (
    await runStatement<BlockRow>(
      tx,
      'SELECT hash, month::text FROM chain_block WHERE record = $1 AND number = $2',
      [record, number],
    )
  )[0]

/** Reads the ends of the chains, in the snapshot of `tx`. Throws `UnsignedChainEndError`. */
export async function readChainEnds(tx: Sql, keys: ChainKeys): Promise<Publication> {
  const ends = new Map<Chain['name'], z.infer<typeof end>>()
  for (const chain of chains) {
    const head = await readHead(tx, chain, keys)
    if (!head.isSigned) throw new UnsignedChainEndError(chain.name)
    const last = await blockOf(tx, chain.name, head.last)
    ends.set(chain.name, {
      block: head.last,
      hash: last?.hash.toString('base64url') ?? null,
      month: last?.month ?? null,
    })
  }
  return publication.parse({ at: new Date().toISOString(), ...Object.fromEntries(ends) })
}

/** Signs a publication: a compact JWS (RFC 7515) with the public key in its header. */
export async function signPublication(
  { publicationSeed }: PublicationKeys,
  ends: Publication,
): Promise<string> {
  const key = ed25519Key(publicationSeed)
  return new CompactSign(Buffer.from(JSON.stringify(ends)))
    .setProtectedHeader({ alg: 'EdDSA', jwk: await exportJWK(createPublicKey(key)) })
    .sign(key)
}

/** Reads what `signPublication` has made; undefined if this service has not signed it. */
export async function readPublication(
  { publicationSeed }: PublicationKeys,
  jws: string,
): Promise<Publication | undefined> {
  try {
    const { payload } = await compactVerify(jws, createPublicKey(ed25519Key(publicationSeed)), {
      algorithms: ['EdDSA'],
    })
    return publication.parse(JSON.parse(Buffer.from(payload).toString()))
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

/** Something that was there when the ends of a chain were published. */
export interface MissingChainEnd {
  record: Chain['name']
  /** Of the publication. */
  at: string
  block: number
  /** The last block that is there, up to which all may still be as it was; null if it holds other rows now. */
  last: number | null
}

/**
 * What a record has no longer of what was published, in the snapshot of `tx`. Months that were purged after `TRAIL_YEARS` are not
 * missing.
 */
export async function findMissingChainEnds(
  tx: Sql,
  keys: ChainKeys,
  published: Publication,
): Promise<MissingChainEnd[]> {
  const missing: MissingChainEnd[] = []
  for (const chain of chains) {
    const { block, hash, month } = published[chain.name]
    if (block === 0) continue
    const { first, last, kept_since: keptSince, isSigned } = await readHead(tx, chain, keys)
    const isPurged = isSigned && block < first && month !== null && keptSince !== null && month < keptSince
    const present = await blockOf(tx, chain.name, block)
    if (block > last) missing.push({ record: chain.name, at: published.at, block, last })
    else if (!isPurged && present?.hash.toString('base64url') !== hash)
      missing.push({ record: chain.name, at: published.at, block, last: null })
  }
  return missing
}
