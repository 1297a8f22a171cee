import { beforeAll, expect, test } from 'vitest'
import { judgeReleases } from '@companion/server/firmware/judge.ts'
import { addChild, signUp } from '../support/family.ts'
import { keep, release, signedImage } from '../support/firmware.ts'
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

test('a release that cannot be judged holds up no other', async () => {
  const { database } = server
  const releases: number[] = []
  for (const hardware of ['JUDGED-1', 'JUDGED-2', 'JUDGED-3']) {
    const signed = signedImage({ hardware })
    await keep(server, signed)
    releases.push(await release(server, signed, '--steps', '10,100'))
  }
  const [before, broken, after] = releases
  await database.pool.query(
    `UPDATE firmware_release SET step_began_at = now() - interval '4 days' WHERE id = ANY ($1)`,
    [releases],
  )
  await database.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'cannot be changed'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON firmware_release FOR EACH ROW WHEN (OLD.id = ${broken}) EXECUTE FUNCTION refuse()`)
  const judged = await judgeReleases(database, { at: new Date(), timeZone: server.config.timeZone })
  expect(judged).toMatchObject([
    { release_id: before, became: 'next' },
    {
      release_id: broken,
      became: 'not judged',
      error: { message: expect.stringContaining('cannot be changed') },
    },
    { release_id: after, became: 'next' },
  ])
})
