import type { AnyScope } from '../http/scope.ts'
import type { FhirType } from '../http/scope-names.ts'
import { findDevices } from './find-devices.ts'
import { findDocuments } from './find-documents.ts'
import { findPatients } from './find-patients.ts'
import { findMedications, findObservations, OBSERVED_KINDS } from './find-records.ts'
import { findSurveys } from './find-surveys.ts'
import type { Find } from './search.ts'

/** A type of resource that can be read and searched. The CapabilityStatement is made of this, too. */
export interface ServedType {
  name: Exclude<FhirType, 'Binary'>
  /** Of which one is needed. */
  scope: AnyScope
  find: Find
  /** The kinds of rows that its ids name. */
  kinds: readonly string[]
  /** Whether it can be searched by the child that it is about. */
  ofChild: boolean
  /** The names of the parameter for its date, and whether that is a date without zone or a moment. */
  date?: { names: readonly string[]; compared: 'dates' | 'moments' }
  /** Whether it can be searched by code and category. */
  isCoded?: true
  /** Whether one resource may tell of several children, so that pages do not go from child to child. */
  isOfSeveral?: true
}

/** In the order in which `$everything` tells them. */
export const servedTypes: readonly ServedType[] = [
  { name: 'Patient', scope: ['child:read'], find: findPatients, kinds: ['child'], ofChild: false },
  {
    name: 'Device',
    scope: ['usage:read'],
    find: findDevices,
    kinds: ['device', 'basestation'],
    ofChild: true,
    isOfSeveral: true,
  },
  {
    name: 'Observation',
    scope: ['usage:read', 'notes:read'],
    find: findObservations,
    kinds: OBSERVED_KINDS,
    ofChild: true,
    date: { names: ['date'], compared: 'dates' },
    isCoded: true,
  },
  {
    name: 'QuestionnaireResponse',
    scope: ['surveys:read'],
    find: findSurveys,
    kinds: ['survey'],
    ofChild: true,
    date: { names: ['date', 'authored'], compared: 'moments' },
  },
  {
    name: 'MedicationStatement',
    scope: ['notes:read'],
    find: findMedications,
    kinds: ['note-medication'],
    ofChild: true,
    date: { names: ['date', 'effective'], compared: 'dates' },
  },
  {
    name: 'DocumentReference',
    scope: ['reports:read'],
    find: findDocuments,
    kinds: ['report'],
    ofChild: true,
    date: { names: ['date'], compared: 'moments' },
  },
]

export const servedType = (name: string): ServedType | undefined =>
  servedTypes.find((each) => each.name === name)

/** The search parameters of a type, with the type that each is of (https://hl7.org/fhir/R4/valueset-search-param-type.html). */
export const parametersOf = ({ ofChild, date, isCoded }: ServedType): [name: string, type: string][] => [
  ['_id', 'token'],
  ['_lastUpdated', 'date'],
  ...(ofChild
    ? ([
        ['patient', 'reference'],
        ['subject', 'reference'],
      ] as [string, string][])
    : []),
  ...(date?.names ?? []).map((name): [string, string] => [name, 'date']),
  ...(isCoded
    ? ([
        ['code', 'token'],
        ['category', 'token'],
      ] as [string, string][])
    : []),
]
