import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Whether the program `openssl`, which makes certificates, is missing. */
export const hasNoOpenssl = !(process.env['PATH'] ?? '')
  .split(':')
  .some((folder) => existsSync(join(folder, 'openssl')))

export interface Root {
  /** The file of its certificate. */
  certificate: string
  key: string
}

export interface Issued {
  certificate: string
  key: string
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** Makes an authority that signs certificates, with its files in `directory`. */
export async function makeRoot(directory: string, name: string): Promise<Root> {
  const [certificate, key] = [join(directory, `${name}.crt`), join(directory, `${name}.key`)]
  const subject = ['-subj', `/CN=${name}`, '-days', '30', '-out', certificate, '-keyout', key]
  await run('openssl', [
    'req',
    '-x509',
    ...NEW_KEY,
    ...subject,
    '-addext',
    'basicConstraints=critical,CA:TRUE',
  ])
  return { certificate, key }
}

/** Makes a certificate of `root`: for the hosts of `names` (`DNS:localhost`), or for the user `common`. */
export async function issue(
  root: Root,
  directory: string,
  name: string,
  { names, common = name, isExpired = false }: { names?: string; common?: string; isExpired?: boolean },
): Promise<Issued> {
  const path = (end: string) => join(directory, `${name}.${end}`)
  const [certificate, key] = [path('crt'), path('key')]
  await run('openssl', ['req', ...NEW_KEY, '-subj', `/CN=${common}`, '-keyout', key, '-out', path('csr')])
  await writeFile(path('ext'), names ? `subjectAltName=${names}` : 'basicConstraints=CA:FALSE')
  const signed = ['-CA', root.certificate, '-CAkey', root.key, '-CAcreateserial', '-extfile', path('ext')]
  await run('openssl', [
    'x509',
    '-req',
    '-in',
    path('csr'),
    ...signed,
    '-days',
    isExpired ? '-1' : '30',
    '-out',
    certificate,
  ])
  return { certificate, key }
}
