import { z } from 'zod'

/** A base station that is connected to the account. */
export const basestation = z
  .object({
    basestation_id: z.int(),
    serial_code: z.string().meta({ description: 'Printed on the base station' }),
    unique_id: z.guid(),
    connected_at: z.string().meta({ format: 'date-time' }),
  })
  .meta({ id: 'BaseStation' })

export type ListedBasestation = z.infer<typeof basestation>
