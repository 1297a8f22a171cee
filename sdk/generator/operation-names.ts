import type { Served } from './document.ts'

const capitalized = (word: string) => word.replace(/^./, (letter) => letter.toUpperCase())
const singular = (module: string) => (module === 'children' ? 'child' : module.replace(/s$/, ''))

/** Module and name of an operation. */
export function namesOf({ operationId }: Served): { module: string; name: string } {
  const [module = '', name = ''] = operationId.split('.')
  return { module, name }
}

/** How the names of an operation's types begin: `SetPushToken` of `account.setPushToken`, `ReadChild` of `children.read`. */
export function typeStem(operation: Served): string {
  const { module, name } = namesOf(operation)
  return `${capitalized(name)}${/[A-Z]/.test(name) ? '' : capitalized(singular(module))}`
}
