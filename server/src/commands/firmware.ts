import { readFile, writeFile } from 'node:fs/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { issueText } from '../config/issue-text.ts'
import { makeKeyPair, ManifestError, manifestFields, sha256Of, signManifest } from '../firmware/manifest.ts'
import { descriptions } from './descriptions.ts'
import { command, CommandError, instant, print, wholeNumber } from './program.ts'

const ALGORITHMS = ['ES256', 'EdDSA'] as const

const key = command(
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
    print(
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

const sign = command(
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
  .requiredOption('--firmware-id <id>', 'the number of this firmware', wholeNumber)
  .requiredOption('--hardware <name>', 'the hardware that it is for')
  .requiredOption(
    '--sequence <number>',
    'higher than that of every firmware before for this hardware',
    wholeNumber,
  )
  .option('--not-after <time>', 'after which no device installs it any more', instant)
  .option('--from <id>', 'the oldest firmware that it may replace', wholeNumber, 0)
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
    const manifest = inWords(() => signManifest(fields.data, privateKey.toString(), options.kid))
    const out = `${file}.manifest`
    await writeFile(out, manifest)
    const sha256 = Buffer.from(fields.data.sha256).toString('hex')
    print(
      { manifest: out, ...fields.data, sha256 },
      options,
      `${out} is the manifest of firmware ${options.firmwareId}, SHA-256 ${sha256}`,
    )
  })

/** Reads a file that an option names. */
const readInput = (file: string): Promise<Buffer> =>
  readFile(file).catch((error: Error) => {
    throw new CommandError(`${file} cannot be read: ${error.message}`)
  })

function inWords<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw error instanceof ManifestError ? new CommandError(error.message) : error
  }
}

function keyName(text: string): string {
  if (!/^[\w.-]{1,32}$/.test(text)) throw new InvalidArgumentError('must be 1 to 32 of A-Z a-z 0-9 . _ -')
  return text
}

export const firmwareCommand = new Command('firmware')
  .description(descriptions.firmware)
  .addCommand(key)
  .addCommand(sign)
