import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import { EXECUTABLE } from '../support/browser.ts'
import { asLine, HERMES } from './hermes.ts'
import type { Fetch } from '../../sdk/src/index.ts'
import { openWire } from './wire.ts'
import type { Wire } from './wire.ts'

export interface Engine {
  wire: Wire
  /** Takes a test's own `fetch`, for engines that carry it by its number. */
  offerFetch: (fetchNumber: number, fetch: Fetch) => void
  stop: () => Promise<void>
}

/** Starts a script in an engine. */
export const ENGINES: Record<string, (script: string) => Promise<Engine>> = {
  hermes: startHermes,
  chromium: startChromium,
  node: startNode,
}

/** Runs a program that reads and writes lines. */
function startProgram(command: string, parameters: string[], hear: (line: string) => void) {
  const child = spawn(command, parameters, { stdio: ['pipe', 'pipe', 'inherit'] })
  createInterface({ input: child.stdout }).on('line', hear)
  // A timer of the host may tell it something after its end.
  child.stdin.on('error', () => undefined)
  return {
    write: (line: string) => void child.stdin.write(`${line}\n`),
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
    },
  }
}

const after = (line: string, mark: string): string | undefined => {
  const start = line.indexOf(mark)
  return start === -1 ? undefined : line.slice(start + mark.length)
}

/** Hermes as it reads a program line by line, because it has no input of its own. The host is its network and its clock. */
async function startHermes(script: string): Promise<Engine> {
  if (!existsSync(HERMES)) throw new Error(`There is no Hermes for ${process.platform}`)
  const fetches = new Map<string, Fetch>()
  const program = startProgram(HERMES, [], (line) => {
    const ofWire = after(line, '@host ')
    const ofNative = after(line, '@native ')
    if (ofWire !== undefined) wire.receive(ofWire)
    else if (ofNative !== undefined) native.receive(ofNative)
    else if (!/^(>> )*(undefined|0)?$/.test(line)) console.log(`Hermes: ${line}`)
  })
  const wire = openWire((line) => program.write(`hearHost(${JSON.stringify(line)})`))
  const native = openWire((line) => program.write(`hearNative(${JSON.stringify(line)})`))
  native.offer(async (wanted) => {
    const { url, method, body, headers }: { url: string } & Record<string, string> = Object(wanted)
    const { 'x-fetch-of-host': of = '', ...others } = Object(headers)
    const response = await (fetches.get(of) ?? fetch)(url, {
      ...(method === undefined ? {} : { method }),
      ...(body === undefined ? {} : { body }),
      headers: others,
    })
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      bytes: await response.arrayBuffer(),
    }
  })
  native.offer((ms) => new Promise((resolve) => setTimeout(resolve, Number(ms)).unref()))
  program.write(`${asLine(await readFile(script, 'utf8'))}; 0`)
  return {
    wire,
    offerFetch: (fetchNumber, given) => void fetches.set(String(fetchNumber), given),
    stop: () => program.stop(),
  }
}

async function startNode(script: string): Promise<Engine> {
  const program = startProgram(process.execPath, [script], (line) => {
    const ofWire = after(line, '@host ')
    if (ofWire === undefined) console.log(`Node.js: ${line}`)
    else wire.receive(ofWire)
  })
  const wire = openWire((line) => program.write(line))
  return { wire, offerFetch: () => {}, stop: () => program.stop() }
}

async function startChromium(script: string): Promise<Engine> {
  const browser = await chromium.launch({
    executablePath: EXECUTABLE,
    // The services of the tests do not list this page's origin.
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-web-security',
      '--disable-background-networking',
    ],
  })
  const page = await browser.newPage()
  page.on('pageerror', (error) => console.log(`Chromium: ${error.message}`))
  // By http a page has no locks that it shares with others: each client of a test is a device of its own.
  await page.route('http://page.test/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  )
  await page.goto('http://page.test/')
  const lines: string[] = []
  let isSending = false
  // In order, and together what has come meanwhile.
  const flush = async () => {
    if (isSending) return
    isSending = true
    while (lines.length > 0)
      await page.evaluate((all) => all.forEach(globalThis.hearHost), lines.splice(0)).catch(() => {})
    isSending = false
  }
  const wire = openWire((line) => {
    lines.push(line)
    void flush()
  })
  await page.exposeFunction('tellLines', (all: string[]) => all.forEach((line) => wire.receive(line)))
  await page.evaluate(`const lines = []
  globalThis.tellHost = (line) => {
    if (lines.push(line) === 1) setTimeout(() => tellLines(lines.splice(0)))
  }`)
  await page.addScriptTag({ path: script })
  return { wire, offerFetch: () => {}, stop: () => browser.close() }
}
