import type { CompanionFile } from '@companion/sdk'
import type { CalendarDate } from '../time/dates'

interface Storage {
  getAllKeys: () => Promise<readonly string[]>
  getItem: (key: string) => Promise<string | null>
  setItem: (key: string, text: string) => Promise<unknown>
  multiRemove: (keys: string[]) => Promise<void>
}

/** What a report is about, and the date on which it was made. */
export interface ReportOf {
  start_date: CalendarDate
  end_date: CalendarDate
  made_on: CalendarDate
}

export type KeptReport = ReportOf & { type: string; base64: string }

const PREFIX = 'companion-report-'
/** Characters: Android can read at most 2 MB from one item of the storage. A report of three months has about 0.3 MB. */
const MOST = 1_500_000
/** Bytes that are turned into text at once; a multiple of 3. */
const PIECE = 24_573

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)))
  return text
}

/** The file of a kept report. */
export function decodeKeptReport({ type, base64 }: KeptReport): CompanionFile {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return { name: '', type, bytes: bytes.buffer }
}

function parse(text: string | null): KeptReport | undefined {
  const value: unknown = text === null ? undefined : JSON.parse(text)
  return isKept(value) ? value : undefined
}

const isKept = (value: unknown): value is KeptReport =>
  typeof value === 'object' &&
  value !== null &&
  ['start_date', 'end_date', 'made_on', 'type', 'base64'].every(
    (key) => typeof Reflect.get(value, key) === 'string',
  )

/** Keeps the newest report of each child on this phone, so that it can be shown without a connection. */
export function createReportStore(storage: Storage) {
  const remove = async (isWanted: (key: string) => boolean) => {
    const keys = (await storage.getAllKeys()).filter((key) => key.startsWith(PREFIX) && isWanted(key))
    if (keys.length > 0) await storage.multiRemove(keys)
  }
  return {
    /** A report that is too large, or that the phone has no room for, is not kept. */
    async keep(childId: number, { type, bytes }: CompanionFile, of: ReportOf): Promise<void> {
      const kept: KeptReport = { ...of, type, base64: toBase64(new Uint8Array(bytes)) }
      if (kept.base64.length <= MOST)
        await storage.setItem(`${PREFIX}${childId}`, JSON.stringify(kept)).catch(() => undefined)
    },
    /** Null if there is none, or if it cannot be read. */
    async read(childId: number): Promise<KeptReport | null> {
      const text = await storage.getItem(`${PREFIX}${childId}`).catch(() => null)
      try {
        return parse(text) ?? null
      } catch {
        return null
      }
    },
    /** Deletes the reports of all children but these. */
    forget: (except: readonly number[] = []): Promise<void> =>
      remove((key) => !except.some((id) => key === `${PREFIX}${id}`)).catch(() => undefined),
  }
}
