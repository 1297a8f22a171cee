import { answersFile, inputOf, takesItems } from './document.ts'
import type { Document, Served } from './document.ts'
import { docstring } from './docstring.ts'
import { specialOf } from './special-operations.ts'

const capitalized = (word: string) => word.replace(/^./, (letter) => letter.toUpperCase())
const singular = (room: string) => (room === 'children' ? 'child' : room.replace(/s$/, ''))

/** Room and name of an operation. */
export function namesOf({ operationId }: Served): { room: string; name: string } {
  const [room = '', name = ''] = operationId.split('.')
  return { room, name }
}

export const hasInput = (operation: Served): boolean => Object.keys(inputOf(operation).properties).length > 0

/** The type of what a method takes: `SetPushTokenInput` of `account.setPushToken`, `ReadChildInput` of `children.read`. */
export function inputType(operation: Served): { type: string; isGenerated: boolean } {
  const { input } = specialOf(operation)
  const { room, name } = namesOf(operation)
  const noun = /[A-Z]/.test(name) ? '' : capitalized(singular(room))
  const suffix = takesItems(operation) ? 'Item' : 'Input'
  return { type: input ?? `${capitalized(name)}${noun}${suffix}`, isGenerated: input === undefined }
}

/** The declaration of that type, if it is not written by hand. */
export function inputDeclaration(operation: Served): string {
  const { type, isGenerated } = inputType(operation)
  const { room, name } = namesOf(operation)
  const item = takesItems(operation) ? `['items'][number]` : ''
  return isGenerated && hasInput(operation) ? `export type ${type} = Inputs['${room}']['${name}']${item}` : ''
}

/** A method of a room, with its documentation. */
export function methodSource(operation: Served, document: Document): string {
  const { name } = namesOf(operation)
  return `${docstring(operation, document)}\n  ${name}: ${call(operation)},`
}

function call(operation: Served): string {
  const { operationId, method, security } = operation
  const { sent, options: [optionsType, raw] = ['CallOptions', 'rawOptions'] } = specialOf(operation)
  const { type } = inputType(operation)
  const { required = [] } = inputOf(operation)
  const isQuery = method === 'GET'
  const procedure = `trpc.${operationId}.${isQuery ? 'query' : 'mutate'}`
  if (answersFile(operation))
    return `(input: ${type}, options?: FileOptions) => fileCall(${procedure})(input, options)`
  const options = `options?: ${optionsType}`
  if (!hasInput(operation)) return `(${options}) => ${procedure}({}, ${raw}(options))`
  if (takesItems(operation))
    return `(items: readonly ${type}[], ${options}) => ${procedure}({ items: [...items] }, ${raw}(options))`
  if (security.some((scheme) => 'validToken' in scheme))
    return `({ valid_token, ...input }: ${type}, ${options}) => ${procedure}(input, ${raw}(options, bearer(valid_token)))`
  const optional = isQuery && required.length === 0 ? ' = {}' : ''
  return `(input: ${type}${optional}, ${options}) => ${procedure}(${sent ? `${sent}(input)` : 'input'}, ${raw}(options))`
}
