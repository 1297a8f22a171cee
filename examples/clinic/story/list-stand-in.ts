import type { Page } from 'playwright-core'
import type { ChildPage, ClinicChild, Flag } from '../src/companion/clinic-calls.ts'

const FLAGS: Flag[] = ['no_upload', 'below_plan', 'falling', 'contact_loss', 'clock']
const NAMES = ['Haneul', 'Seoyeon', 'Minjun', 'Jiho', 'Olivia', 'Liam', '하준', '서윤', 'Ezra', 'Noor']
const LAST = ['Kim', 'Lee', 'Park', 'Smith', '정', 'Garcia', 'Abdullah', '']

const before = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/** Children whose figures differ. The first is the one that the service knows. */
function childrenWith(known: { real_user_id: number; first_name: string }): ClinicChild[] {
  return Array.from({ length: 64 }, (_, index) => {
    const flags = FLAGS.filter((_flag, bit) => ((index * 7) % 32) & (1 << bit)).slice(0, 3)
    const used = (index * 5) % 29
    return {
      real_user_id: index === 0 ? known.real_user_id : 1000 + index,
      first_name: index === 0 ? known.first_name : (NAMES[index % NAMES.length] ?? ''),
      last_name: index === 0 ? '' : (LAST[index % LAST.length] ?? ''),
      birthdate: `20${String(12 + (index % 12))}0${1 + (index % 9)}1${index % 9}`,
      gender: index % 2 ? 'M' : 'F',
      record_number: index % 3 ? `R-${20_000 + index}` : null,
      since: before(200 - index),
      until: index % 11 === 3 ? '2027-03-31' : null,
      plan: index % 4 === 3 ? null : { nights_per_week: index % 8, minutes: 240 },
      last_night: used === 0 ? null : before(flags.includes('no_upload') ? 9 : 1).slice(0, 10),
      last_upload_at: used === 0 ? null : before(flags.includes('no_upload') ? 8 : 0.4),
      used_28: used,
      reached_28: Math.floor(used * 0.7),
      median_minutes_28: used === 0 ? null : 180 + index * 3,
      used_28_before: (index * 3) % 29,
      contact_losses_28: index % 6,
      flags,
      seen_at: index % 5 === 2 ? before(2) : null,
      seen_by: index % 5 === 2 ? 'Dr. Jiwoo Han' : null,
    }
  }).toSorted((one, other) => other.flags.length - one.flags.length)
}

/** Answers the calls of the list in place of the service, which does not have them yet. */
export async function standInForList(
  page: Page,
  known: { real_user_id: number; first_name: string },
  signedInAs: string,
): Promise<void> {
  const children = childrenWith(known)
  const answers: Record<string, (input: never) => unknown> = {
    listChildren({
      flag,
      search,
      after,
      limit,
    }: {
      flag?: Flag
      search?: string
      after?: string
      limit: number
    }) {
      const found = children.filter(
        (child) =>
          (!flag || child.flags.includes(flag)) &&
          (!search || [child.first_name, child.last_name, child.record_number].includes(search)),
      )
      const start = Number(after ?? 0)
      const isMore = start + limit < found.length
      const flags = Object.fromEntries(
        FLAGS.map((each) => [each, children.filter((child) => child.flags.includes(each)).length]),
      )
      return {
        items: found.slice(start, start + limit),
        next: isMore ? String(start + limit) : null,
        total: found.length,
        flags: flags as ChildPage['flags'],
      } satisfies ChildPage
    },
    updatePlace(input: { real_user_id: number; record_number?: string | null; is_seen?: boolean }) {
      const child = children.find(({ real_user_id }) => real_user_id === input.real_user_id)
      if (!child) throw new Error('There is no such child')
      if (input.record_number !== undefined) child.record_number = input.record_number
      if (input.is_seen !== undefined) {
        child.seen_at = input.is_seen ? new Date().toISOString() : null
        child.seen_by = input.is_seen ? signedInAs : null
      }
      return child
    },
    planNights: (input: object) => input,
  }
  for (const [name, answer] of Object.entries(answers))
    await page.route(`**/trpc/clinics.${name}*`, async (route) => {
      const request = route.request()
      const sent =
        request.method() === 'GET' ? new URL(request.url()).searchParams.get('input') : request.postData()
      await route.fulfill({ json: { result: { data: answer(JSON.parse(sent ?? '{}') as never) } } })
    })
}
