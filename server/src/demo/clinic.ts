import { randomBytes } from 'node:crypto'
import { makeNights } from '@companion/device-simulator'
import type { DevlogItem } from '@companion/device-simulator'
import { clinicInvitationLink } from '../clinics/invite-member.ts'
import { addClinic, inviteToClinic } from '../clinics/manage-clinics.ts'
import type { Database } from '../database/database.ts'
import { connectDevice } from '../devices/pairing.ts'
import { addDevicesToInventory } from '../devices/register.ts'
import { devlogSchema } from '../devlogs/devlog.ts'
import { storeDevlogs } from '../devlogs/store-devlogs.ts'
import { emailColumns } from '../encrypted-columns/lookup.ts'
import { encryptPerson } from '../encryption/person.ts'
import { RealUser, RootUser } from '../entities/entities.ts'
import { addDays, wallClock } from '../time/wall-clock.ts'
import { DEMO_EMAIL, lockDemo } from './family.ts'

/** Whose invitation the banner shows. */
const CLINICIAN = 'clinician@example.com'
const CHILDREN = 40
const NIGHTS = 56
const OPERATOR = { operator: 'demo', approvedBy: undefined }
const DAY_MS = 86_400_000

const firstNames = ['Haneul', 'Seoyeon', 'Minjun', 'Jiho', 'Olivia', 'Liam', '하준', '서윤', 'Ezra', 'Noor']
const lastNames = ['Lee', 'Park', 'Smith', '정', 'Garcia', 'Abdullah', 'Choi']

const deviceOf = (number: number) => ({
  serial_code: `CLINIC-${String(number).padStart(3, '0')}`,
  mac_id: `C${String(number).padStart(3, '0')}`,
  unique_id: `de000000-0000-4000-9000-${String(number).padStart(12, '0')}`,
})

/** Why children need a look, of whom every sixth does not. */
const kinds = ['fine', 'no_upload', 'falling', 'contact_loss', 'below_plan', 'clock'] as const
const kindOf = (number: number) => kinds[number % kinds.length]

/** The nights of a child, as its kind has them. */
function nightsOf(number: number, now: string): DevlogItem[] {
  const today = now.slice(0, 10)
  const kind = kindOf(number)
  const items = makeNights({
    seed: 1000 + number,
    nights: NIGHTS,
    until: addDays(today, -1),
    now,
    uniqueId: deviceOf(number).unique_id,
  })
  const daysAgo = ({ detail_data }: DevlogItem) =>
    Math.round((Date.parse(today) - Date.parse(detail_data.treatment_date.slice(0, 10))) / DAY_MS)
  return items
    .filter((item) => kind !== 'no_upload' || daysAgo(item) > 9)
    .filter((item) => kind !== 'falling' || daysAgo(item) > 14 || daysAgo(item) % 3 === 0)
    .map((item) =>
      kind === 'contact_loss' && daysAgo(item) < 28
        ? { ...item, detail_data: { ...item.detail_data, finish_flag: '4' } }
        : item,
    )
}

/** Creates a clinic with 40 children whose flags differ, beside the demo family. Changes nothing without that, or if there is a clinic. */
export async function makeDemoClinic(database: Database, at = new Date()): Promise<void> {
  const { keyRing } = database
  const now = wallClock(new Intl.DateTimeFormat().resolvedOptions().timeZone, at)
  const since = new Date(at.getTime() - (NIGHTS + 1) * DAY_MS)
  const children = await database.transaction(async (sql, em) => {
    await lockDemo(sql)
    const email_hash = keyRing.index('email', DEMO_EMAIL)
    const [demo] = await sql
      .selectFrom('root_user')
      .select('id')
      .where('email_hash', '=', email_hash)
      .where((row) => row.not(row.exists(row.selectFrom('clinic').select('id'))))
      .execute()
    if (!demo) return undefined
    const { clinic_id } = await addClinic(sql, { name: 'Seoul Sleep Clinic', url: null }, OPERATOR)
    const root_user_id = await em.insert(RootUser, {
      ...emailColumns(keyRing, 'families@example.com'),
      ...encryptPerson(keyRing, 'root_user', {
        first_name: 'Families',
        last_name: '',
        birthdate: '19850401',
      }),
      gender: 'P',
      is_phone_number_checked: true,
      is_signup_completed: true,
      register_type: 'E',
      national_code: 'KR',
    })
    const numbers = Array.from({ length: CHILDREN }, (_, number) => number)
    await addDevicesToInventory(
      sql,
      numbers.map((number) => ({ ...deviceOf(number), firmware_id: 1, hardware: 'A1' })),
    )
    const made = numbers.map((number) => ({
      number,
      child: em.create(RealUser, {
        ...encryptPerson(keyRing, 'real_user', {
          first_name: firstNames[number % firstNames.length] ?? '',
          last_name: lastNames[number % lastNames.length] ?? '',
          birthdate: `20${12 + (number % 10)}0${1 + (number % 9)}15`,
        }),
        gender: number % 2 ? 'M' : 'F',
        root_user_id,
      }),
    }))
    await em.flush()
    for (const { number, child } of made) await connectDevice(sql, child.id, deviceOf(number), since)
    await sql
      .insertInto('clinic_connection')
      .values(
        made.map(({ number, child }) => ({
          clinic_id,
          real_user_id: child.id,
          since: new Date(since.getTime() + number * DAY_MS),
          record_number:
            number % 3 ? keyRing.encrypt('clinic_connection.record_number', `R-${20_817 + number}`) : null,
        })),
      )
      .execute()
    await sql
      .insertInto('plan')
      .values(
        made.map(({ number, child }) => ({
          real_user_id: child.id,
          from_date: addDays(now.slice(0, 10), -NIGHTS),
          nights_per_week: 5,
          // More than anybody reaches.
          minutes: kindOf(number) === 'below_plan' ? 540 : 240,
          set_by: 'parent' as const,
          set_at: since,
        })),
      )
      .execute()
    await sql
      .insertInto('rejected_devlog')
      .values(
        made
          .filter(({ number }) => kindOf(number) === 'clock')
          .map(({ child }) => ({
            content_hash: randomBytes(32),
            content: keyRing.encrypt('rejected_devlog.content', '{}'),
            reason: 'detail_data.treatment_date: must lie between 2015-01-01 and 48 hours from now',
            real_user_id: child.id,
          })),
      )
      .execute()
    return made.map(({ number, child }) => ({ number, id: child.id }))
  })
  if (!children) return
  for (const { number } of children) {
    const nights = devlogSchema.array().parse(nightsOf(number, now))
    await storeDevlogs(database, nights, { owner: undefined, lenient: false })
  }
  const silent = children.filter(({ number }) => kindOf(number) === 'no_upload').map(({ id }) => id)
  await database.sql
    .updateTable('device')
    .set({ last_upload_at: new Date(at.getTime() - 9 * DAY_MS) })
    .where('real_user_id', 'in', silent)
    .execute()
}

/** The link by which a visitor becomes an admin of the clinic; undefined once somebody works there. It replaces those of earlier starts. */
export async function demoInvitation(database: Database, address: string): Promise<string | undefined> {
  return database.transaction(async (sql) => {
    const [clinic] = await sql
      .selectFrom('clinic')
      .select('id')
      .where('removed_at', 'is', null)
      .where('id', 'not in', (taken) => taken.selectFrom('clinic_member').select('clinic_id'))
      .orderBy('id')
      .limit(1)
      .execute()
    if (!clinic) return undefined
    const invited = { clinic_id: clinic.id, role: 'admin' as const, email: CLINICIAN }
    const issued = await inviteToClinic(sql, database.keyRing, invited, OPERATOR)
    return issued && clinicInvitationLink(address, issued.token)
  })
}
