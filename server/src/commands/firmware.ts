import { readFile, writeFile } from 'node:fs/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { keyId } from '../config/firmware-keys.ts'
import { issueText } from '../config/issue-text.ts'
import { addFirmware, listFirmware, showFirmware, withdrawFirmware } from '../firmware/images.ts'
import { makeKeyPair, ManifestError, manifestFields, sha256Of, signManifest } from '../firmware/manifest.ts'
import { beginRelease, changeRelease, listReleases, ReleaseError, showRelease } from '../firmware/releases.ts'
import type { Release, ReleaseChange } from '../firmware/releases.ts'
import { durationSeconds } from '../time/duration.ts'
import { descriptions } from './descriptions.ts'
import { operatorCommand, operatorOf } from './operator.ts'
import type { OperatorOptions } from './operator.ts'
import {
  createCommand,
  CommandError,
  parseLabel,
  parseTimestamp,
  printResult,
  parseRowLimit,
  parseId,
  withDatabase,
} from './program.ts'
import { fieldLines, table } from './table.ts'

const ALGORITHMS = ['ES256', 'EdDSA'] as const

const key = createCommand(
  'key',
  'make a pair of keys for signing, without a service or a network',
  'firmware key --out private.pem',
)
  .addOption(
    new Option('--algorithm <name>', 'ES256 suits most devices').choices(ALGORITHMS).default('ES256'),
  )
  .requiredOption('--out <file>', 'where the private key goes; a file that is there is left as it is')
  .action(async (options: { algorithm: (typeof ALGORITHMS)[number]; out: string; json?: boolean }) => {
    const { kid, publicKey, privateKey } = makeKeyPair(options.algorithm)
    await writeFile(options.out, privateKey, { mode: 0o600, flag: 'wx' }).catch((error: Error) => {
      throw new CommandError(`${options.out} cannot be written: ${error.message}`)
    })
    const entry = { kid, public_key: publicKey }
    printResult(
      { ...entry, private_key_file: options.out },
      options,
      `The private key is in ${options.out}: keep it away from the service.\nIts entry in FIRMWARE_KEYS:\n${JSON.stringify(entry)}`,
    )
  })

interface SignOptions {
  key: string
  kid?: string
  firmwareId: number
  hardware: string
  sequence: number
  notAfter?: Date
  from: number
  json?: boolean
}

const sign = createCommand(
  'sign',
  'sign an image, without a service or a network; writes FILE.manifest',
  'firmware sign image.bin --key private.pem --firmware-id 13 --hardware A1 --sequence 7',
)
  .argument('<file>', 'the image')
  .requiredOption('--key <file>', 'the private key, PEM')
  .option(
    '--kid <name>',
    'the name of the key in FIRMWARE_KEYS; by default the one that `firmware key` gave it',
    keyName,
  )
  .requiredOption('--firmware-id <id>', 'the number of this firmware', parseId)
  .requiredOption('--hardware <name>', 'the hardware that it is for')
  .requiredOption(
    '--sequence <number>',
    'higher than that of every firmware before for this hardware',
    parseId,
  )
  .option('--not-after <time>', 'after which no device installs it any more', parseTimestamp)
  .option('--from <id>', 'the oldest firmware that it may replace', parseId, 0)
  .action(async (file: string, options: SignOptions) => {
    const image = await readInput(file)
    const privateKey = await readInput(options.key)
    const fields = manifestFields.safeParse(
      {
        firmware_id: options.firmwareId,
        hardware: options.hardware,
        size: image.length,
        sha256: sha256Of(image),
        sequence: options.sequence,
        not_after: options.notAfter ? Math.floor(options.notAfter.getTime() / 1000) : null,
        oldest: options.from,
      },
      { error: issueText },
    )
    if (!fields.success)
      throw new CommandError(
        fields.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
      )
    const manifest = await inWords(() => signManifest(fields.data, privateKey.toString(), options.kid))
    const out = `${file}.manifest`
    await writeFile(out, manifest)
    const sha256 = Buffer.from(fields.data.sha256).toString('hex')
    printResult(
      { manifest: out, ...fields.data, sha256 },
      options,
      `${out} is the manifest of firmware ${options.firmwareId}, SHA-256 ${sha256}`,
    )
  })

interface AddOptions extends OperatorOptions {
  manifest: string
  version: string
  notesEn?: string
  notesKo?: string
}

const add = operatorCommand(
  'add',
  'keep an image whose manifest one of FIRMWARE_KEYS has signed; safe to repeat',
  'firmware add image.bin --manifest image.bin.manifest --version 1.4.0 --notes-en "Quieter at night"',
)
  .argument('<file>', 'the image')
  .requiredOption('--manifest <file>', 'what `firmware sign` has written')
  .requiredOption('--version <text>', 'as families read it: 1 to 32 characters', parseLabel(32))
  .option('--notes-en <text>', 'what changes, in English', parseLabel(2000))
  .option('--notes-ko <text>', 'what changes, in Korean', parseLabel(2000))
  .action(async (file: string, options: AddOptions) => {
    const image = await readInput(file)
    const manifest = await readInput(options.manifest)
    const added = await withDatabase(({ config, database }) =>
      inWords(() =>
        database.transaction((sql) =>
          addFirmware(sql, config.firmwareKeys, operatorOf(options), {
            image,
            manifest,
            version: options.version,
            notesEn: options.notesEn ?? null,
            notesKo: options.notesKo ?? null,
          }),
        ),
      ),
    )
    printResult(
      added,
      options,
      `Firmware ${added.firmware_id} for ${added.hardware} ${added.outcome === 'added' ? 'is kept' : 'was there already'}`,
    )
  })

const list = createCommand('list', 'list the firmware that is kept, newest first', 'firmware list')
  .option('--limit <rows>', 'maximum number of rows', parseRowLimit, 100)
  .action(async ({ limit, ...options }: { limit: number; json?: boolean }) => {
    const found = await withDatabase(({ database }) => listFirmware(database.sql, limit))
    const rows = found.map((each) => [
      each.firmware_id,
      each.hardware,
      each.version,
      each.size,
      each.sequence,
      each.devices,
      each.withdrawn_at,
    ])
    const headers = ['firmware', 'hardware', 'version', 'bytes', 'sequence', 'devices', 'withdrawn']
    printResult(found, { ...options, limit }, table(headers, rows, 'No firmware is kept'))
  })

const show = createCommand('show', 'show one firmware', 'firmware show 13')
  .argument('<id>', 'the number of the firmware', parseId)
  .action(async (firmwareId: number, options: { json?: boolean }) => {
    const found = await withDatabase(({ database }) => showFirmware(database.sql, firmwareId))
    if (!found) throw new CommandError(`There is no firmware ${firmwareId}`)
    printResult(found, options, fieldLines(found))
  })

const withdraw = operatorCommand(
  'withdraw',
  'offer a firmware to nobody any more; its releases are cancelled',
  'firmware withdraw 13',
)
  .argument('<id>', 'the number of the firmware', parseId)
  .action(async (firmwareId: number, options: OperatorOptions) => {
    const isDone = await withDatabase(({ database }) =>
      database.transaction((sql) => withdrawFirmware(sql, operatorOf(options), firmwareId)),
    )
    if (!isDone) throw new CommandError(`There is no firmware ${firmwareId} to withdraw; nothing was changed`)
    printResult({ firmware_id: firmwareId, withdrawn: true }, options, `Firmware ${firmwareId} is withdrawn`)
  })

interface ReleaseOptions extends OperatorOptions {
  firmwareId?: number
  steps: number[]
  wait: number
  stopFailed: number
  stopSilent: number
  stopContactLoss: number
  stopShorter: number
  fewest: number
}

const releaseCommand = operatorCommand(
  'release',
  'bring a firmware to the devices of its hardware in steps; it stops by itself when they get worse',
  'firmware release --firmware-id 13 --steps 1,10,50,100 --wait P3D',
)
  .enablePositionalOptions()
  .option('--firmware-id <id>', 'the firmware', parseId)
  .addOption(written('--steps <percentages>', 'of the devices, rising', percentages, '1,10,50,100'))
  .addOption(written('--wait <duration>', 'how long a step lasts, ISO 8601', waitSeconds, 'P3D'))
  .addOption(written('--stop-failed <share>', 'of final reports that failed', share, '2%'))
  .addOption(written('--stop-silent <share>', 'of devices that fall silent', share, '5%'))
  .option('--stop-contact-loss <ratio>', 'of contact losses to those before', ratio, 1.5)
  .addOption(written('--stop-shorter <share>', 'by which nights get shorter', share, '20%'))
  .option('--fewest <devices>', 'that must have reported or installed before it is judged', parseId, 20)
  .action(async (options: ReleaseOptions) => {
    const { firmwareId } = options
    if (firmwareId === undefined) throw new CommandError('--firmware-id is required')
    const releaseId = await withDatabase(({ database }) =>
      inWords(() =>
        database.transaction((sql) =>
          beginRelease(sql, operatorOf(options), {
            firmware_id: firmwareId,
            steps: options.steps,
            wait_seconds: options.wait,
            stop_failed: options.stopFailed,
            stop_silent: options.stopSilent,
            stop_contact_loss: options.stopContactLoss,
            stop_shorter: options.stopShorter,
            fewest: options.fewest,
          }),
        ),
      ),
    )
    printResult(
      { release_id: releaseId },
      options,
      `Release ${releaseId} of firmware ${firmwareId} has begun with ${options.steps[0]} % of the devices`,
    )
  })

const listReleasesCommand = createCommand('list', 'list the releases, newest first', 'firmware release list')
  .option('--limit <rows>', 'maximum number of rows', parseRowLimit, 100)
  .action(async ({ limit, ...options }: { limit: number; json?: boolean }) => {
    const found = await withDatabase(({ database }) => listReleases(database, limit))
    const rows = found.map((each) => [
      each.release_id,
      each.firmware_id,
      each.hardware,
      stateOf(each),
      stepOf(each),
      new Date(each.began_at),
    ])
    const headers = ['release', 'firmware', 'hardware', 'state', 'step', 'begun']
    printResult(found, { ...options, limit }, table(headers, rows, 'There is no release'))
  })

const showReleaseCommand = createCommand(
  'show',
  'show how far a release has come, and what it is judged by',
  'firmware release show 3',
)
  .argument('<id>', 'the number of the release', parseId)
  .action(async (releaseId: number, options: { json?: boolean }) => {
    const found = await withDatabase(({ config, database }) =>
      showRelease(database, releaseId, { at: new Date(), timeZone: config.timeZone }),
    )
    if (!found) throw new CommandError(`There is no release ${releaseId}`)
    const { figures, ratios } = found
    printResult(
      found,
      options,
      fieldLines({
        release: found.release_id,
        firmware: `${found.firmware_id}, version ${found.version}, for ${found.hardware}`,
        state: stateOf(found),
        step: `${stepOf(found)}, since ${found.step_began_at}`,
        covered: `${found.covered} of ${found.devices} connected devices`,
        offered: figures.offered,
        loaded: figures.loaded,
        installed: figures.installed,
        failed: `${figures.failed} of ${figures.reports} final reports`,
        silent: `${figures.silent} of ${figures.could_be_silent} devices that installed three days ago or earlier`,
        judged: `${figures.judged_devices} devices have reported or installed, of the ${found.fewest} that it takes`,
        'share failed': bounded(percent(ratios.failed), percent(found.stop_failed)),
        'share silent': bounded(percent(ratios.silent), percent(found.stop_silent)),
        'contact losses': bounded(
          ratios.contact_loss === null
            ? 'not known yet'
            : `${ratios.contact_loss.toFixed(2)} times those before`,
          String(found.stop_contact_loss),
        ),
        'nights shorter by': bounded(percent(ratios.shorter), percent(found.stop_shorter)),
      }),
    )
  })

const percent = (value: number | null) => (value === null ? 'not known yet' : `${(100 * value).toFixed(1)} %`)

const bounded = (text: string, bound: string) => `${text}, stops above ${bound}`

const stateOf = ({ state, stop_reason, stop_detail }: Release) =>
  stop_reason === null ? state : `${state} (${stop_reason}): ${stop_detail}`

const stepOf = ({ step, steps }: Release) => `${step} of ${steps.length} (${steps[step - 1]} %)`

const changed = {
  pause: 'is paused',
  resume: 'goes on',
  next: 'has taken its next step',
  cancel: 'is cancelled',
}

const changeCommand = (change: ReleaseChange, description: string) =>
  operatorCommand(change, description, `firmware release ${change} 3`)
    .argument('<id>', 'the number of the release', parseId)
    .action(async (releaseId: number, options: OperatorOptions) => {
      await withDatabase(({ database }) =>
        inWords(() =>
          database.transaction((sql) => changeRelease(sql, operatorOf(options), releaseId, change)),
        ),
      )
      printResult({ release_id: releaseId, change }, options, `Release ${releaseId} ${changed[change]}`)
    })

// `release` shares options such as `--json` with its commands: before the name of the command they mean the same as behind it.
releaseCommand.hook('preAction', (release, command) => {
  for (const option of command.options) {
    const name = option.attributeName()
    if (release.getOptionValueSource(name) === 'cli' && command.getOptionValueSource(name) !== 'cli')
      command.setOptionValueWithSource(name, release.getOptionValue(name), 'cli')
  }
})

releaseCommand
  .addCommand(listReleasesCommand)
  .addCommand(showReleaseCommand)
  .addCommand(changeCommand('pause', 'offer it to nobody for a while'))
  .addCommand(changeCommand('resume', 'go on with a paused release; its step waits again'))
  .addCommand(changeCommand('next', 'take the next step now'))
  .addCommand(changeCommand('cancel', 'end a release for ever'))

/** Reads a file that an option names. */
const readInput = (file: string): Promise<Buffer> =>
  readFile(file).catch((error: Error) => {
    throw new CommandError(`${file} cannot be read: ${error.message}`)
  })

async function inWords<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ManifestError || error instanceof ReleaseError
      ? new CommandError(error.message)
      : error
  }
}

/** An option whose value without it is shown as it would be written. */
function written(flags: string, description: string, read: (text: string) => unknown, value: string): Option {
  return new Option(flags, description).argParser(read).default(read(value), value)
}

function keyName(text: string): string {
  const { error } = keyId.safeParse(text)
  if (error) throw new InvalidArgumentError(error.issues[0]?.message ?? '')
  return text
}

function percentages(text: string): number[] {
  const steps = text.split(',').map((each) => (/^\d{1,3}$/.test(each) ? Number(each) : 0))
  if (steps.some((each, n) => each <= (steps[n - 1] ?? 0) || each > 100))
    throw new InvalidArgumentError('must be rising whole numbers from 1 to 100, such as 1,10,50,100')
  return steps
}

function waitSeconds(text: string): number {
  const seconds = durationSeconds(text)
  if (seconds === undefined || seconds < 60 || seconds > 366 * 86_400)
    throw new InvalidArgumentError('must be an ISO 8601 duration from a minute to a year, such as P3D')
  return seconds
}

function share(text: string): number {
  const [, number] = /^(\d{1,3}(?:\.\d{1,3})?)%$/.exec(text) ?? []
  if (number === undefined || Number(number) > 100)
    throw new InvalidArgumentError('must be a percentage such as 2%')
  return Number(number) / 100
}

function ratio(text: string): number {
  if (!/^\d{1,3}(\.\d{1,3})?$/.test(text) || Number(text) < 1)
    throw new InvalidArgumentError('must be a number of 1 or more, such as 1.5')
  return Number(text)
}

export const firmwareCommand = new Command('firmware')
  .description(descriptions.firmware)
  .enablePositionalOptions()
  .addCommand(key)
  .addCommand(sign)
  .addCommand(add)
  .addCommand(list)
  .addCommand(show)
  .addCommand(withdraw)
  .addCommand(releaseCommand)
