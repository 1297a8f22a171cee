import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { readJsonBody } from '../http/body/read-body.ts'
import { splitRequestTarget } from '../http/request.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { periodOf } from './period.ts'
import { prefers } from './preference.ts'
import { servedType, servedTypes } from './resource-types.ts'
import type { ServedType } from './resource-types.ts'
import { badRequest, OF_FORMAT, unknownParameter } from './search-parameters.ts'

const MOST_BODY_BYTES = 20_000

/** What a service asks for (https://hl7.org/fhir/uv/bulkdata/export.html#query-parameters). */
export interface ExportParameters {
  /** Undefined: all that the token opens. */
  types: ReadonlySet<ServedType['name']> | undefined
  /** ISO 8601 in UTC; undefined: from the beginning. */
  since: string | undefined
}

const FORMATS = new Set(['application/fhir+ndjson', 'application/ndjson', 'ndjson'])

/** As `instant` in FHIR. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

const parametersBody = z.object({
  resourceType: z.literal('Parameters'),
  parameter: z
    .array(
      z.object({
        name: z.string(),
        valueString: z.string().optional(),
        valueCode: z.string().optional(),
        valueUri: z.string().optional(),
        valueInstant: z.string().optional(),
        valueDateTime: z.string().optional(),
      }),
    )
    .default([]),
})

/** The parameters of the query, and of a POST those of its body, a Parameters resource; their names are the same. */
async function sentWith(request: IncomingMessage): Promise<[name: string, value: string | undefined][]> {
  // A plus stands for itself: no value has a space, and many clients do not encode the one of `fhir+ndjson`.
  const query = splitRequestTarget(request).query.replaceAll('+', '%2B')
  const sent: [string, string | undefined][] = [...new URLSearchParams(query)]
  if (request.method !== 'POST') return sent
  const types = ['application/fhir+json', 'application/json']
  const body = await readJsonBody(request, MOST_BODY_BYTES, types).catch((error: unknown) => {
    throw error instanceof InvalidInput ? badRequest('The body must be Parameters') : error
  })
  if (body === undefined) return sent
  const read = parametersBody.safeParse(body)
  if (!read.success) throw badRequest('The body must be Parameters')
  for (const { name, ...values } of read.data.parameter)
    sent.push([name, Object.values(values).find((value) => value !== undefined)])
  return sent
}

/** Throws 400 for a request without `Prefer: respond-async`, for a wrong value, and without `handling=lenient` for what is not known. */
export async function readExportParameters(request: IncomingMessage): Promise<ExportParameters> {
  const sent = await sentWith(request)
  if (!prefers(request, 'respond-async')) throw badRequest('Prefer: respond-async is required')
  const isLenient = prefers(request, 'handling=lenient')
  const asked: { types: Set<ServedType['name']> | undefined; since: string | undefined } = {
    types: undefined,
    since: undefined,
  }
  for (const [name, value = ''] of sent) {
    if (name === '_type') {
      asked.types ??= new Set()
      for (const each of value.split(',')) {
        const type = servedType(each)
        if (!type) throw badRequest(`_type must be of ${servedTypes.map((known) => known.name).join(', ')}`)
        asked.types.add(type.name)
      }
    } else if (name === '_since') {
      // What has changed at this very moment may come twice, and is never left out.
      const from = INSTANT.test(value) ? periodOf(`ge${value}`, 'moments')?.from : undefined
      if (from === undefined)
        throw badRequest('_since must be a moment with its zone, as 2026-03-01T00:00:00Z')
      asked.since = from
    } else if (name === '_outputFormat') {
      if (!FORMATS.has(value)) throw badRequest('_outputFormat must be application/fhir+ndjson')
    } else if (!isLenient && !OF_FORMAT.has(name)) throw unknownParameter(name)
  }
  return asked
}
