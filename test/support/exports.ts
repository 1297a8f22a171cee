import { continueExport } from '@companion/server/fhir/export-work.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { askFhir } from './fhir.ts'
import type { TestServer } from './server.ts'

const ASYNC = { prefer: 'respond-async' }

/** Asks for an export, as a service does with a token of its own. */
export const beginExport = (
  server: Pick<TestServer, 'url'>,
  token: string | undefined,
  path = '$export',
  init: { method?: string; body?: string; headers?: Record<string, string> } = {},
) => askFhir(server, path, token, { ...init, headers: { ...ASYNC, ...init.headers } })

/** What the background work of the service needs. */
export const exportingOf = ({ database, config }: Pick<TestServer, 'database' | 'config'>) => ({
  database,
  fhirSystem: config.fhirSystem,
  timeZone: config.timeZone,
  log: createLogger('silent'),
})

/** Makes all exports that are due, as the background work of the service does. */
export async function makeExports(server: Pick<TestServer, 'database' | 'config'>): Promise<void> {
  while (await continueExport(exportingOf(server)));
}

/** The resources of all files of a manifest, by type. */
export async function exportedResources(
  server: Pick<TestServer, 'url'>,
  token: string,
  { output }: { output: { type: string; url: string; count: number }[] },
): Promise<Record<string, any[]>> {
  const resources: Record<string, any[]> = {}
  for (const { type, url, count } of output) {
    const { status, text } = await askFhir(server, url, token)
    const lines = text.trimEnd().split('\n')
    if (status !== 200 || lines.length !== count)
      throw new Error(`${url} answers ${status} with ${lines.length} lines of ${count}`)
    resources[type] = [...(resources[type] ?? []), ...lines.map((line) => JSON.parse(line))]
  }
  return resources
}

/** An export from the request to the manifest. */
export async function wholeExport(server: TestServer, token: string, path = '$export') {
  const begun = await beginExport(server, token, path)
  if (begun.status !== 202) throw new Error(`${path} answers ${begun.status}: ${begun.text}`)
  await makeExports(server)
  const at = begun.headers.get('content-location') ?? ''
  const { status, body } = await askFhir(server, at, token)
  if (status !== 200) throw new Error(`${at} answers ${status}`)
  return { at, manifest: body, resources: await exportedResources(server, token, body) }
}
