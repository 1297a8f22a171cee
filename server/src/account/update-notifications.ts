import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { isValueRejectedByDatabase } from '../database/sql-errors.ts'
import { rejectNull } from '../http/body/absent-fields.ts'
import { clockTimeField, booleanField, timeZoneField } from '../http/fields.ts'
import { accountHolderSchema } from './root-user.ts'

const notifications = accountHolderSchema
  .pick({
    is_device_muted: true,
    is_device_alim_talk_enabled: true,
    is_basestation_alert_enabled: true,
    is_child_named_in_alerts: true,
    language: true,
    time_zone: true,
    is_bedtime_reminded: true,
    is_missing_night_told: true,
    missing_night_at: true,
    quiet_from: true,
    quiet_to: true,
  })
  .meta({
    id: 'Notifications',
    description: 'The switches and times of alerts, and the language and time zone of the account',
  })

const columns = notifications.omit({ time_zone: true }).keyof().options

const described = (name: keyof typeof notifications.shape) =>
  booleanField.meta({ description: notifications.shape[name].description })

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
      time_zone: timeZoneField.optional(),
      is_bedtime_reminded: described('is_bedtime_reminded').optional(),
      is_missing_night_told: described('is_missing_night_told').optional(),
      missing_night_at: rejectNull(
        clockTimeField.meta({ description: notifications.shape.missing_night_at.description }),
      ).optional(),
      quiet_from: notifications.shape.quiet_from.optional(),
      quiet_to: notifications.shape.quiet_to.optional(),
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
        if (!isValueRejectedByDatabase(error)) throw error
        ctx.log.error({ err: error, request_id: ctx.request.id }, 'notifications not updated')
        throw ctx.failure(409, 'User notification update failed')
      })
    if (!updated) throw ctx.failure(404, 'User not found')
    return updated
  })
