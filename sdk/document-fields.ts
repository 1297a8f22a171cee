import { readFile, writeFile } from 'node:fs/promises'
import ts from 'typescript'

/** The part of an OpenAPI document's schemas that describes a field. */
interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  format?: string
  default?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  anyOf?: Schema[]
}

interface Operation {
  operationId: string
  parameters?: { in: string; name: string; description?: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/**
 * Copies the description, format, unit and bounds of each field from the service's OpenAPI document into the type
 * declarations of the package, where an editor shows them. TypeScript itself drops the comments of inferred types.
 */
export async function documentFields(documentFile: URL, ...declarationFiles: URL[]): Promise<void> {
  const document: Document = JSON.parse(await readFile(documentFile, 'utf8'))
  await Promise.all(
    declarationFiles.map(async (file) => {
      const text = await readFile(file, 'utf8')
      await writeFile(file, withComments(text, document))
    }),
  )
}

function withComments(text: string, { paths, components }: Document): string {
  const operations = new Map(
    Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .map((operation) => [operation.operationId, operation]),
  )
  const comments: { at: number; text: string }[] = []
  const resolved = (schema: Schema | undefined): Schema | undefined =>
    schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema

  function fields(type: ts.TypeNode, given: Schema | undefined): void {
    const schema = resolved(given)
    if (!schema) return
    if (ts.isArrayTypeNode(type)) return fields(type.elementType, schema.items)
    if (ts.isUnionTypeNode(type)) return type.types.forEach((each) => fields(each, schema))
    if (!ts.isTypeLiteralNode(type)) return
    const properties = schema.properties ?? schema.anyOf?.find((each) => each.properties)?.properties
    for (const member of type.members) {
      if (!ts.isPropertySignature(member) || !member.type) continue
      const field = resolved(properties?.[member.name.getText()])
      const comment = field && commentOf(field)
      if (comment) comments.push({ at: member.getStart(), text: `/** ${comment} */ ` })
      fields(member.type, field)
    }
  }

  /** Visits the procedures of the router and the SDK methods, whose answers TypeScript has written out. */
  function visit(node: ts.Node, way: readonly string[]): void {
    const name =
      ts.isPropertySignature(node) || ts.isVariableDeclaration(node)
        ? node.name.getText().replace(/Operations$/, '')
        : undefined
    const here = name === undefined ? way : [...way, name]
    const operation = operations.get(here.slice(-2).join('.'))
    if (operation && ts.isPropertySignature(node) && node.type) {
      const { input, output } = typesOf(node.type)
      if (input) fields(input, inputOf(operation))
      if (output) fields(output, outputOf(operation))
      return
    }
    ts.forEachChild(node, (child) => visit(child, here))
  }

  visit(ts.createSourceFile('index.d.ts', text, ts.ScriptTarget.Latest, true), [])
  const last = comments.toSorted((one, other) => other.at - one.at)
  return last.reduce((done, { at, text }) => done.slice(0, at) + text + done.slice(at), text)
}

/** Reads input and output of `MutationProcedure<{ input: …; output: … }>` or `(input: …) => TRPCPromise<…, …>`. */
function typesOf(type: ts.TypeNode): { input?: ts.TypeNode | undefined; output?: ts.TypeNode | undefined } {
  if (ts.isFunctionTypeNode(type)) {
    return { output: ts.isTypeReferenceNode(type.type) ? type.type.typeArguments?.[0] : undefined }
  }
  const [definition] = ts.isTypeReferenceNode(type) ? (type.typeArguments ?? []) : []
  if (!definition || !ts.isTypeLiteralNode(definition)) return {}
  const part = (name: string) =>
    definition.members
      .filter((member) => ts.isPropertySignature(member))
      .find((member) => member.name.getText() === name)?.type
  return { input: part('input'), output: part('output') }
}

function inputOf({ parameters = [], requestBody }: Operation): Schema {
  const body = Object.values(requestBody?.content ?? {})[0]?.schema
  const named = parameters
    .filter((parameter) => parameter.in !== 'header')
    .map(({ name, description, schema }) => [name, { ...schema, ...(description ? { description } : {}) }])
  return {
    properties: { ...Object.fromEntries(named), ...(body?.items ? { items: body } : body?.properties) },
  }
}

const outputOf = ({ responses }: Operation): Schema | undefined =>
  responses['200']?.content?.['application/json']?.schema

const FORMATS: Record<string, string> = {
  date: '`yyyy-mm-dd`.',
  'date-time': 'ISO 8601 in UTC.',
  uuid: 'A uuid.',
}
/** Whether a bound says something about the field. The bounds of a 32-bit integer do not. */
const isBound = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) < 2 ** 31 - 1
const count = (value: number) => value.toLocaleString('en-US')

function commentOf(schema: Schema): string {
  const { description, format, examples, minimum, maximum, minLength, maxLength, maxItems } = schema
  const example = examples?.[0]
  return [
    description?.replace(/([^.])$/, '$1.'),
    format && !description ? FORMATS[format] : undefined,
    typeof example === 'string' ? `Such as \`${example}\`.` : undefined,
    isBound(minimum) && isBound(maximum) && maximum > minimum + 1
      ? `From ${count(minimum)} to ${count(maximum)}.`
      : undefined,
    maxLength === undefined
      ? undefined
      : minLength === undefined
        ? `At most ${count(maxLength)} characters.`
        : `${count(minLength)} to ${count(maxLength)} characters.`,
    maxItems === undefined ? undefined : `At most ${count(maxItems)}.`,
    schema.default === undefined ? undefined : `Default: ${JSON.stringify(schema.default)}.`,
  ]
    .filter((part) => part !== undefined)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
}
