import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startExporting } from '@companion/server/fhir/export-work.ts'
import { connectBasestation } from '../support/basestations.ts'
import { exportingOf } from '../support/exports.ts'
import { addChild, devlogItem, PASSWORD, signUp, upload } from '../support/family.ts'
import { unzipExport } from '../support/files/zip.ts'
import { addSigningService, grantTo } from '../support/oauth.ts'
import { useServer } from '../support/server.ts'

/*
 * `@medplum/cli` takes a bulk export, with a token that a back end has got by its own key (SMART Backend Services). It could sign by
 * itself too, but then asks for no scope. Its files hold as many records as the export of the family that the parent downloads.
 */

const server = useServer()
const CLI = fileURLToPath(new URL('../node_modules/@medplum/cli/dist/cjs/index.cjs', import.meta.url))
const NIGHTS = 120

/** Runs the client as a hospital does. Resolves to the lines of its files, by type. */
async function exportByClient(token: string, ...options: string[]): Promise<Record<string, string[]>> {
  const directory = await mkdtemp(join(tmpdir(), 'companion-medplum-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const args = [
    'bulk',
    'export',
    '--base-url',
    server.url,
    '--fhir-url-path',
    'fhir',
    '--target-directory',
    directory,
  ]
  await promisify(execFile)(process.execPath, [CLI, ...args, ...options], {
    env: { PATH: process.env['PATH'], HOME: directory, MEDPLUM_CLIENT_ACCESS_TOKEN: token },
  })
  const lines: Record<string, string[]> = {}
  for (const name of (await readdir(directory)).filter((each) => each.endsWith('.ndjson'))) {
    const text = await readFile(join(directory, name), 'utf8')
    const type = name.split('_')[0] ?? ''
    lines[type] = [...(lines[type] ?? []), ...text.trimEnd().split('\n')]
  }
  return lines
}

test('its files have as many records as the JSON export of the family', async () => {
  const exporting = startExporting(exportingOf(server))
  onTestFinished(() => exporting.stop())
  const parent = await signUp(server)
  const children = [await addChild(server, parent.token), await addChild(server, parent.token)]
  await connectBasestation(server, parent.token)
  for (const [n, { unique_id, real_user_id }] of children.entries()) {
    await upload(
      server,
      Array.from({ length: NIGHTS + n }, (_, night) =>
        devlogItem(unique_id, new Date(Date.UTC(2026, 0, 1 + night, 21)).toISOString().slice(0, 19), {
          log_file_id: night + 1,
        }),
      ),
    )
    const json = {
      real_user_id,
      created_at: '2026-03-02',
      memo: 'Slept well',
      event_data: { medication: [{ medication_name: 'A', medication_dose: 1 }], hospital: ['Seoul'] },
    }
    await server.post('/api/v1/beta/event', { token: parent.token, json })
    const scores = { attention_score: 1, impulsivity_score: 2, disorder_score: 3 }
    await server.post('/api/v1/beta/survey', { token: parent.token, json: { real_user_id, ...scores } })
  }
  // A back end whose key the operator has registered.
  const { client_id: clientId, askToken } = await addSigningService(server, {
    alg: 'RS384',
    scope: 'system/*.rs',
  })
  const token = async (): Promise<string> => (await askToken()).body.access_token
  await grantTo(server, {
    rootUserId: parent.id,
    clientId,
    scopes: ['child:read', 'usage:read', 'notes:read', 'surveys:read', 'reports:read'],
    children: children.map(({ real_user_id }) => real_user_id),
  })

  const exported = await exportByClient(await token(), '--export-level', 'Patient')
  const downloaded = await fetch(`${server.url}/api/v1/beta/user/export`, {
    method: 'POST',
    headers: { authorization: `Bearer ${parent.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ format: 'json', password: PASSWORD }),
  })
  const family = unzipExport(new Uint8Array(await downloaded.arrayBuffer()))
  const notes: any[] = family['notes.json']
  const counts = (type: string) => exported[type]?.length
  expect(counts('Patient')).toBe(family['children.json'].length)
  expect(counts('Device')).toBe(family['devices.json'].length)
  expect(counts('QuestionnaireResponse')).toBe(family['surveys.json'].length)
  expect(counts('MedicationStatement')).toBe(notes.flatMap(({ event_data }) => event_data.medication).length)
  expect(counts('Observation')).toBe(
    family['treatments.json'].length +
      notes.length +
      notes.flatMap(({ event_data }) => event_data.hospital).length,
  )
  const treatments = new Set(
    family['treatments.json'].map(({ id, real_user_id }: any) => `treatment-${real_user_id}-${id}`),
  )
  const uses = exported['Observation']
    ?.map((line) => JSON.parse(line).id)
    .filter((id) => id.startsWith('treatment-'))
  expect(new Set(uses)).toEqual(treatments)

  const some = await exportByClient(
    await token(),
    '--types',
    'Patient,Device',
    '--since',
    '2020-01-01T00:00:00Z',
  )
  expect(Object.keys(some).toSorted()).toEqual(['Device', 'Patient'])
}, 120_000)
