import { beforeAll, expect, test } from 'vitest'
import { addChild, signUp } from '../support/family.ts'
import { runFleet } from '../support/firmware-fleet.ts'
import { useServer } from '../support/server.ts'

const server = useServer()

beforeAll(async () => {
  await addChild(server, (await signUp(server)).token)
})

test.each(['failed', 'silent', 'contact-loss', 'shorter'] as const)(
  'a firmware that is %s is stopped for that reason before its second step has been open for its wait',
  async (kind) => {
    const { stopped, secondStepDay } = await runFleet(server.database, { kind, seed: 1 })
    expect(stopped).toMatchObject({ reason: kind })
    expect(stopped?.day).toBeLessThan((secondStepDay ?? 5) + 5)
  },
)

test('with the default wait of three days too, devices that fall silent stop it before the second step has been open for its wait', async () => {
  const { stopped, secondStepDay } = await runFleet(server.database, { kind: 'silent', seed: 1, waitDays: 3 })
  expect(stopped).toMatchObject({ reason: 'silent', step: 2 })
  expect(stopped?.day).toBeLessThan((secondStepDay ?? 3) + 3)
})

test('a good firmware takes all its steps', async () => {
  const outcome = await runFleet(server.database, { kind: 'good', seed: 1 })
  expect(outcome).toMatchObject({ stopped: undefined, steps: 3 })
})
