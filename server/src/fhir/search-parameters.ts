import { z } from 'zod'
import { Failure } from '../errors/failure.ts'
import { codeSystemUrl } from '../fhir-resources/definitions.ts'
import { OBSERVATION_CATEGORY } from '../fhir-resources/resources.ts'
import { cursorOf, pageCursorField } from '../http/page-cursor.ts'
import { isLocalDateTime } from '../time/wall-clock.ts'
import { ALWAYS, intersectPeriods, periodOf } from './period.ts'
import { namedRow, resourceId } from '../fhir-resources/resource-id.ts'
import { parametersOf } from './resource-types.ts'
import type { ServedType } from './resource-types.ts'
import type { Place, SearchCriteria } from './search.ts'

export const MOST_OF_PAGE = 500
const USUAL_PAGE = 50
/** So many ids or children may be asked for at once. */
const MOST_VALUES = 200

/** The place of a page in `$everything` has the position of a type before it. */
export const CURSOR_PARAMETER = '_cursor'

/** What a caller searches for, except for what depends on who they are. */
export interface SearchRequest extends Omit<SearchCriteria, 'children' | 'ownAccount'> {
  /** The children that are asked for; undefined: all. */
  patients: ReadonlySet<number> | undefined
  isCount: boolean
  /** What was understood, in the order of the request. */
  understood: [name: string, value: string][]
}

export const badRequest = (detail: string) => new Failure(400, detail)

export const unknownParameter = (name: string, kind = 'Parameter') =>
  badRequest(`${kind} ${JSON.stringify(name.slice(0, 64))} is not known`)

/** The codings of each kind of Observation. */
const codings = (system: string): Record<string, { code: string; category?: string }> => ({
  treatment: { code: `${codeSystemUrl(system)}|device-use`, category: `${OBSERVATION_CATEGORY}|therapy` },
  note: { code: `${codeSystemUrl(system)}|note` },
  'note-hospital': { code: `${codeSystemUrl(system)}|hospital-visit` },
})

/** Whether a coding, as `system|code`, is one that a token asks for (https://hl7.org/fhir/R4/search.html#token). */
function isAsked(coding: string | undefined, token: string): boolean {
  if (coding === undefined) return false
  if (!token.includes('|')) return coding.endsWith(`|${token}`)
  return token.endsWith('|') ? coding.startsWith(token) : coding === token
}

const valuesOf = (name: string, value: string): string[] => {
  const values = value.split(',')
  if (values.includes('') || values.length > MOST_VALUES) throw badRequest(`${name} is not valid`)
  return values
}

interface Request {
  type: ServedType
  /** The parameters as they were sent. */
  sent: readonly (readonly [name: string, value: string])[]
  isStrict: boolean
  system: string
  /** The address of this API. */
  base: string
}

/** Names that say how to answer, and are judged elsewhere. */
export const OF_FORMAT = new Set(['_format', '_pretty'])

/** Reads the parameters of a search. Throws 400 for a wrong value, and where `isStrict` for a parameter that is not known. */
export function readSearch({ type, sent, isStrict, system, base }: Request): SearchRequest {
  const known = new Map(parametersOf(type))
  const asked: SearchRequest = {
    patients: undefined,
    ids: undefined,
    updated: undefined,
    dates: ALWAYS,
    admits: () => true,
    after: undefined,
    limit: USUAL_PAGE,
    isCount: false,
    understood: [],
  }
  const coding = codings(system)
  for (const [name, value] of sent) {
    const [plain = '', modifier] = name.split(':', 2)
    if (modifier !== undefined && known.has(plain)) throw badRequest(`${plain} has no modifiers here`)
    const understands = () => asked.understood.push([name, value])
    if (name === '_count') {
      if (!/^\d{1,9}$/.test(value) || Number(value) < 1 || Number(value) > MOST_OF_PAGE)
        throw badRequest(`_count must be from 1 to ${MOST_OF_PAGE}`)
      asked.limit = Number(value)
    } else if (name === '_summary') {
      if (value !== 'count' && value !== 'false') throw badRequest('_summary must be count or false')
      asked.isCount = value === 'count'
    } else if (name === CURSOR_PARAMETER) {
      asked.after = readPlace(value, type)
      continue
    } else if (!known.has(name)) {
      if (isStrict && !OF_FORMAT.has(name)) throw unknownParameter(name, 'Search parameter')
      continue
    } else if (name === '_id') {
      const ids = valuesOf(name, value).flatMap((id) => {
        const named = namedRow(id)
        return named && type.kinds.includes(named.kind) ? [{ id, named }] : []
      })
      const before = asked.ids && new Set(asked.ids.map(({ id }) => id))
      asked.ids = before ? ids.filter(({ id }) => before.has(id)) : ids
    } else if (name === 'patient' || name === 'subject') {
      const patients = valuesOf(name, value).flatMap((reference) => patientIn(reference, base) ?? [])
      const before = asked.patients
      asked.patients = new Set(before ? patients.filter((each) => before.has(each)) : patients)
    } else if (name === 'code' || name === 'category') {
      const tokens = valuesOf(name, value)
      const before = asked.admits
      asked.admits = (kind) => before(kind) && tokens.some((token) => isAsked(coding[kind]?.[name], token))
    } else {
      const compared = name === '_lastUpdated' ? 'moments' : (type.date?.compared ?? 'moments')
      const period = periodOf(value, compared)
      if (!period) throw badRequest(`${name} is not valid`)
      if (name === '_lastUpdated') asked.updated = intersectPeriods(asked.updated ?? ALWAYS, period)
      else asked.dates = intersectPeriods(asked.dates, period)
    }
    understands()
  }
  return asked
}

/** The child that a reference names: `Patient/child-1`, its id alone, or the whole address. */
function patientIn(reference: string, base: string): number | undefined {
  const own = reference.startsWith(`${base}/`) ? reference.slice(base.length + 1) : reference
  const named = namedRow(own.startsWith('Patient/') ? own.slice('Patient/'.length) : own)
  return named?.kind === 'child' ? named.child : undefined
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?[+-](?:0\d|1[0-4]):\d\d$/
const INT = 2 ** 31

const place = z.tuple([
  z
    .int()
    .min(0)
    .max(INT - 1),
  z
    .string()
    .refine((at) => at === '' || isLocalDateTime(at) || (MOMENT.test(at) && !Number.isNaN(Date.parse(at)))),
  z.string().max(30),
  z.string().regex(/^(?:[1-9]\d{0,17}|\d{4}-\d\d)$/),
  z.int().min(0).max(10_000),
])
const cursor = pageCursorField(place)

/** What a page goes on from. A place of another type comes from a caller that has edited it. */
export function readPlace(text: string, type: ServedType): Place {
  const parsed = cursor.safeParse(text).data
  const isOfType =
    parsed &&
    (type.kinds.includes(parsed[2]) || (parsed[2] === 'note' && type.kinds.includes('note-medication'))) &&
    (parsed[2] === 'report') === parsed[3].includes('-') &&
    (parsed[2] === 'treatment' || parsed[2] === 'report' || Number(parsed[3]) < INT) &&
    (parsed[1] === '') === (type.date === undefined || parsed[2] === 'report') &&
    (parsed[2] === 'survey') === MOMENT.test(parsed[1])
  if (!isOfType) throw badRequest(`${CURSOR_PARAMETER} must be of the link to the next page`)
  return parsed
}

export const writePlace = (at: Place): string => cursorOf(at)

/** The id of the Patient of a child. */
export const patientId = (realUserId: number): string => resourceId({ kind: 'child', key: realUserId })
