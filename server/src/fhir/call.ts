import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FhirResource } from 'fhir/r4.d.ts'
import type { Made } from '../fhir-resources/resources.ts'
import type { Context } from '../http/context.ts'
import { dataScopes } from '../http/scope.ts'
import type { AnyScope } from '../http/scope.ts'
import { isForeignChild, reach } from './reach.ts'
import type { Reach } from './reach.ts'
import { resourceId } from '../fhir-resources/resource-id.ts'
import type { Source } from './search.ts'

/** One request to this API. */
export interface Call {
  request: IncomingMessage
  response: ServerResponse
  ctx: Context
  source: Source
  /** The address of the service, and that of this API. */
  issuer: string
  base: string
}

export const ANY_SCOPE: AnyScope = [dataScopes[0], ...dataScopes.slice(1)]

/** The media types of a header, in their order, without parameters; in a query, a plus may have become a space. */
export const mediaTypes = (header: string): string[] =>
  header
    .split(',')
    .map((each) => (each.split(';')[0] ?? '').trim().toLowerCase().replace('fhir json', 'fhir+json'))

/** A resource as this API gives it out: under the id of what it is made of. */
export function served({ kind, key, resource }: Made): FhirResource {
  return { id: resourceId({ kind, key }), ...resource }
}

export const entryOf = (base: string, resource: FhirResource) => ({
  fullUrl: `${base}/${resource.resourceType}/${resource.id}`,
  resource,
  search: { mode: 'match' as const },
})

/** The reach of a call for one child; undefined if a service has no grant for that child. */
export async function reachOf(call: Call, asked: Parameters<typeof reach>[1]): Promise<Reach | undefined> {
  try {
    return await reach(call.ctx, asked)
  } catch (error) {
    if (isForeignChild(error)) return undefined
    throw error
  }
}

/** The account that calls for itself. */
export const ownAccount = ({ caller: { granted, rootUserId } }: Reach) => (granted ? undefined : rootUserId)
