import { beforeAll, expect, test } from 'vitest'
import { connectBasestation } from '../../support/basestations.ts'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import { allPages, askFhir } from '../../support/fhir.ts'
import { fhirIssues } from '../../support/files/fhir.ts'
import { useServer } from '../../support/server.ts'

/* A year of three families, each resource of which two validators judge that nobody here wrote: see `support/files/fhir.ts`. */

const server = useServer()
const FAMILIES = 3
const DAYS = 365

const tokens: string[] = []
beforeAll(async () => {
  for (let family = 0; family < FAMILIES; family += 1) {
    const { token } = await signUp(server)
    const { unique_id, real_user_id } = await addChild(server, token)
    await connectBasestation(server, token)
    const date = (day: number) => new Date(Date.UTC(2025, 8, 1 + day)).toISOString().slice(0, 10)
    const nights = Array.from({ length: DAYS }, (_, day) => day).filter((day) => (day + family) % 6 > 0)
    await upload(
      server,
      nights.map((day) =>
        devlogItem(unique_id, `${date(day)}T${day % 3 === 0 ? '23:59:59.999999' : '21:30:00'}`, {
          log_file_id: day + 1,
          intensities: Array.from({ length: day % 90 }, (_each, n) => n),
          finish_flag: String((day % 6) + 1),
        }),
      ),
    )
    for (const day of nights.filter((each) => each % 20 === 0))
      await server.post('/api/v1/beta/event', {
        token,
        json: {
          real_user_id,
          created_at: date(day),
          memo: '잘 잤어요 👶\nWoke "twice"',
          event_data: {
            medication: [{ medication_name: 'Methylphenidate', medication_dose: day }],
            hospital: ["Seoul Children's Hospital"],
          },
        },
      })
    await server.post('/api/v1/beta/survey', {
      token,
      json: { real_user_id, attention_score: family, impulsivity_score: 0, disorder_score: 99 },
    })
    tokens.push(token)
  }
}, 120_000)

test('every resource of a year of three families is valid, and refers to nothing that is not there', async () => {
  let judged = 0
  for (const token of tokens) {
    const [patient] = await allPages(server, 'Patient', token)
    const all = await allPages(server, `Patient/${patient.id}/$everything?_count=200`, token)
    const issues = all.flatMap((resource) => fhirIssues(resource).map((issue) => `${resource.id}: ${issue}`))
    expect(issues).toEqual([])
    const known = new Set(all.map(({ resourceType, id }) => `${resourceType}/${id}`))
    const named = [...JSON.stringify(all).matchAll(/"reference":"([^"]+)"/g)].map(([, to]) => to ?? '')
    expect(named.filter((each) => !known.has(each))).toEqual([])
    const counted = await askFhir(server, 'Observation?code=device-use&_summary=count', token)
    const uses = all.filter(({ id }) => id.startsWith('treatment-'))
    expect(uses).toHaveLength(counted.body.total)
    judged += all.length
  }
  expect(judged).toBeGreaterThan(900)
}, 300_000)
