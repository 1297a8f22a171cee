import assert from 'node:assert/strict'
import { timeOfDayOf, dateAtHome } from './home.ts'
import type { Phone } from './phone.ts'
import type { Service } from './service.ts'

const MINUTE = 60_000

/** A use whose last log has not arrived: it goes on, or nothing was heard of it for 12 hours. In both languages. */
export async function unfinishedDeviceUses(phone: Phone, { url }: Service, device: string): Promise<void> {
  const { page, tap, sees, misses, picture } = phone
  const devlogs = `${url}/api/v1/gamma/device/devlog`
  const upload = async (minutesAgo: number, log_file_id: number) => {
    const start = new Date(Date.now() - (366 + minutesAgo) * MINUTE)
    const treatment_date = `${dateAtHome(start)}T${timeOfDayOf(start)}`
    const item = {
      unique_id: device,
      log_file_id,
      is_temp: true,
      detail_data: { treatment_date, treatment_time: 21_960, last_intensity: 14, finish_flag: '1' },
      intensity_record: Array.from({ length: 61 }, (_, index) => ({ intensity: Math.min(14, index) })),
    }
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(devlogs, { method: 'POST', headers, body: JSON.stringify([item]) })
    assert.equal(response.status, 200, await response.text())
    return dateAtHome(start)
  }
  const look = async (name: string, date: string, [inEnglish, inKorean]: readonly [string, string]) => {
    await page.reload()
    await sees(inEnglish)
    await picture(`en-07-${name}-today`)
    await tap('Calendar', 'tab')
    if (date.slice(0, 7) !== dateAtHome(new Date()).slice(0, 7)) await tap('Previous month')
    await page
      .getByRole('button', { name: /, Used/ })
      .filter({ visible: true })
      .last()
      .click()
    await sees(inEnglish)
    await picture(`en-07-${name}-day`)
    await tap('Settings', 'tab')
    await tap('한국어', 'radio')
    await tap('오늘', 'tab')
    await sees(inKorean)
    await picture(`ko-07-${name}-today`)
    await tap('달력', 'tab')
    await sees(inKorean)
    await picture(`ko-07-${name}-day`)
    await tap('설정', 'tab')
    await tap('English', 'radio')
  }
  const silent = await upload(721, 1)
  await look('cut-short', silent, [
    'Ended, its last log did not arrive',
    '종료됨, 마지막 기록이 도착하지 않음',
  ])
  await misses('Running since')
  await fetch(`${devlogs}?unique_id=${device}`, { method: 'DELETE' })
  const running = await upload(1, 2)
  await look('running', running, [', 6 h 6 min so far', '부터 사용 중, 지금까지 6시간 6분'])
  await fetch(`${devlogs}?unique_id=${device}`, { method: 'DELETE' })
  await page.reload()
  await sees('No nights in the last 30 days')
}
