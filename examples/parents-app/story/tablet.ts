import assert from 'node:assert/strict'
import type { Phone } from './phone.ts'
import type { Service } from './service.ts'
import { soon } from './soon.ts'

const NAME = 'Maximiliana-Alexandrina Wolfeschlegelsteinhausenbergerdorff'
const DEVICE = 'ee000000-0000-4000-8000-000000000001'

/** A tablet beside the bed, in Korean: two columns, and a child with a very long name beside two others. */
export async function tablet({ page, tap, type, sees, picture }: Phone, service: Service): Promise<void> {
  const shot = async (name: string) => {
    await picture(`tablet-${name}`)
    const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
    assert.equal(wide, window, `tablet-${name} is wider than the screen`)
  }
  const leftOf = async (text: string) =>
    (await page.getByText(text, { exact: true }).filter({ visible: true }).first().boundingBox())?.x ?? 0
  const besides = (one: string, other: string) =>
    soon(async () =>
      assert((await leftOf(one)) + 200 < (await leftOf(other)), `${other} is not beside ${one}`),
    )

  await type('이메일', 'demo@example.com')
  await type('비밀번호', 'demo-family-2026')
  await tap('로그인')
  await sees('오늘 밤 준비')
  await sees('하루 사용 시간')
  await besides('오늘의 메모', '오늘 밤 준비')
  await shot('01-today')
  await tap('추이', 'tab')
  await sees('습도')
  await besides('강도', '수면 환경')
  await shot('02-trends')
  await tap('달력', 'tab')
  await sees('접촉 끊김')
  await shot('03-calendar')

  const codes = ['--serial-code', 'LONG-001', '--mac-id', 'EE01', '--unique-id', DEVICE]
  await service.companion('device', 'add', ...codes)
  await tap('설정', 'tab')
  await tap('자녀와 기기')
  await tap('자녀 추가')
  await type('자녀 이름', NAME)
  await type('생년월일', '2018-02-03')
  await type('시리얼 코드', `companion://device?serial_code=LONG-001&mac_id=EE01&unique_id=${DEVICE}`)
  await shot('04-add-child')
  await tap('추가하고 연결')
  await sees('설정')
  await tap('오늘', 'tab')
  await sees('최근 30일 동안 기록이 없습니다')
  const names = page.getByRole('radiogroup', { name: '자녀' }).filter({ visible: true })
  await soon(async () => assert(((await names.boundingBox())?.height ?? Infinity) < 150))
  await shot('05-long-name')
  await page.setViewportSize({ width: 320, height: 568 })
  await soon(async () => assert(((await names.boundingBox())?.height ?? Infinity) < 150))
  await shot('06-long-name-on-a-phone')
}
