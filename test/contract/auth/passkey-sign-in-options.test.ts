import { expect, test } from 'vitest'
import { PASSKEY } from '../../support/clinicians.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const elsewhere = useServer({ PUBLIC_URL: 'https://companion.example.org' })

test('each call gets a challenge of its own, and nothing is kept of it', async () => {
  const options = () => server.post(`${PASSKEY}/options`, { json: {} })
  const [one, two] = [await options(), await options()]
  expect(one).toMatchObject({
    status: 200,
    body: {
      challenge_id: expect.any(String),
      options: {
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        rpId: 'localhost',
        userVerification: 'required',
      },
    },
  })
  expect(one.body.options.challenge).not.toBe(two.body.options.challenge)
})

test('the relying party is the host of PUBLIC_URL', async () => {
  const { body } = await elsewhere.post(`${PASSKEY}/options`, { json: {} })
  expect(body.options.rpId).toBe('companion.example.org')
})
