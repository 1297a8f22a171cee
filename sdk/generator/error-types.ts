import { accountErrors, generic, keyErrors, tokenErrors } from '@companion/server/errors/generic.ts'
import { errorsIn } from './document.ts'
import type { Served } from './document.ts'
import { typeStem } from './operation-names.ts'

const typeOf = (status: number | string, detail: string) => `ErrorResponse<${status}, ${detail}>`
const quoted = ([status, detail]: readonly [status: number, detail: string]) =>
  typeOf(status, JSON.stringify(detail))

const ofSession = [...tokenErrors, ...accountErrors].map(quoted)
const ofAny = [...Object.values(generic).map(quoted), typeOf(422, 'ValidationIssue[]')]

const ofKeys = Object.values(keyErrors).map(quoted)

const declaration = (comment: string, name: string, types: readonly string[]) =>
  `/** ${comment} */\nexport type ${name} = ${types.join(' | ')}`

/** The name of the type of an operation's errors. */
export const errorType = (operation: Served): string => `${typeStem(operation)}Error`

/** The errors of each operation as types: its own first, and last one name for those that any operation may answer. */
export function errorsSource(served: readonly Served[]): string {
  const types = served.map((operation) => {
    const declared = errorsIn(operation.responses)
      .map(({ status, detail }) => typeOf(status, JSON.stringify(detail)))
      .filter((type) => !ofAny.includes(type) && !ofKeys.includes(type))
    const isOfSession = ofSession.every((type) => declared.includes(type))
    const own = declared.filter((type) => !isOfSession || !ofSession.includes(type))
    return declaration(`How \`${operation.operationId}\` may be refused.`, errorType(operation), [
      ...own,
      ...(isOfSession ? ['SessionError'] : []),
      'GenericError',
    ])
  })
  return `import type { ErrorResponse } from '../companion-error.ts'
import type { ValidationIssue } from '../types.ts'

${types.join('\n')}
${declaration('How an operation that needs a session may be refused without one, or for its account.', 'SessionError', ofSession)}
${declaration('How any operation may be refused.', 'GenericError', ofAny)}
`
}
