import type { Served } from './document.ts'

const capitalized = (word: string) => word.replace(/^./, (letter) => letter.toUpperCase())
const singular = (room: string) => (room === 'children' ? 'child' : room.replace(/s$/, ''))

/** Room and name of an operation. */
export function namesOf({ operationId }: Served): { room: string; name: string } {
  const [room = '', name = ''] = operationId.split('.')
  return { room, name }
}

/** How the names of an operation's types begin: `SetPushToken` of `account.setPushToken`, `ReadChild` of `children.read`. */
export function typeStem(operation: Served): string {
  const { room, name } = namesOf(operation)
  return `${capitalized(name)}${/[A-Z]/.test(name) ? '' : capitalized(singular(room))}`
}
