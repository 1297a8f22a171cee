import { REPLACES_TOKENS, STARTS_SESSION } from '../src/operation-kinds.ts'
import { answerOf, answersFile, inputOf, takesItems } from './document.ts'
import type { Document, Served } from './document.ts'
import { docstring } from './docstring.ts'
import { namesOf, typeStem } from './operation-names.ts'
import { refusalType } from './refusal-types.ts'
import { specialOf } from './special-operations.ts'

export const hasInput = (operation: Served): boolean => Object.keys(inputOf(operation).properties).length > 0

/** The type of what a method takes. */
export function inputType(operation: Served): { type: string; isGenerated: boolean } {
  const { input } = specialOf(operation)
  const suffix = takesItems(operation) ? 'Item' : 'Input'
  return { type: input ?? `${typeStem(operation)}${suffix}`, isGenerated: input === undefined }
}

/** The type of what a method answers, by its name where it has one. */
function answerType(operation: Served): string {
  const { operationId } = operation
  const { room, name } = namesOf(operation)
  const { schema } = answerOf(operation)
  if (answersFile(operation)) return 'CompanionFile'
  if (STARTS_SESSION.has(operationId) || REPLACES_TOKENS.has(operationId)) return 'TokenResponse'
  if (schema.$ref === '#/components/schemas/Done') return 'Done'
  if (schema.type === 'boolean' || schema.type === 'string') return schema.type
  return specialOf(operation).answer ?? `Outputs['${room}']['${name}']`
}

/** The declaration of that type, if it is not written by hand. */
export function inputDeclaration(operation: Served): string {
  const { type, isGenerated } = inputType(operation)
  const { room, name } = namesOf(operation)
  const item = takesItems(operation) ? `['items'][number]` : ''
  return isGenerated && hasInput(operation) ? `export type ${type} = Inputs['${room}']['${name}']${item}` : ''
}

/** The type of a room's method, with its documentation. */
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
  const optionsType = answersFile(operation)
    ? 'FileOptions'
    : (specialOf(operation).options?.[0] ?? 'CallOptions')
  const answer = `CompanionCall<${answerType(operation)}, ${refusalType(operation)}>`
  return `${docstring(operation, document)}\n  ${name}: (${taken}options?: ${optionsType}) => ${answer}`
}

/** A method of a room. */
export const methodSource = (operation: Served): string => `${namesOf(operation).name}: ${call(operation)},`

function call(operation: Served): string {
  const { operationId, method, security } = operation
  const { sent, options: [, raw] = ['', 'rawOptions'] } = specialOf(operation)
  const { required = [] } = inputOf(operation)
  const isQuery = method === 'GET'
  const procedure = `trpc.${operationId}.${isQuery ? 'query' : 'mutate'}`
  if (answersFile(operation)) return `(input, options) => fileCall(${procedure})(input, options)`
  if (!hasInput(operation)) return `(options) => ${procedure}({}, ${raw}(options))`
  if (takesItems(operation)) return `(items, options) => ${procedure}({ items: [...items] }, ${raw}(options))`
  if (security.some((scheme) => 'validToken' in scheme))
    return `({ valid_token, ...input }, options) => ${procedure}(input, ${raw}(options, bearer(valid_token)))`
  const optional = isQuery && required.length === 0 ? ' = {}' : ''
  return `(input${optional}, options) => ${procedure}(${sent ? `${sent}(input)` : 'input'}, ${raw}(options))`
}
