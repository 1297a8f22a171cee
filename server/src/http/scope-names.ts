import { dataScopes, scopes } from './scope.ts'
import type { DataScope, Scope } from './scope.ts'

/** The types of FHIR that a scope may open. */
export const fhirTypes = [
  'Patient',
  'Device',
  'Observation',
  'QuestionnaireResponse',
  'MedicationStatement',
  'DocumentReference',
  'Binary',
] as const
export type FhirType = (typeof fhirTypes)[number]

/** What the scope of SMART App Launch for one type means here. */
const scopeOfType: Record<FhirType, DataScope> = {
  Patient: 'child:read',
  Device: 'usage:read',
  Observation: 'usage:read',
  QuestionnaireResponse: 'surveys:read',
  MedicationStatement: 'notes:read',
  DocumentReference: 'reports:read',
  Binary: 'reports:read',
}

/** What a scope opens: `scope` on REST, `type` in FHIR; one of ours may open several types, or none. */
interface Opened {
  scope: DataScope
  type?: FhirType
}

const ofScope = (scope: DataScope): Opened[] => {
  const types = fhirTypes.filter((type) => scopeOfType[type] === scope)
  // Notes are Observations too.
  if (scope === 'notes:read') types.push('Observation')
  return types.length === 0 ? [{ scope }] : types.map((type) => ({ scope, type }))
}

const readable = dataScopes.filter((scope) => scope !== 'notes:write')

const smartName = (context: 'patient' | 'system', type: FhirType | '*') =>
  (['rs', 'read'] as const).map((access) => `${context}/${type}.${access}`)

/** Every name under which data is asked for: ours, and those of SMART App Launch (https://hl7.org/fhir/smart-app-launch/). */
const named: ReadonlyMap<string, readonly Opened[]> = new Map<string, readonly Opened[]>([
  ...dataScopes.map((scope) => [scope, ofScope(scope)] as const),
  ...(['patient', 'system'] as const).flatMap((context) => [
    ...fhirTypes.flatMap((type) =>
      smartName(context, type).map((name) => [name, [{ scope: scopeOfType[type], type }]] as const),
    ),
    ...smartName(context, '*').map((name) => [name, readable.flatMap(ofScope)] as const),
  ]),
])

/** Scopes of SMART that are no data: who has signed in, which child was chosen, and how long a token for data lasts. */
export const contextScopes = ['openid', 'fhirUser', 'launch/patient', 'online_access'] as const
export type ContextScope = (typeof contextScopes)[number]

/** Every scope that may be asked for. */
export const scopeNames: readonly string[] = [...named.keys(), 'offline_access', ...contextScopes]

/** Those of SMART as version 2 writes them. */
export const smartScopes: readonly string[] = [
  ...contextScopes,
  'offline_access',
  ...scopeNames.filter((name) => name.endsWith('.rs')),
]

const isOfSmart = (name: string) =>
  name !== 'openid' && (name.includes('/') || contextScopes.some((each) => each === name))

/** Whether any of these names is one of SMART. `openid` is one of OpenID Connect. */
export const asksForSmart = (names: readonly string[]): boolean => names.some(isOfSmart)

/** Our scopes, in our order, that these names mean. */
export function scopesOf(names: Iterable<string>): Scope[] {
  const meant = new Set<Scope>()
  for (const name of names) {
    if (name === 'offline_access') meant.add(name)
    for (const { scope } of named.get(name) ?? []) meant.add(scope)
  }
  return scopes.filter((scope) => meant.has(scope))
}

/** Those of our scopes that open data. */
export const dataScopesOf = (names: Iterable<string>): DataScope[] => {
  const meant = new Set<Scope>(scopesOf(names))
  return dataScopes.filter((scope) => meant.has(scope))
}

/** All names that mean no more than these scopes of ours. */
export function namesWithin(held: readonly Scope[]): string[] {
  const within = new Set<Scope>(held)
  return scopeNames.filter((name) => {
    const meant = scopesOf([name])
    return meant.length > 0 && meant.every((scope) => within.has(scope))
  })
}

/** The types of FHIR that these names open for who holds these scopes. */
export function fhirTypesOf(names: Iterable<string>, held: ReadonlySet<DataScope>): Set<FhirType> {
  const opened = new Set<FhirType>()
  for (const name of names)
    for (const { scope, type } of named.get(name) ?? []) if (type && held.has(scope)) opened.add(type)
  return opened
}
