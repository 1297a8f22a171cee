import { beforeAll, describe, expect, test } from 'vitest'
import { connectBasestation } from '../support/basestations.ts'
import { addClinician } from '../support/clinicians.ts'
import { connectClinic, newClinic } from '../support/clinics.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { beginExport, wholeExport } from '../support/exports.ts'
import { askFhir } from '../support/fhir.ts'
import { addService, granted, SERVICE } from '../support/oauth.ts'
import { useServer } from '../support/server.ts'
import { share, shares } from '../support/shares.ts'

/*
 * The access matrix of the FHIR API: each call about a child × everybody who may have something to do with it. A caller who may not
 * reach the child learns nothing: not by a status, and not by what a search finds.
 */

const server = useServer()
const everything = 'child:read usage:read notes:read surveys:read reports:read'

/** Paths about the child, and whether a search says nothing instead of 404. */
const calls: Record<string, (child: number, ids: Record<string, string>) => string> = {
  patient: (child) => `Patient/child-${child}`,
  everything: (child) => `Patient/child-${child}/$everything`,
  treatment: (_child, { treatment }) => `Observation/${treatment}`,
  note: (_child, { note }) => `Observation/${note}`,
  survey: (_child, { survey }) => `QuestionnaireResponse/${survey}`,
  medication: (_child, { medication }) => `MedicationStatement/${medication}`,
  device: (_child, { device }) => `Device/${device}`,
  document: (child) => `DocumentReference/report-${child}-2026-03`,
  binary: (child) => `Binary/report-${child}-2026-03`,
  byId: (child) => `Patient?_id=child-${child}`,
  observations: (child) => `Observation?patient=child-${child}`,
  devices: (child) => `Device?patient=child-${child}`,
  surveys: (child) => `QuestionnaireResponse?patient=child-${child}`,
  medications: (child) => `MedicationStatement?subject=child-${child}`,
  documents: (child) => `DocumentReference?patient=child-${child}`,
}
const isSearch = (path: string) => path.includes('?')

let child: number
const ids: Record<string, string> = {}
const actors: Record<string, string> = {}

beforeAll(async () => {
  const owner = await signUp(server)
  const own = await addChild(server, owner.token)
  const sibling = await addChild(server, owner.token)
  child = own.real_user_id
  await connectBasestation(server, owner.token)
  await upload(server, [devlogItem(own.unique_id, '2026-03-01T21:30:00')])
  await server.post('/api/v1/beta/event', {
    token: owner.token,
    json: {
      real_user_id: child,
      created_at: '2026-03-02',
      memo: 'Slept well',
      event_data: { medication: [{ medication_name: 'A', medication_dose: 1 }] },
    },
  })
  const scores = { attention_score: 1, impulsivity_score: 2, disorder_score: 3 }
  await server.post('/api/v1/beta/survey', { token: owner.token, json: { real_user_id: child, ...scores } })
  for (const [name, path] of [
    ['treatment', 'Observation?code=device-use'],
    ['note', 'Observation?code=note'],
    ['survey', 'QuestionnaireResponse?'],
    ['medication', 'MedicationStatement?'],
    ['device', `Device?`],
  ] as const) {
    const { body } = await askFhir(server, `${path}&patient=child-${child}`, owner.token)
    ids[name] = body.entry[0].resource.id
  }
  actors['owner'] = owner.token
  for (const role of ['guardian', 'viewer', 'former'] as const) {
    const member = await signUp(server)
    const given = { real_user_id: child, role: role === 'former' ? ('viewer' as const) : role }
    const { share_id } = await share(server, owner, member, given)
    if (role === 'former') await shares(server).end(owner, share_id)
    actors[role] = member.token
  }
  actors['stranger'] = (await signUp(server)).token
  const { clinic_id, code } = await newClinic(server)
  await connectClinic(server, owner, { code, real_user_id: child })
  actors['clinician'] = (await addClinician(server, clinic_id)).token
  const of = async (children: number[], scope = everything) =>
    granted(server, owner, { scope, children }, await addService(server, SERVICE))
  actors['service'] = (await of([child])).token
  actors['back end'] = (await (await of([child])).clientCredentials(everything)).access_token
  actors['service of another child'] = (await of([sibling.real_user_id])).token
  actors['back end of another child'] = (
    await (await of([sibling.real_user_id])).clientCredentials(everything)
  ).access_token
  const ended = await of([child])
  await ended.revoke(ended.token)
  actors['revoked'] = ended.token
  const blocked = await of([child])
  await server.database.pool.query('UPDATE client SET blocked_at = now() WHERE client_id = $1', [
    blocked.service.client_id,
  ])
  actors['blocked service'] = blocked.token
}, 60_000)

const names = Object.keys(calls)
const pathOf = (name: string) => calls[name]?.(child, ids) ?? ''

describe.each(['owner', 'guardian', 'viewer', 'service', 'back end'])('%s', (actor) => {
  test.each(names)('reaches %s', async (name) => {
    const { status, body } = await askFhir(server, pathOf(name), actors[actor])
    expect(status).toBe(200)
    if (isSearch(pathOf(name))) expect(body.entry.length).toBeGreaterThan(0)
  })
})

describe.each(['former', 'stranger', 'service of another child', 'back end of another child'])(
  '%s',
  (actor) => {
    test.each(names)('learns nothing of %s', async (name) => {
      const { status, body } = await askFhir(server, pathOf(name), actors[actor])
      if (isSearch(pathOf(name))) expect([status, body.entry]).toEqual([200, undefined])
      else expect([status, body.issue[0].diagnostics]).toEqual([404, 'Resource not found'])
    })
  },
)

describe.each(['revoked', 'blocked service'])('%s', (actor) => {
  test.each(names)('is refused %s', async (name) => {
    const { status, body } = await askFhir(server, pathOf(name), actors[actor])
    expect([status, body.issue[0].diagnostics]).toEqual([401, 'Could not validate credentials'])
  })
})

test.each(names)('a clinician is refused %s', async (name) => {
  const { status, body } = await askFhir(server, pathOf(name), actors['clinician'])
  expect([status, body.issue[0].diagnostics]).toEqual([401, 'Not authorized user'])
})

describe('an export', () => {
  const begin = (actor: string) => beginExport(server, actors[actor], '$export')

  test.each(['owner', 'guardian', 'viewer', 'former', 'stranger', 'service', 'service of another child'])(
    'is for no token of %s',
    async (actor) => {
      const { status, body } = await begin(actor)
      expect([status, body.issue[0].diagnostics]).toEqual([403, 'Insufficient scope'])
    },
  )

  test.each(['revoked', 'blocked service'])('is for no token of a %s', async (actor) => {
    expect((await begin(actor)).status).toBe(401)
  })

  test.each(['back end', 'back end of another child'])('of a %s has its own children', async (actor) => {
    const token = actors[actor] ?? ''
    const { resources } = await wholeExport(server, token)
    const told = Object.values(resources)
      .flat()
      .filter((each) => new RegExp(String.raw`child-${child}\b`).test(JSON.stringify(each)))
    if (actor === 'back end') expect(told.length).toBeGreaterThan(5)
    else expect(told).toEqual([])
    expect(resources['Patient']).toHaveLength(1)
  })
})

test('a grant that ends is over with the next call', async () => {
  const owner = await signUp(server)
  const { real_user_id } = await addChild(server, owner.token)
  const { token } = await granted(server, owner, { children: [real_user_id] })
  expect((await askFhir(server, `Patient/child-${real_user_id}`, token)).status).toBe(200)
  const [{ grant_id }] = (await server.get('/api/v1/beta/grant', { token: owner.token })).body
  await server.delete(`/api/v1/beta/grant/${grant_id}`, { token: owner.token })
  expect((await askFhir(server, `Patient/child-${real_user_id}`, token)).status).toBe(401)
})

test('a deleted child is gone', async () => {
  const owner = await signUp(server)
  const { real_user_id, unique_id } = await addChild(server, owner.token)
  await upload(server, [devlogItem(unique_id, '2026-03-01T21:30:00')])
  const { token } = await granted(server, owner, { scope: everything, children: [real_user_id] })
  await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [real_user_id])
  for (const by of [owner.token]) {
    expect((await askFhir(server, `Patient/child-${real_user_id}`, by)).status).toBe(404)
    expect((await askFhir(server, 'Observation', by)).body.entry).toBeUndefined()
  }
  const { status } = await askFhir(server, `Patient/child-${real_user_id}`, token)
  expect([401, 404]).toContain(status)
})
