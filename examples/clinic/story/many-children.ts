import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Companion } from '@companion/sdk'
import type { Service } from '../../parents-app/story/service.ts'

const FIRST = ['Haneul', 'Seoyeon', 'Minjun', 'Jiho', 'Olivia', 'Liam', '하준', '서윤', 'Ezra', 'Noor']
const LAST = ['Lee', 'Park', 'Smith', '정', 'Wolfeschlegelsteinhausenbergerdorff', 'Abdullah', '']

const evening = (daysAgo: number) =>
  new Date(Date.now() - daysAgo * 86_400_000).toLocaleDateString('en-CA', { timeZone: 'America/New_York' })

/** The uses of 56 evenings of one of the children, whose habits differ by its number. */
function usesOf(number: number, unique_id: string) {
  const evenings = Array.from({ length: 56 }, (_, index) => index + 1)
  const isUsed = (daysAgo: number) =>
    number % 3 === 1 ? daysAgo > 14 || daysAgo % 3 === 0 : daysAgo % (2 + (number % 4)) !== 0
  return evenings.filter(isUsed).map((daysAgo) => ({
    unique_id,
    log_file_id: 100 - daysAgo,
    intensity_record: [],
    detail_data: {
      treatment_date: `${evening(daysAgo)}T21:30:00`,
      finish_flag: number % 5 === 2 && daysAgo % 3 > 0 ? ('4' as const) : ('1' as const),
      last_intensity: 12,
      treatment_time: 60 * (120 + ((number * 37 + daysAgo * 53) % 240)),
    },
  }))
}

/** Adds children with devices and nights to the account of a parent. Resolves to their ids. */
export async function addChildrenToParent(
  service: Service,
  parent: Companion,
  count: number,
): Promise<number[]> {
  const codes = Array.from({ length: count }, (_, index) => ({
    serial_code: `CLINIC-${1000 + index}`,
    mac_id: `A${String(index).padStart(3, '0')}`,
    unique_id: randomUUID(),
  }))
  const folder = await mkdtemp(join(tmpdir(), 'companion-clinic-'))
  const file = join(folder, 'devices.csv')
  const rows = codes.map(({ serial_code, mac_id, unique_id }) => `${serial_code},${mac_id},${unique_id}`)
  await writeFile(file, ['serial_code,mac_id,unique_id', ...rows].join('\n'))
  await service.companion('device', 'import', file)
  await rm(folder, { recursive: true })

  const ids: number[] = []
  for (const [number, code] of codes.entries()) {
    const { real_user_id } = await parent.children.create({
      first_name: FIRST[number % FIRST.length] ?? '',
      last_name: LAST[number % LAST.length] ?? '',
      birthdate: `20${12 + (number % 12)}0${1 + (number % 9)}1${number % 9}`,
      gender: number % 2 ? 'M' : 'F',
      ...code,
    })
    ids.push(real_user_id)
    if (number % 4 > 0)
      await parent.plans.set({
        real_user_id,
        nights_per_week: 3 + (number % 4),
        minutes: 240,
        from: evening(60),
      })
    if (number % 7 < 6) await parent.devlogs.upload(usesOf(number, code.unique_id))
    // The clock of this device stands years ahead.
    if (number % 9 === 4) {
      const [use] = usesOf(number, code.unique_id)
      if (use)
        await parent.devlogs.upload(
          [
            {
              ...use,
              log_file_id: 900,
              detail_data: { ...use.detail_data, treatment_date: '2091-01-01T21:30:00' },
            },
          ],
          { lenient: true },
        )
    }
  }
  return ids
}
