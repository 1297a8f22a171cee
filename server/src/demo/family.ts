import { makeNights } from '@companion/device-simulator'
import type { DevlogItem } from '@companion/device-simulator'
import { consentKindSchema } from '../account/consent-entry.ts'
import { recordConsents } from '../auth/consents.ts'
import { hashPassword } from '../auth/password/passwords.ts'
import { addClient } from '../oauth/manage-clients.ts'
import type { Database, Sql } from '../database/database.ts'
import { RealUser, RootUser } from '../entities/entities.ts'
import { scopes } from '../http/scope.ts'
import { devlogSchema } from '../devlogs/devlog.ts'
import { connectDevice } from '../devices/pairing.ts'
import { addDevicesToInventory } from '../devices/register.ts'
import { storeDevlogs } from '../devlogs/store-devlogs.ts'
import { addDays, wallClock } from '../time/wall-clock.ts'
import { DEMO_CONSENT_VERSIONS } from './consent-versions.ts'
import { makeDemoNotesAndReadings } from './home.ts'
import { encryptPerson } from '../encryption/person.ts'
import { emailColumns, phoneColumns } from '../encrypted-columns/lookup.ts'

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

/** The zone of the machine: the visitor's own, whose last night the demo shows. */
const machineZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * The nights of a child's device, made with its number as the seed like those of `simulate nights`, which therefore repeats
 * them. About one night in ten is missed, but not the last one before `now`: visitors look at it first.
 */
function nightsOf(device: 1 | 2, now: string): DevlogItem[] {
  const uniqueId = demoDevice(device).unique_id
  const lastEvening = addDays(now.slice(0, 10), -1)
  const make = (seed: number, nights: number, until: string) =>
    makeNights({ seed, nights, until, now, uniqueId })
  const nights = make(device, NIGHTS + 1, addDays(lastEvening, 1))
  const isThere = nights.some(({ detail_data }) => detail_data.treatment_date >= `${lastEvening}T12:00:00`)
  const others = isThere ? [] : Array.from({ length: 20 }, (_, n) => make(100 + n, 1, lastEvening))
  return [...nights, ...(others.find(({ length }) => length > 0) ?? [])]
}

/**
 * Creates an account with two children, who have 120 nights each and a home, and one unpaired device. Returns false,
 * and changes nothing, if the database already holds accounts or devices.
 */
export async function makeDemoFamily(
  database: Database,
  { timeZone = machineZone(), at = new Date() }: { timeZone?: string; at?: Date } = {},
): Promise<boolean> {
  const now = wallClock(timeZone, at)
  const until = addDays(now.slice(0, 10), -1)
  const first = addDays(until, 1 - NIGHTS)
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
      given_versions: DEMO_CONSENT_VERSIONS,
    })
    await recordConsents(sql, rootUserId, { is_push_agree: false, is_marketing_agree: false }, 'sign-up')
    await sql
      .insertInto('consent')
      .values(
        consentKindSchema.options.map((kind) => ({
          root_user_id: rootUserId,
          kind,
          version: DEMO_CONSENT_VERSIONS[kind],
          old_value: null,
          new_value: true,
          source: 'app' as const,
          recorded_at: at,
        })),
      )
      .execute()
    await addDevicesToInventory(
      sql,
      ([1, 2, 3] as const).map((number) => ({ ...demoDevice(number), firmware_id: 1, hardware: 'A1' })),
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
    // Paired before the first night, so that a report counts all of them.
    for (const { device, child } of made)
      await connectDevice(sql, child.id, demoDevice(device), new Date(`${first}T12:00:00Z`))
    return { rootUserId, children: made.map(({ child }) => child.id) }
  })
  if (!family) return false
  for (const { device } of children) {
    const nights = devlogSchema.array().parse(nightsOf(device, now))
    await storeDevlogs(database, nights, { owner: undefined, lenient: false })
  }
  await makeDemoNotesAndReadings(database, family, { first, last: until, timeZone })
  return true
}

/** Lets concurrent starts wait for each other. */
export const lockDemo = (sql: Sql) =>
  sql
    .selectNoFrom((select) =>
      select.fn<unknown>('pg_advisory_xact_lock', [select.val(7_305_011_121)]).as('lock'),
    )
    .execute()

/**
 * Whether the database already holds data that a demo must not mix with. Concurrent starts wait for each other here.
 */
async function isInUse(sql: Sql): Promise<boolean> {
  await lockDemo(sql)
  const found = await sql
    .selectNoFrom((select) => [
      select.exists(select.selectFrom('root_user').select('id')).as('accounts'),
      select.exists(select.selectFrom('device').select('id')).as('devices'),
    ])
    .executeTakeFirstOrThrow()
  return Boolean(found.accounts) || Boolean(found.devices)
}
