import type { Device } from '@companion/sdk'
import { wallClock } from '../time/dates'

/** What the service knows of the devices that a child wears, as wall clock times where the user is. */
export interface UploadStatus {
  /** When the first of these devices was paired. */
  pairedAt: string
  /** When a new record last arrived; undefined as long as that is not known. */
  lastAt: string | undefined
  /** Whether nothing has arrived since the pairing. Of records from before the service kept the time, it knows no time. */
  isNone: boolean
}

type Worn = Pick<Device, 'real_user_id' | 'connected_at' | 'last_upload_at' | 'last_log_file_id'>

/** Undefined if the child wears no device, whose records could still arrive. */
export function summarizeUploads(devices: readonly Worn[], childId: number): UploadStatus | undefined {
  const worn = devices.filter(({ real_user_id }) => real_user_id === childId)
  const first = worn.map(({ connected_at }) => connected_at).sort()[0]
  if (first === undefined) return undefined
  const last = worn
    .flatMap(({ last_upload_at }) => last_upload_at ?? [])
    .sort()
    .at(-1)
  return {
    pairedAt: wallClock(new Date(first)),
    lastAt: last && wallClock(new Date(last)),
    isNone: last === undefined && worn.every(({ last_log_file_id }) => last_log_file_id === 0),
  }
}
