import { createCompanion } from '@companion/sdk'
import { expect, test } from 'vitest'
import { startServer, useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/alpha/auth/phone-country'

test('all countries that have phone numbers, without a token, and kept by caches', async () => {
  const { status, body, headers } = await server.get(PATH)
  expect(status).toBe(200)
  expect(headers.get('cache-control')).toBe('public, max-age=3600')
  expect(body.length).toBeGreaterThan(200)
  expect(body).toContainEqual({
    country: 'KR',
    calling_code: '+82',
    names: { en: 'South Korea', ko: '대한민국' },
  })
  for (const { country, calling_code, names } of body) {
    for (const name of [names.en, names.ko]) expect(name).not.toBe(country)
    expect(country).toMatch(/^[A-Z]{2}$/)
    expect(calling_code).toMatch(/^\+[1-9]\d{0,2}$/)
  }
})

test('those that the operator serves, in the order of the setting; one that has no numbers is left out', async () => {
  const few = await startServer({ SMS_COUNTRIES: 'US,AQ,KR,CA' })
  try {
    const served = [
      { country: 'US', calling_code: '+1', names: { en: 'United States', ko: '미국' } },
      { country: 'KR', calling_code: '+82', names: { en: 'South Korea', ko: '대한민국' } },
      { country: 'CA', calling_code: '+1', names: { en: 'Canada', ko: '캐나다' } },
    ]
    expect((await few.get(PATH)).body).toEqual(served)
    expect(await createCompanion({ baseUrl: few.url }).auth.listPhoneCountries()).toEqual(served)
    // A number of each is served, and none of another country.
    const send = (phone: string) => few.post('/api/v1/alpha/auth/send-sms-auth', { json: { phone } })
    expect((await send('+821012345678')).status).toBe(200)
    expect((await send('+447700900123')).status).toBe(400)
  } finally {
    await few.stop()
  }
})
