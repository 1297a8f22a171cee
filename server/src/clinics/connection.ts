import { z } from 'zod'
import { isoTimestampSql } from '../database/wire-time.ts'

/** A clinic as parents see it. */
export const clinicSchema = z
  .object({
    clinic_id: z.int().meta({ description: 'The id of the clinic' }),
    name: z.string().meta({ description: 'Its name', examples: ['Seoul Sleep Clinic'] }),
    url: z
      .string()
      .nullable()
      .meta({
        description: 'Where it presents itself; null without',
        examples: ['https://clinic.example.org'],
      }),
  })
  .meta({ id: 'Clinic', description: 'A clinic that parents may let in' })

export type Clinic = z.infer<typeof clinicSchema>

/** The connection of a child with a clinic, as parents see it. */
export const connectionSchema = z
  .object({
    connection_id: z.int().meta({ description: 'The id of the connection' }),
    clinic: clinicSchema,
    real_user_id: z.int(),
    since: z.string().meta({ format: 'date-time', description: 'When it began' }),
    until: z.string().nullable().meta({
      description: 'The last day, `yyyy-mm-dd`, in the time zone of the service; null without an end',
    }),
  })
  .meta({ id: 'ClinicConnection', description: 'A clinic that may see a child' })

export type Connection = z.infer<typeof connectionSchema>

/** SQL of a connection `c` with its clinic `k`, in that format. */
export const CONNECTION_COLUMNS = `c.id AS connection_id, json_build_object('clinic_id', k.id, 'name', k.name, 'url', k.url) AS clinic,
  c.real_user_id, ${isoTimestampSql('c.since')} AS since, to_char(c.until, 'YYYY-MM-DD') AS until`
