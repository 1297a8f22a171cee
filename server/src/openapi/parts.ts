import type { OpenAPIObject } from 'trpc-to-openapi'

/*
 * The types of the parts of an OpenAPI document, by the names of the specification. `isInlineSchema` distinguishes an inline
 * part from a reference.
 */

type Member<Object, Key extends keyof Object> = NonNullable<Object[Key]>
export interface Reference {
  $ref: string
}

export type Paths = Member<OpenAPIObject, 'paths'>
export type Components = Member<OpenAPIObject, 'components'>
export type OperationObject = Member<Paths[string], 'get'>
export type Parameter = Exclude<Member<OperationObject, 'parameters'>[number], Reference>
export type RequestBody = Exclude<Member<OperationObject, 'requestBody'>, Reference>
export type ResponseObject = Exclude<Member<Components, 'responses'>[string], Reference>
export type Schema = Exclude<Member<Components, 'schemas'>[string], Reference>

/** Whether `part` is inline and not a reference. */
export const isInlineSchema = <Part extends object>(part: Part): part is Exclude<Part, Reference> =>
  !('$ref' in part)

/** Returns the inline schema of a parameter or body, or an empty schema, which allows everything. */
export const schemaOf = ({ schema }: Pick<Parameter, 'schema'> = {}): Schema =>
  schema && isInlineSchema(schema) ? schema : {}
