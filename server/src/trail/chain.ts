import { z } from 'zod'
import { RECORDED_ADDRESS_COLUMN } from '../database/encryption.ts'
import type { Context } from '../http/context.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { decryptOldValue } from './old-value.ts'

/*
 * The chains by which the trail and the security record show that nobody has changed them: docs/decisions/trail.md. Rows go
 * into blocks. Each row's hash is keyed and covers its content and its place; a block's covers the hashes of its rows and
 * of the block before; the head's says with which blocks the chain begins and ends.
 */

/** Makes hashes that nobody without the service's secret can make. */
export type ChainKeys = Pick<Context['keys'], 'hash'>

/** A record that is chained. */
export interface Chain {
  name: 'trail' | 'security'
  table: string
  /** The column that says when. It finds an open row together with `id`. */
  time: string
  /** SQL of a text that says all that may not change in a row `r`. */
  content: string
  /** SQL of what is personal in a row `r` and may be erased; null for nothing. */
  personal: string
  /** The text that such a value says. */
  open: (keyRing: KeyRing, personal: string) => string
  /** SQL: whether what is personal in the row `r` had to be erased. The parameter `$3` is when it is due by age. */
  mayBeErased: string
  /** SQL of the month that a block keeps to; null for none. */
  month: string
  /** SQL: whether a row `r` still counts at the moment `$2`. */
  isCounting: string
  /** SQL of what else a row is given with its block. */
  closing: string
  /** The columns by which open rows go into blocks in order. There is an index for it. */
  order: readonly string[]
}

const milliseconds = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`

export const trailChain: Chain = {
  name: 'trail',
  table: 'trail',
  time: 'at',
  content: `json_build_array(r.id, ${milliseconds('r.at')}, r.actor_kind, r.actor, r.operation, r.real_user_id, r.outcome,
      r.times, r.is_counted, encode(r.address_hash, 'base64'), r.request_id)::text`,
  personal: `r.old_value`,
  open: decryptOldValue,
  mayBeErased: `$3::timestamptz IS NULL OR NOT EXISTS (SELECT FROM real_user WHERE id = r.real_user_id AND deleted_at IS NULL)`,
  month: `to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-01')`,
  isCounting: `r.is_counted AND r.at > $2`,
  closing: '',
  order: ['at', 'id'],
}

const addressAndPhone = z.tuple([z.string().nullable(), z.string().nullable()])

const securityChain: Chain = {
  name: 'security',
  table: 'security_record',
  time: 'recorded_at',
  content: `json_build_array(r.id, ${milliseconds('r.recorded_at')}, r.root_user_id, r.action, r.reason, r.request_id, r.times,
      r.operator, r.approved_by)::text`,
  personal: `CASE WHEN coalesce(r.address, encode(r.phone_hash, 'hex')) IS NOT NULL
      THEN json_build_array(r.address, encode(r.phone_hash, 'base64'))::text END`,
  // As `personal` says it of an address that is not encrypted.
  open(keyRing, personal) {
    const [address, phone] = addressAndPhone.parse(JSON.parse(personal))
    return `[${JSON.stringify(keyRing.decrypt(RECORDED_ADDRESS_COLUMN, address))}, ${JSON.stringify(phone)}]`
  },
  mayBeErased: `r.recorded_at < $3 OR r.root_user_id IS NULL
      OR NOT EXISTS (SELECT FROM root_user WHERE id = r.root_user_id AND deleted_at IS NULL)`,
  month: `NULL`,
  isCounting: `r.minute > $2`,
  // It leaves the index by which errors find their row, so that the next one begins another.
  closing: ', minute = NULL',
  order: ['id'],
}

export const chains: readonly Chain[] = [trailChain, securityChain]

const hashOf = (keys: ChainKeys, kind: string, ...parts: readonly unknown[]): Buffer =>
  keys.hash('record', JSON.stringify([kind, ...parts]))

const text = (hash: Buffer | null) => hash?.toString('base64') ?? null

/** What is personal goes without a trace: what is left of it, a hash with a salt that goes with it, tells nobody anything. */
export const hashPersonalValues = (keys: ChainKeys, salt: Buffer, personal: string): Buffer =>
  hashOf(keys, 'personal', text(salt), personal)

/** Of what nobody could read any more when its block was closed: its hash is that of the stored text. */
export const hashUndecryptableValues = (keys: ChainKeys, salt: Buffer, stored: string): Buffer =>
  hashOf(keys, 'unreadable', text(salt), stored)

export interface ChainRowPosition {
  record: Chain['name']
  block: number
  place: number
}

export const hashRow = (
  keys: ChainKeys,
  { record, block, place }: ChainRowPosition,
  content: string,
  personal: Buffer | null,
): Buffer => hashOf(keys, 'row', record, block, place, content, text(personal))

export interface ChainBlockContent {
  record: Chain['name']
  number: number
  /** `yyyy-mm-01` */
  month: string | null
  rows: number
  /** Milliseconds since 1970. */
  closedAt: number
}

/**
 * What the first block follows that is closed after somebody has changed the ends of the chain. It stays in the chain for good.
 */
export const CHAIN_CUT_MARKER: Buffer = Buffer.alloc(0)

/** `before` is the hash of the block before; null for the first. */
export const hashBlock = (
  keys: ChainKeys,
  { record, number, month, rows, closedAt }: ChainBlockContent,
  before: Buffer | null,
  rowHashes: readonly Buffer[],
): Buffer => hashOf(keys, 'block', record, number, month, rows, closedAt, text(before), rowHashes.map(text))

export interface ChainHeadContent {
  record: Chain['name']
  first: number
  last: number
  keptSince: string | null
}

/** `lastBlock` is the hash of the last block; null if there is none. */
export const hashHead = (
  keys: ChainKeys,
  { record, first, last, keptSince }: ChainHeadContent,
  lastBlock: Buffer | null,
): Buffer => hashOf(keys, 'head', record, first, last, keptSince, text(lastBlock))
