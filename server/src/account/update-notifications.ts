import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { RootUser } from '../database/entities/root-user.ts'
import { isRefusedByDatabase } from '../database/refusal.ts'
import { flag } from '../http/fields.ts'
import { rootUser } from './root-user.ts'

const notifications = rootUser.pick({
  is_device_muted: true,
  is_device_alim_talk_enabled: true,
  is_basestation_alert_enabled: true,
})

export const updateNotifications = accountEndpoint(
  {
    method: 'PATCH',
    path: '/api/v1/beta/user/notification',
    summary: 'Switch alerts on and off',
    description: `\`is_device_muted\`: no alerts of devices at all. \`is_device_alim_talk_enabled\`: a message in the messaging app, besides
the push message, when electrodes lose contact. \`is_basestation_alert_enabled\`: a push message when the air, light or
noise around a base station leaves its bounds.`,
  },
  [
    [404, 'User not found'],
    [409, 'User notification update failed'],
  ],
)
  .input(
    z.object({
      is_device_muted: flag,
      is_device_alim_talk_enabled: flag,
      is_basestation_alert_enabled: flag,
    }),
  )
  .output(notifications)
  .mutation(async ({ ctx, input }) => {
    const updated = await ctx.database
      .fork()
      .nativeUpdate(RootUser, { id: ctx.caller.rootUserId, deleted_at: null }, input)
      .catch((error: unknown) => {
        if (!isRefusedByDatabase(error)) throw error
        ctx.log.error({ err: error, request_id: ctx.request.id }, 'notifications not updated')
        throw ctx.failure(409, 'User notification update failed')
      })
    if (updated === 0) throw ctx.failure(404, 'User not found')
    return input
  })
