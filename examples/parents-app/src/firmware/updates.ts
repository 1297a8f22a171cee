import type { OfferedUpdate, ReachableDevice } from './device-link'
import type { UpdateState } from './carry-update'

/** An update that was begun while the app runs. */
export interface UpdateRun {
  update: OfferedUpdate
  state: UpdateState
  isRunning: boolean
  /** What went wrong beside the update itself, such as a call that was refused. */
  error: unknown
}

export type CarryUpdate<Target extends ReachableDevice> = (
  device: Target,
  update: OfferedUpdate,
  how: { before: UpdateRun | undefined; show: (state: UpdateState) => void; signal: AbortSignal },
) => Promise<UpdateState>

/** The updates that were begun, one for each device. They go on while the parent looks at other screens. */
export function createUpdateRuns<Target extends ReachableDevice>(carry: CarryUpdate<Target>) {
  const runs = new Map<number, UpdateRun & { stop: AbortController }>()
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }

  async function go(device: Target, update: OfferedUpdate): Promise<void> {
    const { device_id } = device
    const former = runs.get(device_id)
    if (former?.isRunning) return
    const before = former?.update.firmware_id === update.firmware_id ? former : undefined
    const stop = new AbortController()
    const change = (more: Partial<UpdateRun>) => {
      const run = runs.get(device_id)
      // The session may have ended.
      if (run?.stop !== stop) return
      runs.set(device_id, { ...run, ...more })
      tell()
    }
    const state: UpdateState = { step: 'loading', bytes: 0 }
    runs.set(device_id, { update, state, isRunning: true, error: undefined, stop })
    tell()
    try {
      const how = { before, show: (next: UpdateState) => change({ state: next }), signal: stop.signal }
      change({ state: await carry(device, update, how), isRunning: false })
    } catch (error) {
      change({ error, isRunning: false })
    }
  }

  return {
    /** Begins an update, or goes on with it. */
    go,
    /** Stops an update, which can go on from where it is. */
    stop: (device_id: number) => runs.get(device_id)?.stop.abort(),
    /** The update of a device; undefined if none was begun. */
    of: (device_id: number): UpdateRun | undefined => runs.get(device_id),
    /** Calls `listener` after each change. The returned function stops that. */
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Ends all updates, when the session ends. */
    forget: () => {
      for (const { stop } of runs.values()) stop.abort()
      runs.clear()
      tell()
    },
  }
}
