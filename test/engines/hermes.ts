import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const FOLDERS: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux64', darwin: 'osx', win32: 'win64' }

/** The program that runs scripts, of the npm package; there is none for other platforms. */
export const HERMES = join(
  dirname(createRequire(import.meta.url).resolve('hermes-engine-cli/package.json')),
  `${FOLDERS[process.platform] ?? process.platform}-bin/hermes`,
)

/** A line that runs a script: Hermes takes each line for a program of its own. */
export const asLine = (code: string): string => `(0, eval)(${JSON.stringify(code)})`

/** What a script has found in an engine: for each global the names of its members, its own and those of its prototype. */
export type Inventory = Record<string, { own: string[]; prototype: string[] }>

/** Writes the inventory of an engine as JSON. */
export const TAKE_INVENTORY = `JSON.stringify((() => {
  const names = (value) => value === undefined || value === null ? [] : Object.getOwnPropertyNames(Object(value))
  const all = (value) => value === undefined || value === null || value === Object.prototype
    ? [] : names(value).concat(all(Object.getPrototypeOf(value)))
  return Object.fromEntries(all(globalThis).map((name) => {
    const value = globalThis[name]
    const { prototype } = typeof value === 'function' ? value : {}
    return [name, { own: names(value), prototype: value === Object ? names(prototype) : all(prototype) }]
  }))
})())`

/** What a script of a phone finds: Hermes with the globals of React Native. */
export async function hermesInventory(bundles: string): Promise<Inventory> {
  const running = promisify(execFile)(HERMES)
  const globals = await readFile(join(bundles, 'globals.js'), 'utf8')
  running.child.stdin?.end(`${asLine(globals)}; 0\nprint('@inventory ' + ${asLine(TAKE_INVENTORY)})\n`)
  const { stdout } = await running
  const [, json = ''] = /@inventory (.*)/.exec(stdout) ?? []
  return JSON.parse(json)
}
