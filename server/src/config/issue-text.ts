import type { core } from 'zod'

const either = new Intl.ListFormat('en-GB', { type: 'disjunction' })

const types: Partial<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
}

/**
 * Words issues of zod for operators, to follow the name of a field or variable: "must be a whole number". Give it to
 * `safeParse` as `error`; the messages of the schema itself come first.
 */
export const issueText: core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${types[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${either.format(issue.values.map(String))}`
    case 'invalid_format':
      return /^[ug]uid$/.test(issue.format)
        ? 'must be a UUID such as 3f2b8c9e-1111-4222-8333-123456789abc'
        : 'does not have the form that it needs'
    case 'too_small':
      return isLength(issue)
        ? `must have at least ${issue.minimum} ${unit(issue)}`
        : `must be at least ${issue.minimum}`
    case 'too_big':
      return isLength(issue)
        ? `must have at most ${issue.maximum} ${unit(issue)}`
        : `must be at most ${issue.maximum}`
    case 'unrecognized_keys':
      return `has fields that are not known: ${issue.keys.join(', ')}`
    default:
      return undefined
  }
}

const isLength = ({ origin }: { origin: string }) => ['string', 'array', 'set'].includes(origin)
const unit = ({ origin }: { origin: string }) => (origin === 'string' ? 'characters' : 'entries')
