import { createInterface } from 'node:readline'

// The test at the other end of standard input and output.
globalThis.tellHost = (line) => void process.stdout.write(`@host ${line}\n`)
createInterface({ input: process.stdin }).on('line', (line) => globalThis.hearHost(line))
