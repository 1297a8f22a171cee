import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Component {
  group?: string
  name: string
  version: string
  licenses?: unknown[]
  externalReferences: { hashes?: { alg: string; content: string }[] }[]
}

test('the list of packages names each one that the service depends on, with version, licence and hash', async () => {
  const run = promisify(execFile)
  const { stdout } = await run('npx', ['-y', 'pnpm@12', 'run', '--silent', 'sbom'], {
    cwd: root,
    maxBuffer: 2 ** 25,
  })
  const { bomFormat, specVersion, components }: Record<string, unknown> & { components: Component[] } =
    JSON.parse(stdout)
  expect({ bomFormat, specVersion }).toEqual({ bomFormat: 'CycloneDX', specVersion: '1.7' })

  const manifest = (path: string) => JSON.parse(readFileSync(`${root}/server/${path}`, 'utf8'))
  const names = Object.keys(manifest('package.json').dependencies)
  const installed = names.map((name) => `${name}@${manifest(`node_modules/${name}/package.json`).version}`)
  const listed = new Set(
    components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`),
  )
  expect(installed.filter((each) => !listed.has(each))).toEqual([])

  const unhashed = components.filter(
    ({ externalReferences }) =>
      !externalReferences.some(({ hashes = [] }) =>
        hashes.some(({ content }) => /^[\da-f]{128}$/.test(content)),
      ),
  )
  expect(unhashed).toEqual([])
  // One package does not state its licence itself.
  expect(components.filter(({ licenses }) => !licenses).map(({ name }) => name)).toEqual(['png-js'])
})
