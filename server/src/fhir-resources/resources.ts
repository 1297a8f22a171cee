import { eveningOfNoteSql } from '../entities/evening-of-note.ts'
import type {
  CarePlan,
  CodeableConcept,
  Device,
  DocumentReference,
  Identifier,
  MedicationStatement,
  Observation,
  Patient,
  QuestionnaireResponse,
} from 'fhir/r4.d.ts'
import { z } from 'zod'
import { codeSystemUrl, surveyItems, surveyQuestionnaireUrl } from './definitions.ts'
import { localCodes } from './local-codes.ts'
import type { LocalCode } from './local-codes.ts'

/*
 * FHIR R4 (https://hl7.org/fhir/R4/). A dateTime with a time needs a time zone there, and the clocks of devices have none: the
 * date stands alone, and the time of day in a component (valueTime), which has no zone.
 */

/** Moments are ISO 8601 in UTC. */
interface Updated {
  /** When it last changed; null if that is not known. */
  updated_at: string | null
}

export interface ChildRow extends Updated {
  id: number
  first_name: string
  last_name: string
  /** `yyyymmdd` */
  birthdate: string
  gender: string
}

export interface DeviceRow extends Updated {
  id: number
  serial_code: string
  /** These are null unless a child whose data is shown wears it now. */
  device_alias: string | null
  real_user_id: number | null
  firmware_id: number | null
  /** The UUID, by which anybody could read the records of the device: null for all but the owner of the child who wears it. */
  unique_id: string | null
}

export interface BasestationRow {
  basestation_id: number
  serial_code: string
}

export interface PlanRow {
  id: number
  real_user_id: number
  /** The first and the last evening, `yyyy-mm-dd`; the last is null while no other plan follows. */
  from: string
  until: string | null
  nights_per_week: number
  minutes: number
  bedtime: string | null
  set_by: string
  set_at: string
}

export interface TreatmentRow extends Updated {
  id: number
  real_user_id: number
  device_id: number
  /** What the clock of the device showed, ISO 8601 without zone. */
  treatment_date: string
  /** Seconds. */
  treatment_time: number
  last_intensity: number
  movement: number
  finish_flag: number
  is_temp: boolean
  log_file_id: number
  intensity_record: number[]
}

export interface SurveyRow {
  id: number
  real_user_id: number
  attention_score: number
  impulsivity_score: number
  disorder_score: number
  created_at: string
}

export interface NoteRow {
  id: number
  real_user_id: number
  /** `yyyy-mm-dd` */
  event_date: string
  memo: string
  event_data: object
  saved_at: string
  /** When it, or the use of `night_treatment_id`, last changed. */
  updated_at: string
  /** The first use of the night that the note is read beside; null if there is none. */
  night_treatment_id: number | null
}

export interface AirRow {
  basestation_id: number
  /** `yyyy-mm-dd` */
  date: string
  readings: number
  temperature: number
  humidity: number
  brightness: number
  noise: number
}

/** A calendar month of a child with a use, of which there is a report. */
export interface ReportRow extends Updated {
  real_user_id: number
  /** `yyyy-mm`, and its first and last date so far. */
  month: string
  first: string
  last: string
  /** The moment at which that last date ends, in the time zone of the service. */
  ends_at: string
  /** Where the PDF is. */
  url: string
}

/** A resource, with what it is made of: `kind` and `key` name the row, and do not change while it lives. */
export interface MadeResource<Resource = MakeableResource> {
  kind: string
  key: string
  resource: Resource
}

export type MakeableResource =
  | Patient
  | Device
  | CarePlan
  | Observation
  | QuestionnaireResponse
  | MedicationStatement
  | DocumentReference

/** How a resource refers to one of another kind. */
export type Refer = (type: MakeableResource['resourceType'], kind: string, key: string | number) => string

/** SQL of the first use of the night that note `e` of `child` is about, in the time zone `zone`: its id, or `what` else of it. */
export const nightOfNoteSql = (child: string, zone: string, what = 't.id') => `(SELECT ${what}
     FROM (SELECT ${eveningOfNoteSql(zone)} AS evening) n
     CROSS JOIN LATERAL child_treatments(${child}, n.evening + interval '12 hours', n.evening + interval '36 hours') t
     WHERE t.is_temp OR t.treatment_time >= 120
     ORDER BY t.treatment_date, t.id LIMIT 1)`

const LOINC = 'http://loinc.org'
const UCUM = 'http://unitsofmeasure.org'
export const OBSERVATION_CATEGORY = 'http://terminology.hl7.org/CodeSystem/observation-category'
const GENDERS: Record<string, NonNullable<Patient['gender']>> = {
  M: 'male',
  F: 'female',
  N: 'other',
  P: 'unknown',
}
const INTENSITY_MS = 6 * 60_000

const eventData = z.object({
  medication: z.array(z.object({ medication_name: z.string(), medication_dose: z.number() })),
  hospital: z.array(z.string()),
})

/** SQL of when note `e` last changed: also when that use arrives, or changes. */
export const noteUpdated = (child: string, zone: string) =>
  `greatest(e.saved_at, ${nightOfNoteSql(child, zone, 't.updated_at')})`

/** SQL of when device `d` last changed for some children: who does not wear it any more learns nothing later of it. */
export const deviceUpdated = (
  device: string,
  among: string,
) => `CASE WHEN ${device}.real_user_id = ${among} THEN ${device}.updated_at
  ELSE (SELECT max(h.until) FROM device_history h WHERE h.device_id = ${device}.id AND h.real_user_id = ${among}) END`

interface Making {
  /** `FHIR_SYSTEM`, the base of what names records and codes. */
  system: string
  /** The date at the service. */
  today: string
  refer: Refer
}

/**
 * Makes resources of rows, for the family's export and the FHIR API alike. They have no `id`: that is for the server that gives
 * them out.
 */
export function fhirResources({ system, today, refer }: Making) {
  const coded = (code: LocalCode): CodeableConcept => ({
    coding: [{ system: codeSystemUrl(system), code }],
    text: localCodes[code][0],
  })
  const identifier = (kind: string, value: string | number): Identifier => ({
    system: `${system}/${kind}`,
    value: String(value),
  })
  const child = (id: number) => ({ reference: refer('Patient', 'child', id) })
  const device = (kind: 'device' | 'basestation', id: number) => ({ reference: refer('Device', kind, id) })
  /** What has no other name than its id here. */
  const named = <Resource extends MakeableResource>(
    kind: string,
    id: string | number,
    resource: (identifier: Identifier) => Resource,
  ): MadeResource<Resource> => ({ kind, key: String(id), resource: resource(identifier(kind, id)) })
  /** The same of a record of a child, whose key names the child too: by it the record is found. */
  const ofChild = <Resource extends MakeableResource>(
    realUserId: number,
    ...[kind, id, resource]: Parameters<typeof named<Resource>>
  ): MadeResource<Resource> => ({ ...named(kind, id, resource), key: `${realUserId}-${id}` })

  return {
    patient: ({ id, first_name, last_name, birthdate, gender, updated_at }: ChildRow) =>
      named('child', id, (identifier): Patient => ({
        resourceType: 'Patient',
        ...updated(updated_at),
        identifier: [identifier],
        name: [{ given: [said(first_name)], ...(last_name.trim() ? { family: said(last_name) } : {}) }],
        gender: GENDERS[gender] ?? 'unknown',
        birthDate: `${birthdate.slice(0, 4)}-${birthdate.slice(4, 6)}-${birthdate.slice(6)}`,
      })),

    device: ({
      id,
      serial_code,
      device_alias,
      real_user_id,
      firmware_id,
      unique_id,
      updated_at,
    }: DeviceRow): MadeResource<Device> => ({
      kind: 'device',
      key: String(id),
      resource: {
        resourceType: 'Device',
        ...updated(updated_at),
        identifier: [
          identifier('device', serial_code),
          ...(unique_id === null ? [] : [identifier('device-uuid', unique_id)]),
        ],
        serialNumber: said(serial_code),
        type: { text: 'Wearable device' },
        ...(device_alias?.trim()
          ? { deviceName: [{ name: said(device_alias), type: 'user-friendly-name' }] }
          : {}),
        ...(real_user_id === null ? {} : { status: 'active', patient: child(real_user_id) }),
        ...(firmware_id === null
          ? {}
          : { version: [{ type: { text: 'Firmware' }, value: String(firmware_id) }] }),
      },
    }),

    basestation: ({ basestation_id, serial_code }: BasestationRow): MadeResource<Device> => ({
      kind: 'basestation',
      key: String(basestation_id),
      resource: {
        resourceType: 'Device',
        identifier: [identifier('basestation', serial_code)],
        serialNumber: said(serial_code),
        type: { text: 'Base station in the home' },
      },
    }),

    plan: (row: PlanRow) =>
      ofChild(row.real_user_id, 'plan', row.id, (identifier): CarePlan => {
        const isPause = row.nights_per_week === 0
        const isOver = row.until !== null && row.until < today
        return {
          resourceType: 'CarePlan',
          ...updated(row.set_at),
          identifier: [identifier],
          status: isOver ? 'completed' : isPause ? 'on-hold' : 'active',
          intent: 'plan',
          title: isPause ? 'Pause' : 'Nights of use',
          subject: child(row.real_user_id),
          period: { start: row.from, ...(row.until === null ? {} : { end: row.until }) },
          created: row.set_at,
          author: { display: row.set_by === 'clinic' ? 'Clinic' : 'Parent' },
          activity: [
            {
              detail: {
                code: coded('device-use'),
                status: isOver ? 'completed' : isPause ? 'on-hold' : 'scheduled',
                // FHIR has no frequency of 0.
                ...(isPause
                  ? {}
                  : {
                      scheduledTiming: {
                        repeat: {
                          duration: row.minutes,
                          durationUnit: 'min',
                          frequency: row.nights_per_week,
                          period: 1,
                          periodUnit: 'wk',
                        },
                      },
                    }),
              },
            },
            // FHIR allows no time of day beside a frequency.
            ...(row.bedtime === null
              ? []
              : [
                  {
                    detail: {
                      code: coded('bedtime'),
                      status: isOver ? ('completed' as const) : ('scheduled' as const),
                      scheduledTiming: { repeat: { timeOfDay: [`${row.bedtime}:00`] } },
                    },
                  },
                ]),
          ],
        }
      }),

    treatment: (row: TreatmentRow) =>
      ofChild(row.real_user_id, 'treatment', row.id, (identifier): Observation => {
        const { date, time } = partsOf(row.treatment_date)
        const end = `end-${row.finish_flag}`
        return {
          resourceType: 'Observation',
          ...updated(row.updated_at),
          identifier: [identifier],
          status: row.is_temp ? 'preliminary' : 'final',
          category: [{ coding: [{ system: OBSERVATION_CATEGORY, code: 'therapy', display: 'Therapy' }] }],
          code: coded('device-use'),
          subject: child(row.real_user_id),
          effectiveDateTime: date,
          device: device('device', row.device_id),
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
      }),

    survey: ({ id, real_user_id, created_at, ...scores }: SurveyRow) =>
      ofChild(real_user_id, 'survey', id, (identifier): QuestionnaireResponse => ({
        resourceType: 'QuestionnaireResponse',
        ...updated(created_at),
        identifier,
        questionnaire: surveyQuestionnaireUrl(system),
        status: 'completed',
        subject: child(real_user_id),
        authored: created_at,
        item: [
          score('attention_score', scores.attention_score),
          score('impulsivity_score', scores.impulsivity_score),
          score('disorder_score', scores.disorder_score),
        ],
      })),

    /** What a note says: its text, the medication that was taken, and the hospitals that were visited. */
    note: (row: NoteRow) => {
      const { id, real_user_id, event_date, memo, saved_at, updated_at, event_data, night_treatment_id } = row
      const { medication, hospital } = eventData.parse(event_data)
      const observed = (kind: string, part: string | number, code: LocalCode, value: string) =>
        ofChild(real_user_id, kind, part, (identifier): Observation => ({
          resourceType: 'Observation',
          ...updated(updated_at),
          identifier: [identifier],
          status: 'final',
          code: coded(code),
          subject: child(real_user_id),
          ...(night_treatment_id === null
            ? {}
            : {
                focus: [
                  { reference: refer('Observation', 'treatment', `${real_user_id}-${night_treatment_id}`) },
                ],
              }),
          effectiveDateTime: event_date,
          issued: saved_at,
          valueString: value,
        }))
      return [
        ...(memo.trim() ? [observed('note', id, 'note', memo)] : []),
        ...medication.map(({ medication_name, medication_dose }, n) =>
          ofChild(real_user_id, 'note-medication', `${id}-${n + 1}`, (identifier): MedicationStatement => ({
            resourceType: 'MedicationStatement',
            ...updated(updated_at),
            identifier: [identifier],
            status: 'completed',
            medicationCodeableConcept: { text: said(medication_name) },
            subject: child(real_user_id),
            effectiveDateTime: event_date,
            dateAsserted: saved_at,
            // The unit is the one that the family uses.
            dosage: [{ doseAndRate: [{ doseQuantity: { value: medication_dose } }] }],
          })),
        ),
        ...hospital.map((name, n) =>
          observed('note-hospital', `${id}-${n + 1}`, 'hospital-visit', said(name)),
        ),
      ]
    },

    report: ({ real_user_id, month, first, last, ends_at, updated_at, url }: ReportRow) =>
      ofChild(real_user_id, 'report', month, (identifier): DocumentReference => ({
        resourceType: 'DocumentReference',
        ...updated(updated_at),
        identifier: [identifier],
        status: 'current',
        type: coded('usage-report'),
        subject: child(real_user_id),
        date: ends_at,
        content: [{ attachment: { contentType: 'application/pdf', url, title: `Report of ${month}` } }],
        context: { period: { start: first, end: last } },
      })),

    air: (row: AirRow) =>
      named('air', `${row.basestation_id}-${row.date}`, (identifier): Observation => {
        const station = device('basestation', row.basestation_id)
        return {
          resourceType: 'Observation',
          identifier: [identifier],
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
      }),
  }
}

const updated = (at: string | null) => (at === null ? {} : { meta: { lastUpdated: at } })

const isLocal = (code: string): code is LocalCode => code in localCodes

/** FHIR's texts hold something else than spaces. */
const said = (text: string) => (text.trim() ? text : '-')

/** A unit of UCUM (https://ucum.org/ucum). */
const unit = (code: string, shown: string) => ({ unit: shown, system: UCUM, code })

const score = (linkId: keyof typeof surveyItems, valueInteger: number) => ({
  linkId,
  text: surveyItems[linkId],
  answer: [{ valueInteger }],
})

function partsOf(wallClock: string): { date: string; time: string } {
  const [date = '', time = ''] = wallClock.split('T')
  return { date, time }
}
