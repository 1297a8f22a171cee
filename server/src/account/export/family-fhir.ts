import type { BundleEntry, CodeSystem, Questionnaire } from 'fhir/r4.d.ts'
import type { RunNamedStatement } from '../../database/statement.ts'
import { rowsOf } from './family-table.ts'
import type { Family, FamilyTable } from './family-table.ts'
import * as tables from './family-tables.ts'
import { codeSystem, questionnaire } from '../../fhir-resources/definitions.ts'
import { fhirResources } from '../../fhir-resources/resources.ts'
import type { MadeResource, MakeableResource } from '../../fhir-resources/resources.ts'
import { uuidOfUrl } from './name-uuid.ts'
import type { AddFile } from './zip-file.ts'

interface Making extends Family {
  isWhole: boolean
  /** `FHIR_SYSTEM`, the base of what names records and codes. */
  system: string
  /** The date at the service. */
  today: string
  now: Date
}

/**
 * Exports a family as one Bundle of the type `transaction`, which a FHIR server takes in, and the codes that only this service
 * uses as a CodeSystem.
 */
export async function exportAsFhir(query: RunNamedStatement, making: Making, add: AddFile): Promise<void> {
  await add('bundle.json', bundle(query, making))
  await add('codes.json', [`${JSON.stringify(codeSystem(making.system), undefined, 2)}\n`])
}

async function* bundle(
  query: RunNamedStatement,
  { system, today, now, isWhole, ...family }: Making,
): AsyncGenerator<string> {
  // Servers put their own ids in the place of such names (https://hl7.org/fhir/R4/http.html#trules).
  const fullUrl = (kind: string, key: string | number) => `urn:uuid:${uuidOfUrl(`${system}/${kind}/${key}`)}`
  const make = fhirResources({ system, today, refer: (_type, kind, key) => fullUrl(kind, key) })
  const pagesOf = <Row extends object>(table: FamilyTable<Row>, resources: (row: Row) => MadeResource[]) =>
    (async function* () {
      for await (const rows of rowsOf(query, table, family)) yield rows.flatMap(resources)
    })()
  const parts = [
    pagesOf(tables.children, (row) => [make.patient(row)]),
    // This file is made to be handed on.
    pagesOf(tables.devices, (row) => [make.device({ ...row, unique_id: null })]),
    ...(isWhole ? [pagesOf(tables.basestations, (row) => [make.basestation(row)])] : []),
    pagesOf(tables.planPeriods, (row) => [make.plan(row)]),
    pagesOf(tables.treatments, (row) => (row.deleted_at === null ? [make.treatment(row)] : [])),
    pagesOf(tables.surveys, (row) => [make.survey(row)]),
    pagesOf(tables.notesWithNights, make.note),
    ...(isWhole ? [pagesOf(tables.reading_days, (row) => [make.air(row)])] : []),
  ]
  // A base station that was connected twice is one resource.
  const devices = new Set<string>()
  const isNew = ({ kind, key }: MadeResource) => {
    if (kind !== 'basestation') return true
    const isKnown = devices.has(key)
    devices.add(key)
    return !isKnown
  }
  const definitions = [codeSystem(system), questionnaire(system)].map(definitionEntry)
  yield `{"resourceType":"Bundle","type":"transaction","timestamp":"${now.toISOString()}","entry":[\n${definitions.map((entry) => JSON.stringify(entry)).join(',\n')}`
  for (const part of parts)
    for await (const made of part)
      yield made
        .filter(isNew)
        .map((each) => `,\n${JSON.stringify(entryOf(fullUrl(each.kind, each.key), each.resource))}`)
        .join('')
  yield '\n]}\n'
}

/** Updates what a server has under this identifier, or else makes it: an import of a later export doubles nothing. */
function entryOf(fullUrl: string, resource: MakeableResource): BundleEntry {
  const [{ system = '', value = '' } = {}] = [resource.identifier ?? []].flat()
  return { fullUrl, resource, request: put(resource.resourceType, 'identifier', `${system}|${value}`) }
}

const definitionEntry = (resource: CodeSystem | Questionnaire): BundleEntry => ({
  fullUrl: resource.url ?? '',
  resource,
  request: put(resource.resourceType, 'url', resource.url ?? ''),
})

const put = (type: string, parameter: string, value: string) => ({
  method: 'PUT' as const,
  url: `${type}?${parameter}=${encodeURIComponent(value)}`,
})
