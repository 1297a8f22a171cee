import {
  endsSession,
  TOKEN_REPLACING_OPERATIONS,
  SESSION_STARTING_OPERATIONS,
} from '../src/operation-kinds.ts'
import {
  outputOf,
  respondsWithFile,
  inputOf,
  needsSession,
  resolved,
  servedIn,
  takesItems,
} from './document.ts'
import type { Document, Schema, Served } from './document.ts'
import { fieldComment } from './field-comment.ts'
import { ownErrors } from './own-errors.ts'
import { specialOf } from './special-operations.ts'

/** Columns of a line, with its indentation. */
const WIDTH = 120
const INDENT = '   * '

/**
 * The documentation of a method: what the operation does, its place in the contract, the fields it takes and answers
 * with format, unit and bounds, and how it may fail. Other operations are named as callers of the SDK know them.
 */
export function docstring(operation: Served, document: Document): string {
  const { summary, description = '', deprecated, method, path } = operation
  const ofClient = [specialOf(operation).note, aboutSession(operation)].filter(Boolean).join(' ')
  const named = (text: string) => withMethodNames(text, document)
  const paragraphs = [
    [`${summary}.`],
    // The client makes no keys for these calls, so its callers need not know.
    [named(description.replace(/ ?No response is kept for an `Idempotency-Key`:[^.]*\./, ''))],
    [ofClient],
    [`Contract: \`${method} ${path}\`.`],
    [
      deprecated ? '@deprecated' : '',
      ...parameters(operation, document),
      ...returns(operation, document),
      ...failures(operation, document),
    ].map(named),
  ]
  const lines = paragraphs
    .map((texts) => texts.filter(Boolean).flatMap(wrapped))
    .filter((each) => each.length > 0)
    .reduce((above, below) => [...above, '', ...below])
  return ['  /**', ...lines.map((line) => `${INDENT}${line}`.trimEnd()), '   */'].join('\n')
}

/** In the service's own texts, `POST /api/v1/alpha/auth/signout` is the name of `auth.signOut`. */
const withMethodNames = (text: string, document: Document): string =>
  text.replaceAll(/`([A-Z]+) (\/api\/[^`]+)`/g, (_, method: string, path: string) => {
    const named = servedIn(document).find((each) => each.method === method && each.path === path)
    if (!named) throw new Error(`"${text}" names ${method} ${path}, which is no operation`)
    return `\`${named.operationId}\``
  })

function aboutSession(operation: Served): string | undefined {
  const { operationId } = operation
  if (SESSION_STARTING_OPERATIONS.has(operationId))
    return 'The session is saved on this phone before the call resolves, in place of an earlier one.'
  if (TOKEN_REPLACING_OPERATIONS.has(operationId))
    return 'The new tokens are saved on this phone before the call resolves.'
  const reason = endsSession(operationId)
  if (reason) return `The session on this phone ends too: \`onSignedOut('${reason}')\`.`
  return needsSession(operation) ? undefined : 'Nobody needs to be signed in.'
}

function parameters(operation: Served, document: Document): string[] {
  const { properties } = inputOf(operation)
  const { hides } = specialOf(operation)
  const verified = operation.security.some((scheme) => 'validToken' in scheme)
    ? [`- \`valid_token\`: ${document.components.securitySchemes['validToken']?.description}`]
    : []
  const taken = takesItems(operation) ? properties['items'] : { properties }
  const fields = [
    ...verified,
    ...fieldsIn(taken, document)
      .filter(([name]) => name !== hides)
      .map(listed),
  ]
  const head = takesItems(operation) ? `@param items ${fieldComment(taken ?? {})}`.trim() : '@param input'
  return [
    ...(fields.length > 0 ? [head, ...fields] : []),
    ...(respondsWithFile(operation)
      ? ['@param options `onProgress` is told how many bytes have arrived; `signal` cancels']
      : []),
  ]
}

function returns(operation: Served, document: Document): string[] {
  const { operationId } = operation
  if (SESSION_STARTING_OPERATIONS.has(operationId) || TOKEN_REPLACING_OPERATIONS.has(operationId))
    return ['@returns the tokens, which the client keeps by itself']
  const { type, schema: given } = outputOf(operation)
  if (respondsWithFile(operation)) return [`@returns \`{ name, type, bytes }\`; \`type\` is \`${type}\``]
  if (given.$ref === '#/components/schemas/Done') return []
  const schema = resolved(given, document) ?? {}
  const known = new Map(fieldsIn(inputOf(operation), document))
  const fields = fieldsIn(schema, document).filter(([name, comment]) => known.get(name) !== comment)
  const head = ['@returns', fieldComment(schema), schema.items ? 'for each:' : ''].join(' ').trim()
  return fields.length > 0 ? [head, ...fields.map(listed)] : head === '@returns' ? [] : [head]
}

const listed = ([name, comment]: readonly [string, string]) => `- \`${name}\`: ${comment}`

/** The fields below `given` of which the document says something, as `event_data.medication[].medication_dose`. */
function fieldsIn(
  given: Schema | undefined,
  document: Document,
  way = '',
): [name: string, comment: string][] {
  const schema = resolved(given, document) ?? {}
  const parts = [schema, ...(schema.anyOf ?? [])].map((part) => resolved(part.items, document) ?? part)
  return parts.flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, field]) => {
      const known = resolved(field, document) ?? {}
      const comment = `${known.deprecated ? 'Deprecated. ' : ''}${fieldComment(known)}`.trim()
      const here = `${way}${name}`
      const own: [string, string][] = comment ? [[here, comment]] : []
      return [...own, ...fieldsIn(field, document, `${here}${field.items ? '[]' : ''}.`)]
    }),
  )
}

/** The errors that are this operation's own, and how a session shows that it has ended. */
function failures(operation: Served, document: Document): string[] {
  return [
    ...ownErrors(operation, document).map(
      ({ status, detail, when }) => `@throws ${status} \`${detail}\`${when ? `: ${when}` : ''}`,
    ),
    ...(needsSession(operation) ? ['@throws 401 and 423 when the session has ended; see `isSignedOut`'] : []),
  ]
}

/** Breaks a text between words, but in no piece of code; the lines of a list's item are indented. */
function wrapped(text: string): string[] {
  const words = text.match(/(?:[^\s`]|`[^`]*`)+/g) ?? ['']
  const more = text.startsWith('- ') ? '  ' : ''
  return words.reduce<string[]>((lines, word) => {
    const last = lines.at(-1)
    if (last === undefined) return [word]
    const longer = `${last} ${word}`
    return INDENT.length + longer.length <= WIDTH
      ? [...lines.slice(0, -1), longer]
      : [...lines, `${more}${word}`]
  }, [])
}
