import { makeNights } from '@companion/device-simulator'
import { recordConsents } from '../auth/consents.ts'
import { hashPassword } from '../auth/passwords.ts'
import { addClient } from '../oauth/manage-clients.ts'
import type { Config } from '../config/config.ts'
import type { Database, Sql } from '../database/database.ts'
import { RealUser, RootUser } from '../database/entities.ts'
import { scopes } from '../http/scope.ts'
import { devlog } from '../devlogs/devlog.ts'
import { connectDevice } from '../devices/pairing.ts'
import { registerDevices } from '../devices/register.ts'
import { storeDevlogs } from '../devlogs/store-devlogs.ts'
import { addDays, today, wallClock } from '../time/wall-clock.ts'
import { makeDemoHome } from './home.ts'
import { encryptPerson } from '../encryption/person.ts'
import { emailColumns, phoneColumns } from '../database/lookup.ts'

/** A service on the visitor's own machine, which may ask the demo family for everything. */
export const DEMO_CLIENT = 'demo-client'
export const DEMO_EMAIL = 'demo@example.com'
export const DEMO_PASSWORD = 'demo-family-2026'
const NIGHTS = 120

const children = [
  { first_name: 'Mina', last_name: 'Kim', birthdate: '20170312', gender: 'F', device: 1 },
  { first_name: 'Joon', last_name: 'Kim', birthdate: '20190824', gender: 'M', device: 2 },
] as const

/** Returns the codes of a demo device; device 3 is unpaired, for visitors to pair. */
export const demoDevice = (number: 1 | 2 | 3) => ({
  serial_code: `DEMO-00${number}`,
  mac_id: `D0A${number}`,
  unique_id: `de000000-0000-4000-8000-00000000000${number}`,
})

/**
 * Creates an account with two children, who have 120 nights each and a home, and one unpaired device. Returns false,
 * and changes nothing, if the database already holds accounts or devices.
 */
export async function makeDemoFamily(
  database: Database,
  { timeZone }: Pick<Config, 'timeZone'>,
): Promise<boolean> {
  const password_hash = await hashPassword(DEMO_PASSWORD)
  const family = await database.transaction(async (sql, em) => {
    if (await isInUse(sql)) return undefined
    const rootUserId = await em.insert(RootUser, {
      ...emailColumns(database.keyRing, DEMO_EMAIL),
      email_confirmed_at: new Date(),
      password_hash,
      password_changed_at: new Date(),
      ...encryptPerson(database.keyRing, 'root_user', {
        first_name: 'Kim Jiyoung',
        last_name: '',
        birthdate: '19850401',
      }),
      gender: 'F',
      ...phoneColumns(database.keyRing, '+821000000001'),
      is_phone_number_checked: true,
      is_signup_completed: true,
      register_type: 'E',
      national_code: 'KR',
    })
    await recordConsents(sql, rootUserId, { is_push_agree: false, is_marketing_agree: false }, 'sign-up')
    await registerDevices(
      sql,
      ([1, 2, 3] as const).map((number) => ({ ...demoDevice(number), firmware_id: 1 })),
    )
    const made = children.map(({ device, ...profile }) => ({
      device,
      child: em.create(RealUser, {
        ...encryptPerson(database.keyRing, 'real_user', profile),
        root_user_id: rootUserId,
      }),
    }))
    await em.flush()
    await addClient(sql, {
      client_id: DEMO_CLIENT,
      name: 'Demo client',
      publisher: 'Yourself',
      url: 'https://companion.example.org/integrate',
      contact: 'demo-client@example.com',
      redirect_uris: ['http://127.0.0.1/callback'],
      scopes: [...scopes],
      is_public: true,
      jwks: null,
    })
    for (const { device, child } of made) await connectDevice(sql, child.id, demoDevice(device))
    return { rootUserId, children: made.map(({ child }) => child.id) }
  })
  if (!family) return false
  const until = addDays(today(timeZone), -1)
  for (const { device } of children) {
    const uniqueId = demoDevice(device).unique_id
    const nights = makeNights({ seed: device, nights: NIGHTS, until, now: wallClock(timeZone), uniqueId })
    await storeDevlogs(database, devlog.array().parse(nights), { owner: undefined, lenient: false })
  }
  await makeDemoHome(database, family, { first: addDays(until, 1 - NIGHTS), last: until })
  return true
}

/**
 * Whether the database already holds data that a demo must not mix with. Concurrent starts wait for each other here.
 */
async function isInUse(sql: Sql): Promise<boolean> {
  const found = await sql
    .selectNoFrom((select) => [
      select.fn<unknown>('pg_advisory_xact_lock', [select.val(7_305_011_121)]).as('lock'),
      select.exists(select.selectFrom('root_user').select('id')).as('accounts'),
      select.exists(select.selectFrom('device').select('id')).as('devices'),
    ])
    .executeTakeFirstOrThrow()
  return Boolean(found.accounts) || Boolean(found.devices)
}
