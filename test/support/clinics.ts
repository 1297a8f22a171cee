import { addClinic } from '@companion/server/clinics/manage-clinics.ts'
import type { Account } from './family.ts'
import { OPERATOR } from './operator.ts'
import type { TestServer } from './server.ts'

type Service = Pick<TestServer, 'get' | 'post' | 'delete'>
type Caller = Pick<Account, 'token'>

export const CLINIC = '/api/v1/beta/clinic'

export interface AddedClinic {
  clinic_id: number
  name: string
  code: string
}

/** Adds a clinic, as an operator does. */
export const newClinic = (
  { database }: Pick<TestServer, 'database'>,
  name = 'Seoul Sleep Clinic',
  url: string | null = 'https://clinic.example.org',
): Promise<AddedClinic> => database.transaction((sql) => addClinic(sql, { name, url }, OPERATOR))

/** The parents' calls about clinics; each takes the account that makes it. */
export const clinics = (server: Service) => ({
  find: ({ token }: Caller, code: string) => server.get(CLINIC, { token, query: { code } }),
  connect: ({ token }: Caller, fields: { code: string; real_user_id: number; until?: string | null }) =>
    server.post(`${CLINIC}/connection`, { token, json: fields }),
  listConnections: ({ token }: Caller, real_user_id: number) =>
    server.get(`${CLINIC}/connection`, { token, query: { real_user_id } }),
  disconnect: ({ token }: Caller, connection_id: number) =>
    server.delete(`${CLINIC}/connection/${connection_id}`, { token }),
})

/** Lets a clinic in, as the owner of the child does. */
export async function connectClinic(
  server: Service,
  owner: Caller,
  fields: { code: string; real_user_id: number; until?: string },
): Promise<{ connection_id: number }> {
  const connected = await clinics(server).connect(owner, fields)
  if (connected.status !== 200) throw new Error(`Not connected: ${JSON.stringify(connected.body)}`)
  return connected.body
}
