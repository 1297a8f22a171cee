import { execFile, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { hasEnded, killGroup } from './child-process.ts'
import { until } from './until.ts'

/** Whether Debian's SWUpdate can be run here. In CI it must be. */
export const hasSwupdate =
  process.env['CI'] === 'true' || spawnSync('swupdate', ['--version']).error === undefined

const run = promisify(execFile)

/** Longer than it pauses. */
const SILENT_MS = 60_000
const SILENT = 'swupdate has fallen silent'
/** On a busy machine it happens that SWUpdate 2022.12 never awakes from a pause. Only that is tried again. */
export const WHEN_SILENT = { retry: { count: 2, condition: new RegExp(`^${SILENT}`) } }

/** An archive of cpio with check sums ("crc"), as `cpio -H crc` writes it. */
function cpio(files: readonly (readonly [name: string, bytes: Buffer])[]): Buffer {
  const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])
  const entry = (name: string, bytes: Buffer, inode: number) => {
    const sum = bytes.reduce((total, byte) => (total + byte) >>> 0, 0)
    const fields = [inode, 0o100644, 0, 0, 1, 0, bytes.length, 0, 0, 0, 0, name.length + 1, sum]
    const head = fields.map((field) => field.toString(16).padStart(8, '0')).join('')
    return Buffer.concat([padded(Buffer.from(`070702${head}${name}\0`)), padded(bytes)])
  }
  return Buffer.concat([
    ...files.map(([name, bytes], index) => entry(name, bytes, index + 1)),
    entry('TRAILER!!!', Buffer.alloc(0), 0),
  ])
}

/** A maker of updates for SWUpdate, with a key of their own, and the devices that trust it. */
export async function swupdateMaker() {
  const directory = await mkdtemp(join(tmpdir(), 'companion-swupdate-'))
  const at = (name: string) => join(directory, name)
  const subject = ['-subj', '/CN=maker', '-addext', 'extendedKeyUsage=emailProtection']
  const keys = ['-newkey', 'rsa:2048', '-nodes', '-keyout', at('key.pem'), '-out', at('certificate.pem')]
  await run('openssl', ['req', '-x509', ...keys, '-days', '3650', ...subject])
  let devices = 0
  return {
    /** A signed update that writes `image` to the file `slot`. */
    async update(image: Buffer, slot: string): Promise<Buffer> {
      const sha256 = createHash('sha256').update(image).digest('hex')
      const description = `software = {
  version = "1.4.0";
  hardware-compatibility: [ "1" ];
  files: ( { filename = "image.bin"; path = "${slot}"; sha256 = "${sha256}"; } );
}
`
      await writeFile(at('sw-description'), description)
      const signer = ['-signer', at('certificate.pem'), '-inkey', at('key.pem')]
      const form = ['-outform', 'DER', '-nosmimecap', '-binary']
      await run('openssl', [
        'cms',
        '-sign',
        '-in',
        at('sw-description'),
        '-out',
        at('signature'),
        ...signer,
        ...form,
      ])
      return cpio([
        ['sw-description', Buffer.from(description)],
        ['sw-description.sig', await readFile(at('signature'))],
        ['image.bin', image],
      ])
    },
    /** A device that runs SWUpdate. Its slot is a file. */
    async device(url: string, unique_id: string, key: string) {
      devices += 1
      const own = at(`device-${devices}`)
      const slot = at(`slot-${devices}`)
      await writeFile(slot, 'old')
      return {
        slot,
        holds: () => readFile(slot),
        /** Starts it once, as after a restart, and stops it when `isDone`. Resolves to what it has said. */
        async start(isDone: () => Promise<boolean>, ...options: string[]): Promise<string> {
          const sockets = await mkdtemp(`${own}-`)
          const client = [
            '-t',
            'DEFAULT',
            '-u',
            url,
            '-i',
            unique_id,
            '-k',
            key,
            '-r',
            '20',
            '-w',
            '1',
            ...options,
          ]
          const program = spawn(
            'swupdate',
            ['-v', '-k', at('certificate.pem'), '-H', 'A1:1', '-u', client.join(' ')],
            { env: { ...process.env, TMPDIR: sockets }, detached: true },
          )
          let said = ''
          let isSilent = false
          const silence = setTimeout(() => (isSilent = true), SILENT_MS)
          for (const stream of [program.stdout, program.stderr])
            stream.on('data', (bytes) => {
              said += String(bytes)
              silence.refresh()
            })
          const ended = new Promise<void>((resolve) => program.once('close', () => resolve()))
          try {
            await until(async () => hasEnded(program) || isSilent || (await isDone()))
            if (hasEnded(program))
              throw new Error(`swupdate has ended (${program.signalCode ?? program.exitCode}):\n${said}`)
            if (isSilent) throw new Error(`${SILENT}:\n${said}`)
            return said
          } finally {
            clearTimeout(silence)
            // It has processes of its own, which are in its group.
            killGroup(program)
            await ended
          }
        },
      }
    },
    stop: () => rm(directory, { recursive: true, force: true }),
  }
}
