import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'

import { Command, InvalidArgumentError } from 'commander'

import { checkUploadRules } from './check.ts'
import { playFleet, summarizeFleet } from './fleet.ts'
import type { Misbehaviour } from './misbehaviour.ts'
import { live } from './live.ts'
import type { Ending } from './live.ts'
import type { FirmwareIssues } from './new-firmware.ts'
import { makeNights } from './nights.ts'
import { planUploads } from './plan.ts'
import { readFleet } from './read-fleet.ts'
import { readItems } from './read-items.ts'
import { summarize } from './report.ts'
import { DEFAULT_RETRY_POLICY } from './retry.ts'
import { truthOf } from './truth.ts'
import { upload } from './upload.ts'
import { addDays, dayNumber, wallClockHere } from './wall-clock.ts'

interface UploadFlags extends Misbehaviour {
  url: string
  seed: number
  batch: number
  attempts: number
  timeout: number
  dryRun?: boolean
  check?: boolean
  json?: boolean
}

interface NightsFlags extends UploadFlags {
  uniqueId: string
  nights: number
  until?: string
}

/**
 * The `simulate` command. Results go to standard output, progress to standard error. `process.exitCode` is 1
 * unless every item was acknowledged, or with `--check` when there is an error.
 */
export function createCommandLine(): Command {
  const program = new Command('simulate')
    .description('Simulates a device that uploads its nights over plain REST, to test firmware and service.')
    .showHelpAfterError()

  const nights = program
    .command('nights')
    .description('make realistic nights and upload them')
    .requiredOption('--unique-id <uuid>', 'uuid of the device', parseUuid)
    .option('--nights <count>', 'number of calendar nights; about one in ten is missed', parsePositive, 30)
    .option(
      '--until <yyyy-mm-dd>',
      'date of the last night (default: yesterday); a use that has not ended yet is left out',
      parseDate,
    )
  withUploadOptions(nights).action(async (flags: NightsFlags) => {
    const now = wallClockHere(new Date())
    const { seed, nights, uniqueId, until = addDays(now.slice(0, 10), -1) } = flags
    await run(makeNights({ seed, nights, uniqueId, until, now }), flags)
  })

  const file = program
    .command('file')
    .description('upload the items in a JSON file unchanged')
    .argument('<file>', 'a JSON array of items, or - for standard input')
  withUploadOptions(file).action(async (name: string, flags: UploadFlags) =>
    run(await readItems(name), flags),
  )

  program
    .command('live')
    .description('wear the device now: send a temporary record every 6 minutes and the whole one at the end')
    .requiredOption('--unique-id <uuid>', 'uuid of the device', parseUuid)
    .option('--minutes <count>', 'length of the use', parseMinutes, 480)
    .option('--loss-after <minutes>', 'let the electrodes lose contact in this minute', parseMinutes)
    .option('--speed <factor>', 'how many times faster than real time it passes', parseSpeed, 1)
    .option('--url <address>', 'address of the service', parseUrl, 'http://127.0.0.1:3000')
    .option('--seed <integer>', 'decides the intensities', parseInteger, 1)
    .option('--json', 'print one JSON object instead of the summary')
    .addHelpText(
      'after',
      '\nWhile it runs: f and Enter is a contact loss, b and Enter the button, Ctrl-C too.',
    )
    .action(async ({ json, ...flags }: LiveFlags) => {
      const report = await live({ ...flags, ended: demandedEnding(), progress: say })
      process.stdin.destroy()
      const { temporary, temporary_acknowledged, item, ending, ok } = report
      const minutes = Math.floor(item.detail_data.treatment_time / 60)
      print(
        json === true
          ? JSON.stringify(report)
          : `temporary records: ${temporary}, ${temporary_acknowledged} acknowledged\n` +
              `whole record: ${minutes} minutes, ${ending}, ${ok ? 'acknowledged' : 'not acknowledged'}`,
      )
      if (!ok) process.exitCode = 1
    })

  program
    .command('fleet')
    .description('play one day of many devices, which upload their nights, ask for firmware and install it')
    .argument('<file>', 'a JSON array of uuids; the run writes there what each device runs now')
    .option('--firmware <number>', 'the firmware that a device runs at first', parseFirmware, 1)
    .option('--nights <count>', 'nights that each device uploads, those before included', parsePositive, 1)
    .option('--until <yyyy-mm-dd>', 'date of the last night (default: yesterday)', parseDate)
    .option('--url <address>', 'address of the service', parseUrl, 'http://127.0.0.1:3000')
    .option('--seed <integer>', 'decides the nights, and which devices meet an issue', parseInteger, 1)
    .option('--at-once <count>', 'devices that are played at once', parsePositive, 8)
    .option('--json', 'print one JSON object instead of the summary')
    .optionsGroup('Issues of the new firmware (a rate is a share from 0 to 1; without any it is good):')
    .option('--failing <rate>', 'devices on which it cannot be installed', parseRate)
    .option('--rolling-back <rate>', 'devices that go back to the former one', parseRate)
    .option('--silent <rate>', 'devices that are never heard of again', parseRate)
    .option('--contact-loss <factor>', 'contacts are lost so many times as often', parseFactor)
    .option('--shorter <share>', 'uses are shorter by this share', parseRate)
    .action(async (file: string, { json, firmware, ...flags }: FleetFlags) => {
      const now = wallClockHere(new Date())
      const { until = addDays(now.slice(0, 10), -1) } = flags
      const devices = await readFleet(file, firmware)
      const report = await playFleet({ ...flags, until, now, devices, issues: flags, progress: say })
      await writeFile(file, `${JSON.stringify(report.devices)}\n`)
      print(json === true ? JSON.stringify(report) : summarizeFleet(report))
      if (!report.ok) process.exitCode = 1
    })

  return program
}

interface FleetFlags extends FirmwareIssues {
  firmware: number
  nights: number
  until?: string
  url: string
  seed: number
  atOnce: number
  json?: boolean
}

interface LiveFlags {
  uniqueId: string
  minutes: number
  lossAfter?: number
  speed: number
  url: string
  seed: number
  json?: boolean
}

/** Resolves when somebody asks on standard input for an end of the use, or interrupts it. */
function demandedEnding(): Promise<Ending> {
  return new Promise((resolve) => {
    createInterface(process.stdin).on('line', (line) => {
      if (line.trim() === 'f') resolve('contact loss')
      if (line.trim() === 'b') resolve('button')
    })
    process.once('SIGINT', () => resolve('button'))
  })
}

function withUploadOptions(command: Command): Command {
  return command
    .option('--url <address>', 'address of the service', parseUrl, 'http://127.0.0.1:3000')
    .option('--seed <integer>', 'the same seed gives the same run', parseInteger, 1)
    .option('--batch <count>', 'items per upload; the service accepts up to 1000', parsePositive, 10)
    .option('--attempts <count>', 'attempts per upload', parsePositive, DEFAULT_RETRY_POLICY.attempts)
    .option('--timeout <seconds>', 'time limit of one try', parseSeconds, DEFAULT_RETRY_POLICY.timeout / 1000)
    .option('--dry-run', 'send nothing and print the items')
    .option('--check', 'send nothing and check the items against the rules of the service')
    .option('--json', 'print one JSON object instead of the summary')
    .optionsGroup('Misbehaviour (a rate is a share from 0 to 1):')
    .option('--retries <rate>', 'repeat acknowledged uploads, as if the answer was lost', parseRate)
    .option('--duplicates <rate>', 'send items twice, in the same or a later upload', parseRate)
    .option('--shuffle', 'send the items in random order')
    .option('--cut <rate>', 'cut the connection in the middle of the body, then retry', parseRate)
    .option('--lost <rate>', 'hang up before the answer, then retry', parseRate)
    .option('--torn <rate>', 'send half a body as if it were the whole, then retry', parseRate)
    .option('--temporary <rate>', 'send a temporary record of a use before the complete one', parseRate)
    .option('--strangers <rate>', 'add records of an unknown device; expect 404', parseRate)
    .option(
      '--clock-1970 [rate]',
      'record items with the clock in 1970 (without a rate: all); expect 422',
      parseRate,
    )
    .option(
      '--flat-clock [rate]',
      'let the clock run on from 1970 (without a rate: for all items); correct it once refused',
      parseRate,
    )
    .option(
      '--jumped-clock [rate]',
      'let the clock jump ahead to 2036 (without a rate: for all items); correct it once refused',
      parseRate,
    )
    .option('--firmware <number>', 'report this firmware in X-Firmware', parseFirmware)
    .option('--lenient', 'ask the server to store valid items and to reject only the others')
    .option('--gzip', 'compress the body')
}

async function run(items: unknown[], flags: UploadFlags): Promise<void> {
  const { url, seed, batch, attempts, timeout, dryRun, json } = flags
  if (flags.check === true) return check(items, flags)
  if (dryRun === true) {
    const { records, uploads } = planUploads({ items, misbehaviour: flags, seed, batch })
    say(`${count(records.length, 'item')} in ${count(uploads.length, 'upload')}, nothing sent`)
    const plan = { dry_run: true, uploads: uploads.length, items: records.length, truth: truthOf(records) }
    print(json === true ? JSON.stringify(plan) : JSON.stringify(records, null, 2))
    return
  }

  if (items.length === 0) say('There is no item to upload in these nights or in this file')
  const policy = { attempts, timeout: timeout * 1000 }
  const report = await upload({ url, items, misbehaviour: flags, seed, batch, policy, progress: say })
  print(json === true ? JSON.stringify(report) : summarize(report))
  if (!report.ok) process.exitCode = 1
}

/** Checks items. A list of lists holds the uploads of a device in order, including retries. */
function check(given: unknown[], { batch, seed, json, ...misbehaviour }: UploadFlags): void {
  const isSent = given.length > 0 && given.every((each) => Array.isArray(each))
  const { records, uploads } = planUploads({ items: given, misbehaviour, seed, batch })
  const sent: unknown[][] = isSent
    ? given
    : uploads.map(({ positions }) => positions.map((position) => records[position]))
  const findings = checkUploadRules(sent, new Date())
  const errors = findings.filter(({ kind }) => kind === 'error').length
  if (json === true) print(JSON.stringify({ ok: errors === 0, uploads: sent.length, findings }))
  else {
    for (const { kind, upload, item, problem } of findings) {
      print(`${kind}  upload ${upload}${item === null ? '' : `, item ${item}`}: ${problem}`)
    }
    print(
      `${count(sent.length, 'upload')}, ${count(sent.flat().length, 'item')}: ` +
        `${count(errors, 'error')}, ${count(findings.length - errors, 'doubt')}`,
    )
  }
  if (errors > 0) process.exitCode = 1
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function parseRate(text: string): number {
  return parseNumber(text, 'a rate from 0 to 1', (value) => value >= 0 && value <= 1)
}

function parsePositive(text: string): number {
  return parseNumber(text, 'an integer from 1', (value) => Number.isSafeInteger(value) && value >= 1)
}

function parseMinutes(text: string): number {
  return parseNumber(
    text,
    'a number of minutes from 1 to 1440',
    (value) => Number.isInteger(value) && value >= 1 && value <= 1440,
  )
}

function parseSpeed(text: string): number {
  return parseNumber(text, 'a number from 1 to 100000', (value) => value >= 1 && value <= 100_000)
}

function parseFactor(text: string): number {
  return parseNumber(text, 'a factor from 1 to 10', (value) => value >= 1 && value <= 10)
}

function parseFirmware(text: string): number {
  return parseNumber(
    text,
    'an integer from 0 to 2147483647',
    (value) => value >= 0 && value < 2 ** 31 && Number.isInteger(value),
  )
}

function parseInteger(text: string): number {
  return parseNumber(text, 'an integer', Number.isSafeInteger)
}

function parseSeconds(text: string): number {
  return parseNumber(text, 'a time in seconds up to a day', (value) => value > 0 && value <= 86_400)
}

function parseNumber(text: string, meaning: string, accepts: (value: number) => boolean): number {
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (!accepts(value)) throw new InvalidArgumentError(`Expected ${meaning}.`)
  return value
}

function parseDate(text: string): string {
  try {
    dayNumber(text)
    return text
  } catch {
    throw new InvalidArgumentError('Expected a calendar date yyyy-mm-dd.')
  }
}

function parseUrl(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new InvalidArgumentError('Expected an http(s) address.')
  return text
}

function parseUuid(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new InvalidArgumentError('Expected a uuid.')
  return text
}
