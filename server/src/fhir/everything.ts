import type { Bundle, BundleEntry } from 'fhir/r4.d.ts'
import { splitRequestTarget } from '../http/request.ts'
import { entryOf, formatOf, servedResource } from './call.ts'
import type { FhirCall } from './call.ts'
import { ALWAYS } from './period.ts'
import { prefers } from './preference.ts'
import type { Reach } from './reach.ts'
import { servedTypes } from './resource-types.ts'
import {
  CURSOR_PARAMETER,
  badRequest,
  MOST_OF_PAGE,
  OF_FORMAT,
  patientId,
  readPlace,
  unknownParameter,
  writePlace,
} from './search-parameters.ts'
import type { Place, ReachedChild } from './search.ts'

const USUAL_PAGE = 50

/** Where a page begins: in which type, and behind which place of it. */
interface Start {
  position: number
  after: Place | undefined
}

function startOf(text: string | null): Start {
  if (text === null) return { position: 0, after: undefined }
  const [, digit, place] = /^(\d)(?:\.(.+))?$/.exec(text) ?? []
  const position = Number(digit)
  const type = digit === undefined ? undefined : servedTypes[position]
  if (!type) throw badRequest(`${CURSOR_PARAMETER} must be of the link to the next page`)
  return { position, after: place === undefined ? undefined : readPlace(place, type) }
}

/** A page of all that a child's records are, as far as the token opens them: type by type, each as its search has it. */
export async function readEverything(call: FhirCall, reached: Reach, child: ReachedChild): Promise<Bundle> {
  const { base, request, source } = call
  const query = new URLSearchParams(splitRequestTarget(request).query)
  if (prefers(request, 'handling=strict'))
    for (const name of query.keys())
      if (name !== '_count' && name !== CURSOR_PARAMETER && !OF_FORMAT.has(name)) throw unknownParameter(name)
  const count = query.get('_count') ?? String(USUAL_PAGE)
  if (!/^\d{1,9}$/.test(count) || Number(count) < 1 || Number(count) > MOST_OF_PAGE)
    throw badRequest(`_count must be from 1 to ${MOST_OF_PAGE}`)
  let { position, after } = startOf(query.get(CURSOR_PARAMETER))
  const entry: BundleEntry[] = []
  let next: string | undefined
  for (; position < servedTypes.length; position += 1, after = undefined) {
    const type = servedTypes[position]
    if (!type || !reached.opens(type.name)) continue
    const limit = Number(count) - entry.length
    if (limit === 0) {
      next = String(position)
      break
    }
    const page = await type.find(source, {
      children: [child],
      ownAccount: undefined,
      ids: undefined,
      updated: undefined,
      dates: ALWAYS,
      admits: () => true,
      after,
      limit,
    })
    entry.push(...page.found.map(({ made }) => entryOf(base, servedResource(made))))
    if (page.next) {
      next = `${position}.${writePlace(page.next)}`
      break
    }
  }
  const format = formatOf(request)
  const url = (cursor?: string) => {
    const parameters = new URLSearchParams(query.has('_count') ? { _count: count } : {})
    if (format) parameters.set('_format', format)
    if (cursor !== undefined) parameters.set(CURSOR_PARAMETER, cursor)
    const text = parameters.toString()
    return `${base}/Patient/${patientId(child.id)}/$everything${text && '?'}${text}`
  }
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    link: [
      { relation: 'self', url: url() },
      ...(next === undefined ? [] : [{ relation: 'next', url: url(next) }]),
    ],
    ...(entry.length > 0 ? { entry } : {}),
  }
}
