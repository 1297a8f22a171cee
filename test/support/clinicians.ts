import { randomUUID } from 'node:crypto'
import { relyingParty } from '@companion/server/auth/passkey/passkey.ts'
import { inviteToClinic } from '@companion/server/clinics/manage-clinics.ts'
import { createAuthenticator } from './authenticator.ts'
import type { Authenticator } from './authenticator.ts'
import { CLINIC } from './clinics.ts'
import { OPERATOR } from './operator.ts'
import type { TestServer } from './server.ts'

export const INVITATION = '/api/v1/alpha/auth/clinician/invitation'
export const CLINICIAN_SIGN_UP = '/api/v1/alpha/auth/clinician/signup'
export const PASSKEY = '/api/v1/alpha/auth/passkey'
export const OWN_PASSKEYS = '/api/v1/beta/user/passkey'

type Service = Pick<TestServer, 'post' | 'database' | 'url' | 'config'>

export interface Clinician {
  id: number
  email: string
  token: string
  refreshToken: string
  authenticator: Authenticator
}

interface Invited {
  email?: string
  role?: 'admin' | 'clinician'
}

export const anyDoctor = () => `doctor-${randomUUID()}@clinic.example.org`

/** An authenticator in front of the service's own pages. */
export const authenticatorOf = ({ url, config }: Pick<TestServer, 'url' | 'config'>) =>
  createAuthenticator(relyingParty(config.publicUrl ?? url).origin)

/** The token in the link of an invitation that an operator has made. */
export async function invitationTo(
  { database }: Pick<TestServer, 'database'>,
  clinic_id: number,
  { email = anyDoctor(), role = 'clinician' }: Invited = {},
): Promise<string> {
  const invited = await database.transaction((sql) =>
    inviteToClinic(sql, database.keyRing, { clinic_id, email, role }, OPERATOR),
  )
  return invited?.token ?? ''
}

/** Accepts an invitation by a new passkey, as the page of its link does. */
export async function acceptInvitation(
  server: Pick<TestServer, 'post'>,
  token: string,
  authenticator: Authenticator,
  first_name = 'Dr. Han',
) {
  const { body } = await server.post(INVITATION, { json: { token } })
  const { challenge_id, options } = body
  const credential = authenticator.create(options)
  return server.post(CLINICIAN_SIGN_UP, { json: { token, challenge_id, first_name, credential } })
}

/** A new clinician who works in a clinic. */
export async function addClinician(
  server: Service,
  clinic_id: number,
  { email = anyDoctor(), role = 'clinician', first_name = 'Dr. Han' }: Invited & { first_name?: string } = {},
): Promise<Clinician> {
  const authenticator = authenticatorOf(server)
  const token = await invitationTo(server, clinic_id, { email, role })
  const { status, body } = await acceptInvitation(server, token, authenticator, first_name)
  if (status !== 200) throw new Error(`Not signed up: ${JSON.stringify(body)}`)
  return { id: body.id, email, token: body.access_token, refreshToken: body.refresh_token, authenticator }
}

/** Signs in by a passkey, as the page does. */
export async function passkeySignIn(
  server: Pick<TestServer, 'post'>,
  authenticator: Authenticator,
  id?: string,
) {
  const { challenge_id, options } = (await server.post(`${PASSKEY}/options`)).body
  const credential = authenticator.get(options, id === undefined ? {} : { id })
  return server.post(`${PASSKEY}/signin`, { json: { challenge_id, credential } })
}

type Caller = Pick<Clinician, 'token'>

/** The clinicians' calls about clinics. */
export const clinicOf = (
  server: Pick<TestServer, 'get' | 'post' | 'patch' | 'put' | 'delete'>,
  clinic_id: number,
) => {
  const path = `${CLINIC}/${clinic_id}`
  return {
    memberships: ({ token }: Caller) => server.get(`${CLINIC}/membership`, { token }),
    members: ({ token }: Caller) => server.get(`${path}/member`, { token }),
    invite: ({ token }: Caller, fields: object, headers: Record<string, string> = {}) =>
      server.post(`${path}/member`, { token, json: fields, headers }),
    children: ({ token }: Caller, query: Record<string, string | number> = {}) =>
      server.get(`${path}/child`, { token, query }),
    updatePlace: ({ token }: Caller, real_user_id: number, fields: object) =>
      server.patch(`${path}/child/${real_user_id}`, { token, json: fields }),
    planNights: ({ token }: Caller, real_user_id: number, fields: object) =>
      server.put(`${path}/child/${real_user_id}/plan`, { token, json: fields }),
    withdrawInvitation: ({ token }: Caller, invitation_id: number) =>
      server.delete(`${path}/invitation/${invitation_id}`, { token }),
    removeMember: ({ token }: Caller, member_id: number) =>
      server.delete(`${path}/member/${member_id}`, { token }),
  }
}
