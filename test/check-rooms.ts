import { existsSync, globSync, readFileSync } from 'node:fs'
import { createCompanion } from '@companion/sdk'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'

/*
 * Says what of an operation is missing. An operation has one name, `<room>.<operation>`: in the router, as its file
 * server/src/<room>/<operation>.ts, in the OpenAPI document, in the SDK, and as the file of its contract test. Its section
 * of docs/contract.md is headed by method and path.
 */

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const camel = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const served = operations(appRouter)
const names = new Set(served.map(({ path }) => path))
const described: { paths: Record<string, Record<string, { operationId: string; tags: string[] }>> } =
  JSON.parse(read('server/openapi.json'))
const tags = new Map(
  Object.values(described.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation.tags.join()]),
)
const contract = read('docs/contract.md')
const companion = createCompanion({ baseUrl: 'https://companion.test' })
const hasMethod = (room: string, name: string): boolean =>
  typeof Reflect.get(Object(Reflect.get(companion, room)), name) === 'function'

const faults = served.flatMap(({ path, operation }) => {
  const [room = '', name = ''] = path.split('.')
  const file = `server/src/${room}/${kebab(name)}.ts`
  const heading = `${operation.method} ${operation.path}`
  const test = `test/contract/${room}/${kebab(name)}.test.ts`
  return [
    existsSync(new URL(file, root)) && read(file).includes(`'${operation.path}'`)
      ? ''
      : `${path} has no file ${file} that declares ${operation.path}`,
    existsSync(new URL(test, root)) ? '' : `${path} has no test ${test}`,
    contract.includes(`\n#### ${heading}\n`) ? '' : `${path} has no section "${heading}" in docs/contract.md`,
    tags.get(path) === room
      ? ''
      : `${path} is not in server/openapi.json with the tag ${room}: run \`pnpm generate\``,
    // The client refreshes by itself.
    hasMethod(room, name) || path === 'auth.refresh'
      ? ''
      : `${path} has no method in the SDK: run \`pnpm generate\``,
  ].filter(Boolean)
})

for (const operationId of tags.keys())
  if (!names.has(operationId))
    faults.push(`server/openapi.json has ${operationId}, which the router has not: run \`pnpm generate\``)

for (const file of globSync('server/src/*/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })) {
  const [, , room = '', base = ''] = file.split('/')
  const path = `${room}.${camel(base.replace(/\.ts$/, ''))}`
  if (/\bpath: '\/api\//.test(read(file)) && !names.has(path))
    faults.push(
      `${file} declares an operation that the router has not: add ${path} to server/src/${room}/index.ts`,
    )
}

for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
