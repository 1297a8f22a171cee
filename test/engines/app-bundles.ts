import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const SOURCES = here('../../examples/parents-app/src')
const IMPORT = /^(?:import|export) (?!type\b)[^;]*? from '([^']+)'|^import '([^']+)'/gms

/** The modules of the parents' app that need no package but the SDK: all that draw no view and ask no phone. */
export async function modulesWithoutViews(): Promise<string[]> {
  const all = globSync('**/*.ts', { cwd: SOURCES, exclude: (path) => /\.(test|web)\.ts$/.test(path) })
  const imports = new Map<string, string[]>()
  for (const path of all) {
    const text = await readFile(join(SOURCES, path), 'utf8')
    const found = [...text.matchAll(IMPORT)].map(([, from = '', alone = '']) => from || alone)
    imports.set(
      path.replace(/\.ts$/, ''),
      found.map((from) => (from.startsWith('.') ? join(dirname(path), from) : `package ${from}`)),
    )
  }
  const isPlain = (path: string): boolean =>
    path === 'package @companion/sdk' || (imports.get(path)?.every(isPlain) ?? false)
  return [...imports.keys()].filter(isPlain).toSorted()
}

/** The script that offers the app's day in an engine. */
export async function appEntry(): Promise<string> {
  const modules = await modulesWithoutViews()
  const lines = [
    `import { offerDay } from '${here('app-day.ts')}'`,
    ...modules.map((path, index) => `import * as m${index} from '${join(SOURCES, path)}.ts'`),
    `offerDay({ ${modules.map((path, index) => `'${path}': m${index}`).join(', ')} })`,
  ]
  return lines.join('\n')
}
