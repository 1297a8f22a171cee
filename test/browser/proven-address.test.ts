import { mkdirSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasNoBrowser, openBrowser } from '../support/browser.ts'
import { anyEmail, PASSWORD, signIn, signUp } from '../support/family.ts'
import { lastLink } from '../support/outside/mailbox.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const NEW = 'a brand new password'

// For looking at: SCREENSHOTS=<directory>.
const directory = process.env['SCREENSHOTS']

describe.skipIf(hasNoBrowser)(
  'a parent who has mistyped the address, and the stranger whose address it is',
  () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await openBrowser()
    })
    afterAll(() => browser?.close())

    /** A device of somebody, on which links are opened. The pages work without scripts. */
    async function openDevice(locale: string) {
      const context = await browser.newContext({
        locale,
        viewport: { width: 360, height: 640 },
        javaScriptEnabled: false,
      })
      const page = await context.newPage()
      return {
        page,
        heading: () => page.locator('h1').textContent(),
        press: (name: string) => press(page, name),
      }
    }

    async function press(page: Page, name: string) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.waitForLoadState()
    }

    async function look(page: Page, name: string) {
      if (!directory) return
      mkdirSync(directory, { recursive: true })
      await page.screenshot({ path: `${directory}/${name}.png`, fullPage: true })
    }

    const askForReset = (email: string) =>
      server.post('/api/v1/alpha/auth/email/password-reset', { json: { email } })

    test.each([
      {
        locale: 'en-US',
        why: 'so we also ask for a code that we send to the phone of the account',
        send: 'Send the code by SMS',
        onItsWay: 'The code is on its way.',
        save: 'Save the password',
        codeWrong: 'The code is not right.',
        question: 'Use this address?',
        mine: 'Yes, it is mine',
        confirmed: 'Your address is confirmed',
        used: 'This link has been used',
        dead: 'This link does not work any more',
        title: 'Choose a new password',
        done: 'Your password is changed',
      },
      {
        locale: 'ko-KR',
        why: '그래서 계정의 휴대전화로 보내는 인증번호도 함께 확인합니다',
        send: '문자로 인증번호 받기',
        onItsWay: '인증번호를 보냈습니다.',
        save: '비밀번호 저장',
        codeWrong: '인증번호가 올바르지 않습니다.',
        question: '이 이메일 주소를 사용할까요?',
        mine: '네, 내 주소입니다',
        confirmed: '이메일 주소가 확인되었습니다',
        used: '이미 사용한 링크입니다',
        dead: '더 이상 사용할 수 없는 링크입니다',
        title: '새 비밀번호 설정',
        done: '비밀번호가 변경되었습니다',
      },
    ])('in $locale', async ({ locale, ...words }) => {
      const parent = await signUp(server)
      const [wrong, right] = [parent.email, anyEmail()]
      const asked = await lastLink(server, wrong, '/confirm-email')

      // The stranger reads the mail of that address, on a device of their own.
      const stranger = await openDevice(locale)
      await askForReset(wrong)
      const stolen = await lastLink(server, wrong, '/reset-password')
      await stranger.page.goto(String(stolen))
      expect(await stranger.heading()).toBe(words.title)
      expect(await stranger.page.locator('main').textContent()).toContain(words.why)
      await look(stranger.page, `${locale}-reset-unproven`)
      await stranger.press(words.send)
      expect(await stranger.page.getByRole('status').textContent()).toContain(words.onItsWay)
      await look(stranger.page, `${locale}-reset-code-sent`)
      // The code has reached the phone of the parent, whose number the page does not show.
      const sms = (await server.outbox()).findLast(({ channel }) => channel === 'sms')
      expect(sms?.['to']).toBe(parent.phone)
      expect(await stranger.page.content()).not.toContain(parent.phone.slice(-4))
      const guess = sms?.['code'] === '000000' ? '000001' : '000000'
      await stranger.page.locator('#validnum').fill(guess)
      await stranger.page.locator('#password').fill(NEW)
      await stranger.page.locator('#repeated').fill(NEW)
      // Saves, and does not send another code.
      await stranger.page.locator('#repeated').press('Enter')
      expect(await stranger.page.getByRole('alert').textContent()).toContain(words.codeWrong)
      await look(stranger.page, `${locale}-reset-code-wrong`)
      expect((await signIn(server, wrong, NEW)).status).toBe(400)

      // The parent is signed in, and sets the right address.
      expect(
        await server.post('/api/v1/beta/user/change-email', {
          token: parent.token,
          json: { email: right, password: PASSWORD },
        }),
      ).toMatchObject({ status: 200 })
      const own = await openDevice(locale)
      await own.page.goto(String(await lastLink(server, right, '/confirm-email')))
      expect(await own.heading()).toBe(words.question)
      await look(own.page, `${locale}-confirm-change`)
      await own.press(words.mine)
      expect(await own.heading()).toBe(words.confirmed)
      expect(own.page.url()).not.toContain('token')
      await look(own.page, `${locale}-confirmed`)

      // All that the stranger holds is dead.
      await stranger.page.goto(String(stolen))
      expect(await stranger.heading()).toBe(words.used)
      await stranger.page.goto(String(asked))
      expect(await stranger.heading()).toBe(words.dead)
      await look(stranger.page, `${locale}-confirm-dead`)
      expect(await askForReset(wrong)).toMatchObject({ status: 404 })

      // The mailbox of the right address is proven, so that its mail is enough.
      await askForReset(right)
      await own.page.goto(String(await lastLink(server, right, '/reset-password')))
      expect(await own.page.locator('#validnum').count()).toBe(0)
      await own.page.locator('#password').fill(NEW)
      await own.page.locator('#repeated').fill(NEW)
      await own.press(words.save)
      expect(await own.heading()).toBe(words.done)
      expect((await signIn(server, right, NEW)).body.id).toBe(parent.id)
    })
  },
)
