import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { isRefusedByDatabase } from '../database/sql-errors.ts'
import { flag, timeZoneName } from '../http/fields.ts'
import { rootUser } from './root-user.ts'

const notifications = rootUser
  .pick({
    is_device_muted: true,
    is_device_alim_talk_enabled: true,
    is_basestation_alert_enabled: true,
    is_child_named_in_alerts: true,
    language: true,
    time_zone: true,
  })
  .meta({
    id: 'Notifications',
    description: 'The switches of alerts, and the language and time zone of the account',
  })

const columns = notifications.omit({ time_zone: true }).keyof().options

const described = (name: keyof typeof notifications.shape) =>
  flag.meta({ description: notifications.shape[name].description })

export const updateNotifications = accountEndpoint(
  {
    method: 'PATCH',
    path: '/api/v1/beta/user/notification',
    right: 'self',
    summary: 'Switch alerts on and off',
    description: 'Three are set at once; the others stay as they are when they are absent.',
  },
  [
    [404, 'User not found', 'a parallel call has deleted the account'],
    [409, 'User notification update failed', 'the database refused the change'],
  ],
)
  .input(
    z.object({
      is_device_muted: described('is_device_muted'),
      is_device_alim_talk_enabled: described('is_device_alim_talk_enabled'),
      is_basestation_alert_enabled: described('is_basestation_alert_enabled'),
      is_child_named_in_alerts: described('is_child_named_in_alerts').optional(),
      language: notifications.shape.language.optional(),
      time_zone: timeZoneName.optional(),
    }),
  )
  .output(notifications)
  .mutation(async ({ ctx, input }) => {
    const updated = await ctx.database.sql
      .updateTable('root_user')
      .set(input)
      .where('id', '=', ctx.caller.rootUserId)
      .where('deleted_at', 'is', null)
      .returning((row) => [...columns, row.fn.coalesce('time_zone', row.val(ctx.timeZone)).as('time_zone')])
      .executeTakeFirst()
      .catch((error: unknown) => {
        if (!isRefusedByDatabase(error)) throw error
        ctx.log.error({ err: error, request_id: ctx.request.id }, 'notifications not updated')
        throw ctx.failure(409, 'User notification update failed')
      })
    if (!updated) throw ctx.failure(404, 'User not found')
    return updated
  })
