import type { CapabilityStatement, CapabilityStatementRestResource } from 'fhir/r4.d.ts'
import { parametersOf, servedTypes } from './resource-types.ts'
import type { ServedType } from './resource-types.ts'

const SMART = 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris'
const SECURITY = 'http://terminology.hl7.org/CodeSystem/restful-security-service'

const BULK = 'http://hl7.org/fhir/uv/bulkdata'

/** Types of which one can only be read by its id. */
const readable = ['Binary', 'CodeSystem', 'Questionnaire', 'RelatedPerson'] as const

const searchable = (served: ServedType): CapabilityStatementRestResource => ({
  type: served.name,
  interaction: [{ code: 'read' }, { code: 'search-type' }],
  searchParam: parametersOf(served).flatMap(([name, type]) =>
    type === 'token' || type === 'date' || type === 'reference' ? [{ name, type }] : [],
  ),
  ...(served.name === 'Patient'
    ? {
        operation: [
          { name: 'everything', definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything' },
          { name: 'export', definition: `${BULK}/OperationDefinition/patient-export` },
        ],
      }
    : {}),
})

/** What this API can do (https://hl7.org/fhir/R4/capabilitystatement.html), made of the table by which it is served. */
export const capabilityStatement = (issuer: string, base: string): CapabilityStatement => ({
  resourceType: 'CapabilityStatement',
  status: 'active',
  date: '2026-11-26',
  kind: 'instance',
  instantiates: [`${BULK}/CapabilityStatement/bulk-data`],
  software: { name: 'Companion' },
  implementation: { description: 'Companion', url: base },
  fhirVersion: '4.0.1',
  format: ['application/fhir+json', 'json'],
  rest: [
    {
      mode: 'server',
      security: {
        cors: true,
        service: [
          { coding: [{ system: SECURITY, code: 'SMART-on-FHIR' }], text: 'OAuth 2 (SMART App Launch 2)' },
        ],
        extension: [
          {
            url: SMART,
            extension: [
              { url: 'authorize', valueUri: `${issuer}/oauth/authorize` },
              { url: 'token', valueUri: `${issuer}/oauth/token` },
            ],
          },
        ],
      },
      resource: [
        ...servedTypes.map(searchable),
        ...readable.map((type) => ({ type, interaction: [{ code: 'read' as const }] })),
      ].toSorted((a, b) => (a.type < b.type ? -1 : 1)),
      operation: [{ name: 'export', definition: `${BULK}/OperationDefinition/export` }],
    },
  ],
})
