import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { readDocument } from './generator/document.ts'
import { operationFiles } from './generator/operation-files.ts'

/* Writes sdk/src/operations, the methods of the SDK; with --check it only says which files are not up to date. */

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const folder = new URL('./src/operations/', import.meta.url)
const files = await operationFiles(await readDocument())

const present = await readdir(folder)
const kept = new Map(
  await Promise.all(
    present.map(async (name) => [name, await readFile(new URL(name, folder), 'utf8')] as const),
  ),
)
const stale = [...new Set([...files.keys(), ...kept.keys()])].filter(
  (name) => files.get(name) !== kept.get(name),
)

if (values.check) {
  for (const name of stale)
    console.error(
      `sdk/src/operations/${name} is not what server/openapi.json says: run \`pnpm generate\` and commit it.`,
    )
  if (stale.length > 0) process.exitCode = 1
} else
  for (const name of stale) {
    const text = files.get(name)
    const file = new URL(name, folder)
    await (text === undefined ? rm(file) : writeFile(file, text))
  }
