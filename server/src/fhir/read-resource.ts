import type { FhirResource, Bundle } from 'fhir/r4.d.ts'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { questionnaire } from '../fhir-resources/definitions.ts'
import { ANY_SCOPE, ownAccount, reachOf, servedResource } from './call.ts'
import type { FhirCall } from './call.ts'
import { readEverything } from './everything.ts'
import { ALWAYS } from './period.ts'
import { reach } from './reach.ts'
import { relatedPerson } from './related-person.ts'
import { sendReport } from './report-binary.ts'
import { namedRow } from '../fhir-resources/resource-id.ts'
import type { ServedType } from './resource-types.ts'

/** Everything about no child in particular, by which a search for one row is made. */
const anything = { updated: undefined, dates: ALWAYS, admits: () => true, after: undefined } as const

export async function read(call: FhirCall, type: ServedType, id: string): Promise<FhirResource> {
  const named = namedRow(id)
  const { scope, name } = type
  const reached = await reachOf(call, { operation: 'fhir.read', scope, type: name, realUserId: named?.child })
  if (!reached || !named || !type.kinds.includes(named.kind)) throw new Failure(...generic.notFound)
  const wanted = {
    ...anything,
    ids: [{ id, named }],
    children: reached.children,
    ownAccount: ownAccount(reached),
    limit: 1,
  }
  const { found } = await type.find(call.source, wanted)
  const [one] = found
  if (!one) {
    // A child that somebody names and may not reach is told of, as on REST.
    if (named.child !== undefined && !reached.roleOf(named.child))
      reached.note('fhir.read', [named.child], '404 Resource not found')
    throw new Failure(...generic.notFound)
  }
  reached.note('fhir.read', one.children)
  return servedResource(one.made)
}

export async function everythingOf(call: FhirCall, id: string): Promise<Bundle> {
  const named = namedRow(id)
  const child = named?.kind === 'child' ? named.child : undefined
  const reached = await reachOf(call, {
    operation: 'fhir.read',
    scope: ['child:read'],
    type: 'Patient',
    realUserId: child,
  })
  const one = reached?.children.find((each) => each.id === child)
  if (!reached || !one) {
    if (child !== undefined) reached?.note('fhir.read', [child], '404 Resource not found')
    throw new Failure(...generic.notFound)
  }
  const bundle = await readEverything(call, reached, one)
  reached.note('fhir.read', [one.id])
  return bundle
}

/** The Questionnaire of surveys, which their responses name. It says nothing of anybody, but is for those who may read some. */
export async function readQuestionnaire(call: FhirCall, id: string): Promise<FhirResource> {
  await reach(call.ctx, { operation: 'fhir.read', scope: ANY_SCOPE })
  if (id !== 'survey') throw new Failure(...generic.notFound)
  return { ...questionnaire(call.ctx.fhirSystem), id }
}

export async function readPerson(call: FhirCall, id: string): Promise<FhirResource> {
  const reached = await reach(call.ctx, { operation: 'fhir.read', scope: ANY_SCOPE })
  const { granted, rootUserId } = reached.caller
  const named = namedRow(id)
  const [child] = reached.children
  const isOwn = named?.kind === 'account' && Number(named.row) === rootUserId && child !== undefined
  if (!isOwn || (granted && !granted.names.has('fhirUser'))) throw new Failure(...generic.notFound)
  reached.note('fhir.read', [child.id])
  return relatedPerson(rootUserId, child.id)
}

export async function readBinary(call: FhirCall, id: string): Promise<FhirResource | undefined> {
  const named = namedRow(id)
  const asked = { operation: 'fhir.read', scope: ['reports:read'], type: 'Binary' } as const
  const reached = await reachOf(call, { ...asked, realUserId: named?.child })
  const child = reached?.children.find((each) => each.id === named?.child && each.scopes.has('reports:read'))
  if (!reached || !child || named?.kind !== 'report') throw new Failure(...generic.notFound)
  return sendReport(call, reached, { id, realUserId: child.id, month: named.row })
}
