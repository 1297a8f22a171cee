import type { RelatedPerson } from 'fhir/r4.d.ts'
import { resourceId } from '../fhir-resources/resource-id.ts'
import { patientId } from './search-parameters.ts'

/** The id of the RelatedPerson of an account, whom `fhirUser` names. */
export const personId = (rootUserId: number): string => resourceId({ kind: 'account', key: rootUserId })

/** A parent to a service: nobody has granted it their name. */
export const relatedPerson = (rootUserId: number, child: number): RelatedPerson => ({
  resourceType: 'RelatedPerson',
  id: personId(rootUserId),
  active: true,
  patient: { reference: `Patient/${patientId(child)}` },
  relationship: [{ text: 'Parent or guardian' }],
})
