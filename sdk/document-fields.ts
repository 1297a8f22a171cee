import { readFile, writeFile } from 'node:fs/promises'
import ts from 'typescript'
import { answerOf, inputOf, readDocument, resolved, servedIn } from './generator/document.ts'
import type { Document, Schema } from './generator/document.ts'
import { fieldComment } from './generator/field-comment.ts'

/**
 * Copies the description, format, unit and bounds of each field from the service's OpenAPI document into the type
 * declarations of the package, where an editor shows them. TypeScript itself drops the comments of inferred types.
 */
export async function documentFields(...declarationFiles: URL[]): Promise<void> {
  const document = await readDocument()
  await Promise.all(
    declarationFiles.map(async (file) => {
      const text = await readFile(file, 'utf8')
      await writeFile(file, withComments(text, document))
    }),
  )
}

function withComments(text: string, document: Document): string {
  const operations = new Map(servedIn(document).map((operation) => [operation.operationId, operation]))
  const comments: { at: number; text: string }[] = []

  function fields(type: ts.TypeNode, given: Schema | undefined): void {
    const schema = resolved(given, document)
    if (!schema) return
    if (ts.isArrayTypeNode(type)) return fields(type.elementType, schema.items)
    if (ts.isUnionTypeNode(type)) return type.types.forEach((each) => fields(each, schema))
    if (!ts.isTypeLiteralNode(type)) return
    const properties = schema.properties ?? schema.anyOf?.find((each) => each.properties)?.properties
    for (const member of type.members) {
      if (!ts.isPropertySignature(member) || !member.type) continue
      const field = resolved(properties?.[member.name.getText()], document)
      const comment = field && fieldComment(field)
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
      if (output) fields(output, answerOf(operation).schema)
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
