import { readFile } from 'node:fs/promises'
import { format } from 'oxfmt'
import { SESSION_STARTING_OPERATIONS } from '../src/operation-kinds.ts'
import { outputOf, respondsWithFile, needsSession, servedIn } from './document.ts'
import type { Document, Served } from './document.ts'
import { hasInput, inputDeclaration, inputType, iteration, methodKind, methodType } from './method-source.ts'
import { namesOf } from './operation-names.ts'
import { finalErrors } from './own-errors.ts'
import { errorsSource, errorType } from './error-types.ts'
import { specialOf } from './special-operations.ts'

const NOTE = `/* Made of server/openapi.json and sdk/generator/special-operations.ts by \`pnpm generate\`: change it there. */`

/**
 * The files of sdk/src/operations, by name: a file for each module with its methods, the types of what they take, the
 * modules together, and what the client must know of operations before it sends them.
 */
export async function operationFiles(document: Document): Promise<Map<string, string>> {
  const served = servedIn(document).filter((operation) => !specialOf(operation).isHidden)
  const modules = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: served.filter((operation) => namesOf(operation).module === name),
  }))
  const sources = {
    ...Object.fromEntries(
      modules.map(({ name, operations }) => [`${name}.ts`, moduleSource(name, operations, document)]),
    ),
    'inputs.ts': inputsSource(served),
    'kinds.ts': kindsSource(served, document),
    // The hidden operation too: the router says how it may be refused.
    'errors.ts': errorsSource(servedIn(document)),
    'modules.ts': modulesSource(modules),
    'version.ts': await versionSource(),
  }
  return new Map(
    await Promise.all(
      Object.entries(sources).map(
        async ([name, source]) => [name, await formatted(name, `${NOTE}\n\n${source}`)] as const,
      ),
    ),
  )
}

async function formatted(name: string, source: string): Promise<string> {
  const settings = JSON.parse(await readFile(new URL('../../.oxfmtrc.json', import.meta.url), 'utf8'))
  const { code, errors } = await format(name, source, settings)
  if (errors.length > 0) throw new Error(`${name}: ${JSON.stringify(errors)}`)
  return code
}

function moduleSource(module: string, operations: readonly Served[], document: Document): string {
  const iterations = operations.flatMap((operation) => iteration(operation, document) ?? [])
  const types = [
    ...operations.map((operation) => methodType(operation, document)),
    ...iterations.map((each) => each.type),
  ].join('\n\n')
  const kinds = operations.map(methodKind)
  const methods = [
    ...operations.map((operation, index) => `${namesOf(operation).name}: ${kinds[index]},`),
    ...iterations.map(({ name, kind }) => `${name}: ${kind},`),
  ]
  const type = typeOfModule(module)
  const body = `export interface ${type} {\n${types}\n}

export const ${module}Methods: Record<keyof ${type}, ${iterations.length > 0 ? 'MethodKind | IteratingMethod' : 'MethodKind'}> = {\n${methods.join('\n')}\n}`
  const inputs = operations.filter(hasInput).map(inputType)
  const typesOf = (isGenerated: boolean) =>
    inputs.filter((each) => each.isGenerated === isGenerated).map(({ type }) => type)
  const responses = new Set(
    operations.flatMap((operation) => specialOf(operation).output?.replace('[]', '') ?? []),
  )
  const optionsTypes = operations.flatMap((operation) => specialOf(operation).options ?? [])
  const sources = {
    '../call-options.ts': ['CallOptions'],
    '../file-link.ts': ['CompanionFile', 'FileOptions'],
    '../iterations.ts': ['IteratingMethod', 'FollowOptions', 'createAllPagesMethod', 'createFollowMethod'],
    '../method-kinds.ts': [...new Set(kinds), 'MethodKind', ...optionsTypes],
    '../safe.ts': ['CompanionCall'],
    '../types.ts': ['Done', 'Outputs', 'TokenResponse', ...responses, ...typesOf(false)],
    './inputs.ts': typesOf(true),
    './errors.ts': operations.map(errorType),
  }
  return `${importsOf(body.replaceAll(/\/\*\*.*?\*\//gs, ''), sources)}\n\n${body}\n`
}

const typeOfModule = (module: string) => `${module.replace(/^./, (letter) => letter.toUpperCase())}Operations`

/** Imports those names of `sources` that `code` uses; a type begins with a capital letter. */
function importsOf(code: string, sources: Record<string, readonly string[]>): string {
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(code)
  return Object.entries(sources)
    .flatMap(([from, names]) => {
      const used = names.filter(isUsed).toSorted()
      const [types, values] = [true, false].map((isType) =>
        used.filter((name) => /^[A-Z]/.test(name) === isType).join(', '),
      )
      return [
        ...(values ? [`import { ${values} } from '${from}'`] : []),
        ...(types ? [`import type { ${types} } from '${from}'`] : []),
      ]
    })
    .join('\n')
}

function inputsSource(served: readonly Served[]): string {
  const declarations = served.map(inputDeclaration).filter(Boolean)
  return `import type { inferRouterInputs } from '@trpc/server'
import type { AppRouter } from '@companion/server/router'

type Inputs = inferRouterInputs<AppRouter>

${declarations.join('\n')}
`
}

/** The facts about operations that the client needs beside their methods. */
function kindsSource(served: readonly Served[], document: Document): string {
  const free = served.filter(
    (operation) => !needsSession(operation) && !SESSION_STARTING_OPERATIONS.has(operation.operationId),
  )
  const files = served.filter(respondsWithFile).map((operation) => {
    const { fileName } = specialOf(operation)
    if (!fileName)
      throw new Error(`Say in special-operations.ts what the file of ${operation.operationId} is called`)
    const { operationId, method, path } = operation
    return `'${operationId}': { method: '${method}', url: '${path}', type: '${outputOf(operation).type}', name: '${fileName}' },`
  })
  const errors = served
    .filter((operation) => specialOf(operation).isQueued)
    .map((operation) => {
      const errors = finalErrors(operation, document).map(({ status, detail }) => `'${status} ${detail}'`)
      return `'${operation.operationId}': [${errors.join(', ')}],`
    })
  return `
/**
 * Operations sent without an access token, those of devices among them. An upload could carry one, but then a session
 * that has ended would keep logs from reaching the service.
 */
export const NEEDS_NO_SESSION: ReadonlySet<string> = new Set([${free.map(({ operationId }) => `'${operationId}'`).join(', ')}])

/** Operations that answer a file: where, of which type, and what it is called where a browser hides its name. */
export const FILES: Readonly<Partial<Record<string, Record<'method' | 'url' | 'type' | 'name', string>>>> = {
  ${files.join('\n  ')}
}

/** The errors by which the service says that it will never take what the outbox sends, beside those of validation (422). */
export const PERMANENT_ERRORS: Readonly<Partial<Record<string, readonly string[]>>> = {
  ${errors.join('\n  ')}
}
`
}

/** The version that the client tells the service. */
async function versionSource(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  return `export const VERSION = '${version}'\n`
}

function modulesSource(modules: readonly { name: string; description: string }[]): string {
  return `${modules.map(({ name }) => `import { ${name}Methods } from './${name}.ts'`).join('\n')}
${modules.map(({ name }) => `import type { ${typeOfModule(name)} } from './${name}.ts'`).join('\n')}
import { createMethods } from '../create-methods.ts'
import type { RawClient } from '../raw-client.ts'

/** The operations of the service, a module for each feature. */
export interface Modules {
${modules.map(({ name, description }) => `  /** ${description}. */\n  ${name}: ${typeOfModule(name)}`).join('\n')}
}

export const openModules = (client: RawClient): Modules =>
  createMethods<Modules>(client, {
    ${modules.map(({ name }) => `${name}: ${name}Methods,`).join('\n    ')}
  })
`
}
