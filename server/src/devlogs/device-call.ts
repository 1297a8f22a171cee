import { middleware } from '../http/endpoint.ts'
import { outcomeOf } from '../trail/outcome.ts'

/** A device, and the child who wears it. */
export interface DeviceAndWearer {
  device_id: number
  real_user_id: number | null
}

/** Puts a call without a token on the trail, as that of the device, once the handler has named device and wearer. */
export const recordDeviceCallOnTrail = middleware(async ({ ctx, path, type, next }) => {
  let worn: DeviceAndWearer | undefined
  const result = await next({
    ctx: {
      concernsWearer: (found: DeviceAndWearer) => {
        worn = found
      },
    },
  })
  const outcome = outcomeOf(result)
  if (outcome === undefined || !worn || worn.real_user_id === null) return result
  ctx.trail.note(ctx, {
    actor: { kind: 'device', id: worn.device_id },
    operation: path,
    realUserId: worn.real_user_id,
    outcome,
    isChange: result.ok && type === 'mutation',
  })
  return result
})
