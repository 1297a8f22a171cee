import { relyingParty } from '../auth/passkey/passkey.ts'
import type { Database } from '../database/database.ts'
import { Device, RealUser, RootUser } from '../entities/entities.ts'
import { demoInvitation } from './clinic.ts'
import { DEMO_CLIENT, DEMO_EMAIL, DEMO_PASSWORD, demoDevice } from './family.ts'

/** Builds the text shown after a demo start: the addresses, the sign-in and commands to try. */
export async function demoBanner(
  database: Database,
  address: string,
  hasClinicApp: boolean,
): Promise<string> {
  const em = database.fork()
  const account = await em.findOne(RootUser, { email_hash: database.keyRing.index('email', DEMO_EMAIL) })
  if (!account) return `\nCompanion runs at ${address}  (reference: ${address}/docs)\n\n`
  const { unique_id } = demoDevice(3)
  const spare = await em.findOne(Device, { unique_id, real_user_id: null })
  const child = await em.findOne(
    RealUser,
    { root_user_id: account.id, deleted_at: null },
    { orderBy: { id: 'asc' } },
  )
  const pairing = spare
    ? `\n  unpaired device   serial_code ${spare.serial_code}, mac_id ${spare.mac_id}, unique_id ${spare.unique_id}`
    : ''
  const invitation = hasClinicApp && (await demoInvitation(database, address))
  const clinic = hasClinicApp
    ? `\n  clinicians' app   ${relyingParty(address).origin}/clinic${invitation ? `\n  begin there by    ${invitation}` : ''}`
    : ''
  return `
Companion runs at ${address}

  reference         ${address}/docs
  parents' app      npx pnpm@12 app, in another terminal${clinic}
  mails and SMS     ${address}/outbox
  demo sign-in      ${DEMO_EMAIL} / ${DEMO_PASSWORD}
  OAuth client      ${DEMO_CLIENT}, public, redirect to http://127.0.0.1:<any port>/callback${pairing}

Try, in another terminal:

  1. sign in
     TOKEN=$(curl -s ${address}/api/v1/alpha/auth/email/signin -d username=${DEMO_EMAIL} -d password=${DEMO_PASSWORD} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  2. see the last 7 nights of the first child
     curl -s "${address}/api/v1/beta/chart/recent?real_user_id=${child?.id ?? 1}" -H "Authorization: Bearer $TOKEN"
  3. simulate the child's device for three nights
     npx pnpm@12 simulate nights --url ${address} --unique-id ${demoDevice(1).unique_id} --nights 3

`
}
