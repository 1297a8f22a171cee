import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/*
 * docs/contract.md is what people read, server/openapi.json what machines do. Each operation has a heading
 * `METHOD path`, a line with its name and token, tables of fields and a table of errors; all of it is compared here.
 */

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  const?: unknown
  enum?: unknown[]
}
interface Response {
  $ref?: string
  content?: Record<string, { schema: Schema }>
}
interface Operation {
  operationId: string
  'x-optional-token'?: true
  'x-account'?: 'parent' | 'clinician'
  security: Record<string, unknown>[]
  parameters?: { name: string; required: boolean }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Response>
}

const document: {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> }
} = JSON.parse(read('server/openapi.json'))
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    heading: `${method.toUpperCase()} ${path}`,
    ...operation,
  })),
)

/** The text below each heading of the page, up to the next heading of the same or a higher level. */
function sectionsOf(markdown: string): Map<string, string> {
  const lines = markdown.split('\n')
  const levels = lines.map((line) => /^(#+) /.exec(line)?.[1]?.length ?? Infinity)
  return new Map(
    lines.flatMap((line, start) => {
      const level = levels[start] ?? Infinity
      if (level === Infinity) return []
      const length = levels.slice(start + 1).findIndex((other) => other <= level)
      const end = length === -1 ? undefined : start + 1 + length
      return [[line.slice(level + 1), lines.slice(start + 1, end).join('\n')]]
    }),
  )
}

const page = read('docs/contract.md')
const sections = sectionsOf(page)
const section = (heading: string) => sections.get(heading) ?? ''
const resources = section('Resources and their fields')
const inBody = 'Errors of operations with a body'
const withToken = 'Errors of operations with an access token'
const ofOneKind = 'Errors of operations for one kind of account'
const repeated = 'Errors of operations that may be repeated'

/** The cells of each row of the tables whose first column is called `first`. */
const rows = (text: string, first: string): string[][] =>
  [...text.matchAll(/(?:^\|.*\n?)+/gm)]
    .map(([table]) =>
      table
        .trim()
        .split('\n')
        .map((line) => line.split('|').slice(1, -1))
        .map((cells) => cells.map((cell) => cell.trim())),
    )
    .filter(([head]) => head?.[0] === first)
    .flatMap(([, , ...body]) => body)

const errorsIn = (text: string) =>
  rows(text, 'Status').map(([status, detail]) => `${status} ${detail?.replaceAll('`', '')}`)

const detailsOf = (schema: Schema): unknown[] => [
  ...(schema.oneOf ?? []).flatMap(detailsOf),
  ...[schema.properties?.['detail'] ?? {}].flatMap((detail) => detail.enum ?? [detail.const]),
]

const declared = ({ responses }: Operation) =>
  Object.entries(responses).flatMap(([status, { $ref, content }]) => {
    const response = $ref ? document.components.responses[$ref.split('/').at(-1) ?? ''] : { content }
    return Number(status) < 400
      ? []
      : Object.values(response?.content ?? {})
          .flatMap(({ schema }) => detailsOf(schema))
          .filter((detail) => typeof detail === 'string')
          .map((detail) => `${status} ${detail}`)
  })

const tokens: Record<string, string> = {
  '[]': 'no token',
  '[{"signIn":[]},{"accessToken":[]}]': 'access token',
  '[{"validToken":[]}]': '`valid_token`',
}
/** The tokens that an operation takes, and of another service's the scopes. */
function tokenOf({ security, 'x-optional-token': isOptional }: Operation): string {
  if (isOptional) return 'access token optional'
  const isForServices = security.length > 0 && security.every((each) => 'serviceToken' in each)
  if (isForServices) return 'access token of the service itself'
  const scopes = security.flatMap(({ oauth2 }) =>
    Array.isArray(oauth2) ? oauth2.map((each) => `\`${each}\``) : [],
  )
  const own =
    tokens[JSON.stringify(security.filter((each) => !('oauth2' in each)))] ?? 'a token of another kind'
  return [own, ...(scopes.length > 0 ? [`or a grant with ${scopes.join(' or ')}`] : [])].join(', ')
}

/** A refresh takes the header by a rule of its own. */
const mayBeRepeated = ({ operationId, parameters = [] }: Operation) =>
  operationId !== 'auth.refresh' && parameters.some(({ name }) => name === 'Idempotency-Key')

const nameOf = ({ $ref }: Schema) => $ref?.split('/').at(-1)

/** Every field below `given`, as `detail_data.treatment_date` and `intensity_record[].intensity`, and if it is required. */
function fieldsOf(given: Schema, way = ''): [name: string, isRequired: boolean][] {
  const schema = document.components.schemas[nameOf(given) ?? ''] ?? given
  const { properties = {}, required = [], items, anyOf = [] } = schema
  const direct = Object.entries(properties).flatMap(([name, field]): [string, boolean][] => [
    [`${way}${name}`, required.includes(name)],
    ...fieldsOf(field, `${way}${name}${field.items ? '[]' : ''}.`),
  ])
  return [...direct, ...[...(items ? [items] : []), ...anyOf].flatMap((part) => fieldsOf(part, way))]
}

const sent = ({ parameters = [], requestBody }: Operation): [name: string, isRequired: boolean][] => [
  ...parameters.map(({ name, required }): [string, boolean] => [name, required]),
  ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => fieldsOf(schema)),
]

const responsesOf = ({ responses }: Operation) =>
  Object.values(responses['200']?.content ?? {}).map(({ schema }) => schema.items ?? schema)

const names = (fields: readonly (readonly [string, boolean])[]) => [
  ...new Set(fields.map(([name]) => name.split('.').at(-1) ?? '')),
]
const isNamed = (text: string) => (name: string) => new RegExp(`(?<![\\w])${name}(?![\\w])`).test(text)

test('the page has every operation of the document and no other', () => {
  const headings = [...sections.keys()].filter((heading) => /^[A-Z]+ \//.test(heading))
  expect(headings.toSorted()).toEqual(operations.map(({ heading }) => heading).toSorted())
})

test.each(operations.map((operation) => [operation.heading, operation] as const))(
  '%s',
  (heading, operation) => {
    const text = section(heading)
    expect(/^`([\w.]+)` · (.+)$/m.exec(text)?.slice(1)).toEqual([operation.operationId, tokenOf(operation)])

    const shared = [
      ...errorsIn(section('Errors of any operation')),
      ...(operation.requestBody ? errorsIn(section(inBody)) : []),
      ...(tokenOf(operation).startsWith('access') ? errorsIn(section(withToken)) : []),
      ...(operation['x-account'] ? errorsIn(section(ofOneKind)) : []),
      ...(mayBeRepeated(operation) ? errorsIn(section(repeated)) : []),
    ]
    const said = new Set([...errorsIn(text), ...shared])
    expect([...said].toSorted()).toEqual(declared(operation).toSorted())

    // The page tells of the key once, for all that may be repeated.
    const told = mayBeRepeated(operation) ? ['Idempotency-Key'] : []
    const fields = new Map(sent(operation).filter(([name]) => !told.includes(name)))
    const listed = rows(text, 'Field').map(
      ([name = '', type = '']) => [name, !type.includes('optional')] as const,
    )
    expect(listed.filter(([name, isRequired]) => fields.get(name) !== isRequired)).toEqual([])
    expect(names([...fields]).filter((name) => !names(listed).includes(name))).toEqual([])

    const answered = responsesOf(operation).flatMap((schema) => fieldsOf(schema))
    const lacking = names(answered).filter((name) => !isNamed(text)(name) && !isNamed(resources)(name))
    expect(lacking).toEqual([])
  },
)

test('the page has every field and kind of an issue in the input', () => {
  const { ValidationError } = document.components.schemas
  const errors = isNamed(section('Errors'))
  const kinds = JSON.stringify(ValidationError).match(/"enum":(\[[^\]]*\])/)?.[1] ?? '[]'
  const parts = [...names(fieldsOf(ValidationError ?? {})), ...JSON.parse(kinds)]
  expect(parts.length).toBeGreaterThan(10)
  expect(parts.filter((part) => !errors(part))).toEqual([])
})

/** `Contract: User endpoints, PATCH real-user.` and `(contract, "Errors", 2)` of docstrings, in one line. */
const citations = globSync(['server/src/**/*.ts', 'sdk/src/**/*.ts'], { cwd: root }).flatMap((file) => {
  const text = read(file).replaceAll(/\s+(?:\*|\/\/) ?/g, ' ')
  return [
    ...text.matchAll(/\bContract: ([A-Z][\w ]+), ([\w /{}-]+)\./g),
    ...text.matchAll(/\bcontract, "()([^"]+)"/gi),
    ...text.matchAll(/\bcontract, ()([\w-]+)/g),
  ].map(([, room = '', part = '']) => ({ file, room, part }))
})

test('every citation of the contract finds its place', () => {
  expect(citations.length).toBeGreaterThan(5)
  const headings = [...sections.keys()]
  const lost = citations.filter(({ room, part }) => {
    const text = room === '' ? page : section(room)
    const words = part.split(' ')
    const isHeading = headings.some(
      (heading) => text.includes(`# ${heading}\n`) && words.every((word) => heading.includes(word)),
    )
    return !isHeading && !text.includes(`**${part}.**`)
  })
  expect(lost).toEqual([])
})
