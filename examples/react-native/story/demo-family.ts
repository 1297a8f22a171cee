import assert from 'node:assert/strict'
import type { Phone } from './phone.ts'
import type { Service } from './service.ts'

/** The demo family beside the bed: in Korean, in the dark. */
export async function demoFamily({ page, tap, type, sees, picture }: Phone, service: Service): Promise<void> {
  await sees('아이의 밤을 차분하게 살펴보세요.')
  await type('이메일', 'demo@example.com')
  await type('비밀번호', 'not the password')
  await tap('로그인')
  await sees('비밀번호가 맞지 않습니다.')
  await picture('ko-01-wrong-password')
  await type('비밀번호', 'demo-family-2026')
  await tap('로그인')

  await sees('최근 사용')
  await picture('ko-02-today')
  await tap('Joon 보기', 'radio')
  await sees('최근 사용')
  await tap('추이', 'tab')
  await sees('하루 사용 시간')
  await picture('ko-03-trends-7')
  await tap('30일', 'radio')
  await sees('하루 사용 시간')
  await page.getByRole('button', { name: /시간/ }).nth(10).click()
  await picture('ko-04-trends-30')
  await tap('달력', 'tab')
  await tap('이전 달')
  await page
    .getByRole('button', { name: /일.*사용/ })
    .nth(12)
    .click()
  await sees('강도')
  await picture('ko-05-calendar')
  await page
    .getByRole('button', { name: /^메모 (쓰기|수정)$/ })
    .filter({ visible: true })
    .click()
  await type('메모', '잘 잤습니다.')
  await tap('저장')
  await sees('잘 잤습니다.')
  await tap('리포트', 'tab')
  await tap('3개월', 'radio')
  await tap('리포트 만들기')
  await sees('리포트가 준비되었습니다')
  await picture('ko-06-report')
  await tap('설정', 'tab')
  await sees('마케팅 정보 수신 동의')
  await picture('ko-07-settings')
  await tap('비밀번호 변경')
  await picture('ko-08-change-password')
  await tap('뒤로')
  await tap('English', 'radio')
  await sees('Children and devices')
  await picture('ko-09-switched-to-english')
  await tap('한국어', 'radio')
  await sees('자녀와 기기')

  // Somebody signs in on another phone; this one notices when its access token has expired.
  const other = await fetch(`${service.url}/api/v1/alpha/auth/email/signin`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'demo@example.com', password: 'demo-family-2026' }),
  })
  assert.equal(other.status, 200)
  await page.clock.setSystemTime(Date.now() + 16 * 60_000)
  await tap('달력', 'tab')
  await tap('이전 달')
  await sees('다른 휴대폰에서 이 계정으로 로그인하여 로그아웃되었습니다.')
  await picture('ko-10-duplicate-login')
}
