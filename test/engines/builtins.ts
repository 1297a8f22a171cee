import { createRequire } from 'node:module'
import type { CompatData } from '@mdn/browser-compat-data'
import ts from 'typescript'
import type { Inventory } from './hermes.ts'

/*
 * Which globals and methods of the language and of the platform a built file uses, and which of the promised engines lack
 * them. Types are lost in a built file, so a method counts as there when any class of the engine has one of its name.
 */

/** What an engine has: its globals, each with its own members and those of its prototype. */
export interface Engine {
  name: string
  hasGlobal: (name: string) => boolean
  hasStatic: (owner: string, name: string) => boolean
  hasMethod: (name: string) => boolean
}

interface Use {
  kind: 'global' | 'static' | 'method'
  owner: string
  name: string
}

// Not by `import`: Vitest would turn 19 MB of JSON into a module.
const bcd: CompatData = createRequire(import.meta.url)('@mdn/browser-compat-data')

/** A member of MDN's data about what each browser has. */
const within = (group: unknown, name: string): unknown =>
  typeof group === 'object' && group !== null && Object.hasOwn(group, name)
    ? Reflect.get(group, name)
    : undefined

const { builtins } = bcd.javascript
const { api } = bcd
const groups = [builtins, api, api['Window'], api['WorkerGlobalScope']]

const featuresOf = (name: string): unknown[] =>
  groups.map((group) => within(group, name)).filter((each) => each !== undefined)
const memberOf = (owner: string, name: string): unknown =>
  within(within(builtins, owner), name) ?? within(within(api, owner), `${name}_static`)
const methods = new Map<string, unknown[]>()
for (const members of [builtins, api].flatMap((group) => Object.values(Object(group))))
  for (const [name, member] of Object.entries(Object(members)))
    if (name !== '__compat' && !name.endsWith('_static'))
      methods.set(name, [...(methods.get(name) ?? []), member])

/** Whether a version of a browser or of Node.js has a feature, unprefixed and without a flag. */
function supports(feature: unknown, browser: string, version: number): boolean {
  const support = within(within(within(feature, '__compat'), 'support'), browser)
  return (Array.isArray(support) ? support : [support]).some((each: unknown) => {
    const { version_added, version_removed, prefix, alternative_name, flags } = Object(each)
    if (prefix || alternative_name || flags || version_removed) return false
    return typeof version_added === 'string' && parseFloat(version_added.replace('≤', '')) <= version
  })
}

const known = (name: string, browser: string, version: number): Engine => ({
  name,
  hasGlobal: (global) => featuresOf(global).some((each) => supports(each, browser, version)),
  hasStatic: (owner, member) => supports(memberOf(owner, member), browser, version),
  hasMethod: (method) => (methods.get(method) ?? []).some((each) => supports(each, browser, version)),
})

export function found(name: string, inventory: Inventory): Engine {
  const all = new Set(Object.values(inventory).flatMap(({ own, prototype }) => [...own, ...prototype]))
  return {
    name,
    hasGlobal: (global) => global in inventory,
    hasStatic: (owner, member) => inventory[owner]?.own.includes(member) ?? false,
    hasMethod: (method) => all.has(method),
  }
}

export const SAFARI_16 = known('Safari 16', 'safari', 16)
export const NODE_20 = known('Node.js 20', 'nodejs', 20)

/** What a script uses and does not make itself. A global that it looks for by `typeof` may be missing. */
export function usesOf(code: string): Use[] {
  const source = ts.createSourceFile('built.js', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)
  const declared = new Set<string>()
  const lookedFor = new Set<string>()
  const uses = new Map<string, Use>()
  const add = (kind: Use['kind'], owner: string, name: string) =>
    uses.set(`${owner}.${name}`, { kind, owner, name })

  const note = (node: ts.Node): void => {
    const { parent } = node
    if (ts.isIdentifier(node)) {
      const isName = 'name' in parent && parent.name === node
      if (isName && !ts.isPropertyAccessExpression(parent)) declared.add(node.text)
      if (ts.isBindingElement(parent) && parent.propertyName === node) declared.add(node.text)
      if (ts.isTypeOfExpression(parent)) lookedFor.add(node.text)
    }
    node.forEachChild(note)
  }
  note(source)

  const visit = (node: ts.Node): void => {
    const { parent } = node
    if (ts.isPropertyAccessExpression(node)) {
      const owner =
        ts.isIdentifier(node.expression) && !declared.has(node.expression.text) ? node.expression.text : ''
      const isCalled = ts.isCallExpression(parent) && parent.expression === node && !parent.questionDotToken
      if (owner && memberOf(owner, node.name.text)) add('static', owner, node.name.text)
      else if (isCalled && methods.has(node.name.text) && !declared.has(node.name.text))
        add('method', '', node.name.text)
    } else if (
      ts.isIdentifier(node) &&
      featuresOf(node.text).length > 0 &&
      !declared.has(node.text) &&
      !lookedFor.has(node.text) &&
      !(ts.isPropertyAccessExpression(parent) && parent.name === node) &&
      !(ts.isPropertyAssignment(parent) && parent.name === node)
    )
      add('global', '', node.text)
    node.forEachChild(visit)
  }
  visit(source)
  return [...uses.values()]
}

/** Names each use that an engine lacks, with the engine. */
export const lacking = (uses: readonly Use[], engines: readonly Engine[]): string[] =>
  engines.flatMap((engine) =>
    uses
      .filter(
        ({ kind, owner, name }) =>
          !(kind === 'global'
            ? engine.hasGlobal(name)
            : kind === 'static'
              ? engine.hasStatic(owner, name)
              : engine.hasMethod(name)),
      )
      .map(
        ({ kind, owner, name }) => `${engine.name} lacks ${kind === 'static' ? `${owner}.${name}` : name}`,
      ),
  )

/** A method of the language. */
export interface Member {
  owner: string
  name: string
  isStatic: boolean
}

/** The methods of the language in an engine, those of `Intl` and of memory shared by threads left out. */
function languageMembers(globals: object): Member[] {
  return Object.entries(builtins ?? {}).flatMap(([owner, members]) => {
    const holder: unknown = Reflect.get(globals, owner)
    if (['Intl', 'Atomics', 'SharedArrayBuffer'].includes(owner) || holder === undefined) return []
    const prototype: unknown = Reflect.get(Object(holder), 'prototype')
    return Object.keys(members).flatMap((name) =>
      [holder, prototype].flatMap((of, index) => {
        const value = Object.getOwnPropertyDescriptor(Object(of), name)?.value
        return typeof value === 'function' && value !== holder ? [{ owner, name, isStatic: index === 0 }] : []
      }),
    )
  })
}

/** The methods of ES2023 that Hermes has all the same. */
const ES2023 = new Set(['toReversed', 'with', 'toSpliced', 'findLast', 'findLastIndex'])

/** The methods of an engine that are newer than ES2022, or that the oldest engine lacks. */
export const newerMembers = (globals: object, oldest: Inventory): Member[] =>
  languageMembers(globals).filter(
    ({ owner, name, isStatic }) =>
      ES2023.has(name) || !oldest[owner]?.[isStatic ? 'own' : 'prototype'].includes(name),
  )

/** The statement that removes a method. */
export const removal = ({ owner, name, isStatic }: Member): string =>
  `delete globalThis.${owner}${isStatic ? '' : '.prototype'}.${name}`
