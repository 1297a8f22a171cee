import { describe, expect, test } from 'vitest'

import { nightsOf } from './fleet.ts'
import type { FleetDevice } from './fleet.ts'
import { installationOf } from './new-firmware.ts'
import type { FirmwareIssues } from './new-firmware.ts'

const ids = Array.from({ length: 2000 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`)

describe('what becomes of an installation', () => {
  const outcomes = (issues: FirmwareIssues, seed = 1) => ids.map((id) => installationOf(issues, seed, id, 13))
  const share = (issues: FirmwareIssues, outcome: string) =>
    outcomes(issues).filter((each) => each === outcome).length / ids.length

  test('a good firmware is installed everywhere', () => {
    expect(new Set(outcomes({}))).toEqual(new Set(['installed']))
  })

  test.each([
    ['failed', { failing: 0.05 }, 0.05],
    ['rolled_back', { rollingBack: 0.1 }, 0.1],
    ['silent', { silent: 0.08 }, 0.08],
  ])('%s with %j', (outcome, issues, rate) => {
    expect(Math.abs(share(issues, outcome) - rate)).toBeLessThan(0.02)
  })

  test('the seed decides, however often it is tried; another firmware and another seed meet others', () => {
    const issues = { failing: 0.5 }
    expect(outcomes(issues)).toEqual(outcomes(issues))
    expect(outcomes(issues)).not.toEqual(outcomes(issues, 2))
    expect(outcomes(issues)).not.toEqual(ids.map((id) => installationOf(issues, 1, id, 14)))
  })
})

describe('nights under a new firmware', () => {
  const device = (unique_id: string, updated_after: string | null): FleetDevice => ({
    unique_id,
    firmware: 12,
    updated_after,
    is_silent: false,
  })
  const nights = (issues: FirmwareIssues, updated_after: string | null) =>
    ids
      .slice(0, 60)
      .flatMap((id) =>
        nightsOf(device(id, updated_after), { seed: 1, nights: 28, until: '2026-03-28', issues }),
      )
  const losses = (items: ReturnType<typeof nights>) =>
    items.filter(({ detail_data }) => detail_data.finish_flag === '4').length
  const seconds = (items: ReturnType<typeof nights>) =>
    items.reduce((sum, { detail_data }) => sum + detail_data.treatment_time, 0)
  const usual = nights({}, null)

  test('a good one changes nothing', () => {
    expect(nights({}, '2026-03-01')).toEqual(usual)
  })

  test('nights before the update stay, with the same uses', () => {
    const changed = nights({ shorter: 0.3, contactLoss: 2 }, '2026-03-14')
    const isBefore = ({ detail_data }: (typeof usual)[number]) => detail_data.treatment_date < '2026-03-15'
    expect(changed.filter(isBefore)).toEqual(usual.filter(isBefore))
    expect(changed).not.toEqual(usual)
    expect(changed.map(({ log_file_id }) => log_file_id)).toEqual(usual.map(({ log_file_id }) => log_file_id))
  })

  test('contacts are lost twice as often, and the uses are as long', () => {
    const changed = nights({ contactLoss: 2 }, '2026-02-01')
    expect(losses(changed) / losses(usual)).toBeGreaterThan(1.7)
    expect(losses(changed) / losses(usual)).toBeLessThan(2.3)
    expect(seconds(changed)).toBe(seconds(usual))
  })

  test('uses are shorter by a third, with as many intensities as they last', () => {
    const changed = nights({ shorter: 0.3 }, '2026-02-01')
    expect(seconds(changed) / seconds(usual)).toBeCloseTo(0.7, 3)
    expect(losses(changed)).toBe(losses(usual))
    for (const { detail_data, intensity_record } of changed) {
      expect(intensity_record).toHaveLength(Math.ceil(detail_data.treatment_time / 360))
      expect(detail_data.last_intensity).toBe(intensity_record.at(-1)?.intensity)
    }
  })
})
