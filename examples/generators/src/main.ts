import assert from 'node:assert/strict'
import { heyApi } from './hey-api.ts'
import { kubb } from './kubb.ts'
import { openApiFetch } from './openapi-fetch.ts'
import { orval } from './orval.ts'

/* Calls a service with the demo family through each generated client. */

const { COMPANION_URL: baseUrl = '' } = process.env
const today = new Date().toISOString().slice(0, 10)
const DEVICE = 'de000000-0000-4000-8000-000000000001'

const clients = {
  'openapi-fetch': openApiFetch(baseUrl),
  'hey-api': heyApi(baseUrl),
  Kubb: kubb(baseUrl),
  orval: orval(),
}
for (const [name, calls] of Object.entries(clients)) {
  const token = await calls.signIn('demo@example.com', 'demo-family-2026')
  assert.ok((await calls.me(token)) > 0)
  const child = await calls.child(token)
  assert.ok((await calls.chart(token, child, today)) > 5)
  assert.match(await calls.upload(DEVICE, `${today}T00:30:00`), /saved/)
  assert.equal(await calls.deleteUnknown(token), 'Real user is not found')
  const bytes = await calls.pdf(token, child, `${today.slice(0, 8)}01`)
  assert.equal(Buffer.from(bytes.subarray(0, 5)).toString(), '%PDF-')
  console.log(`${name}: all calls work, a report has ${bytes.length} bytes`)
}
