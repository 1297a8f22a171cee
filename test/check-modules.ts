import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { createCompanion } from '@companion/sdk'
import { operations } from '@companion/server/http/operations.ts'
import { modules } from '@companion/server/modules.ts'
import { appRouter } from '@companion/server/router.ts'

/*
 * Says which folder of server/src is no module, which name says nothing, and what of an operation is missing. An operation has one name, `<module>.<operation>`: in the router, as its file
 * server/src/<module>/<operation>.ts, in the OpenAPI document, in the SDK, and as the file of its contract test. Its section
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
const hasMethod = (module: string, name: string): boolean =>
  typeof Reflect.get(Object(Reflect.get(companion, module)), name) === 'function'

const issues = served.flatMap(({ path, operation }) => {
  const [module = '', name = ''] = path.split('.')
  const file = `server/src/${module}/${kebab(name)}.ts`
  const heading = `${operation.method} ${operation.path}`
  const test = `test/contract/${module}/${kebab(name)}.test.ts`
  return [
    existsSync(new URL(file, root)) && read(file).includes(`'${operation.path}'`)
      ? ''
      : `${path} has no file ${file} that declares ${operation.path}`,
    existsSync(new URL(test, root)) ? '' : `${path} has no test ${test}`,
    contract.includes(`\n#### ${heading}\n`) ? '' : `${path} has no section "${heading}" in docs/contract.md`,
    tags.get(path) === module
      ? ''
      : `${path} is not in server/openapi.json with the tag ${module}: run \`pnpm generate\``,
    // The client refreshes by itself, and a device that updates itself has no SDK.
    hasMethod(module, name) || path === 'auth.refresh' || path.endsWith('AsDevice')
      ? ''
      : `${path} has no method in the SDK: run \`pnpm generate\``,
  ].filter(Boolean)
})

for (const operationId of tags.keys())
  if (!names.has(operationId))
    issues.push(`server/openapi.json has ${operationId}, which the router has not: run \`pnpm generate\``)

for (const file of globSync('server/src/*/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })) {
  const [, , module = '', base = ''] = file.split('/')
  const path = `${module}.${camel(base.replace(/\.ts$/, ''))}`
  if (/\bpath: '\/api\//.test(read(file)) && !names.has(path))
    issues.push(
      `${file} declares an operation that the router has not: add ${path} to server/src/${module}/index.ts`,
    )
}

const LIST = 'server/src/modules.ts'
const listed = new Set(modules.map(({ name }) => name))
const folders = readdirSync(new URL('server/src', root), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
)
for (const folder of folders)
  if (!listed.has(folder))
    issues.push(
      `server/src/${folder} is in no line of ${LIST}. Move its code to the module that it belongs to (CONTRIBUTING.md, "Where code belongs"). Only if none fits, add a module: a noun, with its purpose, at the place in the list from which on it may import.`,
    )
for (const name of listed)
  if (!folders.includes(name)) issues.push(`${LIST} lists ${name}, but there is no folder server/src/${name}`)

const vague = /^(utils?|helpers?|common|shared|misc|lib|services?|managers?|tools?|stuff)(?=\.|$)/
for (const path of globSync('{server,sdk,test}/**/*', {
  cwd: root,
  exclude: (name) => /node_modules|[/]dist$/.test(name),
})) {
  const base = path.split('/').at(-1) ?? ''
  if (vague.test(base) && path !== 'server/src/service.ts')
    issues.push(`${path}: the name does not say what is in there. Name it after the one idea that it holds.`)
}

for (const issue of issues) console.error(issue)
if (issues.length > 0) process.exitCode = 1
