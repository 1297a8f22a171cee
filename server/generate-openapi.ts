import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { openApiDocument } from './src/openapi/document.ts'
import { appRouter } from './src/router.ts'

/* Writes server/openapi.json. With --check it only says whether the file is out of date. */

const file = new URL('./openapi.json', import.meta.url)
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const text = `${JSON.stringify(openApiDocument(appRouter), null, 2)}\n`

if (!values.check) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  console.error('server/openapi.json is not what the router declares: run `pnpm generate` and commit it.')
  process.exitCode = 1
}
