import { existsSync, globSync } from 'node:fs'
import { cruise } from 'dependency-cruiser'
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config'

type Kind = 'module' | 'file' | 'outside'

/** A folder of server/src (`module`), a file beside them (`file`), or the SDK, an example, the tests (`outside`). */
export interface Module {
  name: string
  kind: Kind
  /** By the name of the other module: whether more than types is imported. */
  imports: Map<string, boolean>
  /** npm packages, by name. */
  packages: Set<string>
}

function moduleOf(path: string): { name: string; kind: Kind } | undefined {
  const [, folder, file] = /^server\/src\/(?:([^/]+)\/|([^/]+)$)/.exec(path) ?? []
  if (folder) return { name: folder, kind: 'module' }
  if (file) return { name: file, kind: 'file' }
  const [outside] = /^(sdk|test|examples\/[^/]+)(?=\/)/.exec(path) ?? []
  return outside ? { name: outside, kind: 'outside' } : undefined
}

const isTest = (path: string) => /\.test(-d)?\.ts$/.test(path) && !path.startsWith('test/')

/** The npm package that an imported name belongs to; undefined for Node's own modules and for the workspace's packages. */
const packageOf = (name: string) => /^(?!node:|@companion\/)(?:@[\w-]+\/)?[a-z][\w-]*/.exec(name)?.[0]

/**
 * The modules of the workspace in `root`, in the order of their names, with what they import; unit tests beside the code
 * do not count. Examples with a lock file of their own are not of this workspace.
 */
export async function readModules(root: string): Promise<Module[]> {
  process.chdir(root)
  const sources = globSync(['server/src', 'sdk/src', 'examples/*', 'test']).filter(
    (folder) => !existsSync(`${folder}/pnpm-lock.yaml`),
  )
  const { output } = await cruise(
    sources.toSorted(),
    { doNotFollow: { path: 'node_modules' }, tsPreCompilationDeps: true },
    { exportsFields: ['exports'], conditionNames: ['types', 'import', 'default'] },
    { tsConfig: extractTsConfig('tsconfig.json') },
  )
  if (typeof output === 'string') throw new Error('dependency-cruiser answered a text')
  const modules = new Map<string, Module>()
  for (const { source, dependencies } of output.modules) {
    const from = isTest(source) ? undefined : moduleOf(source)
    if (!from) continue
    const module = modules.get(from.name) ?? { ...from, imports: new Map(), packages: new Set() }
    modules.set(from.name, module)
    for (const { module: name, resolved, coreModule, dependencyTypes } of dependencies) {
      const to = moduleOf(resolved)
      const npm = to || coreModule || name.startsWith('.') ? undefined : packageOf(name)
      if (npm) module.packages.add(npm)
      if (!to || to.name === from.name) continue
      const isType = dependencyTypes.includes('type-only')
      module.imports.set(to.name, (module.imports.get(to.name) ?? false) || !isType)
    }
  }
  return [...modules.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** None of the modules is above the others. */
export class CircularImports extends Error {
  constructor(from: string, to: string) {
    super(
      `server/src/${from} imports ${to}, whose imports lead back to ${from}. \`pnpm check:imports\` says which import is not allowed.`,
    )
  }
}

export interface Arrow {
  from: string
  to: string
  isTypeOnly: boolean
}

const leads = (arrows: readonly Arrow[], from: string, to: string, seen = new Set<string>()): boolean => {
  if (from === to) return true
  if (seen.has(from)) return false
  seen.add(from)
  return arrows.some((arrow) => arrow.from === from && leads(arrows, arrow.to, to, seen))
}

/**
 * The imports as arrows that all point down, less those that follow from others, and `upward` the imports of types alone
 * that would point up. Throws `CircularImports` when modules import each other in a circle.
 */
export function layer(modules: readonly Module[]): { arrows: Arrow[]; upward: Arrow[] } {
  const all = modules
    .flatMap(({ name, imports }) =>
      [...imports].map(([to, isValue]) => ({ from: name, to, isTypeOnly: !isValue })),
    )
    .toSorted(
      (one, other) => Number(one.isTypeOnly) - Number(other.isTypeOnly) || (one.to < other.to ? -1 : 1),
    )
  const down: Arrow[] = []
  const upward: Arrow[] = []
  for (const arrow of all) {
    const { from, to, isTypeOnly } = arrow
    if (!leads(down, to, from)) down.push(arrow)
    else if (isTypeOnly) upward.push(arrow)
    else throw new CircularImports(from, to)
  }
  const follows = ({ from, to }: Arrow) =>
    down.some((other) => other.from === from && other.to !== to && leads(down, other.to, to))
  return { arrows: down.filter((arrow) => !follows(arrow)), upward }
}
