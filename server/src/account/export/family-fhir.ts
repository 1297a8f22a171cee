import type { BundleEntry, CodeSystem, Questionnaire } from 'fhir/r4.d.ts'
import type { Query } from '../../database/statement.ts'
import { rowsOf } from './family-table.ts'
import type { Family, FamilyTable } from './family-table.ts'
import * as tables from './family-tables.ts'
import { codeSystem, questionnaire } from './fhir-definitions.ts'
import { fhirResources } from './fhir-resources.ts'
import type { Told } from './fhir-resources.ts'
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
export async function exportAsFhir(query: Query, making: Making, add: AddFile): Promise<void> {
  await add('bundle.json', bundle(query, making))
  await add('codes.json', [`${JSON.stringify(codeSystem(making.system), undefined, 2)}\n`])
}

async function* bundle(
  query: Query,
  { system, today, now, isWhole, ...family }: Making,
): AsyncGenerator<string> {
  const make = fhirResources({ system, today })
  const pagesOf = <Row extends object>(table: FamilyTable<Row>, resources: (row: Row) => Told[]) =>
    (async function* () {
      for await (const rows of rowsOf(query, table, family)) yield rows.flatMap(resources)
    })()
  const parts = [
    pagesOf(tables.children, (row) => [make.patient(row)]),
    pagesOf(tables.devices, (row) => [make.device(row)]),
    ...(isWhole ? [pagesOf(tables.basestations, (row) => [make.basestation(row)])] : []),
    pagesOf(tables.planPeriods, (row) => [make.plan(row)]),
    pagesOf(tables.treatments, (row) => (row.deleted_at === null ? [make.treatment(row)] : [])),
    pagesOf(tables.surveys, (row) => [make.survey(row)]),
    pagesOf(tables.notes, make.note),
    ...(isWhole ? [pagesOf(tables.reading_days, (row) => [make.air(row)])] : []),
  ]
  // A base station that was connected twice is one resource.
  const devices = new Set<string>()
  const isNew = ({ fullUrl, resource }: Told) => {
    if (resource.resourceType !== 'Device') return true
    const isKnown = devices.has(fullUrl)
    devices.add(fullUrl)
    return !isKnown
  }
  const definitions = [codeSystem(system), questionnaire(system)].map(definitionEntry)
  yield `{"resourceType":"Bundle","type":"transaction","timestamp":"${now.toISOString()}","entry":[\n${definitions.map((entry) => JSON.stringify(entry)).join(',\n')}`
  for (const part of parts)
    for await (const told of part)
      yield told
        .filter(isNew)
        .map((each) => `,\n${JSON.stringify(entryOf(each))}`)
        .join('')
  yield '\n]}\n'
}

/** Updates what a server has under this identifier, or else makes it: an import of a later export doubles nothing. */
function entryOf({ fullUrl, resource }: Told): BundleEntry {
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
