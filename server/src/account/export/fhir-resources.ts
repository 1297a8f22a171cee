import type {
  CarePlan,
  CodeableConcept,
  Device,
  Identifier,
  MedicationStatement,
  Observation,
  Patient,
  QuestionnaireResponse,
} from 'fhir/r4.d.ts'
import { z } from 'zod'
import type { FamilyTable } from './family-table.ts'
import type * as tables from './family-tables.ts'
import { codesOf, surveyItems, surveyOf } from './fhir-definitions.ts'
import { localCodes } from './local-codes.ts'
import type { LocalCode } from './local-codes.ts'
import { uuidOfUrl } from './name-uuid.ts'

/*
 * FHIR R4 (https://hl7.org/fhir/R4/). A dateTime with a time needs a time zone there, and the clocks of devices have none: the
 * date stands alone, and the time of day in a component (valueTime), which has no zone.
 */

type RowIn<Table> = Table extends FamilyTable<infer Row> ? Row : never

/** A resource, and by what the others of its bundle refer to it. */
export interface Told<Resource = Tellable> {
  fullUrl: string
  resource: Resource
}

type Tellable = Patient | Device | CarePlan | Observation | QuestionnaireResponse | MedicationStatement

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

const eventData = z.object({
  medication: z.array(z.object({ medication_name: z.string(), medication_dose: z.number() })),
  hospital: z.array(z.string()),
})

/** Tells rows of the export as resources; `system` is `FHIR_SYSTEM`. Ids are left to the server that takes them in. */
export function fhirResources({ system, today }: { system: string; today: string }) {
  const coded = (code: LocalCode): CodeableConcept => ({
    coding: [{ system: codesOf(system), code }],
    text: localCodes[code][0],
  })
  const identifier = (kind: string, value: string | number): Identifier => ({
    system: `${system}/${kind}`,
    value: String(value),
  })
  // Servers put their own ids in the place of such names (https://hl7.org/fhir/R4/http.html#trules).
  const fullUrl = (kind: string, id: string | number) => `urn:uuid:${uuidOfUrl(`${system}/${kind}/${id}`)}`
  const referTo = (kind: 'child' | 'device' | 'basestation', id: number) => ({ reference: fullUrl(kind, id) })
  /** What has no other name than its id here. */
  const named = <Resource extends Tellable>(
    kind: string,
    id: string | number,
    resource: (identifier: Identifier) => Resource,
  ): Told<Resource> => ({ fullUrl: fullUrl(kind, id), resource: resource(identifier(kind, id)) })

  return {
    patient: ({ id, first_name, last_name, birthdate, gender }: RowIn<typeof tables.children>) =>
      named('child', id, (identifier): Patient => ({
        resourceType: 'Patient',
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
    }: RowIn<typeof tables.devices>): Told<Device> => ({
      fullUrl: fullUrl('device', id),
      resource: {
        resourceType: 'Device',
        // Not the UUID: by it anybody could read the device's records, and this file is made to be handed on.
        identifier: [identifier('device', serial_code)],
        serialNumber: said(serial_code),
        type: { text: 'Wearable device' },
        ...(device_alias?.trim()
          ? { deviceName: [{ name: said(device_alias), type: 'user-friendly-name' }] }
          : {}),
        ...(real_user_id === null ? {} : { status: 'active', patient: referTo('child', real_user_id) }),
        ...(firmware_id === null
          ? {}
          : { version: [{ type: { text: 'Firmware' }, value: String(firmware_id) }] }),
      },
    }),

    basestation: ({ basestation_id, serial_code }: RowIn<typeof tables.basestations>): Told<Device> => ({
      fullUrl: fullUrl('basestation', basestation_id),
      resource: {
        resourceType: 'Device',
        identifier: [identifier('basestation', serial_code)],
        serialNumber: said(serial_code),
        type: { text: 'Base station in the home' },
      },
    }),

    plan: (row: RowIn<typeof tables.planPeriods>) =>
      named('plan', row.id, (identifier): CarePlan => {
        const isPause = row.nights_per_week === 0
        const isOver = row.until !== null && row.until < today
        return {
          resourceType: 'CarePlan',
          identifier: [identifier],
          status: isOver ? 'completed' : isPause ? 'on-hold' : 'active',
          intent: 'plan',
          title: isPause ? 'Pause' : 'Nights of use',
          subject: referTo('child', row.real_user_id),
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

    treatment: (row: RowIn<typeof tables.treatments>) =>
      named('treatment', row.id, (identifier): Observation => {
        const { date, time } = partsOf(row.treatment_date)
        const end = `end-${row.finish_flag}`
        return {
          resourceType: 'Observation',
          identifier: [identifier],
          status: row.is_temp ? 'preliminary' : 'final',
          category: [{ coding: [{ system: CATEGORY, code: 'therapy', display: 'Therapy' }] }],
          code: coded('device-use'),
          subject: referTo('child', row.real_user_id),
          effectiveDateTime: date,
          device: referTo('device', row.device_id),
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

    survey: ({ id, real_user_id, created_at, ...scores }: RowIn<typeof tables.surveys>) =>
      named('survey', id, (identifier): QuestionnaireResponse => ({
        resourceType: 'QuestionnaireResponse',
        identifier,
        questionnaire: surveyOf(system),
        status: 'completed',
        subject: referTo('child', real_user_id),
        authored: created_at,
        item: [
          score('attention_score', scores.attention_score),
          score('impulsivity_score', scores.impulsivity_score),
          score('disorder_score', scores.disorder_score),
        ],
      })),

    /** What a note tells: its text, the medication that was taken, and the hospitals that were visited. */
    note: ({ id, real_user_id, event_date, memo, saved_at, event_data }: RowIn<typeof tables.notes>) => {
      const { medication, hospital } = eventData.parse(event_data)
      const observed = (kind: string, part: string | number, code: LocalCode, value: string) =>
        named(kind, part, (identifier): Observation => ({
          resourceType: 'Observation',
          identifier: [identifier],
          status: 'final',
          code: coded(code),
          subject: referTo('child', real_user_id),
          effectiveDateTime: event_date,
          issued: saved_at,
          valueString: value,
        }))
      return [
        ...(memo.trim() ? [observed('note', id, 'note', memo)] : []),
        ...medication.map(({ medication_name, medication_dose }, n) =>
          named('note-medication', `${id}-${n + 1}`, (identifier): MedicationStatement => ({
            resourceType: 'MedicationStatement',
            identifier: [identifier],
            status: 'completed',
            medicationCodeableConcept: { text: said(medication_name) },
            subject: referTo('child', real_user_id),
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

    air: (row: RowIn<typeof tables.reading_days>) =>
      named('air', `${row.basestation_id}-${row.date}`, (identifier): Observation => {
        const station = referTo('basestation', row.basestation_id)
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
