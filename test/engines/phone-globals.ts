/*
 * The globals of React Native 0.76 that the SDK may meet, over a host that has the network and the clock: written after
 * `Libraries/Network`, `Libraries/Blob` and `Libraries/Core` of React Native. What they do not do is left out: no
 * `structuredClone`, no `crypto`, no `AbortSignal.timeout`, no streams, no `TextDecoder`, no `Intl`.
 */
import { AbortController, AbortSignal } from 'abort-controller'
import { openWire } from './wire.ts'

declare const print: (line: string) => void

const define = (globals: Record<string, unknown>) => {
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}

// Methods that Hermes of React Native 0.76 has (its branch rn/0.76-stable, lib/VM/JSLib) and the older one here lacks.
type List = ArrayLike<unknown>
function at(this: List, index: number) {
  const whole = Math.trunc(index) || 0
  return this[whole < 0 ? this.length + whole : whole]
}
const late: [object, Record<string, Function>][] = [
  [
    Array.prototype,
    {
      at,
      toReversed(this: unknown[]) {
        return this.reduceRight<unknown[]>((all, each) => [...all, each], [])
      },
      with(this: unknown[], index: number, value: unknown) {
        return this.map((each, place) => (place === (index < 0 ? this.length + index : index) ? value : each))
      },
    },
  ],
  [String.prototype, { at }],
  [Object.getPrototypeOf(Uint8Array.prototype), { at }],
]
for (const [prototype, methods] of late)
  for (const [name, value] of Object.entries(methods))
    if (!(name in prototype))
      Object.defineProperty(prototype, name, { value, configurable: true, writable: true })

// A line that begins so is for the host.
const native = openWire((line) => print(`@native ${line}`))
const [REQUEST, SLEEP] = [0, 1]
define({
  hearNative: (line: string) => native.receive(line),
  tellHost: (line: string) => print(`@host ${line}`),
})

let lastTimer = 0
const timers = new Map<number, () => void>()
function setTimer(
  run: (...parameters: unknown[]) => void,
  ms = 0,
  repeats = false,
  parameters: unknown[] = [],
): number {
  const id = ++lastTimer
  timers.set(id, () => {
    if (!repeats) timers.delete(id)
    run(...parameters)
  })
  const wait = () =>
    void native.call(SLEEP, [ms]).then(() => {
      timers.get(id)?.()
      return timers.has(id) ? wait() : undefined
    })
  wait()
  return id
}
const clearTimer = (id: number) => void timers.delete(id)
// Of the timers, `setImmediate` is Hermes' own: its promises run by it.
define({
  navigator: { product: 'ReactNative' },
  window: globalThis,
  self: globalThis,
  global: globalThis,
  setTimeout: (run: () => void, ms?: number, ...parameters: unknown[]) =>
    setTimer(run, ms, false, parameters),
  setInterval: (run: () => void, ms?: number, ...parameters: unknown[]) =>
    setTimer(run, ms, true, parameters),
  clearTimeout: clearTimer,
  clearInterval: clearTimer,
  queueMicrotask: (run: () => void) => void Promise.resolve().then(run),
  AbortController,
  AbortSignal,
})
const log = (...values: unknown[]) => print(values.map(String).join(' '))
define({ console: { log, info: log, warn: log, error: log, debug: log } })

/** Of text or of another Blob; React Native's refuses bytes. */
class PhoneBlob {
  readonly type: string
  /** One character for each byte. */
  readonly content: string
  constructor(parts: unknown[] = [], { type = '' } = {}) {
    this.type = type
    this.content = parts
      .map((part) => {
        if (part instanceof PhoneBlob) return part.content
        if (typeof part !== 'string')
          throw new Error("Creating blobs from 'ArrayBuffer' and 'ArrayBufferView' are not supported")
        return unescape(encodeURIComponent(part))
      })
      .join('')
  }
  get size() {
    return this.content.length
  }
}
function blobOf(bytes: ArrayBuffer, type: string): PhoneBlob {
  const blob = new PhoneBlob([], { type })
  let content = ''
  for (const byte of new Uint8Array(bytes)) content += String.fromCharCode(byte)
  return Object.assign(blob, { content })
}

class PhoneFormData {
  private readonly parts: [string, unknown][] = []
  append(name: string, value: unknown) {
    this.parts.push([name, value])
  }
  getParts() {
    return this.parts.map(([fieldName, value]) => ({ string: String(value), fieldName }))
  }
}

type Listener = (event: object) => void
/** Events by `addEventListener` and by `on…`. */
class Target {
  [handler: `on${string}`]: Listener | null | undefined
  private readonly listeners: [string, Listener][] = []
  addEventListener(type: string, listener: Listener) {
    this.listeners.push([type, listener])
  }
  protected dispatch(type: string, detail: object = {}) {
    const event = { type, target: this, ...detail }
    this[`on${type}`]?.(event)
    for (const [of, listener] of this.listeners) if (of === type) listener(event)
  }
}

class PhoneFileReader extends Target {
  result: string | null = null
  readAsText(blob: PhoneBlob) {
    queueMicrotask(() => {
      this.result = decodeURIComponent(escape(blob.content))
      this.dispatch('load')
    })
  }
  readAsArrayBuffer() {
    throw new Error('FileReader.readAsArrayBuffer is not implemented')
  }
}

interface Answered {
  status: number
  headers: Record<string, string>
  bytes: ArrayBuffer
}

/** With what React Native's has: no synchronous requests, no upload, and only one end of each request. */
class PhoneRequest extends Target {
  responseType = ''
  readyState = 0
  status = 0
  responseURL = ''
  timeout = 0
  withCredentials = true
  private method = ''
  private isAborted = false
  private isSent = false
  private headers: Record<string, string> = {}
  private answered: Answered | undefined
  open(method: string, url: string) {
    if (this.readyState !== 0) throw new Error('Cannot open, already sending')
    if (!url) throw new Error('Cannot load an empty url')
    this.method = method.toUpperCase()
    this.responseURL = url
    this.enter(1)
  }
  setRequestHeader(name: string, value: unknown) {
    if (this.readyState !== 1) throw new Error('Request has not been opened')
    this.headers[name.toLowerCase()] = String(value)
  }
  getResponseHeader(name: string): string | null {
    return this.answered?.headers[name.toLowerCase()] ?? null
  }
  getAllResponseHeaders(): string | null {
    if (!this.answered) return null
    return Object.entries(this.answered.headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
  }
  get response() {
    if (this.readyState !== 4 || !this.answered) return this.responseType === '' ? '' : null
    const { bytes } = this.answered
    if (this.responseType === 'arraybuffer') return bytes
    const blob = blobOf(bytes, this.getResponseHeader('content-type') ?? '')
    return this.responseType === 'blob' ? blob : decodeURIComponent(escape(blob.content))
  }
  send(body?: unknown) {
    if (this.readyState !== 1) throw new Error('Request has not been opened')
    if (this.isSent) throw new Error('Request has already been sent')
    if (typeof body === 'object' && body !== null) throw new Error('Only text goes over this bridge')
    this.isSent = true
    const wanted = {
      method: this.method,
      url: this.responseURL,
      headers: this.headers,
      body: body ?? undefined,
    }
    native.call(REQUEST, [wanted]).then(
      (answered) => this.take(Object(answered)),
      () => this.end('error'),
    )
  }
  abort() {
    this.isAborted = true
    if (this.isSent && this.readyState !== 4) this.end('abort')
    this.readyState = 0
  }
  private take(answered: Answered) {
    if (this.isAborted) return
    this.answered = answered
    this.status = answered.status
    this.enter(2)
    const loaded = answered.bytes.byteLength
    const total = Number(answered.headers['content-length'] ?? -1)
    this.enter(3)
    this.dispatch('progress', { loaded, total, lengthComputable: total >= 0 })
    this.end('load')
  }
  private end(how: 'load' | 'error' | 'abort') {
    if (this.readyState === 4 || (this.isAborted && how !== 'abort')) return
    this.enter(4)
    this.dispatch(how)
    this.dispatch('loadend')
  }
  private enter(state: number) {
    this.readyState = state
    this.dispatch('readystatechange')
  }
}

define({
  Blob: PhoneBlob,
  FormData: PhoneFormData,
  FileReader: PhoneFileReader,
  XMLHttpRequest: PhoneRequest,
  // The test's own `fetch` lies under XMLHttpRequest, so that the SDK meets React Native's in any case.
  fetchOfHost:
    (target: number): typeof fetch =>
    (url, init = {}) =>
      fetch(url, { ...init, headers: { ...Object(init.headers), 'x-fetch-of-host': String(target) } }),
})
