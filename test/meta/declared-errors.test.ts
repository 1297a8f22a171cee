import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { ErrorDeclaration } from '@companion/server/errors/failure.ts'
import { generic } from '@companion/server/errors/generic.ts'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { observedDirectory } from '../support/observed.ts'
import type { Observation } from '../support/observed.ts'

const testDirectory = fileURLToPath(new URL('..', import.meta.url))

const linesOf = (pattern: string) =>
  globSync(`${observedDirectory}${pattern}`).flatMap((file) =>
    readFileSync(file, 'utf8').split('\n').filter(Boolean),
  )

const files = new Set(linesOf('files.txt'))
const missingFiles = globSync(`${testDirectory}**/*.test.ts`, {
  // `pnpm test:package` and `pnpm lab:upgrade` run the last two alone.
  exclude: ['**/node_modules/**', '**/meta/**', '**/package/package.test.ts', '**/lab/two-versions.test.ts'],
}).filter((file) => !files.has(file))

const observed = linesOf('*.jsonl').map((line): Observation => JSON.parse(line))

const served = operations(appRouter).map(({ path, operation, errors }) => ({
  name: path,
  method: operation.method,
  template: operation.path,
  pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  errors,
}))

/** The operation that serves a path: one that names it literally comes before one with a parameter in this place. */
const servedBy = (method: string, path: string) => {
  const matching = served.filter((each) => each.method === method && each.pattern.test(path))
  return matching.find(({ template }) => template === path) ?? matching[0]
}

const seenBy = (operation: (typeof served)[number]) =>
  observed.filter((seen) => servedBy(seen.method, seen.path.split('?')[0] ?? '') === operation)

const texts = (errors: readonly ErrorDeclaration[]) => errors.map(([status, detail]) => `${status} ${detail}`)
const seenTexts = (seen: Observation[]) => new Set(seen.map(({ status, detail }) => `${status} ${detail}`))

test.skipIf(missingFiles.length > 0)(
  `every declared error has been provoked${missingFiles.length > 0 ? ` (judged by a whole run only; not run: ${missingFiles.length} files)` : ''}`,
  () => {
    const unseen = served.flatMap((operation) => {
      const seen = seenTexts(seenBy(operation))
      return texts(operation.errors)
        .filter((error) => !seen.has(error))
        .map((error) => `${operation.name}: ${error}`)
    })
    expect(unseen).toEqual([])
  },
)

test('no operation has answered an error that it does not declare', () => {
  const everywhere = texts(Object.values(generic))
  const undeclared = served.flatMap((operation) => {
    const declared = new Set([...texts(operation.errors), ...everywhere])
    return [...seenTexts(seenBy(operation))]
      .filter((error) => !declared.has(error))
      .map((error) => `${operation.name}: ${error}`)
  })
  expect(undeclared).toEqual([])
})
