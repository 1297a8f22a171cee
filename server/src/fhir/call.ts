import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FhirResource } from 'fhir/r4.d.ts'
import type { MadeResource } from '../fhir-resources/resources.ts'
import type { Context } from '../http/context.ts'
import { splitRequestTarget } from '../http/request.ts'
import { dataScopes } from '../http/scope.ts'
import type { AnyScope } from '../http/scope.ts'
import { ChildNotGranted } from '../auth/tokens/grant-token.ts'
import { reach } from './reach.ts'
import type { Reach } from './reach.ts'
import { resourceId } from '../fhir-resources/resource-id.ts'
import type { Source } from './search.ts'

/** One request to this API. */
export interface FhirCall {
  request: IncomingMessage
  response: ServerResponse
  ctx: Context
  source: Source
  /** The address of the service, and that of this API. */
  issuer: string
  base: string
}

export const ANY_SCOPE: AnyScope = [dataScopes[0], ...dataScopes.slice(1)]

/** The form that the query asks for; null if it does not. The links to other pages ask for the same. */
export const formatOf = (request: IncomingMessage): string | null =>
  new URLSearchParams(splitRequestTarget(request).query)
    .get('_format')
    // A plus that was not encoded.
    ?.replace('fhir json', 'fhir+json') ?? null

/**
 * The media types that a caller takes, in their order, without parameters: by `_format`, which precedes the header
 * (https://hl7.org/fhir/R4/http.html#parameters).
 */
export const acceptedMediaTypes = (request: IncomingMessage): string[] =>
  (formatOf(request) || request.headers.accept || '*/*')
    .split(',')
    .map((each) => (each.split(';')[0] ?? '').trim().toLowerCase())

/** A resource as this API gives it out: under the id of what it is made of. */
export function servedResource({ kind, key, resource }: MadeResource): FhirResource {
  return { id: resourceId({ kind, key }), ...resource }
}

export const entryOf = (base: string, resource: FhirResource) => ({
  fullUrl: `${base}/${resource.resourceType}/${resource.id}`,
  resource,
  search: { mode: 'match' as const },
})

/** The reach of a call for one child; undefined if a service has no grant for that child. */
export async function reachOf(
  call: FhirCall,
  asked: Parameters<typeof reach>[1],
): Promise<Reach | undefined> {
  try {
    return await reach(call.ctx, asked)
  } catch (error) {
    if (error instanceof ChildNotGranted) return undefined
    throw error
  }
}

/** The account that calls for itself. */
export const ownAccount = ({ caller: { granted, rootUserId } }: Reach) => (granted ? undefined : rootUserId)
