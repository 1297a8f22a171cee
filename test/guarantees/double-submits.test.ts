import { readFileSync } from 'node:fs'
import { globSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { signIn, signUp } from '../support/family.ts'
import { resetLink } from '../support/outside/mailbox.ts'
import { useServer } from '../support/server.ts'

/* People click twice, and browsers show what comes last: the second submit of a form is answered as the first. */

const server = useServer()
const NEW = 'a brand new password'

/** The pages that take a form, with the test of their second submit. A new page fails until it is here. */
const pages = {
  'auth/pages/confirmation-page.ts': 'test/contract/auth/confirm-email.test.ts',
  'auth/pages/reset-page.ts': 'here',
  'oauth/consent/routes.ts': 'test/contract/oauth/double-submits.test.ts',
  'reports/verify-page.ts': 'here',
}

test('every page that takes a form is known', () => {
  const root = new URL('../../server/src/', import.meta.url)
  const found = globSync('**/*.ts', { cwd: root }).filter((path) =>
    /\b\w+\s*\.post\(\s*[\w`]/.test(readFileSync(new URL(path, root), 'utf8')),
  )
  expect(found.toSorted()).toEqual(Object.keys(pages))
})

describe('of a new password', () => {
  const choose = async (link: URL, password = NEW) =>
    server.post('/reset-password', {
      form: { token: link.searchParams.get('token') ?? '', password, repeated: password },
    })

  test('at once and later, the page says that it is changed', async () => {
    const { email } = await signUp(server)
    const link = await resetLink(server, email)
    const responses = await Promise.all([choose(link), choose(link)])
    responses.push(await choose(link))
    for (const { status, body } of responses) {
      expect(status).toBe(200)
      expect(body).toMatch(/Your password is changed|비밀번호가 변경되었습니다/)
    }
    expect((await signIn(server, email, NEW)).status).toBe(200)
  })

  test('with another password, the link has been used', async () => {
    const { email } = await signUp(server)
    const link = await resetLink(server, email)
    await choose(link)
    expect((await choose(link, 'something else')).status).toBe(410)
    expect((await signIn(server, email, NEW)).status).toBe(200)
  })
})

test('of a report to be verified, the verdict is the same', async () => {
  const verify = () => {
    const body = new FormData()
    body.append('report', new Blob(['no report of ours']), 'report.pdf')
    return fetch(`${server.url}/verify`, { method: 'POST', body }).then((response) => response.text())
  }
  const [first, second] = await Promise.all([verify(), verify()])
  expect(first).toContain('<h1>')
  expect(second).toBe(first)
})
