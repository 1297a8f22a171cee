/*
 * Calls between a test and the engine that runs the SDK, as lines of JSON. Both ends run this file, one of them in Hermes: it
 * needs nothing that Hermes lacks.
 */

declare global {
  /** Gives a line to the test. Each engine has its own way. */
  var tellHost: (line: string) => void
  /** Takes a line of the test. */
  var hearHost: (line: string) => void
}

interface Message {
  /** The time at the test, milliseconds since 1970: the clock of both ends. */
  now: number
  call?: { id: number; target: number; parameters: unknown[] }
  result?: { id: number; value: unknown }
  error?: { id: number; value: unknown }
  abort?: number
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isPlain = (value: object) => [Object.prototype, null].includes(Object.getPrototypeOf(value))
const tagOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1)

const textOf = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}

/** Opens one end. `send` takes a line of ASCII; `onTime` hears the time of the other end. */
export function openWire(send: (line: string) => void, onTime: (now: number) => void = () => {}) {
  const functions: ((...parameters: unknown[]) => unknown)[] = []
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>()
  const controllers = new Map<number, AbortController>()
  let last = 0

  const tell = (message: Omit<Message, 'now'>) => {
    const json = JSON.stringify({ ...message, now: Date.now() })
    send(json.replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`))
  }

  function encode(value: unknown): unknown {
    if (value === undefined) return { $: 'undefined' }
    if (typeof value === 'function')
      return {
        $: 'function',
        id: functions.push((...parameters) => Reflect.apply(value, undefined, parameters)) - 1,
      }
    if (!isObject(value)) return value
    if (Array.isArray(value)) return value.map(encode)
    if (value instanceof Date) return { $: 'date', value: value.getTime() }
    if (value instanceof Error || tagOf(value) === 'Error') {
      const own = Object.getOwnPropertyNames(value).filter((key) => key !== 'stack')
      const { name } = Object(value)
      return { $: 'error', own: encodeAll({ name, ...pick(value, own) }) }
    }
    if (tagOf(value) === 'ArrayBuffer') return { $: 'bytes', text: textOf(new Uint8Array(Object(value))) }
    if (tagOf(value) === 'AbortSignal' || 'aborted' in value) return encodeSignal(Object(value))
    // Of other classes, such as a Response in the cause of an error, the other end can use nothing.
    return isPlain(value) ? encodeAll(pick(value, Object.keys(value))) : { $: 'undefined' }
  }
  const pick = (value: object, keys: string[]) =>
    Object.fromEntries(keys.map((key) => [key, Reflect.get(value, key)]))
  const encodeAll = (value: object) =>
    Object.fromEntries(Object.entries(value).map(([key, each]) => [key, encode(each)]))
  function encodeSignal(signal: AbortSignal) {
    const id = ++last
    if (signal.aborted) return { $: 'signal', id, aborted: true }
    signal.addEventListener('abort', () => tell({ abort: id }))
    return { $: 'signal', id }
  }

  function decode(value: unknown): unknown {
    if (!isObject(value)) return value
    if (Array.isArray(value)) return value.map(decode)
    const read = (key: string): unknown => Reflect.get(value, key)
    switch (read('$')) {
      case 'undefined':
        return undefined
      case 'function': {
        const target = Number(read('id'))
        return (...parameters: unknown[]) => call(target, parameters)
      }
      case 'date':
        return new Date(Number(read('value')))
      case 'error': {
        const own = decodeAll(Object(read('own')))
        return Object.assign(new Error(String(own['message'])), own)
      }
      case 'bytes':
        return Uint8Array.from(String(read('text')), (char) => char.charCodeAt(0)).buffer
      case 'signal': {
        const controller = new AbortController()
        if (read('aborted')) controller.abort()
        controllers.set(Number(read('id')), controller)
        return controller.signal
      }
      default:
        return decodeAll(value)
    }
  }
  const decodeAll = (value: object): Record<string, unknown> =>
    Object.fromEntries(Object.entries(value).map(([key, each]) => [key, decode(each)]))

  /** Calls a function of the other end by its number. */
  function call(target: number, parameters: unknown[]): Promise<unknown> {
    const id = ++last
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      tell({ call: { id, target, parameters: parameters.map(encode) } })
    })
  }

  async function answer({ id, target, parameters }: NonNullable<Message['call']>): Promise<void> {
    try {
      const value = await functions[target]?.(...parameters.map(decode))
      tell({ result: { id, value: encode(value) } })
    } catch (error) {
      tell({ error: { id, value: encode(error) } })
    }
  }

  return {
    call,
    /** Lets the other end call a function, by a number that counts from 0. */
    offer: (value: (...parameters: unknown[]) => unknown) => functions.push(value) - 1,
    /** Takes a line of the other end. */
    receive(line: string) {
      const { now, call: called, result, error, abort }: Message = JSON.parse(line)
      onTime(now)
      if (called) void answer(called)
      if (result) waiting.get(result.id)?.resolve(decode(result.value))
      if (error) waiting.get(error.id)?.reject(decode(error.value))
      const ended = result ?? error
      if (ended) waiting.delete(ended.id)
      if (abort !== undefined) controllers.get(abort)?.abort()
    },
  }
}

export type Wire = ReturnType<typeof openWire>
