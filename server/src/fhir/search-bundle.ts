import type { Bundle } from 'fhir/r4.d.ts'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { readForm } from '../http/body/read-body.ts'
import { splitRequestTarget } from '../http/request.ts'
import { entryOf, formatOf, ownAccount, reachOf, servedResource } from './call.ts'
import type { FhirCall } from './call.ts'
import { countMatchingUses } from './find-records.ts'
import type { ServedType } from './resource-types.ts'
import { prefers } from './preference.ts'
import { CURSOR_PARAMETER, readSearch, writePlace } from './search-parameters.ts'
import type { SearchRequest } from './search-parameters.ts'
import type { Found, Source, SearchCriteria } from './search.ts'

const MOST_FORM_BYTES = 20_000

/** The parameters of a search, of the query and, if it was sent by POST, of the form. */
async function sentTo({ request }: FhirCall): Promise<[string, string][]> {
  const sent = [...new URLSearchParams(splitRequestTarget(request).query)]
  if (request.method !== 'POST') return sent
  const form = await readForm(request, MOST_FORM_BYTES)
  if (
    form === undefined &&
    !/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')
  )
    throw new Failure(...generic.mediaType)
  for (const [name, values] of Object.entries(form ?? {}))
    for (const value of [values].flat()) sent.push([name, String(value)])
  return sent
}

/** Answers a search, as a page of a Bundle. */
export async function search(call: FhirCall, type: ServedType): Promise<Bundle> {
  const { ctx, request, base, source } = call
  const { name, scope } = type
  // The token first, as everywhere; the child that is asked for narrows what is looked up.
  const sent = await sentTo(call)
  const isStrict = prefers(request, 'handling=strict')
  const asked = () => readSearch({ type, sent, isStrict, system: ctx.fhirSystem, base })
  const early = attempt(asked)
  const [patient, ...others] = early?.patients ?? []
  const realUserId = others.length === 0 ? patient : undefined
  const reached = await reachOf(call, { operation: 'fhir.search', scope, type: name, realUserId })
  const found = early ?? asked()
  if (!reached) return bundleOf(call, type, found, { found: [], next: undefined })
  const { patients } = found
  const children = patients ? reached.children.filter(({ id }) => patients.has(id)) : reached.children
  const foreign = [...(patients ?? [])].filter((id) => !reached.roleOf(id))
  reached.note('fhir.search', foreign, '404 Resource not found')
  const wanted: SearchCriteria = {
    ...found,
    children,
    ownAccount: patients ? undefined : ownAccount(reached),
  }
  if (found.isCount) {
    reached.note(
      'fhir.search',
      children.map(({ id }) => id),
    )
    return { ...bundleOf(call, type, found, undefined), total: await countOf(source, type, wanted) }
  }
  const page = await type.find(source, wanted)
  // Of a child that was named it is also told that there was nothing.
  const named = patients && found.after === undefined ? children.map(({ id }) => id) : []
  reached.note('fhir.search', [...named, ...page.found.flatMap((each) => each.children)])
  return bundleOf(call, type, found, page)
}

function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Counts by pages; only uses, which may be many, are counted by the database. */
async function countOf(source: Source, { name, find }: ServedType, wanted: SearchCriteria): Promise<number> {
  const isOfUses = name === 'Observation' && !wanted.ids
  let total = isOfUses ? await countMatchingUses(source, wanted) : 0
  const counted = isOfUses
    ? { ...wanted, admits: (kind: string) => kind !== 'treatment' && wanted.admits(kind) }
    : wanted
  for (let after: SearchCriteria['after']; ;) {
    const page = await find(source, { ...counted, after, limit: 500 })
    total += page.found.length
    if (!page.next) return total
    after = page.next
  }
}

/** A page of a search, or without one the Bundle that only counts. */
function bundleOf(
  { base, request }: FhirCall,
  { name }: ServedType,
  { understood }: SearchRequest,
  page: { found: readonly Found[]; next: SearchCriteria['after'] } | undefined,
): Bundle {
  const format = formatOf(request)
  const url = (more: readonly (readonly [string, string])[] = []) => {
    const query = [...understood, ...(format ? [['_format', format] as const] : []), ...more]
      .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
      .join('&')
    return `${base}/${name}${query && '?'}${query}`
  }
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    link: [
      { relation: 'self', url: url() },
      ...(page?.next ? [{ relation: 'next', url: url([[CURSOR_PARAMETER, writePlace(page.next)]]) }] : []),
    ],
    ...(page && page.found.length > 0
      ? { entry: page.found.map(({ made }) => entryOf(base, servedResource(made))) }
      : {}),
  }
}
