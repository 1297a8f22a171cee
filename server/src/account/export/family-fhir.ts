import type {
  BundleEntry,
  CodeableConcept,
  CodeSystem,
  Device,
  FhirResource,
  MedicationStatement,
  Observation,
  Patient,
  QuestionnaireResponse,
} from 'fhir/r4.d.ts'
import { z } from 'zod'
import type { Query } from '../../database/statement.ts'
import { rowsOf } from './family-table.ts'
import type { Family, FamilyTable } from './family-table.ts'
import * as tables from './family-tables.ts'
import { localCodes } from './local-codes.ts'
import type { LocalCode } from './local-codes.ts'
import type { AddFile } from './zip-file.ts'

/*
 * FHIR R4 (https://hl7.org/fhir/R4/). A dateTime with a time needs a time zone there, and the clocks of devices have none: the
 * date stands alone, and the time of day in a component (valueTime), which has no zone.
 */

type RowIn<Table> = Table extends FamilyTable<infer Row> ? Row : never

interface Making extends Family {
  isWhole: boolean
  /** The base of the addresses of the resources: the service's own. */
  base: string
  now: Date
}

/** Exports a family as one Bundle of the type `collection`, and the codes that only this service uses as a CodeSystem. */
export async function exportAsFhir(query: Query, making: Making, add: AddFile): Promise<void> {
  await add('bundle.json', bundle(query, making))
  await add('codes.json', [`${JSON.stringify(codeSystem(making), undefined, 2)}\n`])
}

async function* bundle(query: Query, { base, now, isWhole, ...family }: Making): AsyncGenerator<string> {
  const make = resourcesFor(base)
  const pagesOf = <Row extends object>(table: FamilyTable<Row>, resources: (row: Row) => FhirResource[]) =>
    (async function* () {
      for await (const rows of rowsOf(query, table, family)) yield rows.flatMap(resources)
    })()
  const parts = [
    pagesOf(tables.children, (row) => [make.patient(row)]),
    pagesOf(tables.devices, (row) => [make.device(row)]),
    ...(isWhole ? [pagesOf(tables.basestations, (row) => [make.basestation(row)])] : []),
    pagesOf(tables.treatments, (row) => (row.deleted_at === null ? [make.treatment(row)] : [])),
    pagesOf(tables.surveys, (row) => [make.survey(row)]),
    pagesOf(tables.notes, make.note),
    ...(isWhole ? [pagesOf(tables.reading_days, (row) => [make.air(row)])] : []),
  ]
  // A base station that was connected twice is one resource.
  const devices = new Set<string | undefined>()
  yield `{"resourceType":"Bundle","type":"collection","timestamp":"${now.toISOString()}"`
  let separator = ',"entry":[\n'
  for (const part of parts) {
    for await (const resources of part) {
      const entries = resources
        .filter(({ resourceType, id }) => {
          if (resourceType !== 'Device') return true
          const isNew = !devices.has(id)
          devices.add(id)
          return isNew
        })
        .map((resource) => {
          const entry: BundleEntry = {
            fullUrl: `${base}/fhir/${resource.resourceType}/${resource.id}`,
            resource,
          }
          return JSON.stringify(entry)
        })
      if (entries.length === 0) continue
      yield separator + entries.join(',\n')
      separator = ',\n'
    }
  }
  // FHIR has no empty arrays.
  yield separator === ',\n' ? '\n]}\n' : '}\n'
}

const LOINC = 'http://loinc.org'
const UCUM = 'http://unitsofmeasure.org'
const CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category'
const GENDERS: Record<string, NonNullable<Patient['gender']>> = {
  M: 'male',
  F: 'female',
  N: 'other',
  P: 'unknown',
}
const INTENSITY_MS = 6 * 60_000

const codesAt = (base: string) => `${base}/fhir/CodeSystem/companion`

const eventData = z.object({
  medication: z.array(z.object({ medication_name: z.string(), medication_dose: z.number() })),
  hospital: z.array(z.string()),
})

function resourcesFor(base: string) {
  const coded = (code: LocalCode): CodeableConcept => ({
    coding: [{ system: codesAt(base), code }],
    text: localCodes[code][0],
  })
  const identifier = (kind: string, value: string) => ({ system: `${base}/fhir/${kind}`, value })

  return {
    patient: ({ id, first_name, last_name, birthdate, gender }: RowIn<typeof tables.children>): Patient => ({
      resourceType: 'Patient',
      id: `child-${id}`,
      identifier: [identifier('child', String(id))],
      name: [{ given: [said(first_name)], ...(last_name.trim() ? { family: said(last_name) } : {}) }],
      gender: GENDERS[gender] ?? 'unknown',
      birthDate: `${birthdate.slice(0, 4)}-${birthdate.slice(4, 6)}-${birthdate.slice(6)}`,
    }),

    device: ({
      id,
      serial_code,
      device_alias,
      real_user_id,
      firmware_id,
    }: RowIn<typeof tables.devices>): Device => ({
      resourceType: 'Device',
      id: `device-${id}`,
      // Not the UUID: by it anybody could read the device's records, and this file is made to be handed on.
      identifier: [identifier('device', serial_code)],
      serialNumber: said(serial_code),
      type: { text: 'Wearable device' },
      ...(device_alias?.trim()
        ? { deviceName: [{ name: said(device_alias), type: 'user-friendly-name' }] }
        : {}),
      ...(real_user_id === null ? {} : { status: 'active', patient: patientOf(real_user_id) }),
      ...(firmware_id === null
        ? {}
        : { version: [{ type: { text: 'Firmware' }, value: String(firmware_id) }] }),
    }),

    basestation: ({ basestation_id, serial_code }: RowIn<typeof tables.basestations>): Device => ({
      resourceType: 'Device',
      id: `basestation-${basestation_id}`,
      identifier: [identifier('basestation', serial_code)],
      serialNumber: said(serial_code),
      type: { text: 'Base station in the home' },
    }),

    treatment: (row: RowIn<typeof tables.treatments>): Observation => {
      const { date, time } = partsOf(row.treatment_date)
      const end = `end-${row.finish_flag}`
      return {
        resourceType: 'Observation',
        id: `treatment-${row.id}`,
        status: row.is_temp ? 'preliminary' : 'final',
        category: [{ coding: [{ system: CATEGORY, code: 'therapy', display: 'Therapy' }] }],
        code: coded('device-use'),
        subject: patientOf(row.real_user_id),
        effectiveDateTime: date,
        device: { reference: `Device/device-${row.device_id}` },
        component: [
          { code: coded('start-time'), valueTime: time },
          { code: coded('duration'), valueQuantity: { value: row.treatment_time, ...unit('s', 's') } },
          { code: coded('last-intensity'), valueInteger: row.last_intensity },
          { code: coded('movement'), valueInteger: row.movement },
          // How a use will end is not known before its last log.
          ...(row.is_temp
            ? []
            : [
                {
                  code: coded('end-reason'),
                  valueCodeableConcept: isLocal(end)
                    ? coded(end)
                    : { text: `finish_flag ${row.finish_flag}` },
                },
              ]),
          { code: coded('log-number'), valueInteger: row.log_file_id },
          ...(row.intensity_record.length === 0
            ? []
            : [
                {
                  code: coded('intensities'),
                  valueSampledData: {
                    origin: { value: 0 },
                    period: INTENSITY_MS,
                    dimensions: 1,
                    data: row.intensity_record.join(' '),
                  },
                },
              ]),
        ],
      }
    },

    survey: ({
      id,
      real_user_id,
      created_at,
      ...scores
    }: RowIn<typeof tables.surveys>): QuestionnaireResponse => ({
      resourceType: 'QuestionnaireResponse',
      id: `survey-${id}`,
      status: 'completed',
      subject: patientOf(real_user_id),
      authored: created_at,
      item: [
        score('attention_score', 'Attention', scores.attention_score),
        score('impulsivity_score', 'Impulsivity', scores.impulsivity_score),
        score('disorder_score', 'Disorder', scores.disorder_score),
      ],
    }),

    /** What a note tells: its text, the medication that was taken, and the hospitals that were visited. */
    note: ({ id, real_user_id, event_date, memo, saved_at, event_data }: RowIn<typeof tables.notes>) => {
      const { medication, hospital } = eventData.parse(event_data)
      const observed = (part: string, code: LocalCode, value: string): Observation => ({
        resourceType: 'Observation',
        id: part,
        status: 'final',
        code: coded(code),
        subject: patientOf(real_user_id),
        effectiveDateTime: event_date,
        issued: saved_at,
        valueString: value,
      })
      return [
        ...(memo.trim() ? [observed(`note-${id}`, 'note', memo)] : []),
        ...medication.map(({ medication_name, medication_dose }, n): MedicationStatement => ({
          resourceType: 'MedicationStatement',
          id: `note-${id}-medication-${n + 1}`,
          status: 'completed',
          medicationCodeableConcept: { text: said(medication_name) },
          subject: patientOf(real_user_id),
          effectiveDateTime: event_date,
          dateAsserted: saved_at,
          // The unit is the one that the family uses.
          dosage: [{ doseAndRate: [{ doseQuantity: { value: medication_dose } }] }],
        })),
        ...hospital.map((name, n) => observed(`note-${id}-hospital-${n + 1}`, 'hospital-visit', said(name))),
      ]
    },

    air: (row: RowIn<typeof tables.reading_days>): Observation => {
      const station = { reference: `Device/basestation-${row.basestation_id}` }
      return {
        resourceType: 'Observation',
        id: `air-${row.basestation_id}-${row.date}`,
        status: 'final',
        code: coded('sleep-environment'),
        // Nothing says which child slept there.
        subject: station,
        effectiveDateTime: row.date,
        device: station,
        component: [
          { code: coded('readings'), valueInteger: row.readings },
          {
            // https://loinc.org/60832-3
            code: {
              coding: [{ system: LOINC, code: '60832-3', display: 'Room temperature' }],
              text: 'Temperature',
            },
            valueQuantity: { value: row.temperature, ...unit('Cel', '°C') },
          },
          { code: coded('humidity'), valueQuantity: { value: row.humidity, ...unit('%', '%') } },
          { code: coded('brightness'), valueQuantity: { value: row.brightness } },
          { code: coded('noise'), valueQuantity: { value: row.noise } },
        ],
      }
    },
  }
}

const patientOf = (id: number) => ({ reference: `Patient/child-${id}` })

const isLocal = (code: string): code is LocalCode => code in localCodes

/** FHIR's texts hold something else than spaces. */
const said = (text: string) => (text.trim() ? text : '-')

/** A unit of UCUM (https://ucum.org/ucum). */
const unit = (code: string, shown: string) => ({ unit: shown, system: UCUM, code })

const score = (linkId: string, text: string, valueInteger: number) => ({
  linkId,
  text,
  answer: [{ valueInteger }],
})

function partsOf(wallClock: string): { date: string; time: string } {
  const [date = '', time = ''] = wallClock.split('T')
  return { date, time }
}

const codeSystem = ({ base, now }: Making): CodeSystem => ({
  resourceType: 'CodeSystem',
  id: 'companion',
  url: codesAt(base),
  name: 'Companion',
  title: 'The codes that only this service uses',
  status: 'active',
  date: now.toISOString(),
  caseSensitive: true,
  content: 'complete',
  count: Object.keys(localCodes).length,
  concept: Object.entries(localCodes).map(([code, [display, definition]]) => ({ code, display, definition })),
})
