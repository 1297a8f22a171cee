import ts from 'typescript'

/** A part of a text, and what takes its place. */
interface Edit {
  node: ts.Node
  text: string
}

const DECLARATIONS = `
type ShapeOf<Errors> = Errors extends ErrorResponse<infer Status, infer Detail> ? DeclaredError<Status, Detail> : never;
interface Definition<Input, Output, Errors> { input: Input; output: Output; meta: Meta; errorShape: ShapeOf<Errors> }
type Mutation<Input, Output, Errors> = _trpc_server.TRPCMutationProcedure<Definition<Input, Output, Errors>>;
type Query<Input, Output, Errors> = _trpc_server.TRPCQueryProcedure<Definition<Input, Output, Errors>>;
type ModuleOf<Procedures extends _trpc_server.TRPCCreateRouterOptions> = TRPCBuiltRouter<{ ctx: Context; meta: Meta; errorShape: ShapeOf<GenericError>; transformer: false }, _trpc_server.TRPCDecorateCreateRouterOptions<Procedures>>;
`

/**
 * Shortens the type declarations of the package, in which TypeScript writes the router's type out: what an operation
 * takes and answers gets the name that the package exports for it, and what all procedures have in common is said once.
 * What the declarations say elsewhere leaves the documentation of the methods and of their errors: the lists of fields,
 * which have their own here, and that a session may have ended.
 */
export function shortened(text: string): string {
  const short = withoutFieldLists(withoutCopies(named(text)))
  return withoutIndentation(unbroken(withoutInnerComments(exportedInPlace(short))) + DECLARATIONS)
}

function named(text: string): string {
  const file = ts.createSourceFile('index.d.ts', text, ts.ScriptTarget.Latest, true)
  const router = file.statements
    .flatMap((each) => (ts.isVariableStatement(each) ? each.declarationList.declarations : []))
    .find(({ name }) => name.getText() === 'appRouter')?.type
  if (!router) throw new Error('The declarations have no appRouter')
  const modules = membersOf(recordOf(router)).map(
    ([name, type]) => [name, membersOf(recordOf(type)).map(procedureOf)] as const,
  )
  const edits: Edit[] = []
  /** The exported name of a type that was written out, by its text. */
  const names = new Map<string, string>()
  for (const alias of file.statements.filter((each) => ts.isTypeAliasDeclaration(each))) {
    const [, part, module, name, item] =
      /^(Inputs|Outputs)(?:\$\d)?\['(\w+)'\]\['(\w+)'\](\[number\])?$/.exec(alias.type.getText()) ?? []
    const procedure = modules.find(([each]) => each === module)?.[1].find((each) => each.name === name)
    const type = part === 'Inputs' ? procedure?.input : procedure?.output
    const written = item && type && ts.isArrayTypeNode(type) ? type.elementType : type
    if (!written || !ts.isTypeLiteralNode(written)) continue
    // Turned around: the alias that was made of the router says the type, and the router names it.
    edits.push({ node: alias.type, text: names.get(written.getText()) ?? flat(written) })
    if (!names.has(written.getText())) names.set(written.getText(), alias.name.text)
  }
  const nameOf = (type: ts.TypeNode): string =>
    ts.isArrayTypeNode(type) ? `${nameOf(type.elementType)}[]` : (names.get(type.getText()) ?? flat(type))
  const lines = modules.map(([module, procedures]) => {
    const each = procedures.map(({ name, kind, input, output, errors }) => {
      const parts = [
        nameOf(input),
        nameOf(output),
        flat(errors).replaceAll('DeclaredError<', 'ErrorResponse<'),
      ]
      return `${name}: ${kind}<${parts.join(', ')}>;`
    })
    return `${module}: ModuleOf<{\n${each.join('\n')}\n}>;`
  })
  edits.push({ node: router, text: `ModuleOf<{\n${lines.join('\n')}\n}>` })
  return edited(text, edits)
}

const edited = (text: string, edits: readonly Edit[]): string =>
  edits
    .toSorted((one, other) => other.node.getStart() - one.node.getStart())
    .reduce(
      (done, { node, text: by }) => done.slice(0, node.getStart()) + by + done.slice(node.getEnd()),
      text,
    )

/** An object type, its members with their documentation, and how other types may name it. */
interface Written {
  node: ts.TypeLiteralNode
  members: readonly string[]
  name: string | undefined
}

/** Fewer members are not worth a name. */
const FEWEST = 3

/** An object type that has all members of another one names it, instead of writing them again. */
function withoutCopies(text: string): string {
  const written = objectTypes(ts.createSourceFile('index.d.ts', text, ts.ScriptTarget.Latest, true))
  const edits = written.flatMap(({ node, members }) => {
    const [base] = written
      .filter((other) => other.name !== undefined && other.members.length >= FEWEST)
      .filter((other) => other.members.length < members.length)
      .filter((other) => other.members.every((each) => members.includes(each)))
      .toSorted((one, other) => other.members.length - one.members.length)
    if (!base) return []
    const rest = members.filter((each) => !base.members.includes(each))
    const type = `${base.name} & {\n${rest.join('\n')}\n}`
    return [{ node, text: ts.isArrayTypeNode(node.parent) ? `(${type})` : type }]
  })
  const outermost = edits.filter(
    ({ node }) => !edits.some((other) => other.node !== node && holds(other.node, node)),
  )
  return outermost.length > 0 ? withoutCopies(edited(text, outermost)) : text
}

const holds = (outer: ts.Node, inner: ts.Node): boolean =>
  outer.getStart() <= inner.getStart() && inner.getEnd() <= outer.getEnd()

/** The object types in a part of the declarations. `name` is how other types may name that part. */
function objectTypes(node: ts.Node, name?: string): Written[] {
  if (ts.isTypeAliasDeclaration(node) && !node.typeParameters) return objectTypes(node.type, node.name.text)
  if (ts.isArrayTypeNode(node)) return objectTypes(node.elementType, name && `${name}[number]`)
  if (name && ts.isPropertySignature(node) && node.type && !node.questionToken)
    return objectTypes(node.type, `${name}['${node.name.getText()}']`)
  const isObject = ts.isTypeLiteralNode(node)
  const parts: ts.Node[] = []
  ts.forEachChild(node, (child) => void parts.push(child))
  return [
    ...(isObject ? [{ node, members: node.members.map((each) => each.getFullText().trim()), name }] : []),
    ...parts.flatMap((part) => objectTypes(part, isObject ? name : undefined)),
  ]
}

/** Says `export` where a type is declared, instead of naming all types again at the end. */
function exportedInPlace(text: string): string {
  const [list = '', names = ''] = /^export type \{ (.*) \};$/m.exec(text) ?? []
  const isExported = new Set(names.split(', '))
  return text
    .replace(list, '')
    .replaceAll(/^(?:type|interface) (\w+)/gm, (declaration, name: string) =>
      isExported.delete(name) ? `export ${declaration}` : declaration,
    )
    .replace(/^export \{/m, (values) =>
      isExported.size > 0 ? `export type { ${[...isExported].join(', ')} };\n${values}` : values,
    )
}

/** Reads `TRPCMutationProcedure<{ input: …; output: …; errorShape: ShapeOf<…> }>`. */
function procedureOf([name, type]: [name: string, type: ts.TypeNode]) {
  const [definition] = argumentsOf(type)
  const parts = new Map(definition && ts.isTypeLiteralNode(definition) ? membersOf(definition) : [])
  const [input, output, errors] = [parts.get('input'), parts.get('output'), parts.get('errorShape')]
  if (!input || !output || !errors) throw new Error(`This is no procedure: ${type.getText().slice(0, 200)}`)
  const kind = type.getText().includes('TRPCMutationProcedure') ? 'Mutation' : 'Query'
  return { name, kind, input, output, errors: argumentsOf(errors)[0] ?? errors }
}

/** The text of a type without indentation, which would be half of it. */
const flat = (type: ts.TypeNode): string => type.getText().replaceAll(/^ +/gm, '')

const membersOf = (type: ts.TypeLiteralNode): [name: string, type: ts.TypeNode][] =>
  type.members.flatMap((each) =>
    ts.isPropertySignature(each) && each.type ? [[each.name.getText(), each.type]] : [],
  )

const argumentsOf = (type: ts.TypeNode | undefined): readonly ts.TypeNode[] =>
  type && ts.isTypeReferenceNode(type) ? (type.typeArguments ?? []) : []

/** The record in `TRPCBuiltRouter<{ … }, TRPCDecorateCreateRouterOptions<{ … }>>`. */
function recordOf(router: ts.TypeNode): ts.TypeLiteralNode {
  const [record] = argumentsOf(argumentsOf(router)[1])
  if (record && ts.isTypeLiteralNode(record)) return record
  throw new Error(`This is no router: ${router.getText().slice(0, 200)}`)
}

const withoutFieldLists = (text: string): string =>
  text
    .replaceAll(/^ +\* - `.*\n(?: +\* {3}.*\n)*/gm, '')
    .replaceAll(/^ +\* @returns for each:\n/gm, '')
    .replaceAll(/^ +\* @(?:param input|throws 401 and 423 when the session has ended.*)\n/gm, '')
    .replaceAll(/^\/\*\* How `[\w.]+` may be refused\. \*\/\n/gm, '')

/** Nobody can name a type that is not exported, so no editor shows what it is for. */
const withoutInnerComments = (text: string): string =>
  text.replaceAll(/^\/\*\*(?:[^*]|\*(?!\/))*\*\/\n(?=(?:interface|type) )/gm, '')

/** An editor breaks the lines of a paragraph by itself. */
const unbroken = (text: string): string => text.replaceAll(/(?<=^ +\* .*\S)\n +\* (?=[^@\s-])/gm, ' ')

/** An editor shows neither the indentation, nor the asterisk of each line of a comment, nor an empty line before its tags. */
const withoutIndentation = (text: string): string =>
  text.replaceAll(/^ +(?:\*(?: |$))?/gm, '').replaceAll(/^\n(?=@|\*\/)/gm, '')
