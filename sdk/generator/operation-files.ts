import { readFile } from 'node:fs/promises'
import { format } from 'oxfmt'
import { STARTS_SESSION } from '../src/operation-kinds.ts'
import { answerOf, answersFile, needsSession, servedIn } from './document.ts'
import type { Document, Served } from './document.ts'
import { hasInput, inputDeclaration, inputType, methodSource, methodType } from './method-source.ts'
import { namesOf } from './operation-names.ts'
import { finalErrors } from './own-errors.ts'
import { refusalsSource, refusalType } from './refusal-types.ts'
import { specialOf } from './special-operations.ts'

const NOTE = `/* Made of server/openapi.json and sdk/generator/special-operations.ts by \`pnpm generate\`: change it there. */`

/**
 * The files of sdk/src/operations, by name: a file for each room with its methods, the types of what they take, the
 * rooms together, and what the client must know of operations before it sends them.
 */
export async function operationFiles(document: Document): Promise<Map<string, string>> {
  const served = servedIn(document).filter((operation) => !specialOf(operation).isHidden)
  const rooms = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: served.filter((operation) => namesOf(operation).room === name),
  }))
  const sources = {
    ...Object.fromEntries(
      rooms.map(({ name, operations }) => [`${name}.ts`, roomSource(name, operations, document)]),
    ),
    'inputs.ts': inputsSource(served),
    'kinds.ts': kindsSource(served, document),
    // The hidden operation too: the router says how it may be refused.
    'refusals.ts': refusalsSource(servedIn(document)),
    'rooms.ts': roomsSource(rooms),
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

function roomSource(room: string, operations: readonly Served[], document: Document): string {
  const types = operations.map((operation) => methodType(operation, document)).join('\n\n')
  const methods = operations.map(methodSource).join('\n')
  const type = typeOfRoom(room)
  const body = `export interface ${type} {\n${types}\n}

export const ${room}Operations = (trpc: ServiceTrpc): ${type} => ({\n${methods}\n})`
  const inputs = operations.filter(hasInput).map(inputType)
  const typesOf = (isGenerated: boolean) =>
    inputs.filter((each) => each.isGenerated === isGenerated).map(({ type }) => type)
  const answers = new Set(
    operations.flatMap((operation) => specialOf(operation).answer?.replace('[]', '') ?? []),
  )
  const specials = operations
    .map(specialOf)
    .flatMap(({ sent, options = [] }) => [...(sent ? [sent] : []), ...options])
  const sources = {
    '../call-options.ts': ['rawOptions', 'CallOptions'],
    '../file-link.ts': ['fileCall', 'CompanionFile', 'FileOptions', 'ServiceTrpc'],
    '../safe.ts': ['CompanionCall'],
    '../call-link.ts': ['bearer'],
    '../special-calls.ts': specials,
    '../types.ts': ['Done', 'Outputs', 'TokenResponse', ...answers, ...typesOf(false)],
    './inputs.ts': typesOf(true),
    './refusals.ts': operations.map(refusalType),
  }
  return `${importsOf(body.replaceAll(/\/\*\*.*?\*\//gs, ''), sources)}\n\n${body}\n`
}

const typeOfRoom = (room: string) => `${room.replace(/^./, (letter) => letter.toUpperCase())}Operations`

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
    (operation) => !needsSession(operation) && !STARTS_SESSION.has(operation.operationId),
  )
  const files = served.filter(answersFile).map((operation) => {
    const { fileName } = specialOf(operation)
    if (!fileName)
      throw new Error(`Say in special-operations.ts what the file of ${operation.operationId} is called`)
    const { operationId, method, path } = operation
    return `'${operationId}': { method: '${method}', url: '${path}', type: '${answerOf(operation).type}', name: '${fileName}' },`
  })
  const refusals = served
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
export const FINAL_REFUSALS: Readonly<Partial<Record<string, readonly string[]>>> = {
  ${refusals.join('\n  ')}
}
`
}

/** The version that the client tells the service. */
async function versionSource(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  return `export const VERSION = '${version}'\n`
}

function roomsSource(rooms: readonly { name: string; description: string }[]): string {
  return `${rooms.map(({ name }) => `import { ${name}Operations } from './${name}.ts'`).join('\n')}
${rooms.map(({ name }) => `import type { ${typeOfRoom(name)} } from './${name}.ts'`).join('\n')}
import { fromCaller } from '../call-site.ts'
import type { ServiceTrpc } from '../file-link.ts'

/** The operations of the service, a room for each feature. */
export interface Rooms {
${rooms.map(({ name, description }) => `  /** ${description}. */\n  ${name}: ${typeOfRoom(name)}`).join('\n')}
}

export const openRooms = (trpc: ServiceTrpc): Rooms => ({
  ${rooms.map(({ name }) => `${name}: fromCaller(${name}Operations(trpc)),`).join('\n  ')}
})
`
}
