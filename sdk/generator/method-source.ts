import { TOKEN_REPLACING_OPERATIONS, SESSION_STARTING_OPERATIONS } from '../src/operation-kinds.ts'
import { outputOf, respondsWithFile, inputOf, resolved, takesItems } from './document.ts'
import type { Document, Served } from './document.ts'
import { docstring } from './docstring.ts'
import { namesOf, typeStem } from './operation-names.ts'
import { errorType } from './error-types.ts'
import { specialOf } from './special-operations.ts'

export const hasInput = (operation: Served): boolean => Object.keys(inputOf(operation).properties).length > 0

/** The type of what a method takes. */
export function inputType(operation: Served): { type: string; isGenerated: boolean } {
  const { input } = specialOf(operation)
  const suffix = takesItems(operation) ? 'Item' : 'Input'
  return { type: input ?? `${typeStem(operation)}${suffix}`, isGenerated: input === undefined }
}

/** The type of what a method answers, by its name where it has one. */
function outputType(operation: Served): string {
  const { operationId } = operation
  const { module, name } = namesOf(operation)
  const { schema } = outputOf(operation)
  if (respondsWithFile(operation)) return 'CompanionFile'
  if (SESSION_STARTING_OPERATIONS.has(operationId) || TOKEN_REPLACING_OPERATIONS.has(operationId))
    return 'TokenResponse'
  if (schema.$ref === '#/components/schemas/Done') return 'Done'
  if (schema.type === 'boolean' || schema.type === 'string') return schema.type
  return specialOf(operation).output ?? `Outputs['${module}']['${name}']`
}

/** The declaration of that type, if it is not written by hand. */
export function inputDeclaration(operation: Served): string {
  const { type, isGenerated } = inputType(operation)
  const { module, name } = namesOf(operation)
  const item = takesItems(operation) ? `['items'][number]` : ''
  return isGenerated && hasInput(operation)
    ? `export type ${type} = Inputs['${module}']['${name}']${item}`
    : ''
}

/** The type of a module's method, with its documentation. */
export function methodType(operation: Served, document: Document): string {
  const { name } = namesOf(operation)
  const { type } = inputType(operation)
  const { required = [] } = inputOf(operation)
  const mayBeAbsent = operation.method === 'GET' && required.length === 0
  const taken = takesItems(operation)
    ? `items: readonly ${type}[], `
    : hasInput(operation)
      ? `input${mayBeAbsent ? '?' : ''}: ${type}, `
      : ''
  const optionsType = respondsWithFile(operation)
    ? 'FileOptions'
    : (specialOf(operation).options ?? 'CallOptions')
  const output = `CompanionCall<${outputType(operation)}, ${errorType(operation)}>`
  return `${docstring(operation, document)}\n  ${name}: (${taken}options?: ${optionsType}) => ${output}`
}

/** The method, if there is one, that goes through the entries of all pages that an operation answers. */
export function iteration(
  operation: Served,
  document: Document,
): { name: string; type: string; kind: string } | undefined {
  const { name } = namesOf(operation)
  const { properties = {} } = resolved(outputOf(operation).schema, document) ?? {}
  const { follows } = specialOf(operation)
  if (!properties['items'] || !properties['next']) return undefined
  const entry = `AsyncIterableIterator<${outputType(operation)}['items'][number]>`
  if (follows) {
    const { name: own, kind, options, doc } = follows
    const comment = `  /**\n${doc.map((line) => `   * ${line}`).join('\n   *\n')}\n   */`
    return {
      name: own,
      kind: `${kind}('${name}')`,
      type: `${comment}\n  ${own}: (options?: ${options}) => ${entry}`,
    }
  }
  const all = name === 'list' ? 'all' : `all${name.replace(/^./, (letter) => letter.toUpperCase())}`
  const comment = `  /** The entries of all pages of \`${name}\`, one by one: \`for await (const entry of …)\`. Each page is a call. */`
  return {
    name: all,
    kind: `createAllPagesMethod('${name}')`,
    type: `${comment}\n  ${all}: (input: Omit<${inputType(operation).type}, 'after'>, options?: CallOptions) => ${entry}`,
  }
}

/** How the method of an operation sends what it takes: a name of src/method-kinds.ts. */
export function methodKind(operation: Served): string {
  const { kind } = specialOf(operation)
  const isQuery = operation.method === 'GET'
  if (kind) return kind
  if (respondsWithFile(operation)) return isQuery ? 'fileQueryMethod' : 'fileMutationMethod'
  if (!hasInput(operation)) return isQuery ? 'queryMethodWithoutInput' : 'mutationMethodWithoutInput'
  if (takesItems(operation)) return 'itemsMutationMethod'
  if (operation.security.some((scheme) => 'validToken' in scheme)) return 'validTokenMutationMethod'
  return isQuery ? 'queryMethod' : 'mutationMethod'
}
