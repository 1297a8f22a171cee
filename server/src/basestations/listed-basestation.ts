import { z } from 'zod'

/** A base station that is connected to the account. */
export const basestationSchema = z
  .object({
    basestation_id: z.int(),
    serial_code: z.string().meta({ description: 'Printed on the base station' }),
    unique_id: z.guid(),
    connected_at: z
      .string()
      .meta({ format: 'date-time', description: 'When it was connected to the account' }),
  })
  .meta({ id: 'BaseStation', description: 'A base station that is connected to the account' })

export type ListedBasestation = z.infer<typeof basestationSchema>
