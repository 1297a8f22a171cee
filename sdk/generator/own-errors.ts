import { accountErrors, generic, otherAccountErrors, tokenErrors } from '@companion/server/errors/generic.ts'
import { errorsIn, takesToken } from './document.ts'
import type { Document, OperationError, Served } from './document.ts'

/** The errors of this operation alone: not those that any may answer, nor those of tokens and accounts. */
export function ownErrors(operation: Served, { components }: Document): OperationError[] {
  const withToken = takesToken(operation)
  const elsewhere = new Set([
    ...errorsIn(components.responses).map(({ detail }) => detail),
    ...Object.values(generic).map(([, detail]) => detail),
    ...(withToken
      ? [...tokenErrors, ...otherAccountErrors, ...accountErrors].map(([, detail]) => detail)
      : []),
  ])
  return errorsIn(operation.responses).filter(
    ({ detail, when }) => when !== undefined || !elsewhere.has(detail),
  )
}

/**
 * The errors by which the service says that it will never take this input: all of its own that are the caller's issue
 * (4xx), except how much was sent at once or in a time.
 */
export const finalErrors = (operation: Served, document: Document): OperationError[] =>
  ownErrors(operation, document).filter(({ status }) => /^4(?!13|29)/.test(status))
