import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'

/** A service of somebody else that reads a child's nights by OAuth. */
export interface Clinic {
  /** What the service answers to it: the status. */
  read: () => Promise<number>
}

const REDIRECT = 'http://127.0.0.1:8765/callback'

/** Has the demo family let the demo client in, by the pages that their browser shows. */
export async function letClinicIn(url: string): Promise<Clinic> {
  const verifier = randomBytes(48).toString('base64url')
  const cookies = new Map<string, string>()
  const ask = async (address: string, form?: Record<string, string>) => {
    const response = await fetch(new URL(address, url), {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { body: new URLSearchParams(form) } : {}),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return { location: response.headers.get('location') ?? '', page: await response.text() }
  }
  const query = new URLSearchParams({
    client_id: 'demo-client',
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: 'child:read usage:read',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const signIn = (await ask(`/oauth/authorize?${query.toString()}`)).location
  const account = { email: 'demo@example.com', password: 'demo-family-2026', action: 'go' }
  const consent = (await ask((await ask(signIn, account)).location)).location
  const [, child = ''] = /name="child" value="(\d+)"> Mina/.exec((await ask(consent)).page) ?? []
  const allowed = await ask(consent, { child, period: 'year', action: 'go' })
  const code = new URL((await ask(allowed.location)).location).searchParams.get('code') ?? ''
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: 'demo-client',
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      code_verifier: verifier,
    }),
  })
  assert.equal(response.status, 200)
  const { access_token } = await response.json()
  return {
    read: async () => {
      const headers = { authorization: `Bearer ${access_token}` }
      return (await fetch(`${url}/api/v1/beta/chart/recent?real_user_id=${child}`, { headers })).status
    },
  }
}
