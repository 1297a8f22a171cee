import type { Device } from '@companion/sdk'
import { useSyncExternalStore } from 'react'
import { companion, whenSignedOut } from '../companion/client'
import { queryClient } from '../companion/query-client'
import { plansOptions } from '../companion/queries'
import { wallClock } from '../time/dates'
import { carryUpdate, isOver } from './carry-update'
import { deviceLink } from './link'
import { forgetImages, loadImage } from './load-image'
import { isNightTime } from './night-time'
import { createUpdateRuns } from './updates'
import type { UpdateRun } from './updates'

/** Whether a child may be asleep with the device, by the plans that this phone knows. */
export const isNightNow = (childId: number): boolean =>
  isNightTime(queryClient.getQueryData(plansOptions(childId).queryKey)?.plans ?? [], wallClock(new Date()))

/** The updates of this phone. */
export const runningUpdates = createUpdateRuns<Device>(async (device, update, { before, show, signal }) => {
  if (!deviceLink) throw new Error('This build reaches no device')
  const { device_id, real_user_id } = device
  const { firmware_id } = update
  const state = await carryUpdate(
    {
      link: deviceLink,
      isOffered: async () => {
        const { update: offered } = await companion.firmware.check({ device_id }, { signal })
        return offered?.firmware_id === firmware_id
      },
      load: (onBytes) => loadImage(device_id, update, onBytes, signal),
      forget: forgetImages,
      report: (report) => companion.outbox.reportFirmware({ device_id, firmware_id, ...report }),
      isNight: () => isNightNow(real_user_id),
      show,
      signal,
    },
    device,
    update,
    before?.state.step,
  )
  if (isOver(state)) await forgetImages()
  return state
})
whenSignedOut(() => {
  runningUpdates.forget()
  void forgetImages()
})

/** The update of a device that was begun while the app runs. */
export const useRun = (device_id: number): UpdateRun | undefined =>
  useSyncExternalStore(runningUpdates.subscribe, () => runningUpdates.of(device_id))
