import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** The folder of the device in C. */
const source = fileURLToPath(new URL('../../examples/firmware', import.meta.url))

/** What its tests need, for the name under which they are skipped. */
export const NEEDED = 'gcc, make, libcurl4-openssl-dev, libmbedtls-dev, libssl-dev, zlib1g-dev'

const isCi = process.env['CI'] === 'true'
const runs = (command: string) => spawnSync(command, ['--version']).status === 0
const HEADERS = ['curl/curl.h', 'mbedtls/ecdsa.h', 'openssl/evp.h', 'zlib.h']
const input = HEADERS.map((header) => `#include <${header}>\n`).join('')

/** Whether the device can be compiled here. In CI it must be. */
export const canCompile =
  isCi || (runs('gcc') && runs('make') && spawnSync('gcc', ['-E', '-'], { input }).status === 0)

/** Compiles a target of the Makefile to the file `out`; `variables` are those of the Makefile, as `NAME=value`. */
export async function make(target: string, out: string, ...variables: string[]): Promise<void> {
  await promisify(execFile)('make', ['-s', '-C', source, target, `OUT=${out}`, ...variables])
}

/** A command before another one, which then ends with 99 if it leaks or oversteps memory. */
export const valgrind = [
  'valgrind',
  '-q',
  '--leak-check=full',
  '--show-leak-kinds=all',
  '--error-exitcode=99',
]
export const hasValgrind = existsSync('/usr/bin/valgrind') || isCi
