import { readFile, writeFile } from 'node:fs/promises'
import ts from 'typescript'
import { outputOf, inputOf, readDocument, resolved, servedIn } from './generator/document.ts'
import type { Document, Schema } from './generator/document.ts'
import { fieldComment } from './generator/field-comment.ts'
import { errorType } from './generator/error-types.ts'
import { shortened } from './short-declarations.ts'

/**
 * Copies the description, format, unit and bounds of each field from the service's OpenAPI document into the type
 * declarations of the package, where an editor shows them. TypeScript itself drops the comments of inferred types, and
 * writes all errors of each procedure out; here they get the name that the errors of the SDK's method have.
 */
export async function documentFields(...declarationFiles: URL[]): Promise<void> {
  const document = await readDocument()
  await Promise.all(
    declarationFiles.map(async (file) => {
      const text = await readFile(file, 'utf8')
      await writeFile(file, readable(text, document))
    }),
  )
}

function readable(text: string, document: Document): string {
  const operations = new Map(servedIn(document).map((operation) => [operation.operationId, operation]))
  const edits: { from: number; to: number; text: string }[] = []

  const nameErrors = (type: ts.TypeNode, name: string) =>
    edits.push({ from: type.getStart(), to: type.getEnd(), text: `ShapeOf<${name}>` })

  function fields(type: ts.TypeNode, given: Schema | undefined): void {
    const schema = resolved(given, document)
    if (!schema) return
    if (ts.isArrayTypeNode(type)) return fields(type.elementType, schema.items)
    if (ts.isParenthesizedTypeNode(type)) return fields(type.type, schema)
    if (ts.isUnionTypeNode(type)) return type.types.forEach((each) => fields(each, kindOf(each, schema)))
    if (!ts.isTypeLiteralNode(type)) return
    const properties = schema.properties ?? schema.anyOf?.find((each) => each.properties)?.properties
    for (const member of type.members) {
      if (!ts.isPropertySignature(member) || !member.type) continue
      const field = resolved(properties?.[member.name.getText()], document)
      const comment = field && fieldComment(field)
      const start = member.getStart()
      const tag = field?.deprecated ? '@deprecated ' : ''
      if (comment) edits.push({ from: start, to: start, text: `/** ${tag}${comment} */ ` })
      fields(member.type, field)
    }
  }

  /** Of a schema of several kinds, the one that `type` is of. */
  function kindOf(type: ts.TypeNode, schema: Schema): Schema {
    const { propertyName = '' } = schema.discriminator ?? {}
    const of = schema.oneOf?.find((each) => {
      const kinds = resolved(each, document)?.properties?.[propertyName]?.enum ?? []
      return kinds.some((kind) => type.getText().includes(JSON.stringify(kind)))
    })
    return of ?? schema
  }

  /** Visits the procedures of the router, whose inputs, answers and errors TypeScript has written out. */
  function visit(node: ts.Node, way: readonly string[]): void {
    const name =
      ts.isPropertySignature(node) || ts.isVariableDeclaration(node)
        ? node.name.getText().replace(/Operations$/, '')
        : undefined
    const here = name === undefined ? way : [...way, name]
    const operation = operations.get(here.slice(-2).join('.'))
    if (operation && ts.isPropertySignature(node) && node.type) {
      const { input, output, errorShape } = typesOf(node.type)
      if (input) fields(input, inputOf(operation))
      if (output) fields(output, outputOf(operation).schema)
      if (errorShape) nameErrors(errorShape, errorType(operation))
      return
    }
    if (name === 'errorShape' && ts.isPropertySignature(node) && node.type && way.includes('appRouter'))
      return void nameErrors(node.type, 'GenericError')
    ts.forEachChild(node, (child) => visit(child, here))
  }

  visit(ts.createSourceFile('index.d.ts', text, ts.ScriptTarget.Latest, true), [])
  const last = edits.toSorted((one, other) => other.from - one.from)
  const edited = last.reduce((done, { from, to, text }) => done.slice(0, from) + text + done.slice(to), text)
  return shortened(edited)
}

/** Reads the parts of `MutationProcedure<{ input: …; output: …; errorShape: … }>`. */
function typesOf(
  type: ts.TypeNode,
): Partial<Record<'input' | 'output' | 'errorShape', ts.TypeNode | undefined>> {
  const [definition] = ts.isTypeReferenceNode(type) ? (type.typeArguments ?? []) : []
  if (!definition || !ts.isTypeLiteralNode(definition)) return {}
  const part = (name: string) =>
    definition.members
      .filter((member) => ts.isPropertySignature(member))
      .find((member) => member.name.getText() === name)?.type
  return { input: part('input'), output: part('output'), errorShape: part('errorShape') }
}
