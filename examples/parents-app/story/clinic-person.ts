import assert from 'node:assert/strict'
import type { BrowserContext } from 'playwright-core'
import type { Service } from './service.ts'

interface Invited {
  name: string
  email: string
  clinicId: number
}

/** Has somebody of a clinic accept their invitation by a passkey. The returned function has them look at a child's chart. */
export async function joinClinic(
  context: BrowserContext,
  service: Service,
  { name, email, clinicId }: Invited,
): Promise<(childId: number) => Promise<number>> {
  await service.companion('clinic', 'invite', String(clinicId), email, '--role', 'admin')
  const token = new URL(await service.mailedLink(email)).searchParams.get('token')
  const call = async (path: string, fields: object) => {
    const response = await fetch(`${service.url}/api/v1/alpha/auth/clinician/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    })
    assert.equal(response.status, 200, await response.clone().text())
    return response.json()
  }
  const { challenge_id, options } = await call('invitation', { token })
  const page = await context.newPage()
  const authenticator = await context.newCDPSession(page)
  await authenticator.send('WebAuthn.enable')
  await authenticator.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
  // Browsers make no passkey for the address of a machine.
  await page.goto(`${service.url.replace('127.0.0.1', 'localhost')}/livez`)
  const credential = await page.evaluate(async (json) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json)
    const made = await navigator.credentials.create({ publicKey })
    return made instanceof PublicKeyCredential ? made.toJSON() : undefined
  }, options)
  await page.close()
  const { access_token } = await call('signup', { token, challenge_id, first_name: name, credential })
  return async (childId) => {
    const query = new URLSearchParams({ real_user_id: String(childId) })
    const response = await fetch(`${service.url}/api/v1/beta/chart/recent?${query}`, {
      headers: { authorization: `Bearer ${access_token}` },
    })
    return response.status
  }
}
